#include "vectorizer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"
#include "passes/alias_scopes.hpp"
#include "passes/called_names.hpp"
#include "passes/device/work_item_function.hpp"
#include "passes/idioms/common_loops.hpp"
#include "passes/idioms/grid_pieces.hpp"
#include "passes/idioms/local_stores.hpp"
#include "passes/idioms/loop_accesses.hpp"
#include "passes/idioms/loops_in_step.hpp"
#include "passes/idioms/numbered_tiles.hpp"
#include "passes/idioms/stride_forms.hpp"
#include "passes/kernel_memory.hpp"
#include "passes/lanes/access_order.hpp"
#include "passes/lanes/alike_loops.hpp"
#include "passes/lanes/side_by_side_arrays.hpp"
#include "passes/lanes/endless_loops.hpp"
#include "passes/lanes/one_entry.hpp"
#include "passes/lanes/few_turns.hpp"
#include "passes/lanes/index_sums.hpp"
#include "passes/lanes/interior.hpp"
#include "passes/lanes/joined_loads.hpp"
#include "passes/lanes/lane_cost.hpp"
#include "passes/lanes/lane_plan_verifier.hpp"
#include "passes/lanes/lane_promises.hpp"
#include "passes/lanes/lane_region.hpp"
#include "passes/lanes/narrow_rows.hpp"
#include "passes/lanes/row_unrolling.hpp"
#include "passes/lanes/upward_steps.hpp"
#include "passes/lanes/wide_function.hpp"
#include "passes/machine/machine_facts.hpp"
#include "passes/optional_steps.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

/// Adds range attributes to ids and ranges. If the values fit 32 bits, LLVM then knows that 32-bit computations with
/// them do not wrap.
void state_ranges(llvm::Function& function, bool narrow) {
  const llvm::APInt end = llvm::APInt::getOneBitSet(64, narrow ? 31 : 63);
  const llvm::ConstantRange range(llvm::APInt::getZero(64), end);
  for (unsigned i = 0; i < function.arg_size(); ++i) {
    const bool number = (i >= parameter_global_id && i < parameter_local_base) || i == parameter_item ||
                        i == parameter_item_count || i >= parameter_shape;
    if (!number || function.hasParamAttribute(i, llvm::Attribute::Range)) continue;
    function.addParamAttr(i, llvm::Attribute::get(function.getContext(), llvm::Attribute::Range, range));
    function.addParamAttr(i, llvm::Attribute::NoUndef);
  }
}

/// Replaces `unreachable` after calls that end the program by a return, because all lanes have to meet in one block at
/// the end. No lane reaches this return.
void end_in_returns(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    auto* end = llvm::dyn_cast<llvm::UnreachableInst>(block.getTerminator());
    if (!end) continue;
    llvm::IRBuilder<> builder(end);
    builder.CreateRet(llvm::Constant::getNullValue(function.getReturnType()));
    end->eraseFromParent();
  }
}

/// Splits the program's vectors into elements, because lanes will be the elements of vectors. (clang passes small
/// structures as vectors.)
llvm::ScalarizerPass split_vectors() {
  llvm::ScalarizerPassOptions options;
  options.ScalarizeLoadStore = true;
  return llvm::ScalarizerPass(options);
}

/// Notes whether the program itself loads, stores or computes vectors. LLVM's loop vectorizer widens no loop that
/// contains such instructions. Instructions that put elements into a vector or take them out do not count, because
/// LLVM's other passes remove them.
struct note_vectors : llvm::PassInfoMixin<note_vectors> {
  bool* found;

  explicit note_vectors(bool& result) : found(&result) {}

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    *found = llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& each) {
      if (llvm::isa<llvm::InsertElementInst, llvm::ExtractElementInst, llvm::ShuffleVectorInst>(each)) return false;
      return each.getType()->isVectorTy() ||
             llvm::any_of(each.operands(), [](const llvm::Use& use) { return use->getType()->isVectorTy(); });
    });
    return llvm::PreservedAnalyses::all();
  }
};

