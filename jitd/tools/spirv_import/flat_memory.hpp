#pragma once
/// Replaces OpenCL's five address spaces by one space.

#include <memory>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::import {

/// Returns a copy in which all pointers are in address space 0 and all atomics have the scope of the whole system. The
/// copy has no debug information.
llvm::Expected<std::unique_ptr<llvm::Module>> flatten_memory(llvm::Module& module);

}  // namespace sinter::import
