#pragma once
/// Finds the file with mathematics for NVIDIA GPUs. The compiler links it, and the runtime's cache keys name it.

#include <cstddef>
#include <cstdio>

#include "read_variable.hpp"

namespace sinter::abi {

/// libclc's file, where Debian installs it, for GPUs without a CUDA toolkit.
inline constexpr const char* libclc_file = "/usr/lib/clc/nvptx64--.bc";

/// The path of a CUDA toolkit's libdevice; empty if there is none or the path is longer: libclc_file is linked then.
struct math_file {
  char path[4096] = "";

  template <class Exists>
  explicit math_file(const Exists& exists) noexcept {
    if (const char* named = read_variable("SINTER_LIBDEVICE")) {
      put(named, "", "");
      return;
    }
    const char* const roots[] = {read_variable("CUDA_HOME"), read_variable("CUDA_PATH"), "/usr/local/cuda",
                                 "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"};
    for (const char* root : roots) {
      for (const char* folder : {"/nvvm/libdevice", "/libdevice"}) {
        if (root && put(root, folder, "/libdevice.10.bc") && exists(static_cast<const char*>(path))) return;
      }
    }
    path[0] = '\0';
  }

private:
  bool put(const char* a, const char* b, const char* c) noexcept {
    const int length = std::snprintf(path, sizeof(path), "%s%s%s", a, b, c);
    return length >= 0 && static_cast<std::size_t>(length) < sizeof(path);
  }
};

}  // namespace sinter::abi