/// If a loop with barriers is unrolled, each copy of a barrier starts a region, for which vector code is compiled
/// separately. Short loops, such as the steps of a tree reduction, gain by unrolling, but long loops would take seconds
/// to compile.
struct keep_long_loops_with_barriers : llvm::PassInfoMixin<keep_long_loops_with_barriers> {
  static constexpr unsigned most_iterations = 16;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
    auto& evolution = manager.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop* loop : manager.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      const bool has_barrier =
          llvm::any_of(loop->blocks(), [](llvm::BasicBlock* block) { return llvm::any_of(*block, is_barrier); });
      if (has_barrier && evolution.getSmallConstantTripCount(loop) > most_iterations) loop->setLoopAlreadyUnrolled();
    }
    return llvm::PreservedAnalyses::all();
  }
};

/// Turns 32-bit sums of indices that contain a loop counter into 64-bit sums. The pass has to run before LICM: LICM
/// adds the loop-invariant operands first, and then drops the flag which says that the 32-bit sum does not wrap.
struct sums_in_loops : llvm::PassInfoMixin<sums_in_loops> {
  llvm::TargetMachine& machine;
  lane_facts facts;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
    const auto& loops = manager.getResult<llvm::LoopAnalysis>(function);
    const bool any = llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& each) {
      return loops.getLoopDepth(each.getParent()) != 0 && is_index_sum(each);
    });
    if (!any || !may_run(optional_step::index_sums)) return llvm::PreservedAnalyses::all();
    lane_region region(function, machine, facts);
    sum_indices_in_64_bits(region);
    return llvm::PreservedAnalyses::none();
  }
};

/// Prepares a function for lanes. Afterwards it is simplified and has one return, no vectors, no switches, and loops in
/// LCSSA form with one latch. If `lanes` is given, sums of indices in loops become 64-bit sums. Returns whether there
/// were vectors that LLVM's loop vectorizer does not widen.
bool prepare_for_lanes(llvm::Function& function, llvm::TargetMachine& machine, bool hoist,
                       const lane_facts* lanes = nullptr) {
  bool has_vectors = false;
  pass_runner runner(&machine);
  llvm::FunctionPassManager first;
  first.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  first.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  first.addPass(llvm::InstCombinePass());
  first.addPass(llvm::SimplifyCFGPass());
  first.addPass(keep_long_loops_with_barriers());
  first.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(3)));
  // Unrolled loops contain tests that are always false. These tests are removed before SROA runs, because SROA does not
  // split an array if code behind such a test accesses the array at an unknown index.
  first.addPass(llvm::SimplifyCFGPass());
  first.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  first.addPass(note_vectors(has_vectors));
  first.addPass(split_vectors());
  first.addPass(upward_steps());
  if (hoist) {
    if (lanes) first.addPass(sums_in_loops{{}, machine, *lanes});
    llvm::LoopPassManager loops;
    loops.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true));
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
    first.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
    first.addPass(few_turns());
    // A loop and the test in front of the loop may load the same value. These loads become one load.
    first.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  }
  first.addPass(llvm::InstCombinePass());
  first.addPass(llvm::SimplifyCFGPass());
  first.addPass(llvm::ADCEPass());
  first.addPass(endless_loops());
  runner.run(function, std::move(first));
  // Dead control flow may have left blocks without a predecessor.
  llvm::removeUnreachableBlocks(function);
  end_in_returns(function);
  runner.functions.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::FunctionPassManager second;
  second.addPass(llvm::UnifyFunctionExitNodesPass());
  second.addPass(llvm::LowerSwitchPass());
  second.addPass(one_entry_loops());
  second.addPass(llvm::LoopSimplifyPass());
  second.addPass(llvm::LCSSAPass());
  runner.run(function, std::move(second));
  widen_masks(function);
  return has_vectors;
}

/// Folds constants and removes dead code that a pass left behind.
void tidy(llvm::Function& function, llvm::TargetMachine& machine) {
  pass_runner runner(&machine);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  runner.run(function, std::move(passes));
  widen_masks(function);
}

void join_equal_values(llvm::Function& function, llvm::TargetMachine& machine) {
  pass_runner runner(&machine);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::EarlyCSEPass());
  runner.run(function, std::move(passes));
}

std::string place_of(const llvm::Instruction* instruction) {
  if (!instruction || !instruction->getDebugLoc()) return {};
  const llvm::DebugLoc& location = instruction->getDebugLoc();
  return " at " + location->getFilename().str() + ":" + std::to_string(location.getLine());
}

