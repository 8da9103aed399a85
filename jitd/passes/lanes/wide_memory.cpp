#include <algorithm>

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "passes/machine/guarded_stores.hpp"
#include "side_by_side_arrays.hpp"
#include "wide_instructions.hpp"

// Emits accesses to memory.

namespace sinter::passes {
namespace {

/// Copies the metadata about the accessed memory, but not the metadata about the loaded value.
void copy_memory_metadata(const llvm::Instruction& from, llvm::Value* to) {
  auto* access = llvm::dyn_cast<llvm::Instruction>(to);
  if (!access) return;
  for (unsigned kind : {llvm::LLVMContext::MD_tbaa, llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias,
                        llvm::LLVMContext::MD_invariant_load, llvm::LLVMContext::MD_nontemporal}) {
    if (kind == llvm::LLVMContext::MD_tbaa && !llvm::isa<llvm::LoadInst, llvm::StoreInst>(access)) continue;
    if (llvm::MDNode* node = from.getMetadata(kind)) access->setMetadata(kind, node);
  }
}

/// Returns the alignment that the addresses of all lanes have. The original access may promise a larger alignment than
/// the size of an element. The addresses of neighbouring lanes can't all have such an alignment.
llvm::Align lane_alignment(llvm::Align promised, llvm::Type* type, const llvm::DataLayout& layout) {
  return llvm::commonAlignment(promised, layout.getTypeAllocSize(type).getFixedValue());
}

/// Divides the rows into square blocks (as many elements as rows) and transposes each block: element i of row t becomes
/// element t of row i. Each exchange moves elements within 16 bytes, so it takes one instruction on all machines.
void transpose_blocks(llvm::IRBuilderBase& builder, llvm::SmallVectorImpl<llvm::Value*>& rows) {
  const auto length = static_cast<unsigned>(rows.size());
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(rows.front()->getType())->getNumElements();
  llvm::SmallVector<int, 16> low, high;
  for (unsigned first = 0; first < lanes; first += length) {
    for (unsigned i = first; i < first + length / 2; ++i) {
      for (unsigned which : {i, lanes + i}) {
        low.push_back(static_cast<int>(which));
        high.push_back(static_cast<int>(which + length / 2));
      }
    }
  }
  for (unsigned step = 1; step < length; step *= 2) {
    llvm::SmallVector<llvm::Value*, 4> zipped;
    for (unsigned i = 0; i < length / 2; ++i) {
      for (const auto& mask : {low, high})
        zipped.push_back(builder.CreateShuffleVector(rows[i], rows[i + length / 2], mask));
    }
    rows.assign(zipped.begin(), zipped.end());
  }
}

using vectors = llvm::SmallVector<llvm::Value*, 4>;

/// Interleaves vectors: first element 0 of each vector, then element 1 of each vector, and so on.
vectors interleaved(llvm::IRBuilderBase& builder, const vectors& values) {
  if (values.size() == 1) return values;
  const auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(values.front()->getType())->getNumElements());
  vectors even, odd, result;
  for (std::size_t i = 0; i < values.size(); ++i) (i % 2 == 0 ? even : odd).push_back(values[i]);
  even = interleaved(builder, even), odd = interleaved(builder, odd);
  for (std::size_t i = 0; i < even.size(); ++i) {
    for (const int first : {0, lanes / 2}) {
      llvm::SmallVector<int, 16> mask;
      for (int lane = first; lane < first + lanes / 2; ++lane) mask.push_back(lane), mask.push_back(lanes + lane);
      result.push_back(builder.CreateShuffleVector(even[i], odd[i], mask));
    }
  }
  return result;
}

/// Splits interleaved vectors again: the inverse of interleaved().
vectors taken_apart(llvm::IRBuilderBase& builder, const vectors& values) {
  if (values.size() == 1) return values;
  const auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(values.front()->getType())->getNumElements());
  vectors halves[2];
  for (std::size_t i = 0; i < values.size(); i += 2) {
    for (const int odd : {0, 1}) {
      llvm::SmallVector<int, 16> mask;
      for (int element = odd; element < 2 * lanes; element += 2) mask.push_back(element);
      halves[odd].push_back(builder.CreateShuffleVector(values[i], values[i + 1], mask));
    }
  }
  const vectors even = taken_apart(builder, halves[0]), odd = taken_apart(builder, halves[1]);
  vectors result;
  for (std::size_t i = 0; i < even.size(); ++i) result.push_back(even[i]), result.push_back(odd[i]);
  return result;
}

