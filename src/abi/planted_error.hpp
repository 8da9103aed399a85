#pragma once
/// Defects that were mended can be put back one at a time, and tests/random has to find each. Only builds with
/// -Dplanted_errors=true have them; PLANTED_ERROR in the environment names the defect. With PLANTED_ERROR=? no error is
/// planted, and a line on stderr names the place of each error. Call the function only where the error would make a
/// difference.

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
