#include <abi/arm_features.hpp>
#include <abi/vector_math.hpp>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "processor.hpp"

namespace sinter {
namespace {

/// Returns the register MIDR_EL1 (vendor and model), or 0 if Linux doesn't tell the register's value. The cores of a
/// processor may have different values. The value of the first core is returned, so that cache keys do not depend on
/// the core that runs this function.
std::uint32_t model_register() noexcept {
  if (std::FILE* file = std::fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "re")) {
    unsigned long long value = 0;
    const bool read = std::fscanf(file, "%llx", &value) == 1;
    std::fclose(file);
    if (read) return static_cast<std::uint32_t>(value);
  }
  // If this bit is set, programs may read the register, because Linux emulates the instruction that reads it.
  constexpr unsigned long answered = 1ul << 11;
  if ((getauxval(AT_HWCAP) & answered) == 0) return 0;
  std::uint64_t value = 0;
  __asm__("mrs %0, MIDR_EL1" : "=r"(value));
  return static_cast<std::uint32_t>(value);
}
constexpr std::uint32_t maker_of(std::uint32_t model) { return model >> 24; }
constexpr std::uint32_t part_of(std::uint32_t model) { return model >> 4 & 0xfff; }

struct named {
  std::uint32_t number;
  const char* name;
};
constexpr std::uint32_t arm = 0x41;
constexpr named makers[] = {{arm, "Arm"},      {0x42, "Broadcom"}, {0x43, "Cavium"}, {0x46, "Fujitsu"},
                            {0x48, "HiSilicon"}, {0x4e, "NVIDIA"}, {0x51, "Qualcomm"}, {0x61, "Apple"},
                            {0x6d, "Microsoft"}, {0xc0, "Ampere"}};
constexpr named parts_of_arm[] = {{0xd03, "Cortex-A53"},  {0xd05, "Cortex-A55"},  {0xd07, "Cortex-A57"},
                                  {0xd08, "Cortex-A72"},  {0xd0b, "Cortex-A76"},  {0xd0c, "Neoverse N1"},
                                  {0xd40, "Neoverse V1"}, {0xd49, "Neoverse N2"}, {0xd4f, "Neoverse V2"},
                                  {0xd83, "Neoverse V3"}, {0xd8e, "Neoverse N3"}};

template <std::size_t Count>
const char* name_of(const named (&list)[Count], std::uint32_t number) {
  const auto* found = std::find_if(list, list + Count, [&](const named& each) { return each.number == number; });
  return found == list + Count ? nullptr : found->name;
}

}  // namespace

std::string processor_name() {
  const std::uint32_t model = model_register();
  const char* maker = name_of(makers, maker_of(model));
  if (!maker) return "64-bit Arm CPU";
  const char* part = maker_of(model) == arm ? name_of(parts_of_arm, part_of(model)) : nullptr;
  if (part) return std::string(maker) + " " + part;
  char text[64];
  std::snprintf(text, sizeof(text), "%s 64-bit Arm CPU 0x%x", maker, part_of(model));
  return text;
}

std::string processor_vendor() {
  const char* maker = name_of(makers, maker_of(model_register()));
  return maker ? maker : "unknown";
}

std::uint32_t processor_signature() noexcept { return model_register(); }

std::string processor_identity() {
  char line[96];
  std::snprintf(line, sizeof(line), "arm %x.%lx.%lx.%u%s", model_register(), getauxval(AT_HWCAP), getauxval(AT_HWCAP2),
                abi::sve_bytes(), abi::vector_math_path().empty() ? "" : ".sleef");
  return line;
}

// Vectors of NEON have 16 bytes, and no kernel gets vectors longer than 64 bytes.
std::uint32_t processor_vector_bytes() noexcept { return std::bit_floor(std::clamp(abi::sve_bytes(), 16u, 64u)); }

bool processor_has_half_arithmetic() noexcept {
  return std::any_of(std::begin(abi::arm_features), std::end(abi::arm_features), [](const abi::arm_feature& each) {
    return std::strcmp(each.name, "fullfp16") == 0 && abi::has_arm_feature(each);
  });
}

bool processor_adds_products_once() noexcept { return true; }

}  // namespace sinter