/// Transposes vectors. Vector t of `of_lanes` has the neighbouring elements of lane t. Vector i of the result has
/// element i of each lane.
llvm::SmallVector<llvm::Value*, 4> transposed(llvm::IRBuilderBase& builder, llvm::ArrayRef<llvm::Value*> of_lanes) {
  const auto lanes = static_cast<unsigned>(of_lanes.size());
  const unsigned length = llvm::cast<llvm::FixedVectorType>(of_lanes.front()->getType())->getNumElements();
  // Vector t is made from the vectors of lanes t, length + t, 2 * length + t, and so on.
  llvm::SmallVector<llvm::Value*, 4> rows;
  for (unsigned t = 0; t < length; ++t) {
    llvm::SmallVector<llvm::Value*, 4> pieces;
    for (unsigned lane = t; lane < lanes; lane += length) pieces.push_back(of_lanes[lane]);
    rows.push_back(llvm::concatenateVectors(builder, pieces));
  }
  transpose_blocks(builder, rows);
  return rows;
}

}  // namespace

/// Computes the address in one lane. Only instructions in `block` are computed again for this lane. Values from outside
/// of the block are reused, so that values which are constant in a loop stay outside of the loop. If `block` is null,
/// the lane may be inactive. In this case, all instructions of the address are computed again, without flags that hold
/// only in active lanes.
llvm::Value* wide_instructions::lane_address(llvm::Value* address, unsigned lane, const llvm::BasicBlock* block) {
  using llvm::Instruction;
  constexpr unsigned arithmetic[] = {
      Instruction::GetElementPtr, Instruction::Add,  Instruction::Sub,  Instruction::Mul,
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

/// Returns the value of the last active lane. If all lanes store to one address, the memory has this value afterwards,
/// as if the work-items had run one after the other.
llvm::Value* wide_instructions::last_active(llvm::Value* value, llvm::Value* mask) {
  if (m_shapes.of(value).is_uniform()) return scalar(value);
  if (!mask) return lane(value, m_lanes - 1);
  llvm::Type* bits = m_builder.getIntNTy(m_lanes);
  llvm::Value* zeros =
      m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, m_builder.CreateBitCast(mask, bits), m_builder.getTrue());
  llvm::Value* last = m_builder.CreateSub(llvm::ConstantInt::get(bits, m_lanes - 1), zeros);
  return m_builder.CreateExtractElement(wide(value), m_builder.CreateZExt(last, m_builder.getInt64Ty()));
}

/// Emits loads and stores of one vector, or of the parts of a vector.
void wide_instructions::emit_access(llvm::Instruction& instruction, const lane_step& step, llvm::Value* mask) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return define(load, load_lanes(*load, step, mask));
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return store_lanes(*store, step, mask);
  copy_lanes(llvm::cast<llvm::MemCpyInst>(instruction));
}

llvm::Value* wide_instructions::load_lanes(llvm::LoadInst& load, const lane_step& step, llvm::Value* mask) {
  if (step.action == lane_action::runs) return load_runs(load, step.runs, mask);
  llvm::Type* type = wide_type(load.getType());
  const llvm::Align alignment = lane_alignment(load.getAlign(), load.getType(), m_layout);
  llvm::Value* result;
  if (step.action == lane_action::gather) {
    result = m_builder.CreateMaskedGather(type, wide(load.getPointerOperand()), alignment, mask);
  } else {
    llvm::Value* address = scalar(load.getPointerOperand());
    result = mask ? static_cast<llvm::Value*>(m_builder.CreateMaskedLoad(type, address, alignment, mask))
                  : m_builder.CreateAlignedLoad(type, address, alignment);
  }
  copy_memory_metadata(load, result);
  return result;
}

