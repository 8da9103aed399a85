#include "fusion.hpp"

#include <abi/accessor_layout.hpp>
#include <abi/fusion_choice.hpp>
#include <abi/gpu_launch.hpp>
#include <abi/members_behind.hpp>
#include <abi/tile_limits.hpp>
#include <algorithm>
#include <cstring>
#include <thread>

#include "device_pipeline.hpp"
#include "fusion_parts.hpp"
#include "fusion_state.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/device/device_inlining.hpp"
#include "passes/device/failing_work_items.hpp"
#include "passes/device/specialization_values.hpp"
#include "passes/device/sub_groups.hpp"
#include "passes/fusion/access_analysis.hpp"
#include "passes/fusion/disjoint_memory.hpp"
#include "passes/fusion/element_visits.hpp"
#include "passes/fusion/fused_arguments.hpp"
#include "passes/fusion/fused_range.hpp"
#include "passes/fusion/internalizer.hpp"
#include "passes/fusion/kernel_fusion.hpp"
#include "passes/kernel_memory.hpp"
#include "passes/llvm_versions.hpp"
#include "passes/pass_runner.hpp"
#include "passes/stencils/left_groups.hpp"
#include "passes/stencils/tile_gain.hpp"
#include "passes/stencils/tile_kernel.hpp"
#include "passes/value_passes.hpp"
#include "steps.hpp"
#include "targets/cpu_target.hpp"

namespace sinter::jit {
namespace {

using passes::may_run;
using passes::optional_step;

constexpr const char* fused_symbol = "sinter.fused";
// Local memory of members and promoted arguments has this alignment.
constexpr std::uint64_t local_alignment = 64;

std::uint64_t align_up(std::uint64_t value) {
  return (value + local_alignment - 1) / local_alignment * local_alignment;
}

passes::fusion_range range_of(const abi::fusion_member& member) {
  passes::fusion_range range;
  range.dimensions = member.dimensions;
  for (unsigned d = 0; d < 3; ++d) {
    range.global[d] = member.global_range[d];
    range.local[d] = member.local_range[d];
    range.offset[d] = member.global_offset[d];
  }
  return range;
}

/// The range of the elements that the member's work-items visit.
passes::fusion_range element_range_of(const abi::fusion_member& member) {
  passes::fusion_range range;
  range.dimensions = member.element_dimensions;
  std::copy(member.element_range, member.element_range + 3, range.global);
  return range;
}

// Narrow ids end below 2^31; no launch has as many work-items as wide ids allow.
constexpr std::uint64_t largest_narrow = (std::uint64_t{1} << 31) - 1, largest_wide = std::uint64_t{1} << 40;

/// Returns the range with as many rows in the slowest dimension as ids allow.
passes::fusion_range as_large_as_possible(passes::fusion_range range, bool narrow) {
  const unsigned d = 3 - range.dimensions;
  const std::uint64_t local = range.local[d] == 0 ? 1 : range.local[d];
  range.global[d] = ((narrow ? largest_narrow : largest_wide) - range.offset[d]) / local * local;
  return range;
}

// Loops over ids, ranges (up to three numbers) and small vectors (up to four) are unrolled, so that accesses in them
// have constant offsets. The test in front of a loop counts as one more iteration.
constexpr unsigned longest_unrolled = 5;
// Functions of a member are inlined, so that their accesses are seen, if the member has at most this many instructions.
// Kernels with a few helper functions have fewer instructions.
constexpr std::size_t most_inlined = 4000;
// A promoted element can be kept in registers only if no loop indexes its parts, so loops of up to this length are
// unrolled. Vectors have up to 16 parts.
constexpr unsigned longest_element = 17;

// Tiles on a GPU are planned as for this number of threads. Volumes are cut into strips until there are at least eight
// times as many groups as threads.
constexpr unsigned gpu_threads = 64;

bool has_loops(llvm::Function& function) {
  return !function.isDeclaration() && !llvm::LoopInfo(llvm::DominatorTree(function)).empty();
}

/// Simplifies the members until offsets of leaves and affine indices can be seen.
void simplify(llvm::Module& module, unsigned longest = longest_unrolled) {
  llvm::FunctionPassManager scalar;
  passes::add_value_passes(scalar);
  llvm::ModulePassManager pipeline;
  pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(scalar)));
  passes::pass_runner().run(module, std::move(pipeline));
  passes::pass_runner of_loops;
  for (llvm::Function& function : module) {
    if (!has_loops(function)) continue;
    llvm::FunctionPassManager unrolled;
    llvm::LoopUnrollOptions whole_loops;
    whole_loops.setPartial(false).setRuntime(false).setPeeling(false).setUpperBound(false);
    unrolled.addPass(llvm::LoopUnrollPass(whole_loops.setFullUnrollMaxCount(longest)));
    passes::add_value_passes(unrolled);
    of_loops.run(function, std::move(unrolled));
  }
}