std::string describe(const lane_counts& counts) {
  std::string text;
  auto add = [&](unsigned count, const char* what) {
    if (count != 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(counts.uniform, "uniform");
  add(counts.consecutive, "consecutive");
  add(counts.transposed, "transposed");
  add(counts.rearranged, "rearranged");
  add(counts.in_runs, "in runs");
  add(counts.gathers, "gathered");
  add(counts.scatters, "scattered");
  add(counts.vector_calls, "vector math");
  add(counts.lane_by_lane, "lane by lane");
  return text.empty() ? "no memory" : text;
}

// The largest number of bytes of the private arrays in one lane. With this limit, offsets in the arrays of all lanes
// fit 32 bits.
constexpr std::uint64_t most_bytes_of_lane = std::uint64_t{1} << 25;
// The form for the interior is worthwhile only if it takes less than this share of the other form's time, because
// choosing between the two costs a test.
constexpr double most_of_first_form = 0.7;

class vectorizer {
public:
  vectorizer(llvm::Function& work_item, llvm::TargetMachine& machine, const vectorize_request& request)
      : m_work_item(work_item), m_machine(machine), m_request(request) {}

  lane_form run() {
    llvm::Function* prepared = copy_of(m_work_item);
    drop_scopes_across(
        *prepared, [](const llvm::Instruction& each) { return sub_group_call_of(each) == sub_group_call::barrier; });
    state_ranges(*prepared, m_request.narrow_ids);
    m_result.lanes = m_request.lanes != 0 ? m_request.lanes : 4;
    let_lanes_go_on(*prepared);
    const bool had_vectors = prepare(*prepared);
    lane_region region(*prepared, m_machine, facts(false));
    std::string reason = choose_lanes(region);
    if (reason.empty()) {
      region.take(facts(false));
      if (may_run(optional_step::element_arrays)) lay_side_by_side(region);
      shape(region);
      reason = note_fault(region);
    }
    if (reason.empty()) {
      lane_costs costs = lane_costs_of(region.plan(), m_request.nd_range);
      m_result.cost = costs.wide;
      // LLVM's loop vectorizer mostly does not vectorize the loop of a fused kernel with scattering stores, although it
      // vectorizes the loops of the single kernels.
      costs.plain &= !(m_request.fused && costs.scatters) && !had_vectors;
      if (m_request.lanes == 0) reason = why_scalar(costs, m_result.lanes);
      if (m_request.lanes == 0 && (reason.empty() || costs.plain)) reason = why_rows(costs, std::move(reason));
      const interior inside = interior_that_pays(*prepared, costs);
      const bool plain = m_request.plain_too && m_request.lanes == 0 && costs.plain && !inside.function;
      if (inside.function || reason.empty() || plain) {
        const std::string as_scalar = "scalar: " + reason;
        reason = widen(region, inside, reason.empty() || plain);
        if (plain && reason.empty()) {
          m_result.plain = true;
          m_result.report = as_scalar;
        }
      }
    }
    if (!reason.empty()) {
      if (m_result.wide) m_result.wide->eraseFromParent();
      if (m_result.tail) m_result.tail->eraseFromParent();
      m_result = {};
      m_result.report = "scalar: " + reason;
    }
    region.changed();
    prepared->eraseFromParent();
    m_result.has_wrong_plan = m_has_wrong_plan;
    forget_lane_promises(*m_work_item.getParent());
    return std::move(m_result);
  }

private:
  static llvm::Function* copy_of(llvm::Function& function) {
    llvm::ValueToValueMapTy map;
    llvm::Function* copy = llvm::CloneFunction(&function, map);
    copy->removeFnAttr(llvm::Attribute::AlwaysInline);
    return copy;
  }

  /// Returns what prepare_for_lanes returns.
  bool prepare(llvm::Function& function) const {
    const lane_facts known = facts(false);
    const bool had_vectors = prepare_for_lanes(function, m_machine, /*hoist=*/true, &known);
    // The loads of arguments are marked as invariant once more, because LICM drops the mark when it moves a load in
    // front of a condition.
    mark_argument_loads(function, m_request.fused ? 2 : 1);
    return had_vectors;
  }

  /// Splits loops so that no masks are needed as long as all lanes of the sub-group continue (alike_loops.hpp).
  void let_lanes_go_on(llvm::Function& function) const {
    if (!m_request.sub_group || llvm::LoopInfo(llvm::DominatorTree(function)).empty() ||
        !may_run(optional_step::alike_loops))
      return;
    prepare_for_lanes(function, m_machine, /*hoist=*/false);
    const lane_analyses known(function, facts(false));
    if (!known.shapes.failure()) go_on_alike(known);
  }

  lane_facts facts(bool prefix) const { return {m_result.lanes, m_request.nd_range, prefix, false}; }

  std::string choose_lanes(lane_region& region) {
    const llvm::Function& prepared = region.function();
    const lane_shapes& shapes = region.known().shapes;
    if (shapes.failure()) return shapes.failure();
    if (m_request.lanes == 0) {
      m_result.lanes = fitting_lanes(prepared, shapes, machine_facts::of(m_machine).vector_bits);
    }
    if (m_request.lanes == 0 && m_request.row != 0) {
      m_result.lanes = static_cast<unsigned>(std::min<std::uint64_t>(m_result.lanes, llvm::bit_floor(m_request.row)));
      if (m_result.lanes == 1) return "rows have one work-item";
    }
    const llvm::Instruction* where = nullptr;
    std::string reason = unsupported(prepared, shapes, m_request.sub_group, where);
    if (!reason.empty()) return reason + place_of(where);
    return bound_by_memory(private_bytes(prepared));
  }

  /// Limits the number of lanes so that all lanes' private arrays fit the caches. Returns a reason if there can't be
  /// several lanes.
  std::string bound_by_memory(std::uint64_t bytes) {
    if (bytes > most_bytes_of_lane) return "private arrays of " + describe_bytes(bytes);
    if (m_request.lanes != 0) return {};
    const unsigned fitting = copies_that_fit(bytes, m_result.lanes);
    if (fitting == 1) return "private arrays of " + describe_bytes(bytes);
    if (fitting < m_result.lanes) m_bound = ", no more: private arrays of " + describe_bytes(bytes) + " each";
    m_result.lanes = fitting;
    return {};
  }

  /// Returns the reason why the region's plan must not be used. The result is empty if the plan has no fault. If there
  /// is a fault, work-items run one by one. Tests look for such faults, and users should never see one.
  std::string note_fault(lane_region& region) {
    const std::string fault = fault_of(region.plan());
    if (fault.empty()) return {};
    m_has_wrong_plan = true;
    return "the plan for its lanes is wrong: " + fault;
  }

  /// Changes the scalar code so that better vectors become possible. A work-item's results do not change.
  void shape(lane_region& region) {
    if (may_run(optional_step::index_sums)) sum_indices_in_64_bits(region);
    if (may_run(optional_step::stride_forms) && add_stride_forms(region)) {
      tidy(region.function(), m_machine);
      region.changed();
    }
    if (may_run(optional_step::local_stores)) unguard_local_stores(region);
    m_unrolls = may_run(optional_step::row_unrolling);
    m_result.along_rows = m_unrolls && unroll_rows(region);
    // Loads are joined only for sub-groups. For other kernels, LLVM's vectors along rows of bytes may be better, and
    // the form for the interior needs single loads.
    if (m_request.sub_group && may_run(optional_step::joined_loads) && join_narrow_loads(region)) {
      tidy(region.function(), m_machine);
      region.changed();
    }
  }

  /// Makes a form for the interior if it is worthwhile, and sets m_inside. Otherwise the result's function is null.
  interior interior_that_pays(llvm::Function& prepared, const lane_costs& everywhere) {
    if (m_request.sub_group || !may_run(optional_step::interior)) return {};
    interior inside = find_interior(prepared, facts(false));
    if (!inside.function) return {};
    if (inside.in_loops && may_run(optional_step::index_sums)) {
      // The sums become 64-bit sums before prepare() runs, because simplification drops the flag which says that sums
      // do not wrap.
      lane_region unclamped(*inside.function, m_machine, facts(false));
      sum_indices_in_64_bits(unclamped);
    }
    prepare(*inside.function);
    if (inside.in_loops) join_equal_values(*inside.condition, m_machine);
    m_inside.emplace(*inside.function, m_machine, facts(false));
    if (may_run(optional_step::index_sums)) sum_indices_in_64_bits(*m_inside);
    if (may_run(optional_step::local_stores)) unguard_local_stores(*m_inside);
    const bool along_rows = m_unrolls && unroll_rows(*m_inside);
    const lane_shapes& shapes = m_inside->known().shapes;
    const lane_costs costs = lane_costs_of(m_inside->plan(), m_request.nd_range);
    const double otherwise = std::min(everywhere.wide, everywhere.scalar * m_result.lanes);
    const llvm::Instruction* where = nullptr;
    const bool possible = !shapes.failure() &&
                          unsupported(*inside.function, shapes, /*sub_group=*/false, where).empty() &&
                          note_fault(*m_inside).empty();
    // LLVM's loop vectorizer makes good code for a single branch, but not for clamped addresses.
    const bool ours = !everywhere.plain || inside.unclamps;
    const bool pays = ours && costs.wide_pays(m_result.lanes) &&
                      costs.wide + cost_of_condition(inside) < most_of_first_form * otherwise;
    if (possible && (m_request.lanes != 0 || pays)) {
      m_result.along_rows |= along_rows;
      return inside;
    }
    m_inside.reset();
    inside.function->eraseFromParent();
    inside.condition->eraseFromParent();
    return {};
  }

  /// If work-items run one by one because LLVM can vectorise the loops inside them, returns this reason. Otherwise
  /// returns `otherwise`.
  std::string why_rows(lane_costs& costs, std::string otherwise) {
    if (m_request.sub_group || !may_run(optional_step::narrow_rows)) return otherwise;
    narrow_rows rows(m_work_item, m_machine);
    lane_costs alone = costs;
    alone.scalar *= rows.share();
    alone.plain = false;
    const std::string reason = rows.any() ? why_scalar(alone, m_result.lanes) : std::string();
    if (reason.empty()) {
      rows.forget();
      return otherwise;
    }
    costs = alone;
    return reason + ", with vectors along rows of bytes";
  }

  /// Makes the wide forms. The region must not be used afterwards.
  std::string widen(lane_region& region, interior inside, bool wide_everywhere) {
    llvm::Function& prepared = region.function();
    lane_counts counts;
    if (inside.function) {
      counts = m_inside->plan().counts();
      llvm::Function* scalar = inside.function;
      inside.function = make_wide_function(*scalar, m_inside->plan());
      m_inside.reset();
      scalar->eraseFromParent();
    }
    std::string fault;
    // A work-item's result must not depend on where a row ends. So if there are vector math functions, a tail form runs
    // the rest of a row with the same functions. Exchanges of a sub-group also need a tail form.
    if (!inside.function || wide_everywhere || counts.vector_calls != 0) {
      const bool has_ends = m_request.row == 0 || m_request.row % m_result.lanes != 0;
      llvm::Function* again = has_ends && (m_request.sub_group || has_calls(prepared)) ? copy_of(prepared) : nullptr;
      m_result.wide = make_wide_function(prepared, region.plan());
      const lane_counts everywhere = region.plan().counts();
      if (!inside.function) counts = everywhere;
      if (again && (m_request.sub_group || everywhere.vector_calls != 0)) {
        lane_region ends(*again, m_machine, facts(/*prefix=*/true));
        fault = note_fault(ends);
        if (fault.empty()) m_result.tail = make_wide_function(*again, ends.plan());
      }
      if (again) again->eraseFromParent();
    }
    bool good = fault.empty();
    for (llvm::Function* function : {inside.function, m_result.wide, m_result.tail}) {
      good &= !function || !llvm::verifyFunction(*function);
    }
    if (inside.function && good) {
      m_result.wide =
          join_interior(inside, m_result.wide ? *m_result.wide : m_work_item, m_result.wide != nullptr, m_result.lanes);
    } else if (inside.function) {
      inside.function->eraseFromParent();
      inside.condition->eraseFromParent();
    }
    if (!fault.empty()) return fault;
    if (!good) return "control flow that can't be put in line";
    m_result.wide->setName(m_work_item.getName() + ".wide");
    if (m_result.tail) m_result.tail->setName(m_work_item.getName() + ".tail");
    for (llvm::Function* function : {m_result.wide, m_result.tail}) {
      if (function) function->addFnAttr(llvm::Attribute::AlwaysInline);
    }
    m_result.apart = counts.gathers + counts.scatters + counts.in_runs + counts.lane_by_lane != 0;
    m_result.report = std::to_string(m_result.lanes) + (inside.function ? " lanes inside borders: " : " lanes: ") +
                      describe(counts) + m_bound;
    return {};
  }

  static bool has_calls(const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function), llvm::IsaPred<llvm::CallBase>);
  }

  llvm::Function& m_work_item;
  llvm::TargetMachine& m_machine;
  const vectorize_request& m_request;
  std::optional<lane_region> m_inside;  ///< the region for work-items away from borders
  std::string m_bound;                  ///< what limits the number of lanes, for the report
  bool m_unrolls = true;                ///< whether loops along rows are unrolled
  bool m_has_wrong_plan = false;
  lane_form m_result;
};

}  // namespace

