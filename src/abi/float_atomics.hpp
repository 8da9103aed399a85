#pragma once
/// Reads the environment variable SINTER_FLOAT_ATOMICS. AMD's GPUs have instructions for atomic additions of floats,
/// which may do nothing if the address is in the host's memory. The compiler cannot tell the memories apart, so it uses
/// the instructions only if the user promises that all such addresses are in the GPU's memory.

#include <cstring>

#include "read_variable.hpp"

namespace sinter::abi {

/// Returns whether the user promises that kernels add floats atomically in the device's own memory only.
inline bool float_atomics_stay_on_device() noexcept {
  const char* value = read_variable("SINTER_FLOAT_ATOMICS");
  return value && std::strcmp(value, "device") == 0;
}

}  // namespace sinter::abi
