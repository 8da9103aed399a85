#pragma once
/// The driver finds some variables of a module by name, for the host. This header protects these variables.

#include <abi/gpu_launch.hpp>

#include "llvm/IR/Module.h"

namespace sinter::jit::gpu {

inline bool is_for_driver(llvm::StringRef variable) {
  return variable == abi::gpu_failure_symbol || variable == abi::gpu_prints_symbol;
}

/// Gives the variables that the driver finds by name (is_for_driver) protected visibility, so that no other symbol of
/// the process replaces them.
inline void protect_driver_symbols(llvm::Module& module) {
  for (llvm::GlobalVariable& each : module.globals()) {
    if (is_for_driver(each.getName())) each.setVisibility(llvm::GlobalValue::ProtectedVisibility);
  }
}

}  // namespace sinter::jit::gpu
