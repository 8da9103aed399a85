#pragma once
/// Orders a module's global variables so that each follows those that its initial value names, as PTX asks for. LLVM
/// would order them by itself, but by their addresses, and the text would differ from run to run.

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

void order_globals(llvm::Module& module);

}  // namespace sinter::jit::nvptx
