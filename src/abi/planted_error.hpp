#pragma once
/// Defects that were mended, put back one at a time: tests/random has to find each. Only in builds with
/// -Dplanted_errors=true; PLANTED_ERROR in the environment names the one.

#include <planted_errors_wanted.hpp>
#ifdef SINTER_PLANTED_ERRORS
#include <cstdlib>
#include <cstring>
#endif

namespace sinter::abi {

#ifdef SINTER_PLANTED_ERRORS
inline bool is_planted(const char* name) noexcept {
  static const char* const chosen = std::getenv("PLANTED_ERROR");
  return chosen && std::strcmp(chosen, name) == 0;
}
#else
constexpr bool is_planted(const char*) noexcept { return false; }
#endif

}  // namespace sinter::abi
