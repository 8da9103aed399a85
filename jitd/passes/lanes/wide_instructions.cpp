#include "wide_instructions.hpp"

#include <abi/planted_error.hpp>

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {

wide_instructions::wide_instructions(llvm::IRBuilder<>& builder, const lane_plan& plan)
    : m_builder(builder),
      m_plan(plan),
      m_shapes(plan.known.shapes),
      m_lanes(m_shapes.facts().lanes),
      m_layout(builder.GetInsertBlock()->getModule()->getDataLayout()) {}

// ------------------------------------------------------------------------------------------------- values

llvm::Type* wide_instructions::wide_type(llvm::Type* type) const {
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    llvm::SmallVector<llvm::Type*, 4> elements;
    for (llvm::Type* each : structure->elements()) elements.push_back(wide_type(each));
    return llvm::StructType::get(type->getContext(), elements);
  }
  return llvm::FixedVectorType::get(type, m_lanes);
}

llvm::Value* wide_instructions::scalar(llvm::Value* value) const {
  const auto found = m_values.find(value);
  return found == m_values.end() ? value : found->second;
}

llvm::Value* wide_instructions::steps(llvm::Type* element, std::int64_t stride) {
  llvm::SmallVector<llvm::Constant*, 16> values;
  for (unsigned i = 0; i < m_lanes; ++i) {
    const auto value = static_cast<std::uint64_t>(stride) * i;
    values.push_back(llvm::ConstantInt::get(element->getContext(), low_bits(element->getIntegerBitWidth(), value)));
  }
  return llvm::ConstantVector::get(values);
}

llvm::Value* wide_instructions::wide(llvm::Value* value) {
  const lane_shape shape = m_shapes.of(value);
  llvm::Value* known = scalar(value);
  if (shape.is_varying()) return known;
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(known->getType())) {
    llvm::Value* whole = llvm::PoisonValue::get(wide_type(structure));
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      whole = m_builder.CreateInsertValue(
          whole, m_builder.CreateVectorSplat(m_lanes, m_builder.CreateExtractValue(known, i)), i);
    }
    return whole;
  }
  if (shape.is_uniform()) return m_builder.CreateVectorSplat(m_lanes, known);
  if (known->getType()->isPointerTy())
    return m_builder.CreatePtrAdd(known, steps(m_builder.getInt64Ty(), shape.stride));
  return m_builder.CreateAdd(m_builder.CreateVectorSplat(m_lanes, known), steps(known->getType(), shape.stride));
}

llvm::Value* wide_instructions::lane(llvm::Value* value, unsigned lane) {
  if (lane == 0 && !m_shapes.of(value).is_varying()) return scalar(value);
  return lane_at(value, m_builder.getInt64(lane));
}

llvm::Value* wide_instructions::lane_at(llvm::Value* value, llvm::Value* lane) {
  const lane_shape shape = m_shapes.of(value);
  llvm::Value* known = scalar(value);
  if (shape.is_uniform()) return known;
  if (shape.is_varying()) {
    auto* structure = llvm::dyn_cast<llvm::StructType>(value->getType());
    if (!structure) return m_builder.CreateExtractElement(known, lane);
    llvm::Value* whole = llvm::PoisonValue::get(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      whole = m_builder.CreateInsertValue(
          whole, m_builder.CreateExtractElement(m_builder.CreateExtractValue(known, i), lane), i);
    }
    return whole;
  }
  llvm::Value* offset = m_builder.CreateMul(lane, m_builder.getInt64(static_cast<std::uint64_t>(shape.stride)));
  if (known->getType()->isPointerTy()) return m_builder.CreatePtrAdd(known, offset);
  return m_builder.CreateAdd(known, m_builder.CreateSExtOrTrunc(offset, known->getType()));
}

llvm::Value* wide_instructions::with_lane(llvm::Value* whole, llvm::Value* value, unsigned lane) {
  auto* structure = llvm::dyn_cast<llvm::StructType>(value->getType());
  if (!structure) return m_builder.CreateInsertElement(whole, value, lane);
  for (unsigned i = 0; i < structure->getNumElements(); ++i) {
    llvm::Value* field = m_builder.CreateInsertElement(m_builder.CreateExtractValue(whole, i),
                                                       m_builder.CreateExtractValue(value, i), lane);
    whole = m_builder.CreateInsertValue(whole, field, i);
  }
  return whole;
}

// ------------------------------------------------------------------------------------------------- instructions

