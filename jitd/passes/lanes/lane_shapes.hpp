#pragma once
/// Finds out how values and control flow differ between the lanes of a wide work-item function.
///
/// Lanes are work-items that follow each other along SYCL's last dimension. A lane is off (inactive) in a block that
/// its work-item does not run. Input: a work-item function (work_item_function.hpp) after `prepare_for_lanes`: it has
/// one return, no switch, and loops in simplified and LCSSA form. The function is not changed.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "flow_graph.hpp"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Instructions.h"
#include "passes/device/sub_groups.hpp"

namespace sinter::passes {

struct lane_shape {
  enum class kind : std::uint8_t { uniform, strided, varying };
  kind what = kind::varying;
  /// Lane i of a strided value holds the value of lane 0 plus i * stride, modulo 2^bits. Strides of pointers count
  /// bytes.
  std::int64_t stride = 0;
  /// Whether the sum of lane 0's value and i * stride is exact without the modulo, for signed and for unsigned numbers.
  bool exact_signed = false, exact_unsigned = false;
  /// Lane 0 holds a multiple of the number of lanes, and the stride is 1.
  bool aligned = false;

  bool is_uniform() const { return what == kind::uniform; }
  bool is_varying() const { return what == kind::varying; }
  bool operator==(const lane_shape&) const = default;

  static lane_shape uniform() { return {kind::uniform, 0, true, true, false}; }
  static lane_shape varying() { return {}; }
  static lane_shape strided(std::int64_t stride, bool exact_signed, bool exact_unsigned, bool aligned = false) {
    return {kind::strided, stride, exact_signed, exact_unsigned, aligned};
  }
};

/// Which lanes run a block.
enum class lane_mask : std::uint8_t {
  full,     ///< all lanes
  prefix,   ///< the first lanes, at least one: the tail of a row
  partial,  ///< any lanes, perhaps none
};

struct lane_facts {
  unsigned lanes;         ///< a power of two
  bool aligned_local_id;  ///< local_id(2) of lane 0 is a multiple of the number of lanes
  bool prefix;            ///< whether only the first lanes may exist, as at the end of a row
  bool whole_group;       ///< whether the lanes are all work-items of a group, so that ids of any dimension vary
  /// For a whole group: whether the group has one work-item in each of the first two dimensions, so that all its
  /// work-items have the same id in this dimension.
  std::array<bool, 2> rows_of_one{};

  bool operator==(const lane_facts&) const = default;
};

class lane_shapes {
public:
  lane_shapes(llvm::Function& function, const llvm::LoopInfo& loops, const llvm::PostDominatorTree& postdominators,
              lane_facts facts);

  lane_shape of(const llvm::Value* value) const;
  lane_mask mask(const llvm::BasicBlock* block) const;
  /// Whether lanes take different branches at the end of the block.
  bool is_divergent(const llvm::BasicBlock* block) const { return m_divergent.contains(block); }
  /// Returns true if lanes leave the loop in different iterations.
  bool is_divergent(const llvm::Loop* loop) const { return m_divergent_loops.contains(loop); }
  const loop_set& divergent_loops() const { return m_divergent_loops; }
  /// The reason why the analysis failed. Returns null if the analysis succeeded.
  const char* failure() const { return m_failure; }
  lane_facts facts() const { return m_facts; }
  const llvm::Function& function() const { return m_function; }

private:
  void find_shapes();
  bool find_divergence();
  void part_at(const flow_graph& graph, const llvm::BasicBlock* block);
  void leave_loop(const flow_graph& graph, const llvm::Loop* loop);
  bool add_divergent_loop(const llvm::Loop* loop);
  void make_partial(const flow_graph& graph, const flow_graph::numbers& blocks);

  /// Computes the shape of an instruction's value. Returns false while the shape of an operand is not known.
  bool shape_of(const llvm::Instruction& instruction, lane_shape& result) const;
  bool shape_of_phi(const llvm::PHINode& phi, lane_shape& result) const;
  bool lane_0_keeps_promises(const llvm::Instruction& instruction) const;
  bool lane_0_wraps_last(const llvm::BinaryOperator& sum, bool is_signed) const;
  bool keeps_aligned(const llvm::BinaryOperator& sum, const lane_shape& a, const lane_shape& b) const;
  bool compares_whole_vectors(const llvm::ICmpInst& compare) const;
  std::optional<lane_shape> shape_of_bits(const llvm::BinaryOperator& mask) const;
  lane_shape shape_of_binary(const llvm::BinaryOperator& binary) const;
  lane_shape shape_of_shift(const llvm::BinaryOperator& shift, const lane_shape& shifted, bool exact_signed,
                            bool exact_unsigned) const;
  lane_shape shape_of_quotient(const llvm::BinaryOperator& shift, const lane_shape& shifted, bool is_exact) const;
  lane_shape shape_of_cast(const llvm::CastInst& cast) const;
  lane_shape shape_of_address(const llvm::GetElementPtrInst& address) const;
  lane_shape shape_if_all_equal(const llvm::Instruction& instruction) const;
  lane_shape shape_of_exchange(const llvm::Instruction& instruction, sub_group_call what) const;

  llvm::Function& m_function;
  const llvm::LoopInfo& m_loops;
  const llvm::PostDominatorTree& m_postdominators;
  lane_facts m_facts;
  const llvm::DataLayout& m_layout;
  llvm::DenseMap<const llvm::Value*, lane_shape> m_shapes;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> m_divergent, m_joins, m_partial;
  loop_set m_divergent_loops;
  const char* m_failure = nullptr;
};

/// Whether a vector of this type has the memory layout of an array of this type.
bool has_wide_memory_form(llvm::Type* type, const llvm::DataLayout& layout);

/// Whether the data of lanes at these addresses lie side by side, if each lane's data has `bytes` bytes.
bool is_side_by_side(const lane_shape& address, std::int64_t bytes);

/// Whether the lanes' data lie side by side, and whether vectors of their type can be loaded and stored.
bool is_consecutive(const lane_shape& address, llvm::Type* type, const llvm::DataLayout& layout);

/// The shapes of the values of a function in its present state, and the analyses that lane_shapes uses.
struct lane_analyses {
  lane_analyses(llvm::Function& function, lane_facts facts)
      : tree(function), loops(tree), postdominators(function), shapes(function, loops, postdominators, facts) {}
  llvm::DominatorTree tree;
  llvm::LoopInfo loops;
  llvm::PostDominatorTree postdominators;
  lane_shapes shapes;
};

} // namespace sinter::passes
