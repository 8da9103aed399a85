#include "float_cube_roots.hpp"

#include <cstdint>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "passes/machine/vector_math.hpp"

namespace sinter::passes {
namespace {

// A float's bits divided by 3, plus this number, are nearly the bits of its cube root. The number corrects the
// exponent's offset, which is 127: (127 - 127.0 / 3 - 0.03306235651) * 2^23 minimises the mean error.
constexpr std::uint32_t exponent_of_root = 709958130;
constexpr std::uint32_t least_normal = 0x00800000, infinite = 0x7f800000;
constexpr double to_normal = 0x1p24, back_from_normal = 0x1p-8;

llvm::Value* cube_root(llvm::CallInst& call) {
  llvm::IRBuilder<> builder(&call);
  llvm::Type *single = builder.getFloatTy(), *wide = builder.getDoubleTy(), *integer = builder.getInt32Ty();
  const auto number = [&](double value) { return llvm::ConstantFP::get(wide, value); };
  llvm::Value* x = call.getArgOperand(0);
  llvm::Value* size = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  llvm::Value* bits = builder.CreateBitCast(size, integer);
  // Denormal numbers are multiplied by 2^24, so their root is 2^8 times as large.
  llvm::Value* is_small = builder.CreateICmpULT(bits, builder.getInt32(least_normal));
  llvm::Value* larger = builder.CreateFMul(size, llvm::ConstantFP::get(single, to_normal));
  llvm::Value* taken = builder.CreateSelect(is_small, larger, size);
  llvm::Value* third = builder.CreateUDiv(builder.CreateBitCast(taken, integer), builder.getInt32(3));
  llvm::Value* guess = builder.CreateBitCast(builder.CreateAdd(third, builder.getInt32(exponent_of_root)), single);
  llvm::Value *cube = builder.CreateFPExt(taken, wide), *root = builder.CreateFPExt(guess, wide);
  // Each step of Halley's iteration triples the number of right bits: 5, 16, 47.
  llvm::Value* twice = builder.CreateFAdd(cube, cube);
  for (unsigned step = 0; step < 2; ++step) {
    llvm::Value* r = builder.CreateFMul(builder.CreateFMul(root, root), root);
    llvm::Value* above = builder.CreateFAdd(twice, r);
    llvm::Value* below = builder.CreateFAdd(cube, builder.CreateFAdd(r, r));
    root = builder.CreateFMul(root, builder.CreateFDiv(above, below));
  }
  root = builder.CreateFMul(root, builder.CreateSelect(is_small, number(back_from_normal), number(1)));
  llvm::Value* result =
      builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, builder.CreateFPTrunc(root, single), x);
  // The roots of zeros, infinities and NaNs are the numbers themselves.
  llvm::Value* is_own = builder.CreateOr(builder.CreateIsNull(bits),
                                         builder.CreateICmpUGE(bits, builder.getInt32(infinite)));
  return builder.CreateSelect(is_own, builder.CreateFAdd(x, x), result);
}

}  // namespace

void expand_float_cube_roots(llvm::Function& kernel) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !call->getType()->isFloatTy() || math_name(*call) != "cbrt") continue;
    call->replaceAllUsesWith(cube_root(*call));
    call->eraseFromParent();
  }
}

}  // namespace sinter::passes
