#pragma once
/// Finds the vector math library that the code of kernels calls. Not every machine has it, so the cache's file names
/// say whether it was present when the code was made.

#include <dlfcn.h>
#include <unistd.h>

#include <cmath>
#include <string>

namespace sinter::abi {

/// On x86-64, every glibc since 2.22 has libmvec. On 64-bit Arm, glibc has a libmvec since 2.38, but this libmvec has
/// other functions than the one for x86-64. Code for Arm therefore calls SLEEF's library (Debian: libsleef3).
#if defined(__aarch64__)
inline constexpr const char* vector_math_library = "libsleefgnuabi.so.3";
#else
inline constexpr const char* vector_math_library = "libmvec.so.1";
#endif

/// Returns the path of this process's libm, or an empty string.
inline std::string math_library_path() {
  Dl_info info;
  auto* function = static_cast<double (*)(double, double)>(&::pow);
  return dladdr(reinterpret_cast<const void*>(function), &info) && info.dli_fname ? info.dli_fname : "";
}

/// Returns the path of the vector math library in the folder of libm, or an empty string if the library is not there.
inline std::string vector_math_path() {
  const std::string math = math_library_path();
  if (math.empty()) return {};
  const std::string path = math.substr(0, math.rfind('/') + 1) + vector_math_library;
  return access(path.c_str(), R_OK) == 0 ? path : std::string();
}

}  // namespace sinter::abi
