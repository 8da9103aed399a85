#pragma once
/// Translates accesses of images into instructions for the texture units of NVIDIA's GPUs.

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

/// Output: samples are read by instructions for textures, and single texels by instructions for surfaces. The numbers
/// that name textures and surfaces may differ from work-item to work-item.
void lower_textures(llvm::Module& module);

}  // namespace sinter::jit::nvptx
