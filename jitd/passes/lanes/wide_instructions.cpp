#include "wide_instructions.hpp"

#include <abi/planted_error.hpp>
#include <algorithm>

#include "passes/machine/guarded_stores.hpp"
#include "lane_promises.hpp"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"
#include "passes/machine/root_estimates.hpp"
#include "passes/machine/vector_math.hpp"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

/// Metadata about the accessed memory, not about the loaded value.
void copy_memory_metadata(const llvm::Instruction& from, llvm::Value* to) {
  auto* access = llvm::dyn_cast<llvm::Instruction>(to);
  if (!access) return;
  for (unsigned kind : {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias,
                        llvm::LLVMContext::MD_invariant_load, llvm::LLVMContext::MD_nontemporal}) {
    if (kind == llvm::LLVMContext::MD_tbaa && !llvm::isa<llvm::LoadInst, llvm::StoreInst>(access)) continue;
    if (llvm::MDNode* node = from.getMetadata(kind)) access->setMetadata(kind, node);
  }
}

bool is_dropped(const llvm::Instruction& instruction) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!intrinsic) return false;
  switch (intrinsic->getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::sideeffect: return true;
    default: return false;
  }
}

bool has_wide_memory_form(llvm::Type* type, const llvm::DataLayout& layout) {
  return llvm::VectorType::isValidElementType(type) && layout.typeSizeEqualsStoreSize(type) &&
         layout.getTypeStoreSize(type) == layout.getTypeAllocSize(type);
}

/// More than its size one lane may promise, but not its neighbours.
llvm::Align lane_alignment(llvm::Align promised, llvm::Type* type, const llvm::DataLayout& layout) {
  return llvm::commonAlignment(promised, layout.getTypeAllocSize(type).getFixedValue());
}

llvm::Constant* neutral_element(llvm::AtomicRMWInst::BinOp operation, llvm::Type* type) {
  const unsigned bits = type->getIntegerBitWidth();
  switch (operation) {
    case llvm::AtomicRMWInst::And:
    case llvm::AtomicRMWInst::UMin: return llvm::Constant::getAllOnesValue(type);
    case llvm::AtomicRMWInst::Max: return llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
    case llvm::AtomicRMWInst::Min: return llvm::ConstantInt::get(type, llvm::APInt::getSignedMaxValue(bits));
    default: return llvm::Constant::getNullValue(type);
  }
}

llvm::Intrinsic::ID reduction(llvm::AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::Sub: return llvm::Intrinsic::vector_reduce_add;
    case llvm::AtomicRMWInst::And: return llvm::Intrinsic::vector_reduce_and;
    case llvm::AtomicRMWInst::Or: return llvm::Intrinsic::vector_reduce_or;
    case llvm::AtomicRMWInst::Xor: return llvm::Intrinsic::vector_reduce_xor;
    case llvm::AtomicRMWInst::Max: return llvm::Intrinsic::vector_reduce_smax;
    case llvm::AtomicRMWInst::Min: return llvm::Intrinsic::vector_reduce_smin;
    case llvm::AtomicRMWInst::UMax: return llvm::Intrinsic::vector_reduce_umax;
    case llvm::AtomicRMWInst::UMin: return llvm::Intrinsic::vector_reduce_umin;
    default: return llvm::Intrinsic::not_intrinsic;
  }
}

/// Intrinsics that vectors have too; frexp crashes LLVM 22's VectorCombine, and vectors of the others become calls that
/// are not there.
bool is_wide_intrinsic(llvm::Intrinsic::ID id) {
  return llvm::isTriviallyVectorizable(id) && id != llvm::Intrinsic::frexp && id != llvm::Intrinsic::modf &&
         id != llvm::Intrinsic::sincos && id != llvm::Intrinsic::sincospi;
}

/// Nearly all vectors of work-items run such a block with all lanes or none: it is behind a comparison of positions.
bool is_behind_guard(const llvm::BasicBlock& block, const lane_shapes& shapes) {
  if (shapes.facts().prefix || shapes.mask(&block) != lane_mask::partial) return false;
  const llvm::BasicBlock* before = block.getSinglePredecessor();
  const auto* branch = before ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || shapes.mask(before) == lane_mask::partial) return false;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  return compare && !compare->isEquality() &&
         llvm::none_of(compare->operands(), [&](const llvm::Value* each) { return shapes.of(each).is_varying(); });
}

