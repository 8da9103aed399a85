#include "math_library.hpp"

#include <abi/math_file.hpp>
#include <optional>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/FileSystem.h"
#include "targets/gpu/native_functions.hpp"
#include "targets/linked_bitcode.hpp"
#include "targets/math_calls.hpp"
#include "targets/math_corrections.hpp"

namespace sinter::jit::nvptx {
namespace {

constexpr gpu::native_functions native = {
    [](llvm::IRBuilder<>& builder, gpu::native_function what, llvm::Value* x) -> llvm::Value* {
      const auto one = [&](llvm::Intrinsic::ID id) { return builder.CreateIntrinsic(id, {}, {x}); };
      switch (what) {
        case gpu::native_function::rsqrt:
          return one(llvm::Intrinsic::nvvm_rsqrt_approx_f);
        case gpu::native_function::sqrt:
          return one(llvm::Intrinsic::nvvm_sqrt_approx_f);
        case gpu::native_function::sin:
          return one(llvm::Intrinsic::nvvm_sin_approx_f);
        case gpu::native_function::cos:
          return one(llvm::Intrinsic::nvvm_cos_approx_f);
        case gpu::native_function::exp2:
          return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_ex2_approx, {x->getType()}, {x});
        default:
          return one(llvm::Intrinsic::nvvm_lg2_approx_f);
      }
    },
    [](llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* y) -> llvm::Value* {
      return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_div_approx_f, {}, {x, y});
    }};

llvm::Value* relaxed(llvm::IRBuilder<>& builder, llvm::Instruction& exact, float accuracy) {
  return gpu::relaxed(native, builder, exact, accuracy);
}

/// Replaces libdevice's function, whose result for doubles may be one unit too large: infinite instead of the largest
/// number.
llvm::Value* hypotenuse(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* y) {
  const auto number = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
  llvm::Value* a = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  llvm::Value* b = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, y);
  llvm::Value* larger = builder.CreateMaxNum(a, b);
  llvm::Value* smaller = builder.CreateMinNum(a, b);
  llvm::Value* is_large = builder.CreateFCmpOGT(larger, number(0x1p510));
  llvm::Value* is_small = builder.CreateFCmpOLT(larger, number(0x1p-450));
  const auto chosen = [&](double large, double small) {
    return builder.CreateSelect(is_large, number(large), builder.CreateSelect(is_small, number(small), number(1)));
  };
  llvm::Value* scale = chosen(0x1p-600, 0x1p600);
  larger = builder.CreateFMul(larger, scale), smaller = builder.CreateFMul(smaller, scale);
  llvm::Value* sum = builder.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()},
                                             {larger, larger, builder.CreateFMul(smaller, smaller)});
  llvm::Value* root = builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, sum);
  llvm::Value* length = builder.CreateFMul(root, chosen(0x1p600, 0x1p-600));
  // The result is infinite if one operand is infinite, even if the other is a NaN.
  llvm::Value* is_finite = builder.CreateFCmpUNE(larger, llvm::ConstantFP::getInfinity(x->getType()));
  llvm::Value* is_none = builder.CreateAnd(builder.CreateFCmpUNO(x, y), is_finite);
  return builder.CreateSelect(is_none, llvm::ConstantFP::getNaN(x->getType()), length);
}

llvm::Error link(llvm::Module& module, const std::string& libdevice) {
  if (!libdevice.empty()) return link_math_file(module, libdevice, "");
  return link_math_file(module, abi::libclc_file, " (package libclc-22, or a CUDA toolkit's libdevice)");
}

}  // namespace

llvm::Error link_math(llvm::Module& module) {
  const std::string libdevice = abi::math_file([](const char* path) { return llvm::sys::fs::exists(path); }).path;
  math_dialect dialect{opencl_name, /*returns_sine=*/true, relaxed};
  if (libdevice.empty()) {
    define_gamma(module);
    correct_libclc(dialect);
  } else {
    dialect.returns_sine = false;
    dialect.name_of = [](llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands) {
      return ("__nv_" + base + (operands[0]->getType()->isFloatTy() ? "f" : "")).str();
    };
  }
  dialect.instead = [is_libclc = libdevice.empty()](llvm::IRBuilder<>& builder, llvm::StringRef base,
                                                    llvm::ArrayRef<llvm::Value*> operands) -> llvm::Value* {
    if (is_libclc && base == "ldexp") return scaled_by_power(builder, operands[0], operands[1]);
    const bool is_wrong = base == "hypot" && operands[0]->getType()->isDoubleTy();
    return is_wrong ? hypotenuse(builder, operands[0], operands[1]) : nullptr;
  };
  return call_math_library(module, dialect) ? link(module, libdevice) : llvm::Error::success();
}

}  // namespace sinter::jit::nvptx
