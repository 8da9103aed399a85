#pragma once
/// Parts of functions: copying a whole function for each of its many parts would take longer than compiling the parts.

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace sinter::passes {

/// A copy of `function` of these `blocks` alone, the entry among them, as CloneFunction makes it of all. Jumps to other
/// blocks still lead into `function`: whoever asks for the copy sets them.
llvm::Function* clone_blocks(const llvm::Function& function,
                             const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& blocks,
                             llvm::ValueToValueMapTy& map);

}  // namespace sinter::passes
