#pragma once
/// Reads the environment variable SINTER_FLOAT_ATOMICS. AMD's GPUs have instructions that add floats atomically in the
/// GPU's own memory. In the host's memory these instructions may do nothing. The compiler does not know to which memory
/// a pointer leads, so it uses the instructions only if the user promises that this is the GPU's memory.

#include <cstring>

#include "read_variable.hpp"

namespace sinter::abi {

/// Returns whether the user promises that kernels add floats atomically in the device's own memory only.
inline bool float_atomics_stay_on_device() noexcept {
  const char* value = read_variable("SINTER_FLOAT_ATOMICS");
  return value && std::strcmp(value, "device") == 0;
}

}  // namespace sinter::abi
