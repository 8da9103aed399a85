#include <abi/planted_error.hpp>
#include <algorithm>

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "passes/device/work_item_function.hpp"
#include "passes/llvm_versions.hpp"
#include "passes/machine/machine_calls.hpp"
#include "passes/machine/vector_math.hpp"
#include "wide_instructions.hpp"

// Emits calls, exchanges between lanes, and operations that lanes execute one after the other.

namespace sinter::passes {
namespace {

llvm::Constant* neutral_element(llvm::AtomicRMWInst::BinOp operation, llvm::Type* type) {
  const unsigned bits = type->getIntegerBitWidth();
  switch (operation) {
    case llvm::AtomicRMWInst::And:
    case llvm::AtomicRMWInst::UMin:
      return llvm::Constant::getAllOnesValue(type);
    case llvm::AtomicRMWInst::Max:
      return llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
    case llvm::AtomicRMWInst::Min:
      return llvm::ConstantInt::get(type, llvm::APInt::getSignedMaxValue(bits));
    default:
      return llvm::Constant::getNullValue(type);
  }
}

}  // namespace

void wide_instructions::emit_vector_call(llvm::CallInst& call) {
  llvm::SmallVector<llvm::Value*, 2> arguments;
  for (llvm::Value* argument : call.args()) arguments.push_back(wide(argument));
  define(&call, emit_vector_math(m_builder, call, m_lanes, m_plan.machine.vector_bits, arguments));
}

llvm::Value* wide_instructions::emit_intrinsic(llvm::CallInst& call) {
  if (const std::optional<machine_function> which = machine_function_of(call)) {
    llvm::SmallVector<llvm::Value*, 3> operands;
    for (llvm::Value* argument : call.args()) operands.push_back(wide(argument));
    return emit_machine_call(m_builder, *which, operands);
  }
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  llvm::SmallVector<llvm::Value*, 4> arguments;
  llvm::SmallVector<llvm::Type*, 4> types;
  if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr)) {
    llvm::Type* type = wide_type(call.getType());
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) type = structure->getElementType(0);
    types.push_back(type);
  }
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    llvm::Value* argument = call.getArgOperand(i);
    arguments.push_back(llvm::isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr) ? scalar(argument) : wide(argument));
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i), nullptr))
      types.push_back(arguments.back()->getType());
  }
  llvm::Function* callee = llvm::Intrinsic::getOrInsertDeclaration(call.getModule(), id, types);
  llvm::CallInst* made = m_builder.CreateCall(callee, arguments);
  if (llvm::isa<llvm::FPMathOperator>(made)) made->copyFastMathFlags(&call);
  return made;
}

/// Emits a test whether any lane's number is beyond a bound that is equal in all lanes. If the number is strided, a
/// test of the last or the first lane is enough. Returns null if the ballot's condition is not such a comparison, or if
/// the ballot's result is used for anything but comparisons with 0.
llvm::Value* wide_instructions::any_by_one_lane(const llvm::CallInst& ballot) {
  using namespace llvm::PatternMatch;
  const bool asks_any = llvm::all_of(ballot.users(), [](const llvm::User* user) {
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(user);
    return compare && compare->isEquality() && match(compare->getOperand(1), m_Zero());
  });
  llvm::Value* condition = ballot.getArgOperand(0);
  const bool negated = match(condition, m_Not(m_Value(condition)));
  auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!asks_any || !compare || compare->isEquality()) return nullptr;
  llvm::Value *number = compare->getOperand(0), *bound = compare->getOperand(1);
  llvm::CmpInst::Predicate predicate = negated ? compare->getInversePredicate() : compare->getPredicate();
  if (m_shapes.of(number).is_uniform()) {
    std::swap(number, bound);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  const lane_shape shape = m_shapes.of(number);
  const bool is_exact = llvm::CmpInst::isSigned(predicate) ? shape.exact_signed : shape.exact_unsigned;
  if (shape.what != lane_shape::kind::strided || !is_exact || !m_shapes.of(bound).is_uniform()) return nullptr;
  const bool asks_larger = llvm::ICmpInst::isGT(predicate) || llvm::ICmpInst::isGE(predicate);
  const unsigned one = asks_larger == (shape.stride > 0) ? m_lanes - 1 : 0;
  return m_builder.CreateICmp(predicate, lane(number, one), scalar(bound));
}