bool is_widened_type(llvm::Type* type) {
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    return structure->isLiteral() &&
           llvm::all_of(structure->elements(), [](llvm::Type* each) { return llvm::VectorType::isValidElementType(each); });
  }
  return llvm::VectorType::isValidElementType(type);
}

} // namespace

bool is_consecutive(const lane_shape& address, llvm::Type* type, const llvm::DataLayout& layout) {
  return address.what == lane_shape::kind::strided && has_wide_memory_form(type, layout) &&
         address.stride == static_cast<std::int64_t>(layout.getTypeAllocSize(type).getFixedValue());
}

bool has_wide_call(const llvm::CallInst& call, unsigned lanes, unsigned vector_bits) {
  return has_vector_math(call, lanes, vector_bits) || is_wide_intrinsic(call.getIntrinsicID()) || is_root_estimate(call);
}

std::string unsupported(const llvm::Function& function, const lane_shapes& shapes, bool sub_group, const llvm::Instruction*& where) {
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      where = &instruction;
      if (is_dropped(instruction) || llvm::isa<llvm::NoAliasScopeDeclInst>(instruction)) continue;
      if (sub_group && sub_group_call_of(instruction) != sub_group_call::none) continue;
      if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        if (!variable->isStaticAlloca()) return "a private array whose size is not constant";
        continue;
      }
      const bool ends = instruction.isTerminator();
      if (ends && !llvm::isa<llvm::BranchInst, llvm::ReturnInst>(instruction)) return "a jump that is no branch";
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (!llvm::isa<llvm::CallInst>(call)) return "a call that may continue elsewhere";
        if (call->isConvergent() || call->isInlineAsm()) return "a call that lanes make together";
      }
      if (ends || instruction.getType()->isVoidTy() || !shapes.of(&instruction).is_varying()) continue;
      if (!is_widened_type(instruction.getType())) return "a value that has no vector form";
    }
  }
  where = nullptr;
  return {};
}

wide_instructions::wide_instructions(llvm::IRBuilder<>& builder, const lane_shapes& shapes, const load_pieces& pieces,
                                     unsigned vector_bits)
    : m_builder(builder),
      m_shapes(shapes),
      m_pieces(pieces),
      m_orders(shapes.function(), shapes),
      m_lanes(shapes.facts().lanes),
      m_vector_bits(vector_bits),
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
    values.push_back(llvm::ConstantInt::get(
        element->getContext(), llvm::APInt(element->getIntegerBitWidth(), value, false, /*implicitTrunc=*/true)));
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
      whole = m_builder.CreateInsertValue(whole, m_builder.CreateVectorSplat(m_lanes, m_builder.CreateExtractValue(known, i)), i);
    }
    return whole;
  }
  if (shape.is_uniform()) return m_builder.CreateVectorSplat(m_lanes, known);
  if (known->getType()->isPointerTy()) return m_builder.CreatePtrAdd(known, steps(m_builder.getInt64Ty(), shape.stride));
  return m_builder.CreateAdd(m_builder.CreateVectorSplat(m_lanes, known), steps(known->getType(), shape.stride));
}

llvm::Value* wide_instructions::lane(llvm::Value* value, unsigned lane) {
  const lane_shape shape = m_shapes.of(value);
  llvm::Value* known = scalar(value);
  if (shape.is_uniform() || (!shape.is_varying() && lane == 0)) return known;
  if (shape.is_varying()) {
    auto* structure = llvm::dyn_cast<llvm::StructType>(value->getType());
    if (!structure) return m_builder.CreateExtractElement(known, lane);
    llvm::Value* whole = llvm::PoisonValue::get(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      whole = m_builder.CreateInsertValue(whole, m_builder.CreateExtractElement(m_builder.CreateExtractValue(known, i), lane), i);
    }
    return whole;
  }
  const auto offset = static_cast<std::uint64_t>(shape.stride) * lane;
  if (known->getType()->isPointerTy()) return m_builder.CreatePtrAdd(known, m_builder.getInt64(offset));
  const llvm::APInt step(known->getType()->getIntegerBitWidth(), offset, false, /*implicitTrunc=*/true);
  return m_builder.CreateAdd(known, llvm::ConstantInt::get(known->getType(), step));
}

