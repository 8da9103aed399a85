#include <cpuid.h>

#include <abi/tile_permission.hpp>
#include <cstdio>
#include <cstring>

#include "processor.hpp"

namespace sinter {

std::string processor_name() {
  char text[49] = {};
  for (unsigned i = 0; i < 3; ++i) {
    unsigned words[4] = {};
    if (!__get_cpuid(0x80000002u + i, &words[0], &words[1], &words[2], &words[3])) return "x86-64 CPU";
    std::memcpy(text + 16 * i, words, 16);
  }
  std::string name = text;
  const std::size_t first = name.find_first_not_of(' ');
  name.erase(0, first == std::string::npos ? name.size() : first);
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name.empty() ? "x86-64 CPU" : name;
}

std::string processor_vendor() {
  unsigned a = 0, words[3] = {};
  if (!__get_cpuid(0, &a, &words[0], &words[2], &words[1])) return "unknown";
  return std::string(reinterpret_cast<const char*>(words), 12);
}

/// Returns family, model and stepping.
std::uint32_t processor_signature() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 ? a : 0;
}

std::string processor_identity() {
  std::string text;
  auto add = [&](unsigned leaf, unsigned subleaf, bool skip_b) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count(leaf, subleaf, &a, &b, &c, &d);
    char line[48];
    // EBX of leaf 1 contains the number of the core that executes the instruction, so the text does not contain EBX.
    std::snprintf(line, sizeof(line), "%x.%x.%x.%x,", a, skip_b ? 0 : b, c, d);
    text += line;
  };
  add(1, 0, true);
  add(7, 0, false);
  add(7, 1, false);
  add(0x80000001u, 0, true);
  add(0x80000002u, 0, false);
  add(0x80000003u, 0, false);
  add(0x80000004u, 0, false);
  unsigned low = 0, high = 0;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE)) {
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  }
  // Code with tiles is only for processes that may use them, so this function also asks for the permission.
  return text + std::to_string(low) + (abi::may_use_tiles() ? ",tiles" : "");
}

std::uint32_t processor_vector_bytes() noexcept {
  if (__builtin_cpu_supports("avx512f")) return 64;
  return __builtin_cpu_supports("avx2") ? 32 : 16;
}

bool processor_has_half_arithmetic() noexcept {
  constexpr unsigned avx512_fp16 = 1u << 23;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx512f") && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & avx512_fp16) != 0;
}

bool processor_adds_products_once() noexcept { return __builtin_cpu_supports("fma"); }

}  // namespace sinter
