/// Texts that kernels print: formatting ends for any contents of the ring buffer, and reads only inside the program's
/// strings.

#include <algorithm>
#include <backends/gpu/printed_texts.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2) return 0;
  // The first byte is the number of argument words, and the second byte is the position of the format string.
  const std::size_t count = std::min<std::size_t>(bytes[0] % 8, (size - 2) / sizeof(std::uint64_t));
  const std::size_t words = count * sizeof(std::uint64_t);
  std::vector<std::uint64_t> arguments(count);
  if (count != 0) std::memcpy(arguments.data(), bytes + 2, words);
  const std::string strings(reinterpret_cast<const char*>(bytes) + 2 + words, size - 2 - words);
  const std::string text = sinter::gpu::formatted(strings, bytes[1], arguments.data(), count);
  // Each letter of a format adds at most a field of 4096 letters, a string, or a number with 4096 digits.
  if (text.size() > (strings.size() + 1) * (4096 * 2 + 400 + strings.size())) std::abort();
  return 0;
}