/// As it is computed within `block`, so that what does not change in a loop around it is taken apart outside. Null: all
/// of it, without what is promised of lanes that are on, for this one may be off.
llvm::Value* wide_instructions::lane_address(llvm::Value* address, unsigned lane, const llvm::BasicBlock* block) {
  using llvm::Instruction;
  constexpr unsigned arithmetic[] = {Instruction::GetElementPtr, Instruction::Add,  Instruction::Sub,  Instruction::Mul,
                                     Instruction::Shl,           Instruction::SExt, Instruction::ZExt, Instruction::Trunc,
                                     Instruction::And,           Instruction::Or,   Instruction::Xor,  Instruction::LShr};
  auto* instruction = llvm::dyn_cast<Instruction>(address);
  const bool follow = instruction && (!block || instruction->getParent() == block) &&
                      m_shapes.of(address).is_varying() && llvm::is_contained(arithmetic, instruction->getOpcode());
  if (!follow) return this->lane(address, lane);
  Instruction* copy = instruction->clone();
  if (!block) copy->dropPoisonGeneratingAnnotations();
  for (llvm::Use& operand : copy->operands()) operand.set(lane_address(operand.get(), lane, block));
  return m_builder.Insert(copy);
}

llvm::Value* wide_instructions::with_lane(llvm::Value* whole, llvm::Value* value, unsigned lane) {
  auto* structure = llvm::dyn_cast<llvm::StructType>(value->getType());
  if (!structure) return m_builder.CreateInsertElement(whole, value, lane);
  for (unsigned i = 0; i < structure->getNumElements(); ++i) {
    llvm::Value* field = m_builder.CreateInsertElement(m_builder.CreateExtractValue(whole, i), m_builder.CreateExtractValue(value, i), lane);
    whole = m_builder.CreateInsertValue(whole, field, i);
  }
  return whole;
}

/// Work-items have no order, but one after the other the last one would have the last word.
llvm::Value* wide_instructions::last_active(llvm::Value* value, llvm::Value* mask) {
  if (m_shapes.of(value).is_uniform()) return scalar(value);
  if (!mask) return lane(value, m_lanes - 1);
  llvm::Type* bits = m_builder.getIntNTy(m_lanes);
  llvm::Value* zeros = m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, m_builder.CreateBitCast(mask, bits), m_builder.getTrue());
  llvm::Value* last = m_builder.CreateSub(llvm::ConstantInt::get(bits, m_lanes - 1), zeros);
  return m_builder.CreateExtractElement(wide(value), m_builder.CreateZExt(last, m_builder.getInt64Ty()));
}

// ------------------------------------------------------------------------------------------------- instructions

void wide_instructions::emit(llvm::Instruction& instruction, llvm::Value* mask) {
  if (is_dropped(instruction)) return;
  m_builder.SetCurrentDebugLocation(instruction.getDebugLoc());
  if (llvm::isa<llvm::NoAliasScopeDeclInst>(instruction)) {
    // One for all lanes: without it, the next iteration would be taken for the same scope.
    if (!abi::is_planted("restrict_scopes")) m_builder.Insert(instruction.clone());
    return;
  }
  if (is_lane_promise(instruction)) {
    const llvm::Value* of = instruction.getOperand(0);
    return define(&instruction,
                  m_shapes.of(of).is_varying() ? wide(instruction.getOperand(0)) : scalar(instruction.getOperand(0)));
  }
  if (const sub_group_call what = sub_group_call_of(instruction); what != sub_group_call::none) {
    return emit_exchange(llvm::cast<llvm::CallInst>(instruction), what, mask);
  }
  if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) return emit_alloca(*variable);
  if (const lane_orders::group* group = mask ? nullptr : m_orders.of(instruction)) {
    if (llvm::isa<llvm::LoadInst>(instruction) && !m_values.contains(&instruction)) emit_group_loads(*group);
    if (group->accesses.back() == &instruction && llvm::isa<llvm::StoreInst>(instruction)) emit_group_stores(*group);
    return;
  }
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return emit_store(*store, mask);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    if (const load_pieces::piece* piece = m_pieces.of(*load)) {
      if (!m_values.contains(load)) emit_piece(*piece, *load, mask);
      return;
    }
  }
  const bool partial = m_shapes.mask(instruction.getParent()) == lane_mask::partial;
  if (!instruction.getType()->isVoidTy() && !m_shapes.of(&instruction).is_varying()) {
    if (llvm::isa<llvm::LoadInst>(instruction)) ++m_counts.uniform;
    return emit_scalar(instruction, partial);
  }
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return emit_call(*call, mask);
  if (llvm::isa<llvm::FenceInst>(instruction)) return emit_scalar(instruction, partial);
  if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction); atomic && emit_reduced_atomic(*atomic, mask)) return;
  llvm::Value* result = emit_widened(instruction, mask);
  if (!result) return emit_lane_by_lane(instruction, mask);
  define(&instruction, result);
}