namespace {

/// Returns facts for all work-items that meet at an added barrier. If the work-items of a row meet, they have equal ids
/// in the other dimensions.
lane_facts facts_of_all(const barriers_to_add& added) {
  return {.lanes = 2,
          .aligned_local_id = false,
          .prefix = false,
          .whole_group = added.between != added_barriers::in_rows,
          .rows_of_one = added.rows_of_one};
}

/// The loops of a function that are changed by loops_in_step.hpp or common_loops.hpp. Barriers are added to some of
/// these loops. The function must have been prepared by prepare_for_lanes.
class meeting_loops {
public:
  /// Keeps a reference to `all`.
  meeting_loops(llvm::Function& prepared, llvm::TargetMachine& machine, const lane_analyses& all,
                const barriers_to_add& added)
      : m_all(all) {
    if (all.loops.empty() || all.shapes.failure()) return;
    if (added.between == added_barriers::none) {
      m_counted = find_counted_loops(all.loops, all.shapes, m_request);
      return;
    }
    const lane_analyses lanes(prepared, {2, added.between == added_barriers::in_groups, false, false});
    if (lanes.shapes.failure()) return;
    m_request = {&lanes.shapes, added.items, added.between == added_barriers::in_rows};
    m_counted = find_counted_loops(all.loops, all.shapes, m_request);
    m_request.lanes = nullptr;
    pass_runner runner(&machine);
    runner.run(prepared, llvm::FunctionPassManager());  // registers the analyses of `prepared`
    m_common = find_common_loops(prepared, all, lanes.shapes, added.items, runner.functions);
  }

