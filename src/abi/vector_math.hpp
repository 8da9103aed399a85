#pragma once
/// Finds the library with mathematical functions of vectors, which the code of kernels calls. On machines that may
/// lack the library, the code's name in the cache says whether it was present.

#include <dlfcn.h>
#include <unistd.h>

#include <cmath>
#include <string>

namespace sinter::abi {

/// Every glibc of x86-64 has libmvec since 2.22. The libmvec of 64-bit Arm, since 2.38, has other functions and is not
/// called; instead, code calls a library of SLEEF with the same names (Debian: libsleef3).
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

/// Returns the path of the library, which lies beside libm, or an empty string.
inline std::string vector_math_path() {
  const std::string math = math_library_path();
  if (math.empty()) return {};
  const std::string path = math.substr(0, math.rfind('/') + 1) + vector_math_library;
  return access(path.c_str(), R_OK) == 0 ? path : std::string();
}

}  // namespace sinter::abi
