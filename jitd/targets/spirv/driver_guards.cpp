#include "driver_guards.hpp"

#include <abi/gpu_launch.hpp>
#include <cstddef>

#include "device_calls.hpp"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sinter::jit::spirv {
namespace {

bool is_meeting(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->isConvergent();
}

/// Whether the value, or a result of the value, may be kept until after a barrier or another convergent call.
bool is_kept(llvm::Instruction& value) {
  llvm::SetVector<llvm::Instruction*> values;
  values.insert(&value);
  for (unsigned i = 0; i < values.size(); ++i) {
    for (llvm::User* user : values[i]->users()) {
      auto* reader = llvm::cast<llvm::Instruction>(user);
      if (reader->getParent() != values[i]->getParent() || llvm::isa<llvm::PHINode>(reader)) return true;
      for (const llvm::Instruction* each = values[i]; each != reader; each = each->getNextNode()) {
        if (is_meeting(*each)) return true;
      }
      if (!reader->getType()->isVoidTy()) values.insert(reader);
    }
  }
  return false;
}

/// Returns the highest bit of the range's size, which is 0 for all ranges. The driver can't know this.
llvm::Value* unknown_zero(llvm::Function& kernel) {
  llvm::BasicBlock& entry = kernel.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  llvm::Value* range = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), kernel.getArg(1),
                                                          offsetof(abi::gpu_geometry, global_range[2]));
  return builder.CreateLShr(builder.CreateAlignedLoad(builder.getInt64Ty(), range, llvm::Align(8)), 63);
}

}  // namespace

void change_kept_signs(llvm::Function& kernel) {
  if (kernel.getCallingConv() != llvm::CallingConv::SPIR_KERNEL) return;
  if (llvm::none_of(llvm::instructions(kernel), is_meeting)) return;
  llvm::Value* none = nullptr;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    if (instruction.getOpcode() != llvm::Instruction::FNeg || !is_kept(instruction)) continue;
    if (!none) none = unknown_zero(kernel);
    llvm::IRBuilder<> builder(&instruction);
    llvm::Type* type = instruction.getType();
    const unsigned width = type->getScalarSizeInBits();
    llvm::Type* bits = builder.getIntNTy(width);
    llvm::Value* sign = builder.CreateXor(builder.CreateTrunc(none, bits), llvm::APInt::getSignMask(width));
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
      sign = builder.CreateVectorSplat(vector->getNumElements(), sign);
    }
    llvm::Value* changed = builder.CreateXor(builder.CreateBitCast(instruction.getOperand(0), sign->getType()), sign);
    instruction.replaceAllUsesWith(builder.CreateBitCast(changed, type));
    instruction.eraseFromParent();
  }
}

namespace {

/// Whether the driver may access wrong bytes of the array: if its elements are not numbers of 32 or 64 bits, or if a
/// pointer into the array is one of several pointers among which the kernel chooses.
bool is_at_risk(llvm::AllocaInst& array) {
  llvm::Type* element = array.getAllocatedType();
  while (element->isArrayTy()) element = element->getArrayElementType();
  const unsigned bits = element->isPointerTy() ? 64 : element->getPrimitiveSizeInBits().getFixedValue();
  if (bits != 32 && bits != 64) return true;
  llvm::SetVector<llvm::Value*> places;
  places.insert(&array);
  for (unsigned i = 0; i < places.size(); ++i) {
    for (llvm::User* user : places[i]->users()) {
      if (llvm::isa<llvm::SelectInst, llvm::PHINode, llvm::InsertValueInst>(user)) return true;
      if (llvm::isa<llvm::GetElementPtrInst, llvm::CastInst>(user) && user->getType()->isPointerTy()) {
        places.insert(user);
      }
    }
  }
  return false;
}

}  // namespace

