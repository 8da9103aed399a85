#pragma once
/// Reads the environment variable SINTER_CPU. Tests and measurements set it to get code for a lower level of the
/// architecture than the machine's own.

#include <cstdint>
#include <cstring>

#include "arm_features.hpp"
#include "read_variable.hpp"

namespace sinter::abi {

struct cpu_level {
  const char* name;
  std::uint32_t vector_bytes;  ///< length of the level's longest vectors
  bool adds_products_once;     ///< the level has an FMA
};

#if defined(__x86_64__)
inline constexpr const char* cpu_level_names = "x86-64-v2, x86-64-v3, x86-64-v4";
inline constexpr cpu_level cpu_levels[] = {
    {"x86-64-v2", 16, false}, {"x86-64-v3", 32, true}, {"x86-64-v4", 64, true}};

inline bool has_level(const cpu_level& level) noexcept {
  __builtin_cpu_init();
  // __builtin_cpu_supports accepts string literals only, so the level's name can't be passed.
  switch (level.name[8]) {
    case '2': return __builtin_cpu_supports("sse4.2");
    case '3':
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    default:
      return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
  }
}
#elif defined(__aarch64__)
inline constexpr const char* cpu_level_names = "armv8-a, armv8.2-a";
inline constexpr cpu_level cpu_levels[] = {{"armv8-a", 16, true}, {arm_v8_2_level, 16, true}};

inline bool has_level(const cpu_level& level) noexcept {
  if (std::strcmp(level.name, "armv8-a") == 0) return true;
  for (const arm_feature& each : arm_features) {
    for (const char* wanted : arm_v8_2_features) {
      if (std::strcmp(each.name, wanted) == 0 && !has_arm_feature(each)) return false;
    }
  }
  return true;
}
#endif

/// Returns null if no level has this name.
inline const cpu_level* find_level(const char* name) noexcept {
  for (const cpu_level& each : cpu_levels) {
    if (std::strcmp(each.name, name) == 0) return &each;
  }
  return nullptr;
}

/// Returns the level of the architecture for which code is made. Null means that code may use all features of the
/// machine: SINTER_CPU is not set, names no level, or names a level that the machine does not have.
inline const cpu_level* chosen_level() noexcept {
  const char* text = read_variable("SINTER_CPU");
  const cpu_level* level = text ? find_level(text) : nullptr;
  return level && has_level(*level) ? level : nullptr;
}

inline const char* chosen_cpu() noexcept {
  const cpu_level* level = chosen_level();
  return level ? level->name : nullptr;
}

}  // namespace sinter::abi