void wide_instructions::emit_scalar(llvm::Instruction& instruction, bool partial) {
  llvm::Instruction* copy = instruction.clone();
  const bool is_or = instruction.getOpcode() == llvm::Instruction::Or;
  if (is_or && !m_shapes.of(&instruction).is_uniform() && !abi::is_planted("strided_or")) {
    // That both have no bit in common is true of lanes that need it; lane 0 may not, and all count from it.
    copy->deleteValue();
    copy = llvm::BinaryOperator::CreateAdd(instruction.getOperand(0), instruction.getOperand(1));
  }
  for (llvm::Use& operand : copy->operands()) operand.set(scalar(operand.get()));
  // Lanes of sub-groups have known numbers: masks and permutations of them are to be seen as constants.
  if (llvm::Constant* known = llvm::ConstantFoldInstruction(copy, m_layout)) {
    copy->deleteValue();
    return define(&instruction, known);
  }
  // What is promised for lanes that use the result need not hold for lane 0, which others are computed from.
  const bool uniform = llvm::all_of(instruction.operands(), [&](llvm::Value* each) { return m_shapes.of(each).is_uniform(); });
  if (partial || !uniform) copy->dropPoisonGeneratingAnnotations();
  if (partial) copy->dropUBImplyingAttrsAndMetadata();
  copy->setMetadata(llvm::LLVMContext::MD_access_group, nullptr);
  m_builder.Insert(copy, instruction.getName());
  define(&instruction, copy);
}

/// Null: nothing but one lane after the other helps.
llvm::Value* wide_instructions::emit_widened(llvm::Instruction& instruction, llvm::Value* mask) {
  llvm::Value* result = nullptr;
  if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    llvm::Value* right = wide(binary->getOperand(1));
    // Lanes that are off divide by one.
    if (mask && binary->isIntDivRem()) right = m_builder.CreateSelect(mask, right, llvm::ConstantInt::get(right->getType(), 1));
    result = m_builder.CreateBinOp(binary->getOpcode(), wide(binary->getOperand(0)), right);
  } else if (auto* unary = llvm::dyn_cast<llvm::UnaryOperator>(&instruction)) {
    result = m_builder.CreateUnOp(unary->getOpcode(), wide(unary->getOperand(0)));
  } else if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    result = m_builder.CreateCmp(compare->getPredicate(), wide(compare->getOperand(0)), wide(compare->getOperand(1)));
  } else if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    llvm::Value* condition = select->getCondition();
    const bool same = m_shapes.of(condition).is_uniform() || !wide_type(select->getType())->isVectorTy();
    if (same && !m_shapes.of(condition).is_uniform()) return nullptr;
    result = m_builder.CreateSelect(same ? scalar(condition) : wide(condition), wide(select->getTrueValue()), wide(select->getFalseValue()));
  } else if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) {
    if (!is_widened_type(cast->getSrcTy())) return nullptr;
    if (llvm::isa<llvm::UIToFPInst, llvm::SIToFPInst>(cast) && cast->getSrcTy()->isIntegerTy(64) &&
        llvm::computeKnownBits(cast->getOperand(0), m_layout).countMaxActiveBits() < 32) {
      // Ids: only 32-bit integers are converted by one instruction everywhere.
      llvm::Value* narrow = m_builder.CreateTrunc(wide(cast->getOperand(0)), wide_type(m_builder.getInt32Ty()));
      return m_builder.CreateSIToFP(narrow, wide_type(cast->getDestTy()));
    }
    result = m_builder.CreateCast(cast->getOpcode(), wide(cast->getOperand(0)), wide_type(cast->getDestTy()));
  } else if (llvm::isa<llvm::FreezeInst>(instruction)) {
    result = m_builder.CreateFreeze(wide(instruction.getOperand(0)));
  } else if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    return emit_address(*address);
  } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return emit_load(*load, mask);
  } else if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    if (!is_widened_type(extract->getAggregateOperand()->getType())) return nullptr;
    return m_builder.CreateExtractValue(wide(extract->getAggregateOperand()), extract->getIndices());
  } else if (auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction)) {
    return m_builder.CreateInsertValue(wide(insert->getAggregateOperand()), wide(insert->getInsertedValueOperand()), insert->getIndices());
  } else {
    return nullptr;
  }
  if (auto* made = llvm::dyn_cast<llvm::Instruction>(result)) made->copyIRFlags(&instruction);
  return result;
}

