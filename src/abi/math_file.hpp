#pragma once
/// Finds the files with mathematics for GPUs. The compiler links them, and the runtime's cache keys name them.

#include <cstddef>
#include <cstdio>

#include "read_variable.hpp"

namespace sinter::abi {

/// libclc's file, where Debian installs it, for GPUs without a CUDA toolkit.
inline constexpr const char* libclc_file = "/usr/lib/clc/nvptx64--.bc";

/// libclc for AMD's GPUs, if ROCm's device libraries are absent. Only its mathematics is used: its work-item functions
/// are made for Mesa.
inline constexpr const char* amd_libclc_file = "/usr/lib/clc/amdgcn-amd-amdhsa.bc";

/// A path in pieces; false, and none, if it is longer than there is room.
template <std::size_t Size>
bool put_path(char (&path)[Size], const char* a, const char* b, const char* c) noexcept {
  const int length = std::snprintf(path, Size, "%s%s%s", a, b, c);
  if (length >= 0 && static_cast<std::size_t>(length) < Size) return true;
  path[0] = '\0';
  return false;
}

/// The path of a CUDA toolkit's libdevice; empty if there is none or the path is longer: libclc_file is linked then.
struct math_file {
  char path[4096] = "";

  template <class Exists>
  explicit math_file(const Exists& exists) noexcept {
    if (const char* named = read_variable("SINTER_LIBDEVICE")) {
      put_path(path, named, "", "");
      return;
    }
    const char* const roots[] = {read_variable("CUDA_HOME"), read_variable("CUDA_PATH"), "/usr/local/cuda",
                                 "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"};
    for (const char* root : roots) {
      for (const char* folder : {"/nvvm/libdevice", "/libdevice"}) {
        if (root && put_path(path, root, folder, "/libdevice.10.bc") && exists(static_cast<const char*>(path))) return;
      }
    }
    path[0] = '\0';
  }
};

/// The path of ocml, the mathematics of ROCm's device libraries; empty if they are not installed or it is longer. Then
/// libclc is linked.
struct ocml_file {
  char path[4096] = "";

  template <class Exists>
  explicit ocml_file(const Exists& exists) noexcept {
    if (const char* named = read_variable("SINTER_OCML")) {
      put_path(path, named, "", "");
      return;
    }
    const char* const folders[][2] = {{read_variable("HIP_DEVICE_LIB_PATH"), ""},
                                      {read_variable("ROCM_PATH"), "/amdgcn/bitcode"},
                                      {"/opt/rocm", "/amdgcn/bitcode"},
                                      {"/usr/lib/x86_64-linux-gnu", "/amdgcn/bitcode"},
                                      {"/usr/lib", "/amdgcn/bitcode"}};
    for (const auto& [root, folder] : folders) {
      if (root && put_path(path, root, folder, "/ocml.bc") && exists(static_cast<const char*>(path))) return;
    }
    path[0] = '\0';
  }
};

}  // namespace sinter::abi
