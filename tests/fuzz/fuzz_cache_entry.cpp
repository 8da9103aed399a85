/// Cache files: parsing ends for any bytes, and an accepted file returns exactly the parts that were written to it.

#include <cstdint>
#include <cstdlib>
#include <images/cache_entry.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(bytes), size);
  std::string error;
  const sinter::cache_entry entry = sinter::parse_cache_entry(file, error);
  if (error.empty()) {
    if (entry.object.size() + entry.key.size() + entry.stamp.size() + entry.facts.size() >= size) std::abort();
  } else if (!entry.object.empty() || !entry.key.empty() || !entry.stamp.empty() || !entry.facts.empty()) {
    std::abort();
  }
  // The bytes also serve as contents: the test writes a file with four parts of the bytes, reads the file, and compares
  // the parts.
  const std::size_t first = size == 0 ? 0 : bytes[0] % (size + 1), second = first + (size - first) / 2,
                    third = second + (size - second) / 2;
  const sinter::cache_entry made{file.substr(0, first), file.substr(first, second - first),
                                 file.substr(second, third - second), file.substr(third)};
  const std::string whole = std::string(made.object) + make_cache_trailer(made);
  const sinter::cache_entry read = sinter::parse_cache_entry(whole, error);
  if (!error.empty() || read.object != made.object || read.key != made.key || read.stamp != made.stamp ||
      read.facts != made.facts) {
    std::abort();
  }
  return 0;
}
