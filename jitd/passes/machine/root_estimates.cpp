#include "root_estimates.hpp"

#include <algorithm>

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace sinter::passes {
namespace {

constexpr const char* estimate_name = "__sinter_root_estimate";
constexpr unsigned register_lanes[] = {4, 8, 16};
// Units in the last place that have to be allowed.
constexpr float allowed_error = 2;
// What a good estimate leaves for the step is below 2^-12.
constexpr double most_left = 0x1p-10;

std::string variant_name(unsigned lanes) { return estimate_name + ("_" + std::to_string(lanes)); }

/// x, if this is a quotient 1 / sqrt(x) that need not be exact.
llvm::Value* radicand_of(llvm::Instruction& instruction) {
  using namespace llvm::PatternMatch;
  llvm::Value* radicand = nullptr;
  if (!instruction.getType()->isFloatTy() ||
      !match(&instruction, m_FDiv(m_FPOne(), m_Intrinsic<llvm::Intrinsic::sqrt>(m_Value(radicand))))) {
    return nullptr;
  }
  return llvm::cast<llvm::FPMathOperator>(instruction).getFPAccuracy() >= allowed_error ? radicand : nullptr;
}

llvm::FunctionCallee declare(llvm::Module& module, const std::string& name, llvm::Type* type) {
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(type, {type}, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  function->setSpeculatable();
  return callee;
}

llvm::CallInst* call_estimate(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::CallInst* call = builder.CreateCall(declare(module, estimate_name, value->getType()), {value});
  // The vector function ABI.
  llvm::SmallVector<std::string, 3> variants;
  for (unsigned lanes : register_lanes) {
    auto* type = llvm::FixedVectorType::get(value->getType(), lanes);
    llvm::FunctionCallee callee = declare(module, variant_name(lanes), type);
    llvm::appendToCompilerUsed(module, {llvm::cast<llvm::GlobalValue>(callee.getCallee())});
    variants.push_back("_ZGV_LLVM_N" + std::to_string(lanes) + "v_" + estimate_name + "(" + variant_name(lanes) + ")");
  }
  llvm::VFABI::setVectorVariantNames(call, variants);
  return call;
}

/// Of zeros and infinities the estimate is exact and what is left of one is no number, so that the step takes the
/// bound: it leaves the estimate as it is.
llvm::Value* reciprocal_root(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* type = value->getType();
  auto number = [&](double each) { return llvm::ConstantFP::get(type, each); };
  auto fma = [&](llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {a, b, c});
  };
  llvm::Value* estimate = call_estimate(builder, value);
  llvm::Value* left = fma(builder.CreateFNeg(builder.CreateFMul(value, estimate)), estimate, number(1));
  // The machine's minimum.
  left = builder.CreateSelect(builder.CreateFCmpOLT(left, number(most_left)), left, number(most_left));
  return fma(builder.CreateFMul(estimate, number(0.5)), left, estimate);
}

/// `count` lanes from `first` on; what is beyond the end is anything.
llvm::Value* lanes_of(llvm::IRBuilder<>& builder, llvm::Value* vector, unsigned first, unsigned count) {
  const unsigned all = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  if (first == 0 && count == all) return vector;
  llvm::SmallVector<int, 16> lanes;
  for (unsigned i = first; i < first + count; ++i) lanes.push_back(i < all ? static_cast<int>(i) : -1);
  return builder.CreateShuffleVector(vector, lanes);
}

} // namespace

bool has_root_estimate(const llvm::TargetMachine& machine) {
  const llvm::StringRef features = machine.getTargetFeatureString();
  return features.contains("+avx512f") && features.contains("+avx512vl");
}

void estimate_reciprocal_roots(llvm::Function& function) {
  llvm::SmallVector<std::pair<llvm::Instruction*, llvm::Value*>, 8> quotients;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::Value* radicand = radicand_of(instruction)) quotients.emplace_back(&instruction, radicand);
  }
  for (auto [quotient, radicand] : quotients) {
    llvm::IRBuilder<> builder(quotient);
    quotient->replaceAllUsesWith(reciprocal_root(builder, radicand));
    llvm::RecursivelyDeleteTriviallyDeadInstructions(quotient);
  }
}

bool is_root_estimate(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->getName() == estimate_name;
}

llvm::Value* emit_root_estimate(llvm::IRBuilder<>& builder, llvm::Value* vector) {
  const unsigned all = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  const unsigned count = std::clamp(llvm::bit_ceil(all), 4u, 16u);
  const llvm::Intrinsic::ID id = count == 4   ? llvm::Intrinsic::x86_avx512_rsqrt14_ps_128
                                 : count == 8 ? llvm::Intrinsic::x86_avx512_rsqrt14_ps_256
                                              : llvm::Intrinsic::x86_avx512_rsqrt14_ps_512;
  llvm::Constant* mask = llvm::Constant::getAllOnesValue(builder.getIntNTy(std::max(count, 8u)));
  llvm::SmallVector<llvm::Value*, 4> pieces;
  for (unsigned first = 0; first < all; first += count) {
    llvm::Value* piece = lanes_of(builder, vector, first, count);
    pieces.push_back(builder.CreateIntrinsic(id, {}, {piece, llvm::Constant::getNullValue(piece->getType()), mask}));
  }
  return lanes_of(builder, llvm::concatenateVectors(builder, pieces), 0, all);
}

void lower_root_estimates(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 4> functions = {module.getFunction(estimate_name)};
  if (!functions[0]) return;
  for (unsigned lanes : register_lanes) functions.push_back(module.getFunction(variant_name(lanes)));
  llvm::removeFromUsedLists(module, [&](llvm::Constant* each) { return llvm::is_contained(functions, each); });
  for (llvm::Function* function : functions) {
    function->removeDeadConstantUsers();
    for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      llvm::IRBuilder<> builder(call);
      llvm::Value* value = call->getArgOperand(0);
      const bool scalar = !value->getType()->isVectorTy();
      if (scalar) {
        auto* shortest = llvm::FixedVectorType::get(value->getType(), register_lanes[0]);
        value = builder.CreateInsertElement(llvm::PoisonValue::get(shortest), value, std::uint64_t{0});
      }
      llvm::Value* estimate = emit_root_estimate(builder, value);
      call->replaceAllUsesWith(scalar ? builder.CreateExtractElement(estimate, std::uint64_t{0}) : estimate);
      call->eraseFromParent();
    }
    function->eraseFromParent();
  }
}

} // namespace sinter::passes