bool is_for_gpu(const fusion_state& state) { return state.request.gpu.name != nullptr; }

llvm::Function& member(fusion_state& state, std::uint32_t index) {
  return *state.module.getFunction(member_symbol(state.first + index));
}

llvm::Error check_members(fusion_state& state) {
  state.ranges = ranges_of(state.request);
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) {
    const kernel_facts& facts = state.facts[i];
    if (!state.module.getFunction(member_symbol(i))) {
      return llvm::createStringError("member " + std::to_string(i) + " has no function");
    }
    if (is_for_gpu(state) && (facts.row.flags & abi::kernel_not_portable) != 0) {
      return llvm::createStringError("'" + facts.display_name +
                                     "' was diagnosed when it was compiled: it can run on the host CPU only");
    }
  }
  return llvm::Error::success();
}

llvm::Error inline_member_calls(fusion_state& state) {
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) {
    if (llvm::Error error = passes::inline_device_calls(member(state, i))) return error;
    passes::inline_all_calls(member(state, i), most_inlined);
  }
  return verify_for_llvm(state.module);
}

llvm::Error name_failing_work_items(fusion_state& state) {
  std::vector<passes::asserting_kernel> kernels;
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) {
    kernels.push_back({&member(state, i), state.facts[i].row.shape, state.facts[i].row.dimensions});
  }
  passes::name_failing_work_items(state.module, kernels);
  return llvm::Error::success();
}

llvm::Error simplify_members(fusion_state& state) {
  simplify(state.module);
  return llvm::Error::success();
}

/// Finds the member that is a reduction over a range, if there is one. The other members run for each element of this
/// range.
llvm::Error find_visitor(fusion_state& state) {
  std::vector<passes::fusion_range>& ranges = state.ranges;
  if (state.request.member_count == 1) return llvm::Error::success();
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) {
    const bool visits =
        state.request.members[i].element_dimensions != 0 && passes::visits_elements(member(state, i));
    if (!visits) continue;
    if (state.visitor) {
      return llvm::createStringError(
          "'" + state.facts[*state.visitor].display_name + "' and '" + state.facts[i].display_name +
          "' are reductions over ranges, and each takes the elements in its own order; end "
          "the fusion between them");
    }
    state.visitor = i;
  }
  if (!state.visitor) return llvm::Error::success();
  ranges[*state.visitor] = element_range_of(state.request.members[*state.visitor]);
  const passes::fusion_range& elements = ranges[*state.visitor];
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) {
    const llvm::Function& kernel = member(state, i);
    const bool fits = ranges[i].dimensions == elements.dimensions && passes::same_range(ranges[i], elements);
    if (i == *state.visitor || (fits && !passes::asks_for_sub_groups(kernel))) continue;
    const char* what = fits                      ? "' asks for sub-groups"
                       : ranges[i].local[0] != 0 ? "' has work-groups"
                                                 : "' has another range";
    return llvm::createStringError("'" + state.facts[*state.visitor].display_name +
                                   "' takes the elements of its range in runs, and '" + state.facts[i].display_name +
                                   what + "; give both the same nd_range, or end the fusion between them");
  }
  state.view = passes::make_element_view(member(state, *state.visitor));
  return llvm::Error::success();
}

/// Whether these bytes are a pointer to a table of specialization constants. Otherwise they are a number.
bool is_table(const fusion_state& state, const abi::fusion_dependence& place) {
  return llvm::any_of(state.facts[place.member].leaves, [&](const abi::image_leaf& leaf) {
    return leaf.offset == place.offset && leaf.kind == abi::leaf_kind::constants;
  });
}

void fold_constants(fusion_state& state, std::uint32_t index) {
  using table_pointer = const abi::specialization_table*;
  const auto table_at = [&](std::uint64_t offset) -> std::optional<table_pointer> {
    for (std::uint32_t i = 0; i < state.request.constant_count; ++i) {
      const abi::fusion_dependence& place = state.request.constants[i];
      if (place.member != index || place.offset != offset || !is_table(state, place)) continue;
      table_pointer table;
      std::memcpy(&table, static_cast<const char*>(state.request.members[index].block) + offset, sizeof(table));
      return table;
    }
    return std::nullopt;
  };
  passes::fold_specialization_constants(member(state, index), table_at);
}

llvm::Error fold_member_constants(fusion_state& state) {
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) fold_constants(state, i);
  if (state.request.constant_count != 0) simplify(state.module);
  return llvm::Error::success();
}

