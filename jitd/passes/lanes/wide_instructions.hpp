#pragma once
/// Instructions of a work-item for all lanes at once; their order and control flow are wide_function's.

#include <string>

#include "lane_orders.hpp"
#include "lane_shapes.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "load_pieces.hpp"

namespace sinter::passes {

/// What became of memory accesses and calls, for reports and estimates.
struct wide_counts {
  unsigned uniform = 0, consecutive = 0, transposed = 0, rearranged = 0, in_runs = 0, gathers = 0, scatters = 0;
  unsigned vector_calls = 0, lane_by_lane = 0;
};

class wide_instructions {
public:
  wide_instructions(llvm::IRBuilder<>& builder, const lane_shapes& shapes, const load_pieces& pieces,
                    unsigned vector_bits);

  /// Appends `instruction` for the lanes of `mask` (null: all). Not for phis and terminators. May begin new blocks.
  void emit(llvm::Instruction& instruction, llvm::Value* mask);

  /// Of lane 0; for uniform and strided values.
  llvm::Value* scalar(llvm::Value* value) const;
  /// Of all lanes.
  llvm::Value* wide(llvm::Value* value);
  void define(const llvm::Value* value, llvm::Value* replacement) { m_values[value] = replacement; }

  llvm::Type* wide_type(llvm::Type* type) const;
  llvm::Value* any(llvm::Value* mask) { return m_builder.CreateOrReduce(mask); }

  const wide_counts& counts() const { return m_counts; }

private:
  llvm::Value* lane(llvm::Value* value, unsigned lane);
  llvm::Value* lane_address(llvm::Value* address, unsigned lane, const llvm::BasicBlock* block);
  llvm::Value* steps(llvm::Type* element, std::int64_t stride);
  llvm::Value* with_lane(llvm::Value* whole, llvm::Value* value, unsigned lane);
  llvm::Value* last_active(llvm::Value* value, llvm::Value* mask);

  void emit_scalar(llvm::Instruction& instruction, bool partial);
  llvm::Value* emit_widened(llvm::Instruction& instruction, llvm::Value* mask);
  llvm::Value* emit_address(llvm::GetElementPtrInst& address);
  llvm::Value* emit_load(llvm::LoadInst& load, llvm::Value* mask);
  llvm::Value* lanes_of(llvm::Value* values, unsigned first, unsigned count);
  llvm::Value* load_runs(llvm::LoadInst& load, lane_orders::runs runs, llvm::Value* mask);
  void store_runs(llvm::StoreInst& store, unsigned lanes);
  void emit_group_loads(const lane_orders::group& group);
  void emit_group_stores(const lane_orders::group& group);
  llvm::Value* group_address(const lane_orders::group& group, unsigned vector, llvm::Type* type);
  void emit_piece(const load_pieces::piece& piece, llvm::LoadInst& first, llvm::Value* mask);
  void emit_store(llvm::StoreInst& store, llvm::Value* mask);
  void emit_call(llvm::CallInst& call, llvm::Value* mask);
  void emit_alloca(llvm::AllocaInst& variable);
  void emit_exchange(llvm::CallInst& call, sub_group_call what, llvm::Value* mask);
  llvm::Value* shuffled(llvm::Value* values, llvm::Value* sources);
  llvm::Value* permuted(llvm::Value* values, llvm::Value* sources);
  bool emit_joined_copy(llvm::MemCpyInst& copy);
  bool emit_reduced_atomic(llvm::AtomicRMWInst& atomic, llvm::Value* mask);
  void emit_lane_by_lane(llvm::Instruction& instruction, llvm::Value* mask);

  llvm::IRBuilder<>& m_builder;
  const lane_shapes& m_shapes;
  const load_pieces& m_pieces;
  lane_orders m_orders;
  unsigned m_lanes, m_vector_bits;
  const llvm::DataLayout& m_layout;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> m_values;  ///< of lane 0, or of all lanes when varying
  wide_counts m_counts;
};

/// Whether all lanes of a memory access with this shape of address lie side by side.
bool is_consecutive(const lane_shape& address, llvm::Type* type, const llvm::DataLayout& layout);

/// Whether a call becomes one of vectors.
bool has_wide_call(const llvm::CallInst& call, unsigned lanes, unsigned vector_bits);

/// Why the function can't be widened at all; empty: it can. What lanes do together they can do if they are a sub-group.
std::string unsupported(const llvm::Function& function, const lane_shapes& shapes, bool sub_group, const llvm::Instruction*& where);

} // namespace sinter::passes
