#pragma once
/// Orders a module's global variables so that each variable follows the variables that its initial value names, as PTX
/// requires. LLVM would order them by their addresses in memory, so that the text would differ from run to run.

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

void order_globals(llvm::Module& module);

}  // namespace sinter::jit::nvptx
