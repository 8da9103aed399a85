#include "own_arguments.hpp"

#include "../passes/argument_writes.hpp"
#include "image_writer.hpp"
#include "llvm/IR/IRBuilder.h"
#include "simplify.hpp"

namespace sinter::capture {
namespace {

void copy_arguments(llvm::Function& kernel, const block_layout& layout) {
  llvm::Argument& block = *kernel.getArg(0);
  llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
  llvm::AllocaInst* own =
      builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), layout.bytes), nullptr, "own_arguments");
  own->setAlignment(llvm::Align(layout.alignment));
  block.replaceAllUsesWith(own);
  builder.CreateMemCpy(own, own->getAlign(), &block, own->getAlign(), layout.bytes);
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
