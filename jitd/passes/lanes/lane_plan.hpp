#pragma once
/// The plan by which a region becomes vectors: which lanes run each block, and the action for each instruction.
///
/// The plan is written once, from the results of the analyses (lane_shapes, flow_graph, lane_orders, access_pieces).
/// lane_cost prices it, wide_function obeys it, SINTER_REPORT=vectorize counts it, sinter-print-lanes prints it,
/// lane_plan_verifier checks it; none of them decides anything anew. The plan holds for the function in its present
/// state.

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
  // Actions without memory, or for any memory.
  nothing,      ///< no lane needs it: assumptions and lifetimes
  control,      ///< the end of a block: wide_function decides where lanes go
  merge,        ///< a phi: wide_function handles the values of the lanes
  once,         ///< one for all lanes, for values that are equal in all of them
  strided,      ///< for lane 0 alone; the other lanes' values are steps from it
  forwarded,    ///< a promise (lane_promises.hpp), whose value is its operand
  elementwise,  ///< one instruction of vectors
  vector_call,  ///< a function of vectors (vector_math.hpp)
  exchange,     ///< among the lanes of a sub-group
  copies,       ///< a private array: one copy for each lane, one behind the other
  reduce,       ///< one atomic operation with the combined value of all lanes
  per_lane,     ///< one lane after the other
  // Plain accesses to memory.
  last_lane,    ///< a store to one place: the last active lane's value
  consecutive,  ///< lanes side by side, in order
  group,        ///< side by side in another order, alone or two accesses together (lane_orders.hpp)
  piece,        ///< 16 bytes of each lane, for several loads or stores (access_pieces.hpp)
  runs,         ///< a few lanes side by side, the next ones elsewhere (lane_orders.hpp)
  gather,       ///< each lane loads from anywhere
  scatter,      ///< each lane stores anywhere
};

const char* name_of(lane_action action);

struct lane_step {
  lane_action action;
  unsigned number = 0;  ///< of the group or piece
  lane_orders::runs runs{};
};

struct block_plan {
  lane_mask mask;
  bool has_lane = true;      ///< if it runs, at least one lane is on
  bool jumped_over = false;  ///< when no lane runs it
  /// Nearly all vectors run it with all lanes or none: it is behind a comparison of positions.
  bool behind_guard = false;
};

/// Counts of the actions for memory accesses and calls.
struct lane_counts {
  unsigned uniform = 0, consecutive = 0, transposed = 0, rearranged = 0, in_runs = 0, gathers = 0, scatters = 0;
  unsigned vector_calls = 0, lane_by_lane = 0;
};

struct lane_plan {
  /// `known` has to outlive it.
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
  row_loops rows;  ///< none where nothing is scattered in a loop
  llvm::DenseMap<const llvm::Instruction*, lane_step> steps;
  llvm::DenseMap<const llvm::BasicBlock*, block_plan> blocks;
};

/// A hint, of any address.
bool is_prefetch(const llvm::Instruction& instruction);

/// Must not run when no lane does, or is too costly to run for nothing.
bool needs_a_lane(const llvm::Instruction& instruction, lane_action action);

/// LLVM's intrinsic for `operation` over all lanes; not_intrinsic: there is none.
llvm::Intrinsic::ID reduction_of(llvm::AtomicRMWInst::BinOp operation);

/// Whether a call becomes one of vectors, or an instruction.
bool has_wide_call(const llvm::CallInst& call, unsigned lanes, unsigned vector_bits);

/// Why the function can't be widened at all; empty: it can. Operations of lanes together are possible only if the lanes
/// are a sub-group.
std::string unsupported(const llvm::Function& function, const lane_shapes& shapes, bool sub_group,
                        const llvm::Instruction*& where);

}  // namespace sinter::passes
