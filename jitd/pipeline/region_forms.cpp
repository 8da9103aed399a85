#include "region_forms.hpp"

#include <abi/planted_error.hpp>
#include <array>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/called_names.hpp"
#include "passes/blocking/register_blocking.hpp"
#include "passes/blocking/result_latency.hpp"
#include "passes/blocking/streaming_stores.hpp"
#include "passes/device/sub_groups.hpp"
#include "passes/device/work_item_function.hpp"
#include "passes/entry/code_budget.hpp"
#include "passes/idioms/loop_accesses.hpp"
#include "passes/kernel_memory.hpp"
#include "passes/launches/whole_groups.hpp"
#include "passes/machine/guarded_stores.hpp"
#include "passes/machine/machine_facts.hpp"
#include "passes/optional_steps.hpp"
#include "passes/work_items/barrier_regions.hpp"
#include "passes/work_items/bounded_work.hpp"
#include "passes/work_items/group_turns.hpp"
#include "passes/work_items/idle_work_items.hpp"
#include "passes/work_items/local_atomics.hpp"
#include "pipeline.hpp"

namespace sinter::jit {
namespace {

using passes::may_run;
using passes::optional_step;

/// Makes a function void() that traps with a message about the kernel.
llvm::Function* make_divergence_report(llvm::Module& module, const kernel_facts& kernel) {
  llvm::LLVMContext& context = module.getContext();
  auto* function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                          llvm::GlobalValue::InternalLinkage, "sinter.divergent_barrier", module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoReturn);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
  llvm::FunctionCallee trap = module.getOrInsertFunction(
      "__sinter_trap", llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false));
  builder.CreateCall(trap,
                     {builder.CreateGlobalString(
                         "kernel '" + kernel.display_name + "' (" + kernel.source_position +
                         "): work-items of one work-group stop at different group_barriers, or some skip one; "
                         "barriers and group functions must be reached by all work-items of a group, those of a "
                         "sub-group by all of that, or by none: move them out of the branch or loop where they part")});
  builder.CreateUnreachable();
  return function;
}

// If a barrier is added to a range kernel, at least `items_that_meet` neighbouring work-items of a row wait for each
// other at the barrier. One float for each of these work-items fills a page. If work-items keep few bytes across the
// barrier, more work-items wait for each other, because hardware prefetching begins anew with each such set of
// work-items.
constexpr std::uint64_t items_that_meet = 1024, most_that_meet = 8192;
constexpr std::uint64_t most_context_bytes = 16384;

/// The local range for which regions are made. All numbers are 0 if this range is not known.
std::array<std::uint64_t, 3> rows_of(const passes::launch_layout& layout) {
  const auto& range = layout.local_range;
  if (!layout.flat || range[2] == 0) return range;
  return {1, 1, range[0] * range[1] * range[2]};
}

/// Makes vectors of twice as many lanes, instead of running two neighbouring vectors in one body.
void lengthen_vectors(llvm::Function& region, llvm::TargetMachine& machine, passes::vectorize_request wanted,
                      passes::lane_form& form) {
  wanted.lanes = 2 * form.lanes;
  wanted.plain_too = false;
  if (passes::copies_that_fit(passes::private_bytes(*form.wide), 2) < 2) return;
  const passes::lane_form longer = passes::vectorize(region, machine, wanted);
  if (longer.tail) longer.tail->eraseFromParent();
  if (!longer.wide) return;
  longer.wide->setName(form.wide->getName() + ".blocked");
  form.blocked = longer.wide;
  form.vectors = 2;
  form.report += ", vectors of " + std::to_string(longer.lanes) + " lanes";
}

