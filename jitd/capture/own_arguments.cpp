#include "own_arguments.hpp"

#include "../passes/argument_writes.hpp"
#include "image_writer.hpp"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "simplify.hpp"

namespace sinter::capture {
namespace {

/// Makes the kernel load pointers from the block again, unless it stores a pointer at the same place: drivers'
/// compilers know the memory only of pointers that are loaded from the block.
void read_pointers(llvm::Function& kernel, const llvm::AllocaInst& own, llvm::Argument& block) {
  const llvm::DataLayout& data = kernel.getDataLayout();
  const auto offset_of = [&](const llvm::Value* address) {
    std::int64_t offset = 0;
    const bool is_known = llvm::GetPointerBaseWithConstantOffset(address, offset, data) == &own;
    return is_known ? std::optional(offset) : std::nullopt;
  };
  llvm::DenseSet<std::int64_t> stored;
  for (llvm::Instruction& each : llvm::instructions(kernel)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&each);
    if (!store || !store->getValueOperand()->getType()->isPointerTy()) continue;
    if (const auto offset = offset_of(store->getPointerOperand())) stored.insert(*offset);
  }
  for (llvm::Instruction& each : llvm::instructions(kernel)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
    if (!load || !load->getType()->isPointerTy()) continue;
    const auto offset = offset_of(load->getPointerOperand());
    if (!offset || stored.contains(*offset)) continue;
    llvm::IRBuilder<> builder(load);
    load->setOperand(0, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &block, *offset));
  }
}

void copy_arguments(llvm::Function& kernel, const block_layout& layout) {
  llvm::Argument& block = *kernel.getArg(0);
  llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
  llvm::AllocaInst* own =
      builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), layout.bytes), nullptr, "own_arguments");
  own->setAlignment(llvm::Align(layout.alignment));
  block.replaceAllUsesWith(own);
  builder.CreateMemCpy(own, own->getAlign(), &block, own->getAlign(), layout.bytes);
  read_pointers(kernel, *own, block);
}

}  // namespace

llvm::StringSet<> copy_written_arguments(llvm::Module& simplified, llvm::Module& embedded,
                                         llvm::ArrayRef<captured_kernel> kernels) {
  llvm::StringSet<> found;
  for (const captured_kernel& each : kernels) {
    llvm::Function& kernel = *simplified.getFunction(each.symbol);
    if (!passes::writes_through(*kernel.getArg(0)) || !found.insert(each.symbol).second) continue;
    copy_arguments(kernel, block_of(each));
    if (&embedded != &simplified) copy_arguments(*embedded.getFunction(each.symbol), block_of(each));
  }
  // Members that the kernel does not write are read from the block again.
  if (!found.empty()) simplify(simplified);
  return found;
}

}  // namespace sinter::capture
