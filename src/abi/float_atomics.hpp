#pragma once
/// The variable SINTER_FLOAT_ATOMICS. AMD's GPUs have instructions that add floats to their own memory. In the host's
/// memory these instructions may do nothing, and the compiler does not know where a pointer leads.

#include <cstring>

#include "read_variable.hpp"

namespace sinter::abi {

/// Returns whether the user promises that kernels add floats atomically to the device's own memory alone.
inline bool float_atomics_stay_on_device() noexcept {
  const char* value = read_variable("SINTER_FLOAT_ATOMICS");
  return value && std::strcmp(value, "device") == 0;
}

}  // namespace sinter::abi