/// Refuses members that ask for different sizes of sub-groups: one kernel has one size. Members that don't ask for
/// sub-groups accept any size.
llvm::Error check_sub_groups(fusion_state& state) {
  const unsigned usual = state.request.options.sub_group_size;
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) {
    const bool of_others = is_for_gpu(state) && (state.facts[i].row.flags & abi::kernel_sizes_for_cpu) != 0;
    const unsigned required = of_others ? 0 : state.facts[i].row.required_sub_group_size;
    const llvm::Function& kernel = member(state, i);
    if (required == 0 && !passes::asks_for_sub_groups(kernel)) continue;
    const unsigned size = required != 0 ? required : usual;
    if (state.sub_group_size != 0 && state.sub_group_size != size) {
      return llvm::createStringError("Cannot fuse kernels with different sub-group sizes");
    }
    state.sub_group_size = size;
  }
  return llvm::Error::success();
}

llvm::Error choose_range(fusion_state& state) {
  if (state.visitor) {
    state.result.range_member = state.result.local_member = *state.visitor;
    state.question.range = state.ranges[*state.visitor];
    return llvm::Error::success();
  }
  const passes::range_choice choice = passes::choose_fused_range(state.ranges);
  state.result.range_member = choice.range_member;
  state.result.local_member = choice.local_member;
  state.question.range = choice.range;
  return choice.refused.empty() ? llvm::Error::success() : llvm::createStringError(choice.refused);
}

/// Finds the accesses of a member. Also records the numbers on which the result depends.
passes::access_summary analyse(fusion_state& state, std::uint32_t i, const passes::fusion_range& range) {
  const std::string_view block(static_cast<const char*>(state.request.members[i].block), state.facts[i].row.block_size);
  const bool visits = state.visitor && i == *state.visitor;
  llvm::Function& kernel = visits ? *state.view : member(state, i);
  passes::access_summary summary = passes::analyse_accesses(kernel, range, block, state.sub_group_size);
  // The work-items of a visitor count as collective, because they read elements at different times, and only one of
  // them has the result.
  summary.is_collective |= visits;
  for (const passes::block_dependence& used : summary.depends_on) {
    const bool known = llvm::any_of(state.result.depends_on, [&](const abi::fusion_dependence& other) {
      return other.member == i && other.offset == used.offset && other.size == used.size;
    });
    if (!known) state.result.depends_on.push_back({i, used.offset, used.size});
  }
  return summary;
}

llvm::Error describe_accesses(fusion_state& state) {
  state.question.no_barriers = (state.request.fusion & abi::fusion_no_barriers) != 0;
  state.question.only_proved = (state.request.fusion & abi::fusion_only_proved) != 0;
  state.question.trusted = (state.request.fusion & abi::fusion_trusted) != 0;
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) {
    state.question.members.push_back(
        {state.facts[i].display_name, state.ranges[i], analyse(state, i, state.ranges[i])});
  }
  for (std::uint32_t i = 0; i < state.request.pointer_count; ++i) {
    const abi::fusion_pointer& pointer = state.request.pointers[i];
    state.question.pointers.push_back({{pointer.member, pointer.offset},
                                       pointer.name,
                                       pointer.space,
                                       pointer.base,
                                       pointer.requested,
                                       (pointer.unobservable & abi::is_unobservable) != 0,
                                       pointer.elements,
                                       pointer.element_size});
  }
  return llvm::Error::success();
}

/// Returns the arguments of a member that may become constants in the code: the numbers in its accessors, the numbers
/// from which its indices are computed, and the arguments on which earlier decisions depend.
std::vector<passes::argument_bytes> known_arguments(fusion_state& state, std::uint32_t index,
                                                    const llvm::Function& kernel) {
  const auto note = [&](std::uint32_t offset, std::uint32_t bytes) {
    const bool known = llvm::any_of(state.result.depends_on, [&](const abi::fusion_dependence& other) {
      return other.member == index && other.offset <= offset && offset + bytes <= other.offset + other.size;
    });
    if (!known) state.result.depends_on.push_back({index, offset, bytes});
  };
  for (const abi::image_leaf& leaf : state.facts[index].leaves) {
    if (leaf.kind != abi::leaf_kind::accessor || leaf.dimensions < 1 || leaf.dimensions > 3) continue;
    const abi::accessor_layout layout(leaf.dimensions);
    note(static_cast<std::uint32_t>(leaf.offset + layout.memory_range),
         static_cast<std::uint32_t>(layout.record() - layout.memory_range));
  }
  for (const passes::argument_place& each : passes::numbers_of_indices(kernel)) {
    if (each.offset + each.bytes <= state.facts[index].row.block_size) note(each.offset, each.bytes);
  }
  std::vector<passes::argument_bytes> known;
  for (const abi::fusion_dependence& each : state.result.depends_on) {
    if (each.member != index) continue;
    const char* bytes = static_cast<const char*>(state.request.members[index].block) + each.offset;
    known.push_back({each.offset, std::string(bytes, each.size)});
  }
  return known;
}