void wide_instructions::store_lanes(llvm::StoreInst& store, const lane_step& step, llvm::Value* mask) {
  if (step.action == lane_action::runs) return store_runs(store, step.runs);
  llvm::Value *value = store.getValueOperand(), *address = store.getPointerOperand();
  const llvm::Align alignment = lane_alignment(store.getAlign(), value->getType(), m_layout);
  llvm::Value* result;
  if (step.action == lane_action::last_lane) {
    result = m_builder.CreateAlignedStore(last_active(value, mask), scalar(address), store.getAlign());
  } else if (step.action == lane_action::scatter) {
    result = m_builder.CreateMaskedScatter(wide(value), wide(address), alignment, mask);
  } else if (mask) {
    result = m_builder.CreateMaskedStore(wide(value), scalar(address), alignment, mask);
    if (m_plan.of(store.getParent()).behind_guard) {
      llvm::cast<llvm::Instruction>(result)->setMetadata(guarded_metadata, llvm::MDNode::get(store.getContext(), {}));
    }
  } else {
    result = m_builder.CreateAlignedStore(wide(value), scalar(address), alignment);
  }
  copy_memory_metadata(store, result);
}

/// Emits one memcpy for all lanes. The lanes' sources lie side by side in memory, and so do their targets.
void wide_instructions::copy_lanes(llvm::MemCpyInst& copy) {
  const std::uint64_t size = llvm::cast<llvm::ConstantInt>(copy.getLength())->getZExtValue();
  m_builder.CreateMemCpy(scalar(copy.getRawDest()), copy.getDestAlign(), scalar(copy.getRawSource()),
                         copy.getSourceAlign(), size * m_lanes);
}

/// Returns the address that the first lane of each run accesses. With a mask, the first lane may be inactive, so
/// addresses are computed without flags.
llvm::SmallVector<llvm::Value*, 8> wide_instructions::run_addresses(llvm::Instruction& access, lane_orders::runs runs,
                                                                    bool is_masked) {
  llvm::Value* address = llvm::getLoadStorePointerOperand(&access);
  // The distance between runs is known only if the first lane is active.
  llvm::Value* first = runs.apart ? lane_address(address, 0, access.getParent()) : nullptr;
  llvm::Value* all = first || is_masked ? nullptr : wide(address);
  llvm::SmallVector<llvm::Value*, 8> result;
  for (unsigned lane = 0; lane < m_lanes; lane += runs.lanes) {
    if (first) {
      const std::uint64_t bytes = static_cast<std::uint64_t>(*runs.apart) * (lane / runs.lanes);
      result.push_back(m_builder.CreatePtrAdd(first, m_builder.getInt64(bytes)));
    } else {
      result.push_back(all ? m_builder.CreateExtractElement(all, lane) : lane_address(address, lane, nullptr));
    }
  }
  return result;
}

