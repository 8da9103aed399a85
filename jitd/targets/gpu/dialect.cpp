#include "dialect.hpp"

#include "passes/device/matrices.hpp"
#include "passes/device/textures.hpp"
#include "prints.hpp"

namespace sinter::jit::gpu {

llvm::Error dialect::lower_matrices(llvm::Function& kernel, unsigned sub_group_size,
                                    const llvm::TargetMachine&) const {
  return passes::lower_matrices(kernel, sub_group_size, /*machine=*/nullptr);
}

void dialect::lower_textures(llvm::Module& module) const { passes::forget_textures(module); }

llvm::Error dialect::lower_prints(llvm::Module& module) const { return gpu::lower_prints(module); }

llvm::Value* dialect::geometry_word(llvm::IRBuilder<>& builder, std::size_t offset) {
  llvm::Argument* geometry = builder.GetInsertBlock()->getParent()->getArg(1);
  llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), geometry, offset);
  return builder.CreateAlignedLoad(builder.getInt32Ty(), place, llvm::Align(4));
}

}  // namespace sinter::jit::gpu
