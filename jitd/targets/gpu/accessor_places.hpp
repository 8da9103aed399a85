#pragma once
/// Places of local accessors in the group's memory, where all launches have them alike.
///
/// Copies to local memory are waited for by accessor (nvptx/async_copies.hpp), and sums of numbers do not tell in which
/// accessor they lie. So places are read from the argument block until copies are known, and numbers afterwards.

#include <abi/image_format.hpp>
#include <abi/launch_abi.hpp>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "targets/gpu/dialect.hpp"

namespace sinter::jit::gpu {

/// The number of the leaf whose place this load of the entry reads, plus one; 0: none.
unsigned place_read_by(const llvm::LoadInst& load, const llvm::Function& entry,
                       llvm::ArrayRef<abi::image_leaf> leaves);

/// Whether places stay in the argument block at first: one accessor needs no name.
bool keeps_places(const dialect& gpu, llvm::ArrayRef<abi::image_leaf> leaves);

/// LLVM sees which powers of two divide places that are known.
void align_places(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups);

/// Places that are known become numbers.
void fold_places(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups);

}  // namespace sinter::jit::gpu
