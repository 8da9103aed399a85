#pragma once
/// Brings back defects that were corrected, one at a time, to test whether tests/random finds these defects. Only
/// builds with -Dplanted_errors=true contain the defects. The environment variable PLANTED_ERROR names the defect that
/// is active. With PLANTED_ERROR=? no defect is active, and each call of is_planted prints the defect's name, to show
/// that a test has reached it. So call is_planted only where the defect would change the result.

#include <planted_errors_wanted.hpp>
#ifdef SINTER_PLANTED_ERRORS
#include <cstdio>
#include <cstring>

#include "read_variable.hpp"
#endif

namespace sinter::abi {

#ifdef SINTER_PLANTED_ERRORS
inline bool is_planted(const char* name) noexcept {
  static const char* const chosen = read_variable("PLANTED_ERROR");
  if (!chosen) return false;
  if (std::strcmp(chosen, "?") == 0) std::fprintf(stderr, "planted %s\n", name);
  return std::strcmp(chosen, name) == 0;
}
#else
constexpr bool is_planted(const char*) noexcept { return false; }
#endif

}  // namespace sinter::abi