llvm::Value* wide_instructions::emit_address(llvm::GetElementPtrInst& address) {
  // (base[varying]).field: the field goes to the base, so that gathers have one base and narrow indices.
  auto* inner = llvm::dyn_cast<llvm::GetElementPtrInst>(address.getPointerOperand());
  llvm::APInt offset(64, 0);
  if (inner && m_shapes.of(inner->getPointerOperand()).is_uniform() && address.accumulateConstantOffset(m_layout, offset)) {
    llvm::Value* base = m_builder.CreatePtrAdd(scalar(inner->getPointerOperand()), m_builder.getInt64(offset.getZExtValue()));
    llvm::SmallVector<llvm::Value*, 4> indices;
    for (llvm::Value* index : inner->indices()) indices.push_back(m_shapes.of(index).is_uniform() ? scalar(index) : wide(index));
    return m_builder.CreateGEP(inner->getSourceElementType(), base, indices);
  }
  llvm::Value* pointer = address.getPointerOperand();
  pointer = m_shapes.of(pointer).is_uniform() ? scalar(pointer) : wide(pointer);
  llvm::SmallVector<llvm::Value*, 4> indices;
  for (llvm::Value* index : address.indices()) indices.push_back(m_shapes.of(index).is_uniform() ? scalar(index) : wide(index));
  return m_builder.CreateGEP(address.getSourceElementType(), pointer, indices, "", address.getNoWrapFlags());
}

llvm::Value* wide_instructions::emit_load(llvm::LoadInst& load, llvm::Value* mask) {
  if (!load.isSimple() || !has_wide_memory_form(load.getType(), m_layout)) return nullptr;
  llvm::Type* type = wide_type(load.getType());
  const llvm::Align alignment = lane_alignment(load.getAlign(), load.getType(), m_layout);
  const lane_shape shape = m_shapes.of(load.getPointerOperand());
  llvm::Value* result;
  if (is_consecutive(shape, load.getType(), m_layout)) {
    ++m_counts.consecutive;
    llvm::Value* address = scalar(load.getPointerOperand());
    result = mask ? static_cast<llvm::Value*>(m_builder.CreateMaskedLoad(type, address, alignment, mask))
                  : m_builder.CreateAlignedLoad(type, address, alignment);
  } else if (const lane_orders::runs runs = m_orders.runs_of(load); runs.lanes > 1 && !(runs.same && mask)) {
    return load_runs(load, runs, mask);
  } else {
    ++m_counts.gathers;
    result = m_builder.CreateMaskedGather(type, wide(load.getPointerOperand()), alignment, mask);
  }
  copy_memory_metadata(load, result);
  return result;
}

llvm::Value* wide_instructions::lanes_of(llvm::Value* values, unsigned first, unsigned count) {
  llvm::SmallVector<int, 16> sources;
  for (unsigned i = 0; i < count; ++i) sources.push_back(static_cast<int>(first + i));
  return m_builder.CreateShuffleVector(values, sources);
}

/// Lanes of each run load side by side, or one for them all.
llvm::Value* wide_instructions::load_runs(llvm::LoadInst& load, lane_orders::runs runs, llvm::Value* mask) {
  ++m_counts.in_runs;
  const llvm::Align alignment = lane_alignment(load.getAlign(), load.getType(), m_layout);
  llvm::Type* type = runs.same ? load.getType() : llvm::FixedVectorType::get(load.getType(), runs.lanes);
  llvm::Value* addresses = mask ? nullptr : wide(load.getPointerOperand());
  llvm::SmallVector<llvm::Value*, 8> parts;
  for (unsigned first = 0; first < m_lanes; first += runs.lanes) {
    llvm::Value* address = mask ? lane_address(load.getPointerOperand(), first, nullptr)
                                : m_builder.CreateExtractElement(addresses, first);
    llvm::Value* part;
    if (mask) {
      part = m_builder.CreateMaskedLoad(type, address, alignment, lanes_of(mask, first, runs.lanes));
    } else {
      part = m_builder.CreateAlignedLoad(type, address, alignment);
    }
    copy_memory_metadata(load, part);
    parts.push_back(runs.same ? m_builder.CreateVectorSplat(runs.lanes, part) : part);
  }
  return llvm::concatenateVectors(m_builder, parts);
}

