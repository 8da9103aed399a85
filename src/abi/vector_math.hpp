#pragma once
/// Where the library lies that has mathematical functions of vectors. Kernels' code calls it, and on machines that may
/// be without it, the code's name in the cache says whether it was there.

#include <dlfcn.h>
#include <unistd.h>

#include <cmath>
#include <string>

namespace sinter::abi {

/// libmvec belongs to every glibc of x86-64 since 2.22. That of 64-bit Arm, since 2.38, has other functions and is not
/// called: SLEEF has the same names in a library of its own (Debian: libsleef3).
#if defined(__aarch64__)
inline constexpr const char* vector_math_library = "libsleefgnuabi.so.3";
#else
inline constexpr const char* vector_math_library = "libmvec.so.1";
#endif

/// The libm of this process, or nothing.
inline std::string math_library_path() {
  Dl_info info;
  auto* function = static_cast<double (*)(double, double)>(&::pow);
  return dladdr(reinterpret_cast<const void*>(function), &info) && info.dli_fname ? info.dli_fname : "";
}

/// It lies beside libm; empty if it is not there.
inline std::string vector_math_path() {
  const std::string math = math_library_path();
  if (math.empty()) return {};
  const std::string path = math.substr(0, math.rfind('/') + 1) + vector_math_library;
  return access(path.c_str(), R_OK) == 0 ? path : std::string();
}

}  // namespace sinter::abi