/// Emits an exchange of a sub-group. Either all lanes reach the exchange or none. `mask` excludes lanes beyond the end
/// of a row.
void wide_instructions::emit_exchange(llvm::CallInst& call, llvm::Value* mask) {
  llvm::Type* type = call.getType();
  switch (sub_group_call_of(call)) {
    case sub_group_call::local_id:
      return define(&call, llvm::ConstantInt::get(type, 0));
    case sub_group_call::local_range: {
      llvm::Function* function = m_builder.GetInsertBlock()->getParent();
      return define(&call, m_shapes.facts().prefix ? m_builder.CreateTrunc(function->getArg(parameter_count), type)
                                                   : llvm::ConstantInt::get(type, m_lanes));
    }
    case sub_group_call::ballot: {
      if (llvm::Value* one = mask ? nullptr : any_by_one_lane(call))
        return define(&call, m_builder.CreateZExt(one, type));
      llvm::Value* holds = wide(call.getArgOperand(0));
      if (mask) holds = m_builder.CreateLogicalAnd(mask, holds);
      return define(&call, m_builder.CreateZExt(m_builder.CreateBitCast(holds, m_builder.getIntNTy(m_lanes)), type));
    }
    case sub_group_call::shuffle: {
      llvm::Value* value = call.getArgOperand(0);
      if (m_shapes.of(value).is_uniform()) return define(&call, scalar(value));
      // Lanes that are off may hold any value except poison.
      llvm::Value* values = mask ? m_builder.CreateFreeze(wide(value)) : wide(value);
      llvm::Value* source = call.getArgOperand(1);
      if (m_shapes.of(source).is_uniform()) {
        llvm::Value* lane = m_builder.CreateAnd(scalar(source), m_lanes - 1);
        return define(&call,
                      m_builder.CreateExtractElement(values, m_builder.CreateZExt(lane, m_builder.getInt64Ty())));
      }
      return define(&call, shuffled(values, wide(source)));
    }
    default:
      return;  // Lanes run in step, so a barrier needs no code.
  }
}

llvm::Value* wide_instructions::lanes_of(llvm::Value* values, unsigned first, unsigned count) {
  llvm::SmallVector<int, 16> sources;
  for (unsigned i = 0; i < count; ++i) sources.push_back(static_cast<int>(first + i));
  return m_builder.CreateShuffleVector(values, sources);
}

/// Returns a vector whose element i is element sources[i] of `values`.
llvm::Value* wide_instructions::shuffled(llvm::Value* values, llvm::Value* sources) {
  if (auto* known = llvm::dyn_cast<llvm::Constant>(sources)) {
    llvm::SmallVector<int, 16> mask;
    for (unsigned i = 0; i < m_lanes; ++i) {
      const auto* source = llvm::dyn_cast_or_null<llvm::ConstantInt>(known->getAggregateElement(i));
      if (!source) break;
      mask.push_back(static_cast<int>(source->getZExtValue() & (m_lanes - 1)));
    }
    if (mask.size() == m_lanes) return m_builder.CreateShuffleVector(values, mask);
  }
  // LLVM 22 fails if elements are narrower than the indices in `sources` (docs/llvm_defects.md). Elements are extended
  // to floats, because LLVM would narrow integers of 32 bits again.
  llvm::Type *type = values->getType(), *longer = wide_type(m_builder.getInt32Ty());
  const bool is_narrow = type->getScalarSizeInBits() < 32 && !abi::is_planted("narrow_exchanges");
  if (is_narrow)
    values = m_builder.CreateBitCast(m_builder.CreateZExt(values, longer), wide_type(m_builder.getFloatTy()));
  // Each register is permuted by itself, because LLVM would permute several registers together through memory.
  const unsigned count = std::min(m_lanes, m_plan.machine.vector_bits / values->getType()->getScalarSizeInBits());
  llvm::SmallVector<llvm::Value*, 8> parts;
  if (count < m_lanes) sources = m_builder.CreateAnd(sources, llvm::ConstantInt::get(sources->getType(), m_lanes - 1));
  for (unsigned first = 0; count < m_lanes && first < m_lanes; first += count) {
    llvm::Value* wanted = lanes_of(sources, first, count);
    llvm::Value* part = permuted(lanes_of(values, 0, count), wanted);
    for (unsigned from = count; from < m_lanes; from += count) {
      llvm::Value* is_there = m_builder.CreateICmpUGE(wanted, llvm::ConstantInt::get(wanted->getType(), from));
      part = m_builder.CreateSelect(is_there, permuted(lanes_of(values, from, count), wanted), part);
    }
    parts.push_back(part);
  }
  llvm::Value* result = parts.empty() ? permuted(values, sources) : llvm::concatenateVectors(m_builder, parts);
  return is_narrow ? m_builder.CreateTrunc(m_builder.CreateBitCast(result, longer), type) : result;
}

