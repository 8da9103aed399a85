#pragma once
/// Sums of products of bytes (passes/byte_products.hpp) by `dp4a`, which all GPUs have that code is made for.

#include "llvm/IR/Function.h"
#include "passes/pass_runner.hpp"

namespace sinter::jit::nvptx {

void dot_bytes(llvm::Function& entry, passes::pass_runner& runner);

}  // namespace sinter::jit::nvptx
