#pragma once
/// Writes a module as SPIR-V, and avoids two defects of LLVM 22's target. LLVM's writer has a table of block numbers,
/// whose keys are addresses of functions. The table stays from one module to the next. So a label may get the number
/// that a block of an earlier module had. Besides, only one thread at a time may use the writer.

#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::jit::spirv {

/// `module` has been checked (writable.hpp), and has no `switch`. The module can't be used afterwards.
llvm::Expected<std::string> write_module(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace sinter::jit::spirv
