#pragma once
/// SINTER_CPU: code for a level of x86-64 below the machine's own, for tests and measurements.

#include <cstring>

#include "read_variable.hpp"

namespace sinter::abi {

/// The level that code is made for; null for all that the machine has. A level that the machine lacks is not chosen.
inline const char* chosen_cpu() noexcept {
  const char* text = read_variable("SINTER_CPU");
  if (!text) return nullptr;
  __builtin_cpu_init();
  // The levels are spelled out, because the compiler requires literals.
  if (std::strcmp(text, "x86-64-v2") == 0 && __builtin_cpu_supports("sse4.2")) return text;
  if (std::strcmp(text, "x86-64-v3") == 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    return text;
  }
  if (std::strcmp(text, "x86-64-v4") == 0 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return text;
  }
  return nullptr;
}

}  // namespace sinter::abi