void hide_arrays(llvm::Function& kernel) {
  if (kernel.getCallingConv() != llvm::CallingConv::SPIR_KERNEL) return;
  llvm::SmallVector<llvm::AllocaInst*, 4> arrays;
  for (llvm::Instruction& instruction : kernel.getEntryBlock()) {
    auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (array && array->getAllocatedType()->isAggregateType() && is_at_risk(*array)) arrays.push_back(array);
  }
  if (arrays.empty()) return;
  auto* none = llvm::cast<llvm::Instruction>(unknown_zero(kernel));
  for (llvm::AllocaInst* array : arrays) {
    llvm::IRBuilder<> builder((array->comesBefore(none) ? none : array)->getNextNode());
    llvm::Value* address = builder.CreatePtrToInt(array, builder.getInt64Ty());
    llvm::Value* hidden = builder.CreateIntToPtr(builder.CreateXor(address, none), array->getType(), array->getName());
    array->replaceUsesWithIf(hidden, [&](llvm::Use& use) {
      const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      return use.getUser() != address && user && !user->isLifetimeStartOrEnd();
    });
  }
}

namespace {

bool is_id(const llvm::Value* value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && llvm::is_contained({"_Z13get_global_idj", "_Z12get_local_idj"}, callee->getName());
}

}  // namespace

void limit_bounds(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (!comparison || !comparison->isUnsigned() || !comparison->getOperand(0)->getType()->isIntegerTy(64)) continue;
    for (unsigned i = 0; i < 2; ++i) {
      llvm::Value* bound = comparison->getOperand(1 - i);
      if (!is_id(comparison->getOperand(i)) || llvm::isKnownNonNegative(bound, function.getDataLayout())) continue;
      llvm::IRBuilder<> builder(comparison);
      llvm::Value* most = builder.getInt64(std::numeric_limits<std::int64_t>::max());
      comparison->setOperand(1 - i, builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, bound, most));
    }
  }
}

namespace {

/// Finds sums, differences and products that are the value of the header's phi in the next iteration. If the loop
/// chooses among several values, the result has the operations of all these values.
llvm::SmallVector<llvm::BinaryOperator*, 4> last_operations(llvm::PHINode& phi, const llvm::Loop& loop) {
  llvm::SetVector<llvm::Value*> values;
  values.insert(&phi);
  llvm::SmallVector<llvm::BinaryOperator*, 4> found;
  for (unsigned i = 0; i < values.size(); ++i) {
    auto* value = llvm::dyn_cast<llvm::Instruction>(values[i]);
    if (!value || !loop.contains(value)) continue;
    if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(value)) {
      values.insert(choice->getTrueValue());
      values.insert(choice->getFalseValue());
    } else if (auto* merge = llvm::dyn_cast<llvm::PHINode>(value)) {
      for (llvm::Value* each : merge->incoming_values()) values.insert(each);
    } else if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value)) {
      found.push_back(operation);
    }
  }
  return found;
}

void fuse_operation(llvm::BinaryOperator& operation) {
  llvm::IRBuilder<> builder(&operation);
  llvm::Type* type = operation.getType();
  llvm::Value *a = operation.getOperand(0), *b = operation.getOperand(1), *c = nullptr;
  switch (operation.getOpcode()) {
    case llvm::Instruction::FAdd: c = b, b = llvm::ConstantFP::get(type, 1); break;
    case llvm::Instruction::FSub: c = a, a = b, b = llvm::ConstantFP::get(type, -1); break;
    case llvm::Instruction::FMul: c = llvm::ConstantFP::getNegativeZero(type); break;
    default: return;
  }
  operation.replaceAllUsesWith(builder.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {a, b, c}));
  operation.eraseFromParent();
}

}  // namespace

void keep_order_in_loops(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    for (llvm::PHINode& phi : loop->getHeader()->phis()) {
      if (!phi.getType()->isFPOrFPVectorTy()) continue;
      for (llvm::BinaryOperator* each : last_operations(phi, *loop)) fuse_operation(*each);
    }
  }
}

}  // namespace sinter::jit::spirv
