#pragma once
/// Computes sums of products of bytes (passes/byte_products.hpp) by `dp4a`, which all supported GPUs have.

#include "llvm/IR/Function.h"
#include "passes/pass_runner.hpp"

namespace sinter::jit::nvptx {

void dot_bytes(llvm::Function& entry, passes::pass_runner& runner);

}  // namespace sinter::jit::nvptx