passes::gain_verdict verdict_on_tiles(const fusion_state& state, const passes::tile_machine& machine) {
  using kind = passes::gain_verdict::kind;
  if (!is_for_gpu(state)) return passes::verdict_on_tiles(passes::estimate_tiles(*state.stencils), machine);
  if (!is_code_of_gpu(state.request.gpu))
    return {kind::slower, "nobody knows what tiles gain on a device that takes SPIR-V"};
  return passes::verdict_on_group_tiles(*state.stencils);
}

/// For lists that the program did not ask to fuse (in automatic mode and in graphs): returns the reason not to join the
/// members, or an empty text if they are joined. If the gain has to be measured, adds a statement about it to `notes`.
std::string why_apart(const fusion_state& state, const passes::gain_verdict& gain, passes::report_statements& notes) {
  const bool is_measured = !gain.is_clear() && (state.request.fusion & abi::fusion_is_measured) != 0;
  if (is_measured) notes.push_back({abi::unclear_topic, gain.why, {}});
  return is_measured || gain.pays() ? "" : gain.why;
}

/// Some members need, or may need, results that other work-items compute in earlier members. Decides whether tiles
/// compute these neighbours' results again. The error says why tiles can't do this. Sets `around` if all indices are
/// known, and some of the indices belong to elements of other work-items.
llvm::Error decide_on_tiles(fusion_state& state, bool& around) {
  const std::vector<abi::fusion_dependence> without = state.result.depends_on;
  passes::decision_request question = state.question;
  std::vector<passes::stencil_member> members;
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) {
    llvm::ValueToValueMapTy map;
    const auto known = [&state, i](const llvm::Function& kernel) { return known_arguments(state, i, kernel); };
    const abi::fusion_member& launched = state.request.members[i];
    const bool visits = state.visitor && i == *state.visitor;
    members.push_back({llvm::CloneFunction(&member(state, i), map), known,
                       visits ? launched.global_range[2] / launched.local_range[2] : 0});
    if (!visits && launched.local_memory_bytes == 0 && launched.local_range[0] != 0)
      members.back().left_groups = passes::leave_groups(*members.back().kernel, question.members[i].range);
  }
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  const abi::tile_limits limits = abi::tile_limits_in(state.request.fusion);
  const passes::tile_machine machine =
      is_for_gpu(state) ? passes::tile_machine{gpu_threads, 0, 0, /*in_groups=*/true, limits.local_kib * 1024u,
                                               limits.group_items}
                        : passes::tile_machine{threads, last_level_cache_bytes(), second_level_cache_bytes()};
  const bool last_runs_behind = abi::last_runs_behind(state.request);
  state.stencils = passes::plan_stencils(members, question, machine, last_runs_behind);
  if (state.stencils->refused.empty() && !is_for_gpu(state) && !state.stencils->no_rows.empty() &&
      (state.request.fusion & abi::fusion_slow_tiles) == 0) {
    // Without vectorized rows, tiles would be work-groups of one row with barriers and masks, which took up to three
    // times as long (benchmarks/stencils).
    state.stencils->refused = state.stencils->no_rows +
                              ", so that rows of tiles are no loops of vectors, and slower than the kernels alone; end "
                              "the fusion in front of it and behind it";
  }
  if (state.stencils->refused.empty() && (state.request.fusion & abi::fusion_must_pay) != 0) {
    state.stencils->refused = why_apart(state, verdict_on_tiles(state, machine), state.stencils->notes);
  }
  if (!state.stencils->refused.empty()) {
    for (const passes::stencil_member& each : members) each.kernel->eraseFromParent();
    const std::string why = state.stencils->refused;
    around = state.stencils->reads_around;
    state.stencils.reset();
    state.result.depends_on = without;
    return llvm::createStringError(why);
  }
  if (last_runs_behind) members.back().kernel->eraseFromParent();
  // The range of the launch is now the range of the tiles, not of the elements.
  state.result.range_member = state.result.local_member = 0;
  state.decision = {};
  state.decision.sets = passes::identical_arguments(state.question.pointers, state.decision.notes);
  state.decision.saved_bytes = state.stencils->saved_bytes;
  const passes::report_statements& notes = state.stencils->notes;
  state.decision.notes.insert(state.decision.notes.end(), notes.begin(), notes.end());
  return llvm::Error::success();
}

passes::gain_verdict verdict_on_rows(const fusion_state& state, const passes::row_groups& plan, unsigned threads) {
  using kind = passes::gain_verdict::kind;
  if (!is_for_gpu(state)) return passes::verdict_on_rows(plan, threads, last_level_cache_bytes());
  if (!is_code_of_gpu(state.request.gpu))
    return {kind::slower, "nobody knows what groups of rows gain on a device that takes SPIR-V"};
  // On an H200, groups of rows of 256 bytes and more were 1.5 to 8 times as fast as the kernels one by one
  // (benchmarks/stencils).
  if (plan.traffic < 256 * plan.rows) return {kind::unlikely, "nobody knows what groups of short rows gain on a GPU"};
  return {kind::likely, "the work-items of a group read rows together"};
}