/// Whether one longer vector is better than two neighbouring vectors. One longer vector is better in a loop that lanes
/// leave in different iterations, if most operations on vectors of usual length would wait for results of the previous
/// iteration (result_latency.hpp). Two neighbouring vectors would not help in such a loop, because they would take
/// different branches. Without registers for masks, the masks of a longer vector would need as many registers as its
/// data.
bool should_lengthen(llvm::TargetMachine& machine, const pipeline_request& request, const passes::launch_layout& layout,
                     const passes::lane_form& form) {
  const passes::machine_facts facts = passes::machine_facts::of(machine);
  const std::uint64_t row = layout.local_range[2];
  return request.options.block == 0 && request.options.lanes == 0 && facts.has_mask_registers &&
         (row == 0 || row >= 2 * form.lanes) && passes::waits_for_results(*form.wide, facts.vector_bits);
}

/// Joins several vectors or rows in one body, where this makes the code faster.
void block_neighbours(llvm::Function& region, llvm::TargetMachine& machine, const pipeline_request& request,
                      const passes::vectorize_request& lanes_wanted, const passes::launch_layout& layout,
                      passes::lane_form& form) {
  const auto& local_range = layout.local_range;
  const bool has_rows = layout.shape == abi::kernel_shape::nd_range && layout.dimensions > 1 && local_range[1] != 1;
  // A loop body for several vectors would read too many rows at a time for the caches and their prefetchers. The
  // product of a matrix and a vector would take three times as long as with one vector.
  if (form.along_rows && !has_rows && request.options.block == 0) return;
  passes::blocking_request wanted{has_rows ? passes::neighbours::rows : passes::neighbours::vectors, form.lanes,
                                  request.options.block};
  if (local_range[2] != 0) wanted.most = has_rows ? local_range[1] : local_range[2] / form.lanes;
  if (has_rows && local_range[2] % form.lanes == 0) wanted.vectors_of_row = local_range[2] / form.lanes;
  passes::blocked_form made = passes::block_registers(*form.wide, machine, wanted);
  if (!made.report.empty()) form.report += ", " + made.report;
  form.blocked = made.function;
  (has_rows ? form.rows : form.vectors) = made.factor;
  if (has_rows) form.vectors = made.vectors;
  // Tests request two vectors at a time even where branches prevent this. In this case, one vector of twice the length
  // replaces the two vectors.
  if (!form.blocked && request.options.block == 2 && !has_rows && wanted.most >= 2)
    lengthen_vectors(region, machine, lanes_wanted, form);
}

/// Adds a version of the code for ranges that touch more memory than the caches hold. Adds none if the code for all
/// ranges would be faster for such large ranges, too.
void add_streaming(llvm::Function& region, llvm::TargetMachine& machine, const pipeline_request& request,
                   passes::vectorize_request wanted, passes::entry_body& body, passes::lane_form& form) {
  // If the code has gathers, LLVM's loop is better: LLVM's loop checks at run time whether the data are contiguous, and
  // in most programs they are.
  if (form.plain && form.apart) return;
  passes::streaming_form made = passes::make_streaming(*form.wide, form.lanes);
  if (!made.function) return;
  // For a fused kernel, this version is faster only if the kernel computes little. If the kernel computes much, LLVM's
  // loops are faster, although in these loops the data of one member are rarely still in the caches when the next
  // member reads them.
  bool pays = !request.fused || form.cost <= static_cast<double>(made.bytes_per_item * form.lanes);
  unsigned lanes = form.lanes;
  const std::uint64_t register_bytes = passes::machine_facts::of(machine).vector_bits / 8;
  if (pays && form.plain && made.store_bytes < register_bytes) {
    // LLVM's loop is better, because its vectors fill the machine's registers even if elements have one or two bytes.
    made.function->eraseFromParent();
    wanted.lanes = lanes = static_cast<unsigned>(form.lanes * (register_bytes / made.store_bytes));
    const passes::lane_form whole = passes::vectorize(region, machine, wanted);
    made = whole.wide ? passes::make_streaming(*whole.wide, lanes) : passes::streaming_form{};
    for (llvm::Function* unused : {whole.wide, whole.tail}) {
      if (unused) unused->eraseFromParent();
    }
    if (!made.function) return;
    pays = made.store_bytes >= register_bytes && !whole.apart;
  }
  if (!pays) return made.function->eraseFromParent();
  form.report += ", stores past the caches in large ranges";
  body.streaming = {.wide = made.function, .tail = lanes == form.lanes ? form.tail : nullptr, .lanes = lanes};
  body.streaming_items = request.cache_bytes / made.bytes_per_item;
}