  bool empty() const { return m_counted.empty() && m_common.empty(); }
  /// Whether any barrier will be added.
  bool any_meet() const {
    return !m_common.empty() || llvm::any_of(m_counted, [](const counted_loop& each) { return each.meets; });
  }

  /// Whether work-items meet in loops that go from row to row of memory, where rows are far apart.
  bool go_down_rows() const {
    return !m_common.empty() || llvm::any_of(m_counted, [](const counted_loop& each) {
             return each.meets && !each.counts && !each.follows;
           });
  }

  void meet() const {
    walk_in_step(m_counted, m_all.shapes, m_request);
    for (const common_loop& each : m_common) meet_in_loop(each);
  }

private:
  const lane_analyses& m_all;
  step_request m_request;
  std::vector<counted_loop> m_counted;
  std::vector<common_loop> m_common;
};

/// Replaces 32-bit sums of indices by 64-bit sums, so that analyses see that neighbouring work-items access
/// neighbouring elements.
void sum_indices_of_all(llvm::Function& prepared, llvm::TargetMachine& machine, const barriers_to_add& added) {
  if (added.between == added_barriers::none || llvm::none_of(llvm::instructions(prepared), is_index_sum) ||
      !may_run(optional_step::index_sums))
    return;
  lane_region lanes(prepared, machine, {2, added.between == added_barriers::in_groups, false, false});
  sum_indices_in_64_bits(lanes);
}

/// Replaces loops over numbered elements of a tile by loops along the tile's rows (numbered_tiles.hpp).
void take_tiles(llvm::Function& work_item, llvm::TargetMachine& machine,
                const std::array<std::uint64_t, 3>& local_range) {
  if (local_range[2] == 0 || !may_number_tiles(work_item)) return;
  const lane_analyses all(work_item, facts_of_all({.between = added_barriers::in_groups}));
  if (may_run(optional_step::numbered_tiles) && take_tiles_by_rows(work_item, all, local_range))
    tidy(work_item, machine);
}

/// Changes grid-stride loops so that each group loops over one piece of the range (grid_pieces.hpp), if groups have one
/// dimension.
void take_pieces(llvm::Function& work_item, llvm::TargetMachine& machine, bool narrow_ids,
                 const barriers_to_add& added) {
  if (added.between != added_barriers::in_groups || !added.is_row) return;
  const lane_analyses all(work_item, facts_of_all(added));
  if (take_grid_in_pieces(work_item, all, {narrow_ids, added.local_range[2]})) tidy(work_item, machine);
}

/// Whether split_for_lanes would add barriers to this kernel, which has none.
bool gets_barriers(llvm::Function& work_item, llvm::TargetMachine& machine, bool narrow_ids,
                   const barriers_to_add& added) {
  if (added.between == added_barriers::none || !may_go_across_rows(work_item)) return false;
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&work_item, map);
  state_ranges(*copy, narrow_ids);
  prepare_for_lanes(*copy, machine, /*hoist=*/false);
  take_pieces(*copy, machine, narrow_ids, added);
  sum_indices_of_all(*copy, machine, added);
  bool found = false;
  {
    const lane_analyses all(*copy, facts_of_all(added));
    found = meeting_loops(*copy, machine, all, added).any_meet();
  }
  copy->eraseFromParent();
  return found;
}

}  // namespace