/// Permutes one register by the low bits of `sources`. LLVM recognises the pattern of this code.
llvm::Value* wide_instructions::permuted(llvm::Value* values, llvm::Value* sources) {
  const unsigned count = llvm::cast<llvm::FixedVectorType>(values->getType())->getNumElements();
  sources = m_builder.CreateAnd(sources, llvm::ConstantInt::get(sources->getType(), count - 1));
  llvm::Value* result = llvm::PoisonValue::get(values->getType());
  for (unsigned i = 0; i < count; ++i) {
    llvm::Value* element = m_builder.CreateExtractElement(values, m_builder.CreateExtractElement(sources, i));
    result = m_builder.CreateInsertElement(result, element, i);
  }
  return result;
}

/// Emits one atomic operation for all lanes.
void wide_instructions::emit_reduced(llvm::AtomicRMWInst& atomic, llvm::Value* mask) {
  llvm::Value* values = wide(atomic.getValOperand());
  if (mask) {
    llvm::Constant* neutral = neutral_element(atomic.getOperation(), atomic.getType());
    values = m_builder.CreateSelect(mask, values,
                                    llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(m_lanes), neutral));
  }
  llvm::Value* all = m_builder.CreateUnaryIntrinsic(reduction_of(atomic.getOperation()), values);
  m_builder.CreateAtomicRMW(atomic.getOperation(), scalar(atomic.getPointerOperand()), all, atomic.getAlign(),
                            atomic.getOrdering(), atomic.getSyncScopeID());
}

void wide_instructions::emit_per_lane(llvm::Instruction& instruction, llvm::Value* mask) {
  llvm::Type* type = instruction.getType();
  llvm::Value* whole = type->isVoidTy() ? nullptr : llvm::PoisonValue::get(wide_type(type));
  llvm::Function* function = m_builder.GetInsertBlock()->getParent();
  for (unsigned i = 0; i < m_lanes; ++i) {
    llvm::BasicBlock* before = m_builder.GetInsertBlock();
    llvm::BasicBlock* behind = nullptr;
    if (mask) {
      llvm::BasicBlock* active = llvm::BasicBlock::Create(function->getContext(), "lane", function);
      behind = llvm::BasicBlock::Create(function->getContext(), "behind", function);
      m_builder.CreateCondBr(m_builder.CreateExtractElement(mask, i), active, behind);
      m_builder.SetInsertPoint(active);
    }
    llvm::Instruction* copy = instruction.clone();
    for (llvm::Use& operand : copy->operands()) {
      if (llvm::isa<llvm::Instruction, llvm::Argument>(operand.get())) operand.set(lane(operand.get(), i));
    }
    copy->setMetadata(llvm::LLVMContext::MD_access_group, nullptr);
    m_builder.Insert(copy);
    llvm::Value* extended = whole ? with_lane(whole, copy, i) : nullptr;
    if (!behind) {
      whole = extended;
      continue;
    }
    llvm::BasicBlock* end = m_builder.GetInsertBlock();
    m_builder.CreateBr(behind);
    m_builder.SetInsertPoint(behind);
    if (!whole) continue;
    llvm::PHINode* either = m_builder.CreatePHI(whole->getType(), 2);
    either->addIncoming(whole, before);
    either->addIncoming(extended, end);
    whole = either;
  }
  if (whole) define(&instruction, whole);
}

}  // namespace sinter::passes
