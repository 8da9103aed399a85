#pragma once
/// Texture units of NVIDIA's GPUs.

#include "llvm/IR/Module.h"

namespace sinter::jit::nvptx {

/// Output: samples are instructions of texture units, texels those of surfaces. Numbers of textures and surfaces may
/// differ from work-item to work-item.
void lower_textures(llvm::Module& module);

}  // namespace sinter::jit::nvptx