/// Emits the loads of the runs. A run is several consecutive lanes that load neighbouring elements or read one address.
/// In the second case, one lane loads for its run.
llvm::Value* wide_instructions::load_runs(llvm::LoadInst& load, lane_orders::runs runs, llvm::Value* mask) {
  const llvm::Align alignment = lane_alignment(load.getAlign(), load.getType(), m_layout);
  llvm::Type* type = runs.same ? load.getType() : llvm::FixedVectorType::get(load.getType(), runs.lanes);
  llvm::SmallVector<llvm::Value*, 8> parts;
  for (auto [run, address] : llvm::enumerate(run_addresses(load, runs, mask != nullptr))) {
    const unsigned first = static_cast<unsigned>(run) * runs.lanes;
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

void wide_instructions::store_runs(llvm::StoreInst& store, lane_orders::runs runs) {
  const llvm::Align alignment = lane_alignment(store.getAlign(), store.getValueOperand()->getType(), m_layout);
  llvm::Value* values = wide(store.getValueOperand());
  for (auto [run, address] : llvm::enumerate(run_addresses(store, runs, /*is_masked=*/false))) {
    llvm::Value* part = lanes_of(values, static_cast<unsigned>(run) * runs.lanes, runs.lanes);
    copy_memory_metadata(store, m_builder.CreateAlignedStore(part, address, alignment));
  }
}

void wide_instructions::emit_group(const lane_orders::group& group, llvm::Instruction& access) {
  // A group's loads are emitted at the place of the group's first load, and its stores at the place of the group's last
  // store.
  if (llvm::isa<llvm::StoreInst>(access)) {
    if (group.accesses.back() == &access) emit_group_stores(group);
  } else if (group.accesses.front() == &access) {
    emit_group_loads(group);
  }
}

llvm::Value* wide_instructions::group_address(const lane_orders::group& group, unsigned vector, llvm::Type* type) {
  const llvm::Instruction& first = *group.accesses.front();
  auto* address = const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(&first));
  const auto bytes = group.start + static_cast<std::int64_t>(vector * m_layout.getTypeStoreSize(type).getFixedValue());
  llvm::Value* lane_0 = lane_address(address, 0, first.getParent());
  return m_builder.CreatePtrAdd(lane_0, m_builder.getInt64(static_cast<std::uint64_t>(bytes)));
}

/// Loads whole vectors. Each access of the group takes its elements from these vectors.
void wide_instructions::emit_group_loads(const lane_orders::group& group) {
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
  auto* first = llvm::cast<llvm::StoreInst>(group.accesses.front());
  auto* last = llvm::cast<llvm::StoreInst>(group.accesses.back());
  llvm::Type* type = wide_type(first->getValueOperand()->getType());
  llvm::SmallVector<int, 32> sources(group.elements.size());
  for (unsigned source = 0; source < sources.size(); ++source) {
    sources[static_cast<unsigned>(group.elements[source])] = static_cast<int>(source);
  }
  llvm::Value *of_first = wide(first->getValueOperand()), *of_last = wide(last->getValueOperand());
  for (unsigned i = 0; i < group.accesses.size(); ++i) {
    llvm::Value* values =
        m_builder.CreateShuffleVector(of_first, of_last, llvm::ArrayRef(sources).slice(i * m_lanes, m_lanes));
    const llvm::Align alignment = lane_alignment(first->getAlign(), first->getValueOperand()->getType(), m_layout);
    llvm::StoreInst* store = m_builder.CreateAlignedStore(values, group_address(group, i, type), alignment);
    store->setAAMetadata(first->getAAMetadata().concat(last->getAAMetadata()));
  }
}

/// Emits a piece. `mask` is for loads: a prefix of the lanes, or null for all lanes.
void wide_instructions::emit_piece(const access_pieces::piece& piece, llvm::Instruction& access, llvm::Value* mask) {
  if (&access != access_pieces::place_of(piece)) return;
  if (llvm::isa<llvm::StoreInst>(access)) return store_piece(piece);
  load_piece(piece, mask);
}

namespace {

llvm::AAMDNodes memory_of(const access_pieces::piece& piece) {
  llvm::AAMDNodes memory = piece.accesses.front()->getAAMetadata();
  for (const llvm::Instruction* each : piece.accesses) memory = memory.concat(each->getAAMetadata());
  return memory;
}

}  // namespace

/// Loads the elements of a vector, except the last element. The program itself does not load the last element's bytes
/// in any lane, so they may be behind the end of an allocation.
llvm::Instruction* wide_instructions::load_all_but_last(llvm::Type* type, llvm::Value* address, llvm::Align alignment) {
  llvm::SmallVector<llvm::Constant*, 16> loaded(m_lanes, m_builder.getTrue());
  loaded.back() = m_builder.getFalse();
  return m_builder.CreateMaskedLoad(type, address, alignment, llvm::ConstantVector::get(loaded));
}

void wide_instructions::load_piece(const access_pieces::piece& piece, llvm::Value* mask) {
  auto& first = llvm::cast<llvm::LoadInst>(*access_pieces::place_of(piece));
  llvm::Type* type = llvm::FixedVectorType::get(first.getType(), static_cast<unsigned>(piece.accesses.size()));
  const llvm::AAMDNodes memory = memory_of(piece);
  const llvm::Align alignment = llvm::getLoadStoreAlignment(piece.accesses.front());
  if (!mask && is_side_by_side(m_shapes.of(first.getPointerOperand()), piece_bytes)) {
    llvm::Value* start = m_builder.CreatePtrAdd(lane_address(first.getPointerOperand(), 0, first.getParent()),
                                                m_builder.getInt64(static_cast<std::uint64_t>(piece.start)));
    llvm::Type* whole = wide_type(first.getType());
    vectors values;
    for (unsigned i = 0; i < piece.length(); ++i) {
      llvm::Value* place = m_builder.CreateConstGEP1_64(whole, start, i);
      const bool ends_in_gap = piece.has_gap() && i + 1 == piece.length();
      llvm::Instruction* load = ends_in_gap ? load_all_but_last(whole, place, alignment)
                                            : m_builder.CreateAlignedLoad(whole, place, alignment);
      load->setAAMetadata(memory);
      values.push_back(load);
    }
    values = taken_apart(m_builder, values);
    for (std::size_t i = 0; i < piece.accesses.size(); ++i) define(piece.accesses[i], values[i]);
    return;
  }
  llvm::SmallVector<llvm::Value*, 16> of_lanes;
  llvm::Value* first_lane = nullptr;
  for (unsigned i = 0; i < m_lanes; ++i) {
    llvm::Value* address = lane_address(first.getPointerOperand(), i, first.getParent());
    // Lanes that `mask` excludes read from the first lane's address.
    if (i == 0) {
      first_lane = address;
    } else if (mask) {
      address = m_builder.CreateSelect(m_builder.CreateExtractElement(mask, i), address, first_lane);
    }
    address = m_builder.CreatePtrAdd(address, m_builder.getInt64(static_cast<std::uint64_t>(piece.start)));
    llvm::LoadInst* load = m_builder.CreateAlignedLoad(type, address, alignment);
    load->setAAMetadata(memory);
    of_lanes.push_back(load);
  }
  const auto elements = transposed(m_builder, of_lanes);
  for (std::size_t i = 0; i < elements.size(); ++i) define(piece.accesses[i], elements[i]);
}

/// Stores a piece: one block of neighbouring elements for each lane. If the blocks of all lanes are side by side in
/// memory, whole vectors are stored. Otherwise the lanes store one after the other.
void wide_instructions::store_piece(const access_pieces::piece& piece) {
  const llvm::Instruction& last = *access_pieces::place_of(piece);
  auto* const address = const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(&last));
  const auto length = static_cast<unsigned>(piece.accesses.size());
  vectors rows;
  for (llvm::Instruction* each : piece.accesses) {
    rows.push_back(wide(llvm::cast<llvm::StoreInst>(each)->getValueOperand()));
  }
  const llvm::AAMDNodes memory = memory_of(piece);
  const llvm::Align alignment = llvm::getLoadStoreAlignment(piece.accesses.front());
  if (is_side_by_side(m_shapes.of(address), piece_bytes)) {
    llvm::Value* start = m_builder.CreatePtrAdd(lane_address(address, 0, last.getParent()),
                                                m_builder.getInt64(static_cast<std::uint64_t>(piece.start)));
    const vectors values = interleaved(m_builder, rows);
    for (std::size_t i = 0; i < values.size(); ++i) {
      llvm::Value* place = m_builder.CreateConstGEP1_64(values[i]->getType(), start, i);
      m_builder.CreateAlignedStore(values[i], place, alignment)->setAAMetadata(memory);
    }
    return;
  }
  transpose_blocks(m_builder, rows);
  for (unsigned i = 0; i < m_lanes; ++i) {
    llvm::Value* place = lane_address(address, i, last.getParent());
    place = m_builder.CreatePtrAdd(place, m_builder.getInt64(static_cast<std::uint64_t>(piece.start)));
    llvm::Value* values = lanes_of(rows[i % length], i / length * length, length);
    m_builder.CreateAlignedStore(values, place, alignment)->setAAMetadata(memory);
  }
}

void wide_instructions::emit_copies(llvm::AllocaInst& variable) {
  // The array may already have room for the elements of all lanes. Otherwise, the lanes' copies of the array follow
  // each other in memory. lane_shapes assumes this order, too.
  const bool has_room = lane_of_elements(variable) != 0;
  const std::uint64_t bytes = has_room ? variable.getAllocationSize(m_layout)->getFixedValue()
                                       : static_cast<std::uint64_t>(m_shapes.of(&variable).stride) * m_lanes;
  llvm::BasicBlock& entry = m_builder.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> front(&entry, entry.begin());
  llvm::AllocaInst* all = front.CreateAlloca(llvm::ArrayType::get(front.getInt8Ty(), bytes));
  all->setAlignment(std::max(variable.getAlign(), llvm::Align(64)));
  define(&variable, all);
}

}  // namespace sinter::passes