/// If some members have a work-item for each row, and other members have a work-item for each element, lets each group
/// process one row (row_groups.hpp). If this fusion is refused, the error says why. The error's text is empty if there
/// are no two such kinds of members.
llvm::Error decide_on_rows(fusion_state& state) {
  const abi::tile_limits limits = abi::tile_limits_in(state.request.fusion);
  const passes::row_machine machine =
      is_for_gpu(state) ? passes::row_machine{0, /*in_groups=*/true, limits.local_kib * 1024u, limits.group_items}
                        : passes::row_machine{last_level_cache_bytes()};
  passes::row_groups plan = passes::plan_row_groups(state.question, machine);
  if (!plan.is_of_rows) return llvm::createStringError("");
  for (std::uint32_t i = 0; i < state.request.member_count && plan.refused.empty(); ++i) {
    if (passes::asks_for_sub_groups(member(state, i)))
      plan.refused = "'" + state.facts[i].display_name + "' asks for sub-groups";
  }
  const unsigned threads = is_for_gpu(state) ? gpu_threads : std::max(1u, std::thread::hardware_concurrency());
  const bool may_be_slow = (state.request.fusion & abi::fusion_slow_tiles) != 0;
  if (plan.refused.empty() && !may_be_slow && passes::are_too_few(plan, threads)) {
    plan.refused = "groups of rows are too few for " +
                   (is_for_gpu(state) ? "a GPU" : std::to_string(threads) + " threads");
  }
  passes::report_statements notes;
  if (plan.refused.empty() && (state.request.fusion & abi::fusion_must_pay) != 0) {
    plan.refused = why_apart(state, verdict_on_rows(state, plan, threads), notes);
  }
  if (!plan.refused.empty()) return llvm::createStringError(plan.refused);
  state.decision = {};
  state.decision.sets = passes::identical_arguments(state.question.pointers, state.decision.notes);
  state.decision.notes.insert(state.decision.notes.end(), notes.begin(), notes.end());
  std::string what = std::to_string(plan.rows) + ", " + std::to_string(plan.group) + " for each group";
  if (plan.in_groups) what += " of " + std::to_string(plan.items) + " work-items";
  if (plan.local_bytes != 0) what += ", in " + std::to_string(plan.local_bytes) + " bytes of local memory";
  if (!plan.in_groups) what += ", which stay in the cache from kernel to kernel";
  state.decision.notes.push_back({"rows", what, {{"rows", plan.rows}, {"group", plan.group}}});
  state.decision.saved_bytes = plan.traffic_alone - std::min(plan.traffic_alone, plan.traffic);
  state.rows = std::move(plan);
  return llvm::Error::success();
}

/// Says why tiles are refused for a list with a reduction over the range. With tiles, the reduction must add up
/// elements in the same order as without tiles. So each strip of rows must consist of whole runs of the reduction's
/// elements.
std::string why_no_tiles(const fusion_state& state) {
  if (!state.visitor) return {};
  const std::string name = "'" + state.facts[*state.visitor].display_name + "'";
  const abi::fusion_member& launched = state.request.members[*state.visitor];
  if (*state.visitor + 1 != state.request.member_count)
    return name + " adds up elements in an order of its own, and only at the end of a list can tiles keep to it";
  if (is_for_gpu(state)) return name + " adds up elements in an order of its own, and on GPUs tiles don't keep to it";
  if (launched.local_range[2] != passes::items_of_run || launched.local_memory_bytes != 0)
    return name + " has other work-groups than tiles know";
  return {};
}

/// Joins sweeps between two buffers if a later member overwrites all their results except those of the last sweep.
llvm::Error decide_with_member_behind(fusion_state& state) {
  if (state.visitor) return llvm::createStringError("a reduction can't show what is overwritten");
  bool around = false;
  llvm::Error tiled = decide_on_tiles(state, around);
  return tiled ? llvm::createStringError("tiles don't help: " + llvm::toString(std::move(tiled)))
               : llvm::Error::success();
}

llvm::Error decide(fusion_state& state) {
  if (abi::last_runs_behind(state.request)) return decide_with_member_behind(state);
  state.decision = passes::decide_fusion(state.question);
  passes::fusion_decision& decision = state.decision;
  // Even a proved fusion may be refused, because the ranges of the members may not match.
  const bool is_proved = decision.legality == passes::verdict::proved;
  const bool may_tile = (state.request.fusion & abi::fusion_tiles) != 0;
  if (const std::string why = why_no_tiles(state); !is_proved && may_tile && !why.empty()) {
    if (!decision.refused.empty()) decision.refused += " (tiles don't help: " + why + ")";
  } else if (!is_proved && may_tile) {
    bool around = false;
    llvm::Error tiled = decide_on_tiles(state, around);
    if (!tiled) return tiled;
    std::string why = "tiles don't help: " + llvm::toString(std::move(tiled));
    if (!decision.refused.empty()) {
      llvm::Error grouped = decide_on_rows(state);
      if (!grouped) return grouped;
      const std::string text = llvm::toString(std::move(grouped));
      if (!text.empty()) why += "; rows as groups don't help: " + text;
    }
    if (decision.refused.empty() && around && !state.question.trusted) {
      // A promotion is only possible if each element is used by one work-item alone, which is not so here.
      decision.refused = "work-items read what others wrote (" + why + ")";
    } else if (decision.refused.empty()) {
      decision.notes.push_back({"no tiles", why});
    } else {
      decision.refused += " (" + why + ")";
    }
  }
  return decision.refused.empty() ? llvm::Error::success() : llvm::createStringError(decision.refused);
}