barrier_regions split_for_lanes(llvm::Function& work_item, llvm::TargetMachine& machine, bool narrow_ids,
                                const barriers_to_add& added) {
  const bool has_barriers = llvm::any_of(llvm::instructions(work_item), is_barrier);
  if (!has_barriers &&
      (!gets_barriers(work_item, machine, narrow_ids, added) || !may_run(optional_step::loops_in_step)))
    return {};
  state_ranges(work_item, narrow_ids);
  // Values are not hoisted out of loops, because they would have to be kept across the loops' barriers.
  prepare_for_lanes(work_item, machine, /*hoist=*/false);
  if (has_barriers) {
    take_tiles(work_item, machine, added.local_range);
  } else {
    take_pieces(work_item, machine, narrow_ids, added);
  }
  sum_indices_of_all(work_item, machine, added);
  const lane_facts group = facts_of_all(added);
  std::optional<lane_analyses> known(std::in_place, work_item, group);
  const meeting_loops meetings(work_item, machine, *known, added);
  bool goes_down_rows = false;
  if (!meetings.empty() && (!has_barriers || may_run(optional_step::loops_in_step))) {
    goes_down_rows = meetings.go_down_rows();
    meetings.meet();
    known.reset();
    tidy(work_item, machine);
    known.emplace(work_item, group);
  }
  if (known->shapes.failure()) return split_at_barriers(work_item);
  const auto is_uniform = [&](const llvm::Value& value) { return known->shapes.of(&value).is_uniform(); };
  const auto is_common = [&](const llvm::BasicBlock& block) { return known->shapes.mask(&block) == lane_mask::full; };
  barrier_regions split = split_at_barriers(work_item, {.is_uniform = is_uniform,
                                                        .is_common = is_common,
                                                        .spread_arrays = may_run(optional_step::element_arrays)});
  split.goes_down_rows = goes_down_rows;
  return split;
}

llvm::Function* copy_of_ordered(llvm::Function& work_item) {
  if (!may_depend_on_order(work_item)) return nullptr;
  llvm::ValueToValueMapTy map;
  return llvm::CloneFunction(&work_item, map);
}

bool needs_order(llvm::Function& copy, llvm::TargetMachine& machine, bool nd_range, bool narrow_ids) {
  state_ranges(copy, narrow_ids);
  prepare_for_lanes(copy, machine, /*hoist=*/true);
  if (!may_depend_on_order(copy)) return false;
  pass_runner runner(&machine);
  runner.run(copy, llvm::FunctionPassManager());
  const lane_analyses known(copy, lane_facts{4, nd_range, false, false});
  return known.shapes.failure() ||
         depends_on_order(copy, known.shapes, known.loops, runner.functions.getResult<llvm::AAManager>(copy));
}

lane_form vectorize(llvm::Function& work_item, llvm::TargetMachine& machine, const vectorize_request& request) {
  return vectorizer(work_item, machine, request).run();
}

}  // namespace sinter::passes