/// The size of all vector code for one region: single vectors, joined vectors, tails, and code for large ranges.
std::uint64_t size_of_forms(const passes::lane_form& form, const passes::entry_body& body, unsigned vector_bits) {
  std::uint64_t size = 0;
  for (const llvm::Function* each : {form.wide, form.tail, form.blocked, form.wide ? body.streaming.wide : nullptr}) {
    if (each) size += passes::code_size(*each, vector_bits);
  }
  return size;
}

/// The limit of code for a kernel whose scalar code has size `scalar`.
std::uint64_t most_code(std::uint64_t scalar) {
  return passes::most_code_per_scalar * std::max(scalar, passes::least_scalar_code);
}

std::string times_the_scalar(std::uint64_t size, std::uint64_t scalar) {
  return " (would be " + std::to_string(size / std::max<std::uint64_t>(scalar, 1)) + " times the scalar code)";
}

void drop_blocked(passes::lane_form& form) {
  form.blocked->eraseFromParent();
  form.blocked = nullptr;
  form.rows = form.vectors = 1;
}

void drop_streaming(passes::entry_body& body) {
  body.streaming.wide->eraseFromParent();
  body.streaming = {};
  body.streaming_items = 0;
}

void drop_wide(passes::lane_form& form) {
  form.wide->eraseFromParent();
  if (form.tail) form.tail->eraseFromParent();
  form.wide = form.tail = nullptr;
  form.lanes = 1;
}

/// Makes simpler code if the kernel would take too long to compile: first without joined vectors and rows, then without
/// the code for large ranges, then without vectors. The largest region is changed first. `scalar` is the size of the
/// work-item function, whose loops the regions may have unrolled. `texts` has the report about each region.
void stay_within_budget(passes::entry_body& body, unsigned vector_bits, std::uint64_t scalar,
                        std::vector<std::string>& texts) {
  const std::uint64_t most = most_code(scalar);
  std::vector<std::uint64_t> sizes;
  std::uint64_t all = 0;
  for (const llvm::Function* region : body.regions) all += passes::code_size(*region, vector_bits);
  for (const passes::lane_form& form : body.wide) all += sizes.emplace_back(size_of_forms(form, body, vector_bits));
  const std::string why = times_the_scalar(all, scalar);
  const auto drop_largest = [&](const auto& has, const auto& drop, const std::string& what) {
    while (all > most) {
      std::size_t largest = sizes.size();
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (has(body.wide[i]) && (largest == sizes.size() || sizes[i] > sizes[largest])) largest = i;
      }
      if (largest == sizes.size()) return;
      drop(body.wide[largest]);
      all -= sizes[largest];
      all += sizes[largest] = size_of_forms(body.wide[largest], body, vector_bits);
      texts[largest] += what + why;
    }
  };
  drop_largest([](const auto& form) { return form.blocked != nullptr; }, drop_blocked, "; without neighbours");
  drop_largest([&](const auto& form) { return form.wide && body.streaming.wide; },
               [&](passes::lane_form&) { drop_streaming(body); }, "; without a form for large ranges");
  drop_largest([](const auto& form) { return form.wide != nullptr; }, drop_wide, "; scalar after all");
}

/// Describes the forms of a region for the report.
passes::report_statement describe(const passes::entry_body& body, std::size_t region, const std::string& text) {
  const passes::lane_form& form = body.wide[region];
  const std::string place = body.regions.size() > 1 ? "region " + std::to_string(region) + ": " : "";
  return {"",
          place + text,
          {{"region", region},
           {"lanes", form.wide ? form.lanes : 1},
           {"rows", form.rows},
           {"vectors", form.vectors},
           {"loop_of_llvm", form.plain ? 1u : 0u}}};
}

