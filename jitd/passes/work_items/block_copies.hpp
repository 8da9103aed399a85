#pragma once
/// Copies parts of functions. A function may have many parts, and whole copies would take longer than compiling
/// them.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace sinter::passes {

/// Copies `function` as CloneFunction does, but only parts of it: from its entry block, which holds variables and a
/// jump, the instructions in `front`, and then `blocks`, both in the order of the function. Jumps to other blocks still
/// lead into `function`; the caller has to set them.
llvm::Function* clone_blocks(const llvm::Function& function, llvm::ArrayRef<const llvm::Instruction*> front,
                             llvm::ArrayRef<const llvm::BasicBlock*> blocks, llvm::ValueToValueMapTy& map);

}  // namespace sinter::passes