void wide_instructions::emit(llvm::Instruction& instruction, llvm::Value* mask) {
  const lane_step& step = m_plan.of(instruction);
  if (step.action == lane_action::nothing) return;
  m_builder.SetCurrentDebugLocation(instruction.getDebugLoc());
  switch (step.action) {
    case lane_action::nothing:
    case lane_action::control:
    case lane_action::merge:
      return;
    case lane_action::once:
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->doesNotReturn())
        return emit_end(*call, mask);
      [[fallthrough]];
    case lane_action::strided:
      return emit_once(instruction);
    case lane_action::forwarded:
      return define(&instruction, scalar(instruction.getOperand(0)));
    case lane_action::elementwise:
      return define(&instruction, emit_elementwise(instruction, mask));
    case lane_action::vector_call:
      return emit_vector_call(llvm::cast<llvm::CallInst>(instruction));
    case lane_action::exchange:
      return emit_exchange(llvm::cast<llvm::CallInst>(instruction), mask);
    case lane_action::copies:
      return emit_copies(llvm::cast<llvm::AllocaInst>(instruction));
    case lane_action::reduce:
      return emit_reduced(llvm::cast<llvm::AtomicRMWInst>(instruction), mask);
    case lane_action::per_lane:
      return emit_per_lane(instruction, mask);
    case lane_action::group:
      return emit_group(m_plan.group_of(step), instruction);
    case lane_action::piece:
      return emit_piece(m_plan.piece_of(step), instruction, mask);
    case lane_action::last_lane:
    case lane_action::consecutive:
    case lane_action::runs:
    case lane_action::gather:
    case lane_action::scatter:
      return emit_access(instruction, step, mask);
  }
}

void wide_instructions::emit_once(llvm::Instruction& instruction) {
  if (llvm::isa<llvm::NoAliasScopeDeclInst>(instruction) && abi::is_planted("restrict_scopes")) return;
  const bool partial = m_plan.of(instruction.getParent()).mask == lane_mask::partial;
  llvm::Instruction* copy = instruction.clone();
  const bool is_or = instruction.getOpcode() == llvm::Instruction::Or;
  if (is_or && !m_shapes.of(&instruction).is_uniform() && !abi::is_planted("strided_or")) {
    // The operands of this `or` have no common bits in lanes that use the result. In lane 0, the operands may have
    // common bits, and the values of all other lanes are computed from lane 0.
    copy->deleteValue();
    copy = llvm::BinaryOperator::CreateAdd(instruction.getOperand(0), instruction.getOperand(1));
  }
  // A value that is equal in all lanes may come from numbers that differ between lanes. Such a value is computed from
  // the numbers of lane 0.
  for (llvm::Use& operand : copy->operands()) operand.set(lane(operand.get(), 0));
  // Constants are folded here, because the lanes of a sub-group have known numbers. So the masks and permutations of
  // sub-groups become constants.
  if (llvm::Constant* known = llvm::ConstantFoldInstruction(copy, m_layout)) {
    copy->deleteValue();
    return define(&instruction, known);
  }
  // The values of all other lanes are computed from the value in lane 0. The flags (such as nsw) hold in lanes that use
  // the result, but they need not hold in lane 0.
  const bool uniform =
      llvm::all_of(instruction.operands(), [&](llvm::Value* each) { return m_shapes.of(each).is_uniform(); });
  if (partial || !uniform) copy->dropPoisonGeneratingAnnotations();
  // The metadata invariant.load says that the memory is never written. This promise may hold only if a lane is active.
  if (partial) drop_implied_ub(*copy, llvm::LLVMContext::MD_invariant_load);
  copy->setMetadata(llvm::LLVMContext::MD_access_group, nullptr);
  m_builder.Insert(copy, instruction.getName());
  define(&instruction, copy);
}

/// Emits a call that ends the program. The first active lane runs the call.
void wide_instructions::emit_end(llvm::CallInst& call, llvm::Value* mask) {
  llvm::Value* first = nullptr;
  llvm::Instruction* copy = call.clone();
  for (llvm::Use& operand : copy->operands()) {
    llvm::Value* value = operand.get();
    if (m_shapes.of(value).is_uniform() || !mask) {
      operand.set(lane(value, 0));
      continue;
    }
    if (!first) {
      llvm::Value* bits = m_builder.CreateBitCast(mask, m_builder.getIntNTy(m_lanes));
      llvm::Value* zeros = m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, m_builder.getTrue());
      first = m_builder.CreateZExtOrTrunc(zeros, m_builder.getInt64Ty());
    }
    operand.set(lane_at(value, first));
  }
  copy->setMetadata(llvm::LLVMContext::MD_access_group, nullptr);
  m_builder.Insert(copy);
}