/// Makes vectors of work-items, where vectors are faster. `scalar` is the size of the work-item function: see
/// stay_within_budget.
void widen_work_items(llvm::TargetMachine& machine, const pipeline_request& request,
                      const passes::vectorize_request& wanted, std::uint64_t scalar,
                      const passes::launch_layout& layout, passes::entry_body& body,
                      passes::report_statements& report) {
  if (layout.shape == abi::kernel_shape::single_task) return;
  const bool often = request.launches == launch_share::most;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < body.regions.size(); ++i) {
    const bool grouped = layout.shape == abi::kernel_shape::nd_range;
    const unsigned dimensions = layout.flat ? 1 : layout.dimensions;
    const bool may_idle = grouped && may_run(optional_step::idle_work_items);
    if (may_idle && !wanted.sub_group && passes::are_idle_from(*body.regions[i], machine, dimensions, 1)) {
      texts.push_back("scalar: only the first work-item of a row does anything");
      body.wide.emplace_back();
      body.busy_items.push_back(1);
      continue;
    }
    passes::lane_form form = passes::vectorize(*body.regions[i], machine, wanted);
    const bool idle =
        may_idle && form.lanes > 1 && passes::are_idle_from(*body.regions[i], machine, dimensions, form.lanes);
    body.busy_items.push_back(idle ? form.lanes : 0);
    if (idle) form.report += ", only the first vector of a row";
    const bool blocks = form.wide && !form.plain && !wanted.sub_group && !idle && often;
    if (blocks && should_lengthen(machine, request, layout, form) && may_run(optional_step::long_vectors)) {
      lengthen_vectors(*body.regions[i], machine, wanted, form);
    } else if (form.wide && wanted.plain_too && often && may_run(optional_step::streaming_stores)) {
      add_streaming(*body.regions[i], machine, request, wanted, body, form);
    }
    if (form.plain) {
      form.wide->eraseFromParent();
      form.wide = nullptr;
    }
    if (blocks && !form.blocked && may_run(optional_step::neighbours))
      block_neighbours(*body.regions[i], machine, request, wanted, layout, form);
    if (layout.flat) form.report += ", sub-groups across rows";
    texts.push_back(form.report);
    body.wide.push_back(std::move(form));
  }
  // The budget must not take away the lanes of sub-groups, nor lanes or neighbours that were requested.
  if (!wanted.sub_group && request.options.lanes == 0 && request.options.block == 0) {
    stay_within_budget(body, passes::machine_facts::of(machine).vector_bits, scalar, texts);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) report.push_back(describe(body, i, texts[i]));
}

/// The places where barriers may be added, although the kernel itself has no barrier at these places.
passes::barriers_to_add barriers_to_add(const pipeline_request& request, const passes::launch_layout& layout) {
  constexpr std::uint64_t usual_row = 256;
  if (request.launches != launch_share::most) return {};
  const bool grouped = layout.shape == abi::kernel_shape::nd_range;
  if (request.options.lanes != 0)
    return {.local_range = grouped ? rows_of(layout) : std::array<std::uint64_t, 3>{}};
  const std::uint64_t row = layout.local_range[2];
  switch (layout.shape) {
    case abi::kernel_shape::nd_range:
      return {passes::added_barriers::in_groups, row != 0 ? row : usual_row, layout.dimensions == 1, rows_of(layout),
              {!layout.flat && layout.local_range[0] == 1, !layout.flat && layout.local_range[1] == 1}};
    case abi::kernel_shape::range: return {passes::added_barriers::in_rows, items_that_meet};
    default: return {};
  }
}