/// Whether the fused kernel is right for any number of rows. With fewer rows, there are fewer accesses and no new ones,
/// so facts that are proved for the largest number of rows hold for all numbers.
bool holds_for_any_size(fusion_state& state) {
  const passes::fusion_decision& decision = state.decision;
  if (decision.legality != passes::verdict::proved) return false;
  passes::decision_request large = state.question;
  const bool narrow = state.request.options.ids == abi::id_width::bits_32;
  large.range = as_large_as_possible(state.question.range, narrow);
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) {
    passes::fusion_member& each = large.members[i];
    if (!passes::same_range(each.range, state.question.range)) return false;
    if (each.range.dimensions != state.question.range.dimensions) return false;
    each.range = large.range;
    each.accesses = analyse(state, i, large.range);
    if (each.accesses.uses_extent) return false;
  }
  const passes::fusion_decision other = passes::decide_fusion(large);
  return other.refused.empty() && other.legality == passes::verdict::proved && other.barriers == decision.barriers &&
         other.sets == decision.sets;
}

llvm::Error find_any_size(fusion_state& state) {
  if (state.stencils || state.rows) return llvm::Error::success();
  state.result.any_size = holds_for_any_size(state);
  return llvm::Error::success();
}

llvm::Error write_facts(fusion_state& state) {
  for (std::uint32_t i = 0; i < state.request.constant_count; ++i) {
    if (!is_table(state, state.request.constants[i])) state.result.depends_on.push_back(state.request.constants[i]);
  }
  llvm::LLVMContext& context = state.module.getContext();
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {llvm::PointerType::getUnqual(context)}, false);
  state.fused = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, fused_symbol, state.module);
  state.fused->addFnAttr(llvm::Attribute::Convergent);
  state.description.range = state.visitor ? range_of(state.request.members[*state.visitor]) : state.question.range;
  if (state.stencils || state.rows) {
    state.description.range =
        state.stencils ? passes::range_of_tiles(state.stencils->plan) : passes::range_of_rows(*state.rows);
    llvm::copy(state.description.range.global, state.result.global_range);
    llvm::copy(state.description.range.local, state.result.local_range);
    state.result.local_memory_bytes = state.stencils ? state.stencils->plan.local_bytes : state.rows->local_bytes;
  }
  state.description.visitor = state.visitor;
  if (state.view) state.view->eraseFromParent();
  state.description.barriers = state.decision.barriers;
  state.description.sets = state.decision.sets;
  // Making these numbers constants costs nothing, because the key contains them anyway: the decision depends on them.
  // LLVM can then see that two members use the same row length for a buffer, and hence that one member loads what the
  // other member has stored.
  for (const abi::fusion_dependence& known : state.result.depends_on) {
    const char* bytes = static_cast<const char*>(state.request.members[known.member].block) + known.offset;
    state.description.constants.push_back({{known.member, known.offset}, std::string(bytes, known.size)});
  }
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) {
    state.description.members.push_back(member_symbol(i));
    state.description.ranges.push_back(state.question.members[i].range);
    state.description.local_offsets.push_back(state.result.local_memory_bytes);
    state.result.local_memory_bytes =
        align_up(state.result.local_memory_bytes + state.request.members[i].local_memory_bytes);
  }
  passes::write_fusion_metadata(*state.fused, state.description);
  return llvm::Error::success();
}

llvm::Error join(fusion_state& state) {
  if (state.stencils) return passes::build_tile_kernel(*state.fused, *state.stencils);
  if (!state.rows) return passes::fuse_kernels(*state.fused);
  std::vector<llvm::Function*> members;
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) members.push_back(&member(state, i));
  return passes::build_row_kernel(*state.fused, members, state.question, *state.rows);
}

llvm::Error fuse_members(fusion_state& state) {
  if (llvm::Error error = join(state)) return error;
  for (std::uint32_t i = 0; i < state.request.member_count; ++i) {
    if (llvm::Function* left = state.module.getFunction(member_symbol(i))) {
      if (left->use_empty()) left->eraseFromParent();
    }
  }
  return llvm::Error::success();
}

