#pragma once
/// The plan by which the code of a region is vectorized: which lanes run each block, and the action for each
/// instruction.
///
/// The plan is written once, from the results of the analyses (lane_shapes, flow_graph, lane_orders, access_pieces).
/// lane_cost estimates the cost of the plan, lane_plan_verifier checks the plan, wide_function emits code by the plan,
/// SINTER_REPORT=vectorize counts the actions, and sinter-print-lanes prints the plan. None of these files changes a
/// decision of the plan. The plan becomes invalid when the function changes.

#include <string>
#include <vector>

#include "lane_orders.hpp"
#include "lane_shapes.hpp"
#include "llvm/Target/TargetMachine.h"
#include "access_pieces.hpp"
#include "passes/machine/machine_facts.hpp"
#include "row_loops.hpp"

namespace sinter::passes {

enum class lane_action : std::uint8_t {
  // Actions that access no memory, or any kind of memory.
  nothing,      ///< no code, for assumptions and lifetimes
  control,      ///< the end of a block: wide_function chooses the next blocks
  merge,        ///< a phi: wide_function handles the values of the lanes
  once,         ///< one instruction for all lanes, whose values are equal
  strided,      ///< computed for lane 0 alone; other lanes add multiples of a stride to lane 0's value
  forwarded,    ///< a promise (lane_promises.hpp): a call that returns its operand
  elementwise,  ///< one instruction of vectors
  vector_call,  ///< a function of vectors (vector_math.hpp)
  exchange,     ///< an exchange among the lanes of a sub-group
  copies,       ///< a private array: each lane has a copy
  reduce,       ///< one atomic operation with the combined value of all lanes
  per_lane,     ///< one lane after the other runs the instruction
  // Plain accesses to memory.
  last_lane,    ///< a store to one address, where the last active lane's value remains
  consecutive,  ///< neighbouring elements, in the order of lanes
  group,        ///< neighbouring elements, not in the order of lanes, by one or two accesses (lane_orders.hpp)
  piece,        ///< each lane accesses 16 bytes at once, for several loads or stores (access_pieces.hpp)
  runs,         ///< the lanes of a run access neighbouring elements, or load one element (lane_orders.hpp)
  gather,       ///< each lane loads from any address
  scatter,      ///< each lane stores to any address
};

const char* name_of(lane_action action);

struct lane_step {
  lane_action action;
  unsigned number = 0;  ///< for the actions `group` and `piece`: an index of the plan's `groups` or `pieces`
  lane_orders::runs runs{};
};

struct block_plan {
  lane_mask mask;
  bool has_lane = true;      ///< whether the block runs only if at least one lane runs it
  bool jumped_over = false;  ///< a jump skips the block if no lane runs it
  /// The block is behind a comparison of positions, so nearly all vectors run it with all lanes or with none.
  bool behind_guard = false;
};

/// The numbers of memory accesses and calls with each action.
struct lane_counts {
  unsigned uniform = 0, consecutive = 0, transposed = 0, rearranged = 0, in_runs = 0, gathers = 0, scatters = 0;
  unsigned vector_calls = 0, lane_by_lane = 0;
};

struct lane_plan {
  /// `known` has to outlive the plan.
  lane_plan(llvm::Function& function, const lane_analyses& known, llvm::TargetMachine& target);

  const lane_step& of(const llvm::Instruction& instruction) const { return steps.find(&instruction)->second; }
  /// Unreachable blocks have no plan.
  const block_plan& of(const llvm::BasicBlock* block) const { return blocks.find(block)->second; }
  const lane_orders::group& group_of(const lane_step& step) const { return groups[step.number]; }
  const access_pieces::piece& piece_of(const lane_step& step) const { return pieces[step.number]; }
  lane_counts counts() const;

  const lane_analyses& known;
  machine_facts machine;
  flow_graph graph;  ///< the order of blocks
  std::vector<lane_orders::group> groups;
  std::vector<access_pieces::piece> pieces;
  row_loops rows;  ///< empty if no loop scatters
  llvm::DenseMap<const llvm::Instruction*, lane_step> steps;
  llvm::DenseMap<const llvm::BasicBlock*, block_plan> blocks;
};

/// Whether the instruction is a prefetch: a hint, which may have any address.
bool is_prefetch(const llvm::Instruction& instruction);

/// Whether the instruction may run only if a lane is active, because it has effects or is too costly to run for
/// nothing.
bool needs_a_lane(const llvm::Instruction& instruction, lane_action action);

/// LLVM's intrinsic for `operation` over all lanes, or not_intrinsic if LLVM has none.
llvm::Intrinsic::ID reduction_of(llvm::AtomicRMWInst::BinOp operation);

/// Whether a call becomes a call with vectors as arguments, or a vector instruction.
bool has_wide_call(const llvm::CallInst& call, unsigned lanes, unsigned vector_bits);

/// The reason why the function can't have a wide form, in which work-items are the lanes of vectors. The result is
/// empty if the function can have a wide form. Exchanges between lanes are possible only if the lanes are a sub-group.
std::string unsupported(const llvm::Function& function, const lane_shapes& shapes, bool sub_group,
                        const llvm::Instruction*& where);

}  // namespace sinter::passes