/// How many neighbouring groups take turns on one thread (group_turns.hpp). Each of these groups needs memory of its
/// own.
unsigned groups_in_turns(const passes::barrier_regions& split, const passes::launch_layout& layout,
                         const passes::entry_body& body) {
  const bool has_own_scratch =
      body.stack_scratch_bytes != 0 || llvm::all_of(split.regions, [](llvm::Function* region) {
        return region->getArg(passes::parameter_scratch)->use_empty();
      });
  const auto& range = layout.local_range;
  const unsigned groups = passes::groups_that_take_turns(range[0] * range[1] * range[2]);
  const bool may = layout.shape == abi::kernel_shape::nd_range && split.goes_down_rows && groups > 1 &&
                   body.stack_context_bytes != 0 && has_own_scratch &&
                   llvm::none_of(split.within_sub_group, [](bool within) { return within; }) &&
                   passes::may_take_turns(split.regions);
  return may && may_run(optional_step::group_turns) ? groups : 1;
}

/// Puts the work-item function or, if it has barriers, its regions into `body`.
void take_regions(llvm::Function& work_item, const passes::barrier_regions& split, const passes::launch_layout& layout,
                  passes::entry_body& body) {
  body.stack_context_bytes = passes::context_on_stack(layout.local_range, split.item_bytes, split.uniform_bytes);
  if (layout.shape == abi::kernel_shape::range && !split.regions.empty()) {
    // The runtime does not know that these work-items wait for each other, and provides no memory for their contexts.
    // So the entry provides this memory on its stack. If contexts are too large for the stack, a later step moves them
    // to other memory.
    body.items_that_meet =
        std::clamp(most_context_bytes / std::max<std::uint64_t>(split.item_bytes, 1), items_that_meet, most_that_meet);
    body.stack_context_bytes = split.item_bytes * body.items_that_meet + 2 * split.uniform_bytes;
  }
  body.context_alignment = split.context_alignment;
  body.regions = split.regions;
  body.uniform_bytes = split.uniform_bytes;
  body.uniform_values = split.uniform_values;
  body.within_sub_group = split.within_sub_group;
  body.groups_in_turns = groups_in_turns(split, layout, body);
  if (split.regions.empty()) {
    body.regions = {&work_item};
  } else {
    work_item.eraseFromParent();
  }
}

/// Turns the work-items of each sub-group into the lanes of vectors. If this is not possible for the whole kernel,
/// returns false and leaves `context_bytes` unchanged.
bool widen_sub_groups(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                      const passes::launch_layout& layout, passes::entry_body& body, std::uint64_t& context_bytes,
                      passes::report_statements& report) {
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&work_item, map);
  const std::string name = work_item.getName().str();
  copy->takeName(&work_item);
  const passes::barrier_regions split =
      passes::split_for_lanes(*copy, machine, request.has_narrow_ids(), barriers_to_add(request, layout));
  passes::entry_body wide = body;
  take_regions(*copy, split, layout, wide);
  const passes::vectorize_request wanted{true,
                                         request.has_narrow_ids(),
                                         layout.sub_group_size,
                                         /*sub_group=*/true,
                                         /*plain_too=*/false,
                                         /*fused=*/false,
                                         rows_of(layout)[2]};
  const std::size_t reported = report.size();
  widen_work_items(machine, request, wanted, /*scalar=*/0, layout, wide, report);
  // The scalar regions are removed: scalar code runs one work-item, which can't exchange values with the rest of its
  // sub-group.
  for (llvm::Function* region : wide.regions) region->eraseFromParent();
  wide.regions.assign(wide.regions.size(), nullptr);
  const bool all = llvm::all_of(wide.wide, [](const passes::lane_form& form) { return form.wide != nullptr; });
  const unsigned vector_bits = passes::machine_facts::of(machine).vector_bits;
  const std::uint64_t scalar = passes::code_size(work_item, vector_bits);
  std::uint64_t size = 0;
  for (const passes::lane_form& form : wide.wide) size += size_of_forms(form, wide, vector_bits);
  const bool too_much = all && request.options.lanes == 0 && request.options.block == 0 && size > most_code(scalar);
  if (too_much) {
    report.resize(reported);
    report.push_back({"", "scalar after all: sub-groups as lanes" + times_the_scalar(size, scalar), {{"lanes", 1}}});
  }
  if (all && !too_much) {
    body = std::move(wide);
    context_bytes = split.context_bytes_per_item;
    return true;
  }
  for (const passes::lane_form& form : wide.wide) {
    if (form.wide) form.wide->eraseFromParent();
    if (form.tail) form.tail->eraseFromParent();
  }
  work_item.setName(name);
  return false;
}