llvm::Error simplify_fused(fusion_state& state) {
  simplify(state.module);
  return llvm::Error::success();
}

/// Revokes the decision to promote a set. The decision was made from accesses alone, and the promotion may fail because
/// of other uses of the pointer.
void stays_in_memory(passes::fusion_decision& decision, std::size_t set, const std::string& why) {
  for (passes::promoted_set& each : decision.promoted) {
    if (each.set != set) continue;
    each.kept_because = why;
    decision.saved_bytes -= each.saved_bytes;
  }
}

llvm::Error propagate_constants(fusion_state& state) {
  passes::propagate_constants(*state.fused, state.description);
  return llvm::Error::success();
}

llvm::Error merge_arguments(fusion_state& state) {
  state.merged = passes::merge_identical_arguments(*state.fused, state.description);
  return llvm::Error::success();
}

llvm::Error promote(fusion_state& state) {
  const std::vector<llvm::LoadInst*>& merged = state.merged;
  const bool promotes = state.decision.promoted.empty() || may_run(optional_step::promotion);
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const passes::identical_set& set = state.description.sets[i];
    if (set.promoted == passes::promotion::none || !merged[i]) continue;
    const passes::replacement_memory memory{set.promoted, abi::multiply_bytes(set.elements, set.element_bytes),
                                            state.result.local_memory_bytes};
    std::string why = promotes ? passes::find_hidden_use(*state.fused, set) : "SINTER_PASSES or SINTER_BISECT";
    const bool local = set.promoted == passes::promotion::local_memory;
    if (why.empty()) {
      why = passes::too_large_to_promote(set.promoted,
                                         local ? abi::add_bytes(memory.local_offset, memory.bytes) : memory.bytes);
    }
    if (why.empty()) why = passes::internalize(*merged[i], memory);
    if (!why.empty()) {
      stays_in_memory(state.decision, i, why);
      continue;
    }
    if (local) state.result.local_memory_bytes = align_up(state.result.local_memory_bytes + memory.bytes);
    const passes::fusion_argument& first = set.arguments.front();
    state.result.promotions.push_back({first.member, first.offset, static_cast<std::uint32_t>(set.promoted),
                                       static_cast<std::uint32_t>(memory.bytes)});
  }
  return llvm::Error::success();
}

unsigned space_of(const fusion_state& state, const passes::fusion_argument& argument) {
  for (const passes::fusion_pointer& pointer : state.question.pointers) {
    if (pointer.argument.member == argument.member && pointer.argument.offset == argument.offset)
      return pointer.space;
  }
  return 0;
}

llvm::Error mark_disjoint_memory(fusion_state& state) {
  std::vector<passes::argument_space> spaces;
  for (std::size_t i = 0; i < state.merged.size(); ++i) {
    spaces.push_back({state.merged[i], space_of(state, state.description.sets[i].arguments.front())});
  }
  passes::mark_disjoint_memory(*state.fused, spaces);
  return llvm::Error::success();
}

/// Turns promoted memory into SSA values. This function has to run before the fused kernel has a loop over work-items:
/// in such a loop, all work-items would seem to share the memory.
llvm::Error simplify_promoted(fusion_state& state) {
  simplify(state.module, !state.result.promotions.empty() ? longest_element : longest_unrolled);
  return llvm::Error::success();
}

kernel_facts facts_of_the_whole(const fusion_state& state) {
  kernel_facts facts = state.facts.front();
  facts.symbol = fused_symbol;
  facts.row.required_sub_group_size = state.sub_group_size;
  facts.display_name = fused_name(state.facts);
  facts.row.dimensions = state.description.range.dimensions;
  facts.row.shape = state.description.range.local[0] != 0 ? abi::kernel_shape::nd_range : abi::kernel_shape::range;
  // Members may run in work-groups of another member's size, except members that visit elements.
  const auto* required = state.visitor ? state.facts[*state.visitor].row.required_work_group_size : nullptr;
  for (unsigned d = 0; d < 3; ++d) facts.row.required_work_group_size[d] = required ? required[d] : 0;
  if (state.stencils || state.rows) {
    for (unsigned d = 0; d < 3; ++d) {
      facts.row.required_work_group_size[d] = static_cast<std::uint32_t>(state.description.range.local[d]);
    }
  }
  return facts;
}

llvm::Error describe_whole(fusion_state& state) {
  state.result.saved_bytes = state.decision.saved_bytes;
  state.result.report = state.decision.notes;
  for (const passes::promoted_set& each : state.decision.promoted) {
    state.result.report.push_back(passes::describe(each));
  }
  state.result.kernel = state.fused;
  state.result.facts = facts_of_the_whole(state);
  return llvm::Error::success();
}

