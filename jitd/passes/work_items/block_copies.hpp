#pragma once
/// Copies parts of functions. A function may be cut into many parts. Copying the whole function for each part would
/// take longer than compiling the parts.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace sinter::passes {

/// Copies parts of `function`, as CloneFunction does for whole functions: first the instructions `front` of the entry
/// block (variables and a jump), and then `blocks`. Both lists are in the order of the function. In the copy, jumps to
/// other blocks still lead into `function`, and the caller has to redirect them.
llvm::Function* clone_blocks(const llvm::Function& function, llvm::ArrayRef<const llvm::Instruction*> front,
                             llvm::ArrayRef<const llvm::BasicBlock*> blocks, llvm::ValueToValueMapTy& map);

}  // namespace sinter::passes
