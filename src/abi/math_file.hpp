#pragma once
/// Finds the files with mathematical functions for GPUs. The compiler links the files, and the runtime's cache keys
/// name them.

#include <cstddef>
#include <cstdio>

#include "read_variable.hpp"

namespace sinter::abi {

/// Debian's path of libclc's file, which is linked for NVIDIA's GPUs if there is no CUDA toolkit.
inline constexpr const char* libclc_file = "/usr/lib/clc/nvptx64--.bc";

/// libclc for AMD's GPUs, if ROCm's device libraries are absent. Only the math functions of this file are used, because
/// its work-item functions fit only Mesa's drivers.
inline constexpr const char* amd_libclc_file = "/usr/lib/clc/amdgcn-amd-amdhsa.bc";

/// Concatenates three strings to a path. If the path does not fit into the array, writes an empty path and returns
/// false.
template <std::size_t Size>
bool put_path(char (&path)[Size], const char* a, const char* b, const char* c) noexcept {
  const int length = std::snprintf(path, Size, "%s%s%s", a, b, c);
  if (length >= 0 && static_cast<std::size_t>(length) < Size) return true;
  path[0] = '\0';
  return false;
}

/// Writes a file's path to `path`. If the environment variable `variable` is set, its value is the path. Otherwise,
/// `path` becomes the path of the first existing file with this name in the folders `places`. A folder is a pair of
/// strings, which are concatenated; pairs with a null first string are skipped. `path` is empty if no file exists, or
/// if its path is too long.
template <std::size_t Size, std::size_t Count, class Exists>
void find_file(char (&path)[Size], const char* variable, const char* const (&places)[Count][2], const char* name,
               const Exists& exists) noexcept {
  if (const char* named = read_variable(variable)) {
    put_path(path, named, "", "");
    return;
  }
  for (const auto& [root, folder] : places) {
    if (root && put_path(path, root, folder, name) && exists(static_cast<const char*>(path))) return;
  }
  path[0] = '\0';
}

/// The path of libdevice in a CUDA toolkit. If it is empty, libclc_file is linked.
struct math_file {
  char path[4096] = "";

  template <class Exists>
  explicit math_file(const Exists& exists) noexcept {
    const char* const home = read_variable("CUDA_HOME");
    const char* const toolkit = read_variable("CUDA_PATH");
    const char* const places[][2] = {{home, "/nvvm/libdevice"},
                                     {home, "/libdevice"},
                                     {toolkit, "/nvvm/libdevice"},
                                     {toolkit, "/libdevice"},
                                     {"/usr/local/cuda", "/nvvm/libdevice"},
                                     {"/usr/local/cuda", "/libdevice"},
                                     {"/usr/lib/cuda", "/nvvm/libdevice"},
                                     {"/usr/lib/cuda", "/libdevice"},
                                     {"/usr/lib/nvidia-cuda-toolkit", "/nvvm/libdevice"},
                                     {"/usr/lib/nvidia-cuda-toolkit", "/libdevice"}};
    find_file(path, "SINTER_LIBDEVICE", places, "/libdevice.10.bc", exists);
  }
};

/// The path of ocml, the mathematics of ROCm's device libraries. If it is empty, amd_libclc_file is linked.
struct ocml_file {
  char path[4096] = "";

  template <class Exists>
  explicit ocml_file(const Exists& exists) noexcept {
    const char* const places[][2] = {{read_variable("HIP_DEVICE_LIB_PATH"), ""},
                                     {read_variable("ROCM_PATH"), "/amdgcn/bitcode"},
                                     {"/opt/rocm", "/amdgcn/bitcode"},
                                     {"/usr/lib/x86_64-linux-gnu", "/amdgcn/bitcode"},
                                     {"/usr/lib", "/amdgcn/bitcode"}};
    find_file(path, "SINTER_OCML", places, "/ocml.bc", exists);
  }
};

}  // namespace sinter::abi