void wide_instructions::store_runs(llvm::StoreInst& store, unsigned lanes) {
  ++m_counts.in_runs;
  const llvm::Align alignment = lane_alignment(store.getAlign(), store.getValueOperand()->getType(), m_layout);
  llvm::Value *values = wide(store.getValueOperand()), *addresses = wide(store.getPointerOperand());
  for (unsigned first = 0; first < m_lanes; first += lanes) {
    llvm::Value* address = m_builder.CreateExtractElement(addresses, first);
    copy_memory_metadata(store, m_builder.CreateAlignedStore(lanes_of(values, first, lanes), address, alignment));
  }
}

llvm::Value* wide_instructions::group_address(const lane_orders::group& group, unsigned vector, llvm::Type* type) {
  const llvm::Instruction& first = *group.accesses.front();
  auto* address = const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(&first));
  const auto bytes = group.start + static_cast<std::int64_t>(vector * m_layout.getTypeStoreSize(type).getFixedValue());
  llvm::Value* lane_0 = lane_address(address, 0, first.getParent());
  return m_builder.CreatePtrAdd(lane_0, m_builder.getInt64(static_cast<std::uint64_t>(bytes)));
}

/// Whole vectors, of which each access takes its elements.
void wide_instructions::emit_group_loads(const lane_orders::group& group) {
  m_counts.rearranged += static_cast<unsigned>(group.accesses.size());
  auto* first = llvm::cast<llvm::LoadInst>(group.accesses.front());
  llvm::Type* type = wide_type(first->getType());
  llvm::AAMDNodes memory = first->getAAMetadata();
  for (const llvm::Instruction* each : group.accesses) memory = memory.concat(each->getAAMetadata());
  llvm::SmallVector<llvm::Value*, 2> vectors;
  for (unsigned i = 0; i < group.accesses.size(); ++i) {
    const llvm::Align alignment = lane_alignment(first->getAlign(), first->getType(), m_layout);
    llvm::LoadInst* load = m_builder.CreateAlignedLoad(type, group_address(group, i, type), alignment);
    load->setAAMetadata(memory);
    vectors.push_back(load);
  }
  for (unsigned i = 0; i < group.accesses.size(); ++i) {
    const auto elements = llvm::ArrayRef(group.elements).slice(i * m_lanes, m_lanes);
    define(group.accesses[i], m_builder.CreateShuffleVector(vectors.front(), vectors.back(), elements));
  }
}

void wide_instructions::emit_group_stores(const lane_orders::group& group) {
  m_counts.rearranged += static_cast<unsigned>(group.accesses.size());
  auto* first = llvm::cast<llvm::StoreInst>(group.accesses.front());
  auto* last = llvm::cast<llvm::StoreInst>(group.accesses.back());
  llvm::Type* type = wide_type(first->getValueOperand()->getType());
  llvm::SmallVector<int, 32> sources(group.elements.size());
  for (unsigned source = 0; source < sources.size(); ++source) {
    sources[static_cast<unsigned>(group.elements[source])] = static_cast<int>(source);
  }
  llvm::Value *of_first = wide(first->getValueOperand()), *of_last = wide(last->getValueOperand());
  for (unsigned i = 0; i < group.accesses.size(); ++i) {
    llvm::Value* values = m_builder.CreateShuffleVector(of_first, of_last, llvm::ArrayRef(sources).slice(i * m_lanes, m_lanes));
    const llvm::Align alignment = lane_alignment(first->getAlign(), first->getValueOperand()->getType(), m_layout);
    llvm::StoreInst* store = m_builder.CreateAlignedStore(values, group_address(group, i, type), alignment);
    store->setAAMetadata(first->getAAMetadata().concat(last->getAAMetadata()));
  }
}

/// All lanes of `mask` (a prefix; null: all) load.
void wide_instructions::emit_piece(const load_pieces::piece& piece, llvm::LoadInst& first, llvm::Value* mask) {
  m_counts.transposed += static_cast<unsigned>(piece.loads.size());
  llvm::Type* type = llvm::FixedVectorType::get(first.getType(), static_cast<unsigned>(piece.loads.size()));
  llvm::AAMDNodes memory = first.getAAMetadata();
  for (const llvm::LoadInst* load : piece.loads) memory = memory.concat(load->getAAMetadata());
  llvm::SmallVector<llvm::Value*, 16> of_lanes;
  llvm::Value* first_lane = nullptr;
  for (unsigned i = 0; i < m_lanes; ++i) {
    llvm::Value* address = lane_address(first.getPointerOperand(), i, first.getParent());
    // Lanes that are not there read what the first one reads.
    if (i == 0) {
      first_lane = address;
    } else if (mask) {
      address = m_builder.CreateSelect(m_builder.CreateExtractElement(mask, i), address, first_lane);
    }
    address = m_builder.CreatePtrAdd(address, m_builder.getInt64(static_cast<std::uint64_t>(piece.start)));
    llvm::LoadInst* load = m_builder.CreateAlignedLoad(type, address, piece.loads.front()->getAlign());
    load->setAAMetadata(memory);
    of_lanes.push_back(load);
  }
  const auto elements = transposed(m_builder, of_lanes);
  for (std::size_t i = 0; i < elements.size(); ++i) define(piece.loads[i], elements[i]);
}

