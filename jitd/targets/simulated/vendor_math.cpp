#include "vendor_math.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/MathExtras.h"
#include "targets/amdgcn/math_library.hpp"
#include "targets/nvptx/math_library.hpp"

namespace sinter::jit::simulated {
namespace {

/// Returns null if the instruction is not known.
llvm::Value* plain(llvm::IRBuilder<>& builder, const llvm::IntrinsicInst& call) {
  llvm::Value* x = call.getArgOperand(0);
  const auto number = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
  const auto one = [&](llvm::Intrinsic::ID id, llvm::Value* of) { return builder.CreateUnaryIntrinsic(id, of); };
  const auto turned = [&] { return builder.CreateFMul(x, number(2 * llvm::numbers::pi)); };
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::amdgcn_rcp:
      return builder.CreateFDiv(number(1), x);
    case llvm::Intrinsic::amdgcn_rsq:
    case llvm::Intrinsic::nvvm_rsqrt_approx_f:
      return builder.CreateFDiv(number(1), one(llvm::Intrinsic::sqrt, x));
    case llvm::Intrinsic::amdgcn_sqrt:
    case llvm::Intrinsic::nvvm_sqrt_approx_f:
      return one(llvm::Intrinsic::sqrt, x);
    case llvm::Intrinsic::amdgcn_fract:
      return builder.CreateFSub(x, one(llvm::Intrinsic::floor, x));
    case llvm::Intrinsic::amdgcn_sin:
      return one(llvm::Intrinsic::sin, turned());
    case llvm::Intrinsic::amdgcn_cos:
      return one(llvm::Intrinsic::cos, turned());
    case llvm::Intrinsic::nvvm_sin_approx_f:
      return one(llvm::Intrinsic::sin, x);
    case llvm::Intrinsic::nvvm_cos_approx_f:
      return one(llvm::Intrinsic::cos, x);
    case llvm::Intrinsic::amdgcn_exp2:
    case llvm::Intrinsic::nvvm_ex2_approx:
      return one(llvm::Intrinsic::exp2, x);
    case llvm::Intrinsic::amdgcn_log:
    case llvm::Intrinsic::nvvm_lg2_approx_f:
      return one(llvm::Intrinsic::log2, x);
    case llvm::Intrinsic::nvvm_div_approx_f:
      return builder.CreateFDiv(x, call.getArgOperand(1));
    default:
      return nullptr;
  }
}

/// x86-64 has no address space for variables of work-items.
llvm::Value* generic_variable(llvm::IRBuilder<>& builder, const llvm::AllocaInst& variable) {
  llvm::AllocaInst* made = builder.CreateAlloca(variable.getAllocatedType(), /*AddrSpace=*/0u, nullptr);
  made->setAlignment(variable.getAlign());
  return builder.CreateAddrSpaceCast(made, variable.getType());
}

llvm::Value* saturated(llvm::IRBuilder<>& builder, const llvm::CastInst& cast) {
  const bool is_signed = cast.getOpcode() == llvm::Instruction::FPToSI;
  return builder.CreateIntrinsic(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                                 {cast.getType(), cast.getSrcTy()}, {cast.getOperand(0)});
}

}  // namespace

llvm::Error link_vendor_math(llvm::Module& module, vendor whose, unsigned wave) {
  llvm::Error linked = whose == vendor::amd ? amdgcn::link_math(module, "gfx90a", wave) : nvptx::link_math(module);
  if (linked) return linked;
  for (llvm::Function& function : module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::IRBuilder<> builder(&each);
      llvm::Value* made = nullptr;
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&each)) {
        if (!call->getCalledFunction()->isTargetIntrinsic()) continue;
        made = plain(builder, *call);
        if (!made) {
          return llvm::createStringError("simulated GPUs have no " + call->getCalledFunction()->getName().str());
        }
      } else if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&each)) {
        if (variable->getAddressSpace() != 0) made = generic_variable(builder, *variable);
      } else if (llvm::isa<llvm::FPToSIInst, llvm::FPToUIInst>(each)) {
        made = saturated(builder, llvm::cast<llvm::CastInst>(each));
      }
      if (!made) continue;
      each.replaceAllUsesWith(made);
      each.eraseFromParent();
    }
  }
  return llvm::Error::success();
}

}  // namespace sinter::jit::simulated