llvm::Error join_blocks(fusion_state& state) {
  if (!is_for_gpu(state)) return llvm::Error::success();
  abi::joined_blocks joined;
  std::vector<std::uint32_t> pointers;
  const std::size_t launched = state.facts.size() - (abi::last_runs_behind(state.request) ? 1 : 0);
  for (const kernel_facts& member : state.facts.take_front(launched)) {
    const std::uint64_t place = joined.add(member.row.block_size, member.row.block_alignment);
    state.result.block_places.push_back(place);
    for (const std::uint32_t each : member.pointers) pointers.push_back(static_cast<std::uint32_t>(place + each));
  }
  state.result.facts.row.block_size = static_cast<std::uint32_t>(joined.bytes);
  state.result.facts.row.block_alignment = static_cast<std::uint32_t>(joined.alignment);
  state.result.facts.row.flags = 0;
  state.result.facts.leaves.clear();
  state.result.facts.pointers = std::move(pointers);
  return llvm::Error::success();
}

llvm::Error show_code(fusion_state& state) {
  if ((state.request.fusion & abi::fusion_show_code) == 0) return llvm::Error::success();
  const std::unique_ptr<llvm::Module> shown = passes::clone_module(state.module);
  llvm::StripDebugInfo(*shown);
  llvm::raw_string_ostream text(state.result.code);
  shown->print(text, nullptr);
  return llvm::Error::success();
}

constexpr fusion_step fusion_list[] = {
    {"check-members", "each member has a function, and the device can run it", check_members},
    {"inline-member-calls", "members alone ask for their work-items", inline_member_calls},
    {"failing-work-items", "failed assertions name the work-item of their member", name_failing_work_items},
    {"simplify-members", "offsets in argument blocks and affine indices stand out", simplify_members},
    {"fold-member-constants", "specialization constants that are known are numbers", fold_member_constants},
    {"find-visitor", "one member at most is a reduction over a range, at whose elements the others run", find_visitor},
    {"choose-range", "one range fits all members", choose_range},
    {"check-sub-groups", "members that ask for sub-groups ask for those of one size", check_sub_groups},
    {"describe-accesses", "accesses of each member are summarised in numbers", describe_accesses},
    {"decide", "the members may become one kernel, with these barriers and promotions", decide},
    {"any-size", "it is known whether the decision holds for ranges of all sizes", find_any_size},
    {"write-facts", "a function without a body names the members, and what was decided", write_facts},
    {"fuse-members", "that function does what the members did", fuse_members},
    {"simplify-fused", "arguments of the members stand out as loads of their blocks", simplify_fused},
    {"propagate-constants", "arguments that the decision rests on are numbers", propagate_constants,
     optional_step::fused_constants},
    {"merge-arguments", "pointers of several members to one allocation are one load", merge_arguments},
    {"promote", "promoted memory is the work-item's or the group's, or a note says why not", promote},
    {"disjoint-memory", "LLVM knows which pointers lead to memory of their own", mark_disjoint_memory,
     optional_step::disjoint_memory},
    {"simplify-promoted", "promoted elements are values", simplify_promoted},
    {"describe-whole", "report and facts of the whole are complete", describe_whole},
    {"join-blocks", "for GPUs, it is known where members' blocks are in that of the whole", join_blocks},
    {"show-code", "the result has the code as text, where that was asked for", show_code},
};

}  // namespace

std::string member_symbol(std::uint32_t index) { return "sinter.member" + std::to_string(index); }

std::string fused_name(llvm::ArrayRef<kernel_facts> members) {
  std::string name = "fused";
  for (const kernel_facts& member : members) name += "_" + member.display_name;
  if (name.size() > 200) name.resize(200);
  return name;
}

llvm::ArrayRef<fusion_step> fusion_steps() { return fusion_list; }

llvm::ArrayRef<fusion_step> deciding_steps() {
  const auto place_of = [](llvm::StringRef name) {
    return llvm::find_if(fusion_list, [&](const fusion_step& each) { return name == each.name; });
  };
  return {place_of("find-visitor"), place_of("any-size")};
}

std::vector<passes::fusion_range> ranges_of(const abi::fusion_request& request) {
  std::vector<passes::fusion_range> ranges;
  for (std::uint32_t i = 0; i < request.member_count; ++i) ranges.push_back(range_of(request.members[i]));
  return ranges;
}

llvm::Expected<fused_kernel> fuse(llvm::Module& module, const abi::fusion_request& request,
                                  llvm::ArrayRef<kernel_facts> facts) {
  fusion_state state{module, request, facts};
  const llvm::ArrayRef<fusion_step> all = fusion_steps(), deciding = deciding_steps();
  if (llvm::Error error = run_steps(llvm::ArrayRef(all.begin(), deciding.begin()), state)) return std::move(error);
  if (llvm::Error error = run_steps(deciding, state)) return with_parts(std::move(error), state);
  if (llvm::Error error = run_steps(llvm::ArrayRef(deciding.end(), all.end()), state)) return std::move(error);
  return std::move(state.result);
}

}  // namespace sinter::jit