/// Records how many neighbouring work-items the runtime should give to one thread: as many as the longest vector of all
/// forms has lanes.
void note_lanes(const passes::entry_body& body, code_needs& needs) {
  unsigned shift = needs.flags >> abi::code_lanes_shift;
  for (const passes::lane_form& form : body.wide) {
    if (!form.wide && !form.plain) continue;
    shift = std::max(shift, llvm::Log2_32(form.lanes));
    if (form.tail) needs.flags |= abi::code_has_tails;
  }
  needs.flags = (needs.flags & ((1u << abi::code_lanes_shift) - 1)) | shift << abi::code_lanes_shift;
}

/// Barriers can't be added in loops that only some work-items reach. If only a guard in front of the loops prevents
/// barriers, makes a second version of the code, for groups whose work-items all pass the guard. Returns a function
/// with both versions, and stores the function's regions in `split`; the caller must not use `work_item` afterwards.
/// Otherwise returns null.
llvm::Function* meet_in_whole_groups(llvm::Function& work_item, llvm::TargetMachine& machine,
                                     const pipeline_request& request, const passes::launch_layout& layout,
                                     passes::barrier_regions& split) {
  const passes::barriers_to_add added = barriers_to_add(request, layout);
  const bool is_row = layout.shape == abi::kernel_shape::nd_range && layout.dimensions == 1;
  if (!is_row || added.between == passes::added_barriers::none || request.full_debug ||
      !passes::may_go_across_rows(work_item) || !may_run(optional_step::loops_in_step))
    return nullptr;
  llvm::Function* both = passes::set_whole_groups_apart(work_item, request.has_narrow_ids());
  if (!both) return nullptr;
  const std::string name = work_item.getName().str();
  both->takeName(&work_item);
  split = passes::split_for_lanes(*both, machine, request.has_narrow_ids(), added);
  if (split.regions.empty()) {
    both->eraseFromParent();
    work_item.setName(name);
    return nullptr;
  }
  work_item.eraseFromParent();
  return both;
}

/// Whether work-items of a region run one after the other from the beginning of a row.
bool has_scalar_loops(const passes::entry_body& body) {
  return body.wide.empty() || llvm::any_of(body.wide, [](const passes::lane_form& form) { return !form.wide; });
}

}  // namespace