void wide_instructions::emit_store(llvm::StoreInst& store, llvm::Value* mask) {
  llvm::Value* value = store.getValueOperand();
  llvm::Value* address = store.getPointerOperand();
  const lane_shape shape = m_shapes.of(address);
  if (!store.isSimple() || (!shape.is_uniform() && !has_wide_memory_form(value->getType(), m_layout)) ||
      (shape.is_uniform() && !m_shapes.of(value).is_uniform() && !llvm::VectorType::isValidElementType(value->getType()))) {
    return emit_lane_by_lane(store, mask);
  }
  llvm::Value* result;
  if (shape.is_uniform()) {
    ++m_counts.uniform;
    result = m_builder.CreateAlignedStore(last_active(value, mask), scalar(address), store.getAlign());
  } else if (const llvm::Align alignment = lane_alignment(store.getAlign(), value->getType(), m_layout);
             is_consecutive(shape, value->getType(), m_layout)) {
    ++m_counts.consecutive;
    result = mask ? static_cast<llvm::Value*>(m_builder.CreateMaskedStore(wide(value), scalar(address), alignment, mask))
                  : m_builder.CreateAlignedStore(wide(value), scalar(address), alignment);
    if (mask && is_behind_guard(*store.getParent(), m_shapes)) {
      llvm::cast<llvm::Instruction>(result)->setMetadata(guarded_metadata, llvm::MDNode::get(store.getContext(), {}));
    }
  } else if (const unsigned lanes = mask ? 1 : m_orders.runs_of(store).lanes; lanes > 1) {
    return store_runs(store, lanes);
  } else {
    ++m_counts.scatters;
    result = m_builder.CreateMaskedScatter(wide(value), wide(address), alignment, mask);
  }
  copy_memory_metadata(store, result);
}

void wide_instructions::emit_alloca(llvm::AllocaInst& variable) {
  // lane_shapes: the copies of the lanes follow each other.
  const auto stride = static_cast<std::uint64_t>(m_shapes.of(&variable).stride);
  llvm::BasicBlock& entry = m_builder.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> front(&entry, entry.begin());
  llvm::AllocaInst* all = front.CreateAlloca(llvm::ArrayType::get(front.getInt8Ty(), stride * m_lanes));
  all->setAlignment(std::max(variable.getAlign(), llvm::Align(64)));
  define(&variable, all);
}

void wide_instructions::emit_call(llvm::CallInst& call, llvm::Value* mask) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  if (has_vector_math(call, m_lanes, m_vector_bits)) {
    ++m_counts.vector_calls;
    llvm::SmallVector<llvm::Value*, 2> arguments;
    for (llvm::Value* argument : call.args()) arguments.push_back(wide(argument));
    return define(&call, emit_vector_math(m_builder, call, m_lanes, m_vector_bits, arguments));
  }
  if (is_root_estimate(call)) return define(&call, emit_root_estimate(m_builder, wide(call.getArgOperand(0))));
  if (is_wide_intrinsic(id)) {
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
      if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i), nullptr)) types.push_back(arguments.back()->getType());
    }
    llvm::Function* callee = llvm::Intrinsic::getOrInsertDeclaration(call.getModule(), id, types);
    llvm::CallInst* made = m_builder.CreateCall(callee, arguments);
    if (llvm::isa<llvm::FPMathOperator>(made)) made->copyFastMathFlags(&call);
    return define(&call, made);
  }
  if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&call); copy && !mask && emit_joined_copy(*copy)) return;
  // The first lane that gets there ends the program.
  const bool once = call.doesNotReturn() && llvm::all_of(call.args(), [&](llvm::Value* each) { return m_shapes.of(each).is_uniform(); });
  if (once) return emit_scalar(call, /*partial=*/false);
  emit_lane_by_lane(call, mask);
}

