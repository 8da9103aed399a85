#pragma once
/// Translates Linux's description of a 64-bit Arm processor (AT_HWCAP) into LLVM's names of features. A change of this
/// table changes the code of kernels, and hence the names of the cache's files. LLVM's own detection reads
/// /proc/cpuinfo, which containers may hide.

#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>

#include <cstdint>
#include <string>

namespace sinter::abi {

struct arm_feature {
  const char* name;      ///< LLVM's name of the feature
  unsigned long type;    ///< AT_HWCAP, AT_HWCAP2
  unsigned long bits;    ///< the processor has the feature if all these bits are set
};
inline constexpr arm_feature arm_features[] = {
    {"neon", AT_HWCAP, 1ul << 1},
    {"aes", AT_HWCAP, 3ul << 3},
    {"sha2", AT_HWCAP, 3ul << 5},
    {"crc", AT_HWCAP, 1ul << 7},
    {"lse", AT_HWCAP, 1ul << 8},
    {"fullfp16", AT_HWCAP, 3ul << 9},
    {"rdm", AT_HWCAP, 1ul << 12},
    {"jsconv", AT_HWCAP, 1ul << 13},
    {"complxnum", AT_HWCAP, 1ul << 14},
    {"rcpc", AT_HWCAP, 1ul << 15},
    {"sha3", AT_HWCAP, 1ul << 17 | 1ul << 21},
    {"sm4", AT_HWCAP, 3ul << 18},
    {"dotprod", AT_HWCAP, 1ul << 20},
    {"sve", AT_HWCAP, 1ul << 22},
    {"fp16fml", AT_HWCAP, 1ul << 23},
    {"lse2", AT_HWCAP, 1ul << 25},
    {"rcpc-immo", AT_HWCAP, 1ul << 26},
    {"flagm", AT_HWCAP, 1ul << 27},
    {"sve2", AT_HWCAP2, 1ul << 1},
    {"sve-bitperm", AT_HWCAP2, 1ul << 4},
    {"altnzcv", AT_HWCAP2, 1ul << 7},
    {"fptoint", AT_HWCAP2, 1ul << 8},
    {"f32mm", AT_HWCAP2, 1ul << 10},
    {"f64mm", AT_HWCAP2, 1ul << 11},
    {"i8mm", AT_HWCAP2, 1ul << 13},
    {"bf16", AT_HWCAP2, 1ul << 14},
};
// These features are always switched off: SME's streaming mode has other instructions and vector lengths, and the
// library's code never enters this mode.
inline constexpr const char* arm_features_unused[] = {"sme", "sme2"};
// The level "armv8.2-a" of SINTER_CPU also includes these features, because nearly all processors of Armv8.2 have them:
// atomic instructions, half-precision arithmetic, dot products of bytes and others.
inline constexpr const char* arm_v8_2_level = "armv8.2-a";
inline constexpr const char* arm_v8_2_features[] = {"lse", "rdm", "crc", "fullfp16", "dotprod"};

inline bool has_arm_feature(const arm_feature& feature) noexcept {
  return (getauxval(feature.type) & feature.bits) == feature.bits;
}

/// Returns LLVM's feature string for a level of the architecture (chosen_cpu.hpp), or for this processor if `level` is
/// empty. An example is "+neon,-sve".
inline std::string arm_feature_words(const std::string& level) {
  std::string words;
  auto add = [&](const char* name, bool wanted) {
    words += std::string(words.empty() ? "" : ",") + (wanted ? "+" : "-") + name;
  };
  if (level == arm_v8_2_level) {
    add("v8.2a", true);
    for (const char* each : arm_v8_2_features) add(each, true);
  } else if (level.empty()) {
    for (const arm_feature& each : arm_features) add(each.name, has_arm_feature(each));
    for (const char* each : arm_features_unused) add(each, false);
  }
  return words;
}

/// Returns the length of SVE's vectors in bytes, or 0 without SVE. The system may set a shorter length than the
/// processor supports.
inline std::uint32_t sve_bytes() noexcept {
  constexpr int get_length = 51;
  constexpr int length_bits = 0xffff;
  const int found = prctl(get_length);
  return found < 0 ? 0 : static_cast<std::uint32_t>(found & length_bits);
}

}  // namespace sinter::abi
#endif
