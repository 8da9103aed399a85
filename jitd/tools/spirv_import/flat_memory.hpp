#pragma once
/// Replaces OpenCL's five address spaces by one space.

#include <memory>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::import {

/// A copy in which all pointers are of address space 0 and all atomics of the whole system. Debug information is
/// removed.
llvm::Expected<std::unique_ptr<llvm::Module>> flatten_memory(llvm::Module& module);

}  // namespace sinter::import