llvm::Value* wide_instructions::emit_elementwise(llvm::Instruction& instruction, llvm::Value* mask) {
  llvm::Value* result = nullptr;
  if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    llvm::Value* right = wide(binary->getOperand(1));
    // In inactive lanes, the divisor becomes 1, so that the division does not trap.
    if (mask && binary->isIntDivRem())
      right = m_builder.CreateSelect(mask, right, llvm::ConstantInt::get(right->getType(), 1));
    result = m_builder.CreateBinOp(binary->getOpcode(), wide(binary->getOperand(0)), right);
  } else if (auto* unary = llvm::dyn_cast<llvm::UnaryOperator>(&instruction)) {
    result = m_builder.CreateUnOp(unary->getOpcode(), wide(unary->getOperand(0)));
  } else if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    result = m_builder.CreateCmp(compare->getPredicate(), wide(compare->getOperand(0)), wide(compare->getOperand(1)));
  } else if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    llvm::Value* condition = select->getCondition();
    condition = m_shapes.of(condition).is_uniform() ? scalar(condition) : wide(condition);
    result = m_builder.CreateSelect(condition, wide(select->getTrueValue()), wide(select->getFalseValue()));
  } else if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    if (llvm::isa<llvm::UIToFPInst, llvm::SIToFPInst>(cast) && cast->getSrcTy()->isIntegerTy(64) &&
        llvm::computeKnownBits(cast->getOperand(0), m_layout).countMaxActiveBits() < 32) {
      // The numbers are ids, which fit in 32 bits. They are truncated first, because every machine converts a 32-bit
      // integer with one instruction, but only some machines do so with a wider integer.
      llvm::Value* narrow = m_builder.CreateTrunc(wide(cast->getOperand(0)), wide_type(m_builder.getInt32Ty()));
      return m_builder.CreateSIToFP(narrow, wide_type(cast->getDestTy()));
    }
    result = m_builder.CreateCast(cast->getOpcode(), wide(cast->getOperand(0)), wide_type(cast->getDestTy()));
  } else if (llvm::isa<llvm::FreezeInst>(instruction)) {
    result = m_builder.CreateFreeze(wide(instruction.getOperand(0)));
  } else if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    return emit_address(*address);
  } else if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    return emit_intrinsic(*call);
  } else if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    return m_builder.CreateExtractValue(wide(extract->getAggregateOperand()), extract->getIndices());
  } else {
    auto* insert = llvm::cast<llvm::InsertValueInst>(&instruction);
    return m_builder.CreateInsertValue(wide(insert->getAggregateOperand()), wide(insert->getInsertedValueOperand()),
                                       insert->getIndices());
  }
  if (auto* made = llvm::dyn_cast<llvm::Instruction>(result)) made->copyIRFlags(&instruction);
  return result;
}

llvm::Value* wide_instructions::emit_address(llvm::GetElementPtrInst& address) {
  // In an address like (base[varying]).field, the field's offset is added to the base, so that gathers have one base
  // and narrow indices.
  auto* inner = llvm::dyn_cast<llvm::GetElementPtrInst>(address.getPointerOperand());
  llvm::APInt offset(64, 0);
  if (inner && m_shapes.of(inner->getPointerOperand()).is_uniform() &&
      address.accumulateConstantOffset(m_layout, offset)) {
    llvm::Value* base =
        m_builder.CreatePtrAdd(scalar(inner->getPointerOperand()), m_builder.getInt64(offset.getZExtValue()));
    llvm::SmallVector<llvm::Value*, 4> indices;
    for (llvm::Value* index : inner->indices())
      indices.push_back(m_shapes.of(index).is_uniform() ? scalar(index) : wide(index));
    return m_builder.CreateGEP(inner->getSourceElementType(), base, indices);
  }
  llvm::Value* pointer = address.getPointerOperand();
  pointer = m_shapes.of(pointer).is_uniform() ? scalar(pointer) : wide(pointer);
  llvm::SmallVector<llvm::Value*, 4> indices;
  for (llvm::Value* index : address.indices())
    indices.push_back(m_shapes.of(index).is_uniform() ? scalar(index) : wide(index));
  return m_builder.CreateGEP(address.getSourceElementType(), pointer, indices, "", address.getNoWrapFlags());
}

}  // namespace sinter::passes
