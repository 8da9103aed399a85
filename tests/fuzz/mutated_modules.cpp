/// Damages SPIR-V modules and passes them to every program that reads modules: the library, the translator and
/// sinter-import. Each module must be built, or refused with a message. Only the translator may end in another way,
/// because it is a foreign program in a separate process.
///
/// usage: mutated_modules COUNT SEED MODULE... Run the program by hand, in a build with sanitizers, in several
/// processes at the same time. `sinter-lower --emit=spirv` writes the modules of any program.

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

namespace from = sycl::ext::oneapi::experimental;
using words = std::vector<std::uint32_t>;

constexpr std::size_t header = 5;

words read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  words module(bytes.size() / sizeof(std::uint32_t));
  if (module.size() <= header) {
    std::fprintf(stderr, "mutated_modules: %s is no module\n", path);
    std::exit(1);
  }
  std::memcpy(module.data(), bytes.data(), module.size() * sizeof(std::uint32_t));
  return module;
}

/// The word indices at which instructions begin, up to an instruction that exceeds the module.
std::vector<std::size_t> instructions(const words& module) {
  std::vector<std::size_t> found;
  for (std::size_t at = header; at < module.size();) {
    const std::size_t length = module[at] >> 16;
    if (length == 0 || length > module.size() - at) break;
    found.push_back(at);
    at += length;
  }
  return found;
}

class dice {
public:
  explicit dice(std::uint64_t seed) : m_random(seed) {}
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(m_random() % end); }
  std::uint32_t word() { return static_cast<std::uint32_t>(m_random()); }

private:
  std::mt19937_64 m_random;
};

/// Changes a module. The changed module is in most cases still a list of instructions, so the code behind the first
/// checks runs, too.
void change(words& module, dice& dice) {
  const std::vector<std::size_t> all = instructions(module);
  if (all.empty()) return;
  const std::size_t at = all[dice.below(all.size())], length = module[at] >> 16;
  const auto begin = module.begin() + static_cast<std::ptrdiff_t>(at);
  std::uint32_t& operand = module[at + (length > 1 ? 1 + dice.below(length - 1) : 0)];
  switch (dice.below(10)) {
    case 0: operand = dice.word(); break;
    case 1: operand ^= 1u << dice.below(32); break;
    case 2: operand = static_cast<std::uint32_t>(dice.below(64)); break;
    case 3: operand = static_cast<std::uint32_t>(dice.below(module[3] + std::size_t{2})); break;  // an id
    case 4: operand = module[dice.below(module.size())]; break;
    case 5: module[at] = (module[at] & 0xffff0000u) | static_cast<std::uint32_t>(dice.below(400)); break;
    case 6: module.erase(begin, begin + static_cast<std::ptrdiff_t>(length)); break;
    case 7: {
      const words copied(begin, begin + static_cast<std::ptrdiff_t>(length));
      module.insert(module.begin() + static_cast<std::ptrdiff_t>(all[dice.below(all.size())]), copied.begin(),
                    copied.end());
      break;
    }
    case 8: {
      const std::size_t other = all[dice.below(all.size())];
      if (module[other] >> 16 == length) std::swap_ranges(begin, begin + static_cast<std::ptrdiff_t>(length),
                                                          module.begin() + static_cast<std::ptrdiff_t>(other));
      break;
    }
    default: module[dice.below(module.size())] = dice.word(); break;
  }
}

/// Returns the same text for all refusals at the same stage.
std::string kind_of(const std::string& text) {
  const auto has = [&](const char* words) { return text.find(words) != std::string::npos; };
  if (has("no SPIR-V module")) return "by its words";
  if (has("does not take the module") || has("llvm-spirv")) return "by the translator";
  return "behind the translator";
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::fputs("usage: mutated_modules COUNT SEED MODULE...\n", stderr);
    return 1;
  }
  std::vector<words> modules;
  for (int i = 3; i < count; ++i) modules.push_back(read(arguments[i]));
  const std::uint64_t first = std::strtoull(arguments[2], nullptr, 10);
  const std::uint64_t end = first + std::strtoull(arguments[1], nullptr, 10);
  // The translator's stack traces would take longer than all other work, so they are turned off.
  setenv("LLVM_DISABLE_SYMBOLIZATION", "1", 0);
  const sycl::context context;
  std::map<std::string, int> refused;
  int built = 0, wrong = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    dice dice(seed);
    words module = modules[dice.below(modules.size())];
    for (std::size_t changes = 1 + dice.below(dice.below(4) == 0 ? 12 : 2); changes-- > 0;) change(module, dice);
    std::vector<std::byte> bytes(module.size() * sizeof(std::uint32_t) - (dice.below(50) == 0 ? dice.below(4) : 0));
    std::memcpy(bytes.data(), module.data(), bytes.size());
    try {
      from::build(from::create_kernel_bundle_from_source(context, from::source_language::spirv, bytes));
      ++built;
    } catch (const sycl::exception& error) {
      const std::string text = error.what();
      ++refused[kind_of(text)];
      const bool is_known = error.code() == sycl::errc::invalid || error.code() == sycl::errc::build;
      // The sanitizer ends sinter-import if it finds a fault.
      if (is_known && text.find("ended by signal") == std::string::npos &&
          text.find("Sanitizer") == std::string::npos && text.find("runtime error") == std::string::npos)
        continue;
      ++wrong;
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), text.c_str());
    }
    std::fflush(stdout);
  }
  std::printf("%d built", built);
  for (const auto& [kind, number] : refused) std::printf(", %d refused %s", number, kind.c_str());
  std::printf("; %d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