/// All lanes or none are at such a call; `mask` leaves out those that are not there.
void wide_instructions::emit_exchange(llvm::CallInst& call, sub_group_call what, llvm::Value* mask) {
  llvm::Type* type = call.getType();
  switch (what) {
    case sub_group_call::local_id: return define(&call, llvm::ConstantInt::get(type, 0));
    case sub_group_call::local_range: {
      llvm::Function* function = m_builder.GetInsertBlock()->getParent();
      return define(&call, m_shapes.facts().prefix ? m_builder.CreateTrunc(function->getArg(parameter_count), type)
                                                   : llvm::ConstantInt::get(type, m_lanes));
    }
    case sub_group_call::ballot: {
      llvm::Value* holds = wide(call.getArgOperand(0));
      if (mask) holds = m_builder.CreateLogicalAnd(mask, holds);
      return define(&call, m_builder.CreateZExt(m_builder.CreateBitCast(holds, m_builder.getIntNTy(m_lanes)), type));
    }
    case sub_group_call::shuffle: {
      llvm::Value* value = call.getArgOperand(0);
      if (m_shapes.of(value).is_uniform()) return define(&call, scalar(value));
      // Lanes that are off may hold anything, but what they hold is a value.
      llvm::Value* values = mask ? m_builder.CreateFreeze(wide(value)) : wide(value);
      llvm::Value* source = call.getArgOperand(1);
      if (m_shapes.of(source).is_uniform()) {
        llvm::Value* lane = m_builder.CreateAnd(scalar(source), m_lanes - 1);
        return define(&call, m_builder.CreateExtractElement(values, m_builder.CreateZExt(lane, m_builder.getInt64Ty())));
      }
      return define(&call, shuffled(values, wide(source)));
    }
    default: return;  // Lanes go in step, a barrier has nothing to wait for.
  }
}

/// Element i of the result is element sources[i] of `values`.
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
  // LLVM 22 fails on elements narrower than their numbers (docs/llvm_defects.md). Those of 32 bits it would narrow
  // again, if they were integers.
  llvm::Type *type = values->getType(), *longer = wide_type(m_builder.getInt32Ty());
  const bool is_narrow = type->getScalarSizeInBits() < 32 && !abi::is_planted("narrow_exchanges");
  if (is_narrow)
    values = m_builder.CreateBitCast(m_builder.CreateZExt(values, longer), wide_type(m_builder.getFloatTy()));
  // Out of more than one register each element would go through memory.
  const unsigned count = std::min(m_lanes, m_vector_bits / values->getType()->getScalarSizeInBits());
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

/// The same for one register, by the low bits of `sources`, as LLVM recognises it.
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

/// Pieces side by side, from and to: one copy.
bool wide_instructions::emit_joined_copy(llvm::MemCpyInst& copy) {
  const auto* size = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  const lane_shape from = m_shapes.of(copy.getRawSource()), to = m_shapes.of(copy.getRawDest());
  if (!size || copy.isVolatile() || from.what != lane_shape::kind::strided || to.what != lane_shape::kind::strided ||
      from.stride != size->getSExtValue() || to.stride != size->getSExtValue()) {
    return false;
  }
  ++m_counts.consecutive;
  m_builder.CreateMemCpy(scalar(copy.getRawDest()), copy.getDestAlign(), scalar(copy.getRawSource()), copy.getSourceAlign(),
                         size->getZExtValue() * m_lanes);
  return true;
}

/// One atomic operation for all lanes where nobody asks for what was there before.
bool wide_instructions::emit_reduced_atomic(llvm::AtomicRMWInst& atomic, llvm::Value* mask) {
  const llvm::Intrinsic::ID reduce = reduction(atomic.getOperation());
  if (!atomic.use_empty() || atomic.isVolatile() || reduce == llvm::Intrinsic::not_intrinsic ||
      !m_shapes.of(atomic.getPointerOperand()).is_uniform()) {
    return false;
  }
  llvm::Value* values = wide(atomic.getValOperand());
  if (mask) {
    llvm::Constant* neutral = neutral_element(atomic.getOperation(), atomic.getType());
    values = m_builder.CreateSelect(mask, values, llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(m_lanes), neutral));
  }
  llvm::Value* all = m_builder.CreateUnaryIntrinsic(reduce, values);
  m_builder.CreateAtomicRMW(atomic.getOperation(), scalar(atomic.getPointerOperand()), all, atomic.getAlign(),
                            atomic.getOrdering(), atomic.getSyncScopeID());
  return true;
}

void wide_instructions::emit_lane_by_lane(llvm::Instruction& instruction, llvm::Value* mask) {
  ++m_counts.lane_by_lane;
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

} // namespace sinter::passes
