#ifndef SINTER_PASSES_BLOCK_COPIES_HPP
#define SINTER_PASSES_BLOCK_COPIES_HPP

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace sinter::passes {

/// A copy of `function` of these `blocks` alone, the entry among them, as CloneFunction makes it of all. Jumps to other
/// blocks still lead into `function`: whoever asks for the copy sets them. Of a function in many parts, copies of all
/// blocks for each part take longer than the compiler needs for the parts.
llvm::Function* clone_blocks(const llvm::Function& function,
                             const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& blocks,
                             llvm::ValueToValueMapTy& map);

}  // namespace sinter::passes

#endif
