#pragma once
/// Emits a work-item's instructions for all lanes at once. The plan (lane_plan.hpp) says for each instruction how this
/// is done. wide_function chooses the order of the instructions and the control flow.

#include "lane_plan.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sinter::passes {

class wide_instructions {
public:
  wide_instructions(llvm::IRBuilder<>& builder, const lane_plan& plan);

  /// Appends `instruction` for the lanes of `mask` (null means all lanes), and may begin new blocks. wide_function
  /// handles phis and terminators.
  void emit(llvm::Instruction& instruction, llvm::Value* mask);

  /// The value in lane 0. The value has to be uniform or strided.
  llvm::Value* scalar(llvm::Value* value) const;
  /// The values of all lanes.
  llvm::Value* wide(llvm::Value* value);
  void define(const llvm::Value* value, llvm::Value* replacement) { m_values[value] = replacement; }

  llvm::Type* wide_type(llvm::Type* type) const;
  llvm::Value* any(llvm::Value* mask) { return m_builder.CreateOrReduce(mask); }

private:
  llvm::Value* lane(llvm::Value* value, unsigned lane);
  llvm::Value* lane_at(llvm::Value* value, llvm::Value* lane);  ///< `lane` is an i64 and may be variable
  llvm::Value* lane_address(llvm::Value* address, unsigned lane, const llvm::BasicBlock* block);
  llvm::Value* steps(llvm::Type* element, std::int64_t stride);
  llvm::Value* with_lane(llvm::Value* whole, llvm::Value* value, unsigned lane);
  llvm::Value* last_active(llvm::Value* value, llvm::Value* mask);

  void emit_once(llvm::Instruction& instruction);
  void emit_end(llvm::CallInst& call, llvm::Value* mask);
  llvm::Value* emit_elementwise(llvm::Instruction& instruction, llvm::Value* mask);
  llvm::Value* emit_address(llvm::GetElementPtrInst& address);

  // Defined in wide_memory.cpp:
  void emit_copies(llvm::AllocaInst& variable);
  void emit_access(llvm::Instruction& instruction, const lane_step& step, llvm::Value* mask);
  llvm::Value* load_lanes(llvm::LoadInst& load, const lane_step& step, llvm::Value* mask);
  void store_lanes(llvm::StoreInst& store, const lane_step& step, llvm::Value* mask);
  void copy_lanes(llvm::MemCpyInst& copy);
  llvm::Value* load_runs(llvm::LoadInst& load, lane_orders::runs runs, llvm::Value* mask);
  void store_runs(llvm::StoreInst& store, lane_orders::runs runs);
  llvm::SmallVector<llvm::Value*, 8> run_addresses(llvm::Instruction& access, lane_orders::runs runs, bool is_masked);
  void emit_group(const lane_orders::group& group, llvm::Instruction& access);
  void emit_group_loads(const lane_orders::group& group);
  void emit_group_stores(const lane_orders::group& group);
  llvm::Value* group_address(const lane_orders::group& group, unsigned vector, llvm::Type* type);
  void emit_piece(const access_pieces::piece& piece, llvm::Instruction& access, llvm::Value* mask);
  void load_piece(const access_pieces::piece& piece, llvm::Value* mask);
  llvm::Instruction* load_all_but_last(llvm::Type* type, llvm::Value* address, llvm::Align alignment);
  void store_piece(const access_pieces::piece& piece);

  // Defined in wide_calls.cpp:
  void emit_vector_call(llvm::CallInst& call);
  llvm::Value* emit_intrinsic(llvm::CallInst& call);
  llvm::Value* any_by_one_lane(const llvm::CallInst& ballot);
  void emit_exchange(llvm::CallInst& call, llvm::Value* mask);
  llvm::Value* lanes_of(llvm::Value* values, unsigned first, unsigned count);
  llvm::Value* shuffled(llvm::Value* values, llvm::Value* sources);
  llvm::Value* permuted(llvm::Value* values, llvm::Value* sources);
  void emit_reduced(llvm::AtomicRMWInst& atomic, llvm::Value* mask);
  void emit_per_lane(llvm::Instruction& instruction, llvm::Value* mask);

  llvm::IRBuilder<>& m_builder;
  const lane_plan& m_plan;
  const lane_shapes& m_shapes;
  unsigned m_lanes;
  const llvm::DataLayout& m_layout;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> m_values;  ///< values of lane 0; for varying values, of all lanes
};

}  // namespace sinter::passes
