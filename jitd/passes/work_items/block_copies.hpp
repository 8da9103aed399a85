#pragma once
/// Parts of functions: copying a whole function for each of its many parts would take longer than compiling the parts.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace sinter::passes {

/// A copy of `function` as CloneFunction makes it, but of parts alone: of its entry block, which holds variables and a
/// jump, what is in `front`, and then these `blocks`, both in the order of the function. Jumps to other blocks still lead
/// into `function`: whoever asks for the copy sets them.
llvm::Function* clone_blocks(const llvm::Function& function, llvm::ArrayRef<const llvm::Instruction*> front,
                             llvm::ArrayRef<const llvm::BasicBlock*> blocks, llvm::ValueToValueMapTy& map);

}  // namespace sinter::passes
