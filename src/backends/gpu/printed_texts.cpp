#include "printed_texts.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace sinter::gpu {
namespace {

constexpr std::uint64_t mask = abi::gpu_prints::words - 1;
constexpr std::string_view flags = "#0- +", digits = "0123456789", lengths = "hlqLjzt";

/// Returns the string at an offset, or an empty string if there is none.
const char* string_at(const std::string& strings, std::uint64_t offset) {
  return offset < strings.size() ? strings.c_str() + offset : "";
}

/// Appends one argument. `specification` is a printf conversion for the type of `value`.
template <class T>
void append(std::string& text, const std::string& specification, T value) {
  const int bytes = std::snprintf(nullptr, 0, specification.c_str(), value);
  if (bytes <= 0) return;
  const std::size_t before = text.size();
  // snprintf also writes a 0 at the end.
  text.resize(before + static_cast<std::size_t>(bytes) + 1);
  std::snprintf(text.data() + before, static_cast<std::size_t>(bytes) + 1, specification.c_str(), value);
  text.pop_back();
}

/// Truncates an integer as its length modifier says. Arguments have 64 bits; for example, a conversion with h uses only
/// the lower 16 bits.
template <class Narrow, class Short, class Wide>
Wide narrowed(std::uint64_t value, std::string_view length) {
  if (length == "hh") return static_cast<Narrow>(value);
  if (length == "h") return static_cast<Short>(value);
  return static_cast<Wide>(value);
}

/// Formats a text from the beginning of its format to the end.
class formatting {
public:
  formatting(const std::string& strings, const std::uint64_t* arguments, std::size_t count)
      : m_strings(strings), m_next(arguments), m_end(arguments + count) {}

  std::string run(std::string_view format) {
    for (std::size_t at = 0; at < format.size();) {
      const std::size_t sign = std::min(format.find('%', at), format.size());
      m_text += format.substr(at, sign - at);
      at = sign;
      if (at < format.size()) at = convert(format, at + 1);
    }
    return std::move(m_text);
  }

private:
  /// Formats the conversion that begins at `at`. Returns the position behind the conversion.
  std::size_t convert(std::string_view format, std::size_t at) {
    std::string start = "%";
    const auto take = [&](std::string_view letters) {
      const std::size_t end = std::min(format.find_first_not_of(letters, at), format.size());
      const std::string_view taken = format.substr(at, end - at);
      at = end;
      return taken;
    };
    const auto number = [&] {
      if (at == format.size() || format[at] != '*') return std::string(take(digits));
      ++at;
      // The width is limited, because the format is untrusted: a huge width is a mistake or an attack.
      return std::to_string(std::clamp<std::int64_t>(static_cast<std::int64_t>(argument()), -4096, 4096));
    };
    start += take(flags);
    start += bounded(number());
    if (at < format.size() && format[at] == '.') {
      ++at;
      const std::string precision = bounded(number());
      // A negative precision counts as none.
      if (precision.empty() || precision[0] != '-') start += "." + precision;
    }
    const std::string_view length = take(lengths);
    if (at == format.size()) return at;
    put(start, length, format[at]);
    return at + 1;
  }
  static std::string bounded(const std::string& number) { return number.size() > 5 ? "4096" : number; }

  void put(const std::string& start, std::string_view length, char conversion) {
    switch (conversion) {
      case '%':
        m_text += '%';
        return;
      case 'd':
      case 'i':
        return append(m_text, start + "lld", narrowed<signed char, short, long long>(argument(), length));
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        return append(m_text, start + "ll" + conversion,
                      narrowed<unsigned char, unsigned short, unsigned long long>(argument(), length));
      case 'c': {
        const auto letter = static_cast<unsigned char>(argument());
        return append(m_text, start + "c", static_cast<int>(letter));
      }
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return append(m_text, start + conversion, std::bit_cast<double>(argument()));
      case 's':
        return append(m_text, start + "s", string_at(m_strings, argument()));
      case 'p':
        return append(m_text, start + "p", reinterpret_cast<void*>(argument()));
      default:  // for example %n, which is ignored
        (void)argument();
    }
  }

  std::uint64_t argument() { return m_next == m_end ? 0 : *m_next++; }

  const std::string& m_strings;
  const std::uint64_t *m_next, *m_end;
  std::string m_text;
};

}  // namespace

std::string formatted(const std::string& strings, std::uint64_t format, const std::uint64_t* arguments,
                      std::size_t count) {
  return formatting(strings, arguments, count).run(string_at(strings, format));
}

printed_texts::printed_texts(std::string kernel, std::string strings, abi::gpu_prints& ring)
    : m_kernel(std::move(kernel)), m_strings(std::move(strings)), m_ring(ring) {
  std::memset(&m_ring, 0, sizeof(m_ring));
}

void printed_texts::print() {
  std::lock_guard lock(m_mutex);
  std::string all;
  std::uint64_t taken = m_ring.taken;
  while (const std::uint64_t first = __atomic_load_n(&m_ring.ring[taken & mask], __ATOMIC_ACQUIRE)) {
    // A faulty kernel may have written a wrong number of words, so the number is limited.
    const std::uint64_t words = std::clamp<std::uint64_t>(first & 0xffff, 1, abi::gpu_prints::words);
    std::vector<std::uint64_t> arguments;
    for (std::uint64_t i = 0; i < words; ++i) {
      std::uint64_t& word = m_ring.ring[(taken + i) & mask];
      if (i != 0) arguments.push_back(word);
      word = 0;
    }
    all += formatted(m_strings, first >> 16, arguments.data(), arguments.size());
    taken += words;
    // Work-items may reuse these words only after they are zero again, so `taken` is stored after the zeros.
    __atomic_store_n(&m_ring.taken, taken, __ATOMIC_RELEASE);
  }
  std::fwrite(all.data(), 1, all.size(), stdout);
  const std::uint64_t lost = __atomic_exchange_n(&m_ring.lost, 0, __ATOMIC_RELAXED);
  if (lost == 0) return;
  std::fprintf(stderr,
               "sinter: %llu texts that kernel '%s' printed are lost: only a MiB waits for the host at a time\n",
               static_cast<unsigned long long>(lost), m_kernel.c_str());
}

}  // namespace sinter::gpu