/// Makes regions, vectors and an entry for launches with the groups of `layout`. The caller must not use `work_item`
/// afterwards.
llvm::Function* make_entry(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                           passes::launch_layout layout, bool sub_groups, code_needs& needs,
                           passes::report_statements& report) {
  llvm::Module& module = *work_item.getParent();
  llvm::Function* ordered = layout.access_group ? passes::copy_of_ordered(work_item) : nullptr;
  passes::entry_body body{.vector_registers = passes::machine_facts::of(machine).vector_registers};
  const auto& known = layout.local_range;
  // Groups of one work-item gain nothing from a known range. If their range were known, exchanges within such groups
  // would no longer become vectors.
  body.stack_scratch_bytes = passes::scratch_on_stack(known, needs.scratch_bytes);
  if (known[0] * known[1] * known[2] > 1) passes::state_local_range(work_item, rows_of(layout));
  passes::state_sub_group_size(work_item, layout.sub_group_size);
  const bool one_by_one = request.runs_one_by_one();
  std::uint64_t context_bytes = 0;
  if (sub_groups && !one_by_one && may_run(optional_step::vectors) &&
      widen_sub_groups(work_item, machine, request, layout, body, context_bytes, report)) {
    work_item.eraseFromParent();
  } else {
    if (sub_groups) passes::exchange_through_memory(work_item, layout.sub_group_size);
    const std::uint64_t scalar = passes::code_size(work_item, passes::machine_facts::of(machine).vector_bits);
    const bool met_before = llvm::any_of(llvm::instructions(work_item), passes::is_barrier);
    passes::barrier_regions split = one_by_one || sub_groups
                                        ? passes::split_at_barriers(work_item, {.cut_sub_groups = sub_groups})
                                        : passes::split_for_lanes(work_item, machine, request.has_narrow_ids(),
                                                                  barriers_to_add(request, layout));
    llvm::Function* whole = nullptr;
    if (!one_by_one && !sub_groups && !met_before && split.regions.empty())
      whole = meet_in_whole_groups(work_item, machine, request, layout, split);
    take_regions(whole ? *whole : work_item, split, layout, body);
    context_bytes = split.context_bytes_per_item;
    if (!met_before && !split.regions.empty()) report.push_back({"", "work-items meet in loops across rows"});
    if (split.regions.empty() && passes::is_bounded(work_item)) needs.flags |= abi::code_is_bounded;
    if (request.options.check_barriers && !split.regions.empty()) {
      body.report_divergence = make_divergence_report(module, request.kernel);
    }
    for (llvm::Function* region : body.regions) {
      if (request.full_debug && !passes::has_large_arrays(*region)) {
        region->removeFnAttr(llvm::Attribute::AlwaysInline);
      } else {
        region->addFnAttr(llvm::Attribute::AlwaysInline);
      }
    }
    if (!one_by_one && !sub_groups && request.launches != launch_share::hardly_any && may_run(optional_step::vectors)) {
      // A row whose work-items meet at barriers is treated like a group.
      const bool nd_range = layout.shape == abi::kernel_shape::nd_range || body.items_that_meet != 0;
      const passes::vectorize_request wanted{nd_range,
                                             request.has_narrow_ids(),
                                             request.options.lanes,
                                             /*sub_group=*/false,
                                             /*plain_too=*/!nd_range,
                                             request.fused,
                                             layout.local_range[2]};
      widen_work_items(machine, request, wanted, scalar, layout, body, report);
    }
  }
  if (body.items_that_meet != 0 || body.groups_in_turns > 1) needs.flags |= abi::code_in_long_rows;
  if (body.groups_in_turns > 1)
    report.push_back({"", std::to_string(body.groups_in_turns) + " groups take turns, along rows of memory"});
  needs.has_vectors |= llvm::any_of(body.wide, [](const auto& form) { return form.wide || form.plain; });
  note_lanes(body, needs);
  // Loops that run work-items one by one are declared parallel only if the order of a work-item's accesses does not
  // matter. If all work-items are lanes of vectors, there is no such loop.
  if (ordered) {
    if (has_scalar_loops(body) &&
        passes::needs_order(*ordered, machine, layout.shape == abi::kernel_shape::nd_range, request.has_narrow_ids())) {
      layout.access_group = nullptr;
    }
    ordered->eraseFromParent();
  }
  for (llvm::Function* region : body.regions) {
    if (region) passes::lower_local_atomics(*region);
  }
  for (const passes::lane_form& form : body.wide) {
    if (form.wide) passes::lower_local_atomics(*form.wide);
    if (form.tail) passes::lower_local_atomics(*form.tail);
    if (form.blocked) passes::lower_local_atomics(*form.blocked);
  }
  // Guarded stores can be split now, because no further vectors will be joined in one body.
  const bool splits = !passes::machine_facts::of(machine).has_mask_registers && may_run(optional_step::guarded_stores);
  for (const passes::lane_form& form : body.wide) {
    if (!splits) break;
    if (form.wide) passes::split_guarded_stores(*form.wide);
    if (form.blocked) passes::split_guarded_stores(*form.blocked);
  }
  if (body.stack_scratch_bytes != 0) needs.scratch_bytes = 0;
  if (body.stack_context_bytes == 0) needs.context_bytes = std::max(needs.context_bytes, context_bytes);
  return passes::build_cpu_entry(module, entry_name(request.kernel), layout, body);
}

}  // namespace sinter::jit
