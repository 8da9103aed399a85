#pragma once
/// Turns the places of local accessors in the group's memory into numbers, if the places are the same in all launches.
///
/// Work-items wait for copies to a local accessor (nvptx/async_copies.hpp), but a constant address does not tell to
/// which accessor it belongs. So places are read from the argument block until copies are known, and become numbers
/// afterwards.

#include <abi/image_format.hpp>
#include <abi/launch_abi.hpp>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "targets/gpu/dialect.hpp"

namespace sinter::jit::gpu {

/// If this load of the entry reads the place of an accessor, returns the number of the accessor's leaf plus one;
/// otherwise 0.
unsigned place_read_by(const llvm::LoadInst& load, const llvm::Function& entry,
                       llvm::ArrayRef<abi::image_leaf> leaves);

/// Whether the code at first reads the places from the argument block. If there is only one accessor, this is not
/// necessary.
bool keeps_places(const dialect& gpu, llvm::ArrayRef<abi::image_leaf> leaves);

/// Tells LLVM by which powers of two the known places are divisible.
void align_places(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups);

/// Replaces known places by numbers.
void fold_places(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups);

}  // namespace sinter::jit::gpu
