#pragma once
/// Writes a module as SPIR-V, past a defect of LLVM 22: its target remembers numbers of blocks from one module to the
/// next, by the address of the function, so that a label may have the number of something else. Two threads can't use
/// it at a time either.

#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::jit::spirv {

/// `module` has been checked (writable.hpp), and has no `switch`; it is used up.
llvm::Expected<std::string> write_module(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace sinter::jit::spirv
