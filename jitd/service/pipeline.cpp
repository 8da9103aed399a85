#include "pipeline.hpp"

#include <abi/planted_error.hpp>
#include <array>
#include <cctype>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/StraightLineStrengthReduce.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/access_checks.hpp"
#include "passes/barrier_regions.hpp"
#include "passes/bounded_work.hpp"
#include "passes/code_budget.hpp"
#include "passes/data_wide_masks.hpp"
#include "passes/dead_local_stores.hpp"
#include "passes/device_inlining.hpp"
#include "passes/device_math.hpp"
#include "passes/dynamic_arrays.hpp"
#include "passes/element_visits.hpp"
#include "passes/flat_groups.hpp"
#include "passes/flat_rows.hpp"
#include "passes/float_logarithms.hpp"
#include "passes/group_scratch.hpp"
#include "passes/group_variables.hpp"
#include "passes/guarded_stores.hpp"
#include "passes/host_links.hpp"
#include "passes/idle_work_items.hpp"
#include "passes/kernel_memory.hpp"
#include "passes/kernel_selection.hpp"
#include "passes/known_masks.hpp"
#include "passes/local_atomics.hpp"
#include "passes/number_bounds.hpp"
#include "passes/pass_runner.hpp"
#include "passes/register_blocking.hpp"
#include "passes/result_latency.hpp"
#include "passes/root_estimates.hpp"
#include "passes/specialization_values.hpp"
#include "passes/streaming_stores.hpp"
#include "passes/sub_groups.hpp"
#include "passes/usual_launches.hpp"
#include "passes/value_paths.hpp"
#include "passes/visited_rows.hpp"
#include "passes/work_item_function.hpp"
#include "passes/work_item_loops.hpp"
#include "targets/cpu_target.hpp"

namespace sinter::jit {
namespace {

/// void(): traps with a message about the kernel.
llvm::Function* make_divergence_report(llvm::Module& module, const kernel_facts& kernel) {
  llvm::LLVMContext& context = module.getContext();
  auto* function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                          llvm::GlobalValue::InternalLinkage, "sinter.divergent_barrier", module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoReturn);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
  llvm::FunctionCallee trap =
      module.getOrInsertFunction("__sinter_trap", llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false));
  builder.CreateCall(trap, {builder.CreateGlobalString(
                               "kernel '" + kernel.display_name + "' (" + kernel.source_position +
                               "): work-items of one work-group stop at different group_barriers, or some skip one; "
                               "barriers and group functions must be reached by all work-items of a group, those of a "
                               "sub-group by all of that, or by none: move them out of the branch or loop where they part")});
  builder.CreateUnreachable();
  return function;
}

/// What a kernel's code asks of the runtime.
struct code_needs {
  std::uint32_t flags;  ///< abi::code_flags
  std::uint64_t context_bytes, scratch_bytes;  ///< per work-item
  std::uint64_t variable_bytes;                ///< per group
  bool has_vectors = false;                    ///< ours, or those of LLVM's loop vectorizer
};

/// @sinter_kernel_info, field for field abi::kernel_info.
void add_kernel_info(llvm::Module& module, llvm::Function* entry, const code_needs& needs,
                     const passes::host_links& links) {
  llvm::LLVMContext& context = module.getContext();
  auto* int32 = llvm::Type::getInt32Ty(context);
  auto* int64 = llvm::Type::getInt64Ty(context);
  llvm::Constant* null = llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context));
  llvm::Constant* value = llvm::ConstantStruct::getAnon(
      {llvm::ConstantInt::get(int32, abi::contract_version), llvm::ConstantInt::get(int32, needs.flags), entry,
       llvm::ConstantInt::get(int64, needs.context_bytes), llvm::ConstantInt::get(int64, needs.scratch_bytes),
       llvm::ConstantInt::get(int64, needs.variable_bytes),
       llvm::ConstantInt::get(int64, 0),  // known when nothing is optimised any more
       links.imports ? static_cast<llvm::Constant*>(links.imports) : null,
       links.runtime ? static_cast<llvm::Constant*>(links.runtime) : null});
  auto* info = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                        llvm::GlobalValue::ExternalLinkage, value, abi::kernel_info_symbol);
  info->setAlignment(llvm::Align(8));
}

/// The kernel's object has the alignment of its members at least.
passes::argument_block block_of(const kernel_facts& kernel) {
  passes::argument_block block{kernel.row.block_size, 1};
  for (const abi::image_leaf& leaf : kernel.leaves) {
    const bool is_number = leaf.kind == abi::leaf_kind::scalar;
    const std::uint64_t wanted = is_number ? llvm::bit_floor(std::min(leaf.size, 8u))
                                 : leaf.kind == abi::leaf_kind::global_pointer || leaf.kind == abi::leaf_kind::accessor
                                     ? 8
                                     : 1;
    if (wanted != 0 && leaf.offset % wanted == 0) block.alignment = std::max(block.alignment, wanted);
  }
  return block;
}

bool runs_one_by_one(const pipeline_request& request) {
  return request.full_debug || request.options.check_barriers || request.checks_accesses() || request.options.lanes == 1;
}

unsigned sub_group_size_of(const pipeline_request& request) {
  const unsigned required = request.kernel.row.required_sub_group_size;
  return required != 0 ? required : request.options.sub_group_size;
}

/// What the regions take for the local range; all 0: not known.
std::array<std::uint64_t, 3> rows_of(const passes::entry_request& entry) {
  const auto& range = entry.local_range;
  if (!entry.flat || range[2] == 0) return range;
  return {1, 1, range[0] * range[1] * range[2]};
}

/// Vectors of twice as many lanes run in the place of two neighbours.
void lengthen_vectors(llvm::Function& region, llvm::TargetMachine& machine, passes::vectorize_request wanted, passes::lane_form& form) {
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

/// Where one vector waits for its results, and neighbours would part. Masks without registers of their own would need as
/// many as the data.
bool should_lengthen(llvm::TargetMachine& machine, const pipeline_request& request, const passes::entry_request& entry,
                     const passes::lane_form& form) {
  const unsigned vector_bits = passes::vector_bits_of(machine);
  const std::uint64_t row = entry.local_range[2];
  return request.options.block == 0 && request.options.lanes == 0 && vector_bits == 512 && (row == 0 || row >= 2 * form.lanes) &&
         passes::waits_for_results(*form.wide, vector_bits);
}

/// Several vectors or rows in one body, where that pays.
void block_neighbours(llvm::Function& region, llvm::TargetMachine& machine, const pipeline_request& request,
                      const passes::vectorize_request& lanes_wanted, const passes::entry_request& entry, passes::lane_form& form) {
  const auto& local_range = entry.local_range;
  const bool has_rows = entry.shape == abi::kernel_shape::nd_range && entry.dimensions > 1 && local_range[1] != 1;
  // Several vectors would go along too many rows at a time for the caches and their prefetchers (gesummv: half as fast).
  if (form.along_rows && !has_rows && request.options.block == 0) return;
  passes::blocking_request wanted{has_rows ? passes::neighbours::rows : passes::neighbours::vectors, form.lanes,
                                  passes::vector_bits_of(machine), request.options.block};
  if (local_range[2] != 0) wanted.most = has_rows ? local_range[1] : local_range[2] / form.lanes;
  if (has_rows && local_range[2] % form.lanes == 0) wanted.vectors_of_row = local_range[2] / form.lanes;
  passes::blocked_form made = passes::block_registers(*form.wide, machine, wanted);
  if (!made.report.empty()) form.report += ", " + made.report;
  form.blocked = made.function;
  (has_rows ? form.rows : form.vectors) = made.factor;
  if (has_rows) form.vectors = made.vectors;
  // Tests ask for what neighbours that part become.
  if (!form.blocked && request.options.block == 2 && !has_rows && wanted.most >= 2) lengthen_vectors(region, machine, lanes_wanted, form);
}

/// For ranges that touch more memory than the caches hold.
void add_streaming(const pipeline_request& request, passes::entry_request& entry, passes::lane_form& form) {
  const passes::streaming_form made = passes::make_streaming(*form.wide, form.lanes);
  if (!made.function) return;
  // LLVM's loops are faster where several kernels compute much, and where they don't, they rarely keep the caches warm.
  if (request.fused && form.cost > static_cast<double>(made.bytes_per_item * form.lanes)) {
    made.function->eraseFromParent();
    return;
  }
  form.report += ", stores past the caches in large ranges";
  entry.streaming = {.wide = made.function, .tail = form.tail, .lanes = form.lanes};
  entry.streaming_items = request.cache_bytes / made.bytes_per_item;
}

/// The forms of one region beside the scalar one, as code.
std::uint64_t size_of_forms(const passes::lane_form& form, const passes::entry_request& entry, unsigned vector_bits) {
  std::uint64_t size = 0;
  for (const llvm::Function* each : {form.wide, form.tail, form.blocked, form.wide ? entry.streaming.wide : nullptr}) {
    if (each) size += passes::code_size(*each, vector_bits);
  }
  return size;
}

/// For a kernel of that much scalar code.
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

void drop_streaming(passes::entry_request& entry) {
  entry.streaming.wide->eraseFromParent();
  entry.streaming = {};
  entry.streaming_items = 0;
}

void drop_wide(passes::lane_form& form) {
  form.wide->eraseFromParent();
  if (form.tail) form.tail->eraseFromParent();
  form.wide = form.tail = nullptr;
  form.lanes = 1;
}

/// Plainer code where the kernel would take too long to compile: first without neighbours, then without the form for
/// large ranges, then without vectors; the largest region first. `scalar`: the code of the work-item function, whose
/// loops the regions may have unrolled. `lines`: what the report says of each region.
void stay_within_budget(passes::entry_request& entry, unsigned vector_bits, std::uint64_t scalar,
                        std::vector<std::string>& lines) {
  const std::uint64_t most = most_code(scalar);
  std::vector<std::uint64_t> sizes;
  std::uint64_t all = 0;
  for (const llvm::Function* region : entry.regions) all += passes::code_size(*region, vector_bits);
  for (const passes::lane_form& form : entry.wide) all += sizes.emplace_back(size_of_forms(form, entry, vector_bits));
  const std::string why = times_the_scalar(all, scalar);
  const auto drop_largest = [&](const auto& has, const auto& drop, const std::string& what) {
    while (all > most) {
      std::size_t largest = sizes.size();
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (has(entry.wide[i]) && (largest == sizes.size() || sizes[i] > sizes[largest])) largest = i;
      }
      if (largest == sizes.size()) return;
      drop(entry.wide[largest]);
      all -= sizes[largest];
      all += sizes[largest] = size_of_forms(entry.wide[largest], entry, vector_bits);
      lines[largest] += what + why;
    }
  };
  drop_largest([](const auto& form) { return form.blocked != nullptr; }, drop_blocked, "; without neighbours");
  drop_largest([&](const auto& form) { return form.wide && entry.streaming.wide; },
               [&](passes::lane_form&) { drop_streaming(entry); }, "; without a form for large ranges");
  drop_largest([](const auto& form) { return form.wide != nullptr; }, drop_wide, "; scalar after all");
}

/// Vectors of work-items, where they pay. `scalar`: as for stay_within_budget.
void widen_work_items(llvm::TargetMachine& machine, const pipeline_request& request, const passes::vectorize_request& wanted,
                      std::uint64_t scalar, passes::entry_request& entry, std::string& report) {
  if (entry.shape == abi::kernel_shape::single_task) return;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < entry.regions.size(); ++i) {
    const bool grouped = entry.shape == abi::kernel_shape::nd_range;
    const std::string place = "  " + (entry.regions.size() > 1 ? "region " + std::to_string(i) + ": " : std::string());
    const unsigned dimensions = entry.flat ? 1 : entry.dimensions;
    if (grouped && !wanted.sub_group && passes::are_idle_from(*entry.regions[i], machine, dimensions, 1)) {
      lines.push_back(place + "scalar: only the first work-item of a row does anything");
      entry.wide.emplace_back();
      entry.busy_items.push_back(1);
      continue;
    }
    passes::lane_form form = passes::vectorize(*entry.regions[i], machine, wanted);
    const bool idle =
        grouped && form.lanes > 1 && passes::are_idle_from(*entry.regions[i], machine, dimensions, form.lanes);
    entry.busy_items.push_back(idle ? form.lanes : 0);
    if (idle) form.report += ", only the first vector of a row";
    const bool blocks = form.wide && !form.plain && !wanted.sub_group && !idle && !request.rare;
    if (blocks && should_lengthen(machine, request, entry, form)) {
      lengthen_vectors(*entry.regions[i], machine, wanted, form);
    } else if (form.wide && wanted.plain_too && !request.rare) {
      add_streaming(request, entry, form);
    }
    if (form.plain) {
      form.wide->eraseFromParent();
      form.wide = nullptr;
    }
    if (blocks && !form.blocked) block_neighbours(*entry.regions[i], machine, request, wanted, entry, form);
    if (entry.flat) form.report += ", sub-groups across rows";
    lines.push_back(place + form.report);
    entry.wide.push_back(std::move(form));
  }
  // Of sub-groups all is lanes or nothing, and who asks for lanes or neighbours gets them.
  if (!wanted.sub_group && request.options.lanes == 0 && request.options.block == 0) {
    stay_within_budget(entry, passes::vector_bits_of(machine), scalar, lines);
  }
  for (const std::string& line : lines) report += line + "\n";
}

/// The work-item function or, where it has barriers, its regions in its place.
void take_regions(llvm::Function& work_item, const passes::barrier_regions& split, passes::entry_request& entry) {
  entry.stack_context_bytes = passes::context_on_stack(entry.local_range, split);
  entry.context_alignment = split.context_alignment;
  entry.regions = split.regions;
  entry.uniform_bytes = split.uniform_bytes;
  entry.within_sub_group = split.within_sub_group;
  if (split.regions.empty()) {
    entry.regions = {&work_item};
  } else {
    work_item.eraseFromParent();
  }
}

/// Sub-groups as the lanes of vectors, all of the kernel or nothing; `context_bytes` is left alone then.
bool widen_sub_groups(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                      passes::entry_request& entry, std::uint64_t& context_bytes, std::string& report) {
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&work_item, map);
  const std::string name = work_item.getName().str();
  copy->takeName(&work_item);
  const passes::barrier_regions split = passes::split_for_lanes(*copy, machine, request.has_narrow_ids());
  passes::entry_request wide = entry;
  take_regions(*copy, split, wide);
  const passes::vectorize_request wanted{true, request.has_narrow_ids(), entry.sub_group_size, /*sub_group=*/true,
                                         /*plain_too=*/false, /*fused=*/false, rows_of(entry)[2]};
  const std::size_t reported = report.size();
  widen_work_items(machine, request, wanted, /*scalar=*/0, wide, report);
  // None of them knows its sub-group alone.
  for (llvm::Function* region : wide.regions) region->eraseFromParent();
  wide.regions.assign(wide.regions.size(), nullptr);
  const bool all = llvm::all_of(wide.wide, [](const passes::lane_form& form) { return form.wide != nullptr; });
  const unsigned vector_bits = passes::vector_bits_of(machine);
  const std::uint64_t scalar = passes::code_size(work_item, vector_bits);
  std::uint64_t size = 0;
  for (const passes::lane_form& form : wide.wide) size += size_of_forms(form, wide, vector_bits);
  const bool too_much = all && request.options.lanes == 0 && request.options.block == 0 && size > most_code(scalar);
  if (too_much) {
    report.resize(reported);
    report += "  scalar after all: sub-groups as lanes" + times_the_scalar(size, scalar) + "\n";
  }
  if (all && !too_much) {
    entry = std::move(wide);
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

/// Whether work-items of a region run one after the other from the beginning of a row.
bool has_scalar_loops(const passes::entry_request& entry) {
  return entry.wide.empty() || llvm::any_of(entry.wide, [](const passes::lane_form& form) { return !form.wide; });
}

/// Regions, vectors and an entry for the groups of one form. `work_item` is used up.
llvm::Function* make_entry(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                           passes::entry_request entry, bool sub_groups, code_needs& needs, std::string& report) {
  llvm::Module& module = *work_item.getParent();
  llvm::Function* ordered = entry.access_group ? passes::copy_of_ordered(work_item) : nullptr;
  const auto& known = entry.local_range;
  // Groups of one gain nothing, and exchanges within them lose their vector form.
  entry.stack_scratch_bytes = passes::scratch_on_stack(known, needs.scratch_bytes);
  if (known[0] * known[1] * known[2] > 1) passes::state_local_range(work_item, rows_of(entry));
  passes::state_sub_group_size(work_item, entry.sub_group_size);
  const bool one_by_one = runs_one_by_one(request);
  std::uint64_t context_bytes = 0;
  if (sub_groups && !one_by_one && widen_sub_groups(work_item, machine, request, entry, context_bytes, report)) {
    work_item.eraseFromParent();
  } else {
    if (sub_groups) passes::exchange_through_memory(work_item, entry.sub_group_size);
    const std::uint64_t scalar = passes::code_size(work_item, passes::vector_bits_of(machine));
    const passes::barrier_regions split =
        one_by_one || sub_groups ? passes::split_at_barriers(work_item, nullptr, sub_groups)
                                 : passes::split_for_lanes(work_item, machine, request.has_narrow_ids());
    take_regions(work_item, split, entry);
    context_bytes = split.context_bytes_per_item;
    if (split.regions.empty() && passes::is_bounded(work_item)) needs.flags |= abi::code_is_bounded;
    if (request.options.check_barriers && !split.regions.empty()) {
      entry.report_divergence = make_divergence_report(module, request.kernel);
    }
    for (llvm::Function* region : entry.regions) {
      if (request.full_debug && !passes::has_large_arrays(*region)) {
        region->removeFnAttr(llvm::Attribute::AlwaysInline);
      } else {
        region->addFnAttr(llvm::Attribute::AlwaysInline);
      }
    }
    if (!one_by_one && !sub_groups && !request.hardly_ever) {
      const bool nd_range = entry.shape == abi::kernel_shape::nd_range;
      const passes::vectorize_request wanted{nd_range,
                                             request.has_narrow_ids(),
                                             request.options.lanes,
                                             /*sub_group=*/false,
                                             /*plain_too=*/!nd_range,
                                             request.fused,
                                             entry.local_range[2]};
      widen_work_items(machine, request, wanted, scalar, entry, report);
    }
  }
  needs.has_vectors |= llvm::any_of(entry.wide, [](const auto& form) { return form.wide || form.plain; });
  // Only what a work-item does in any order is declared parallel, and vectors are no loops over work-items.
  if (ordered) {
    if (has_scalar_loops(entry) &&
        passes::needs_order(*ordered, machine, entry.shape == abi::kernel_shape::nd_range, request.has_narrow_ids())) {
      entry.access_group = nullptr;
    }
    ordered->eraseFromParent();
  }
  for (llvm::Function* region : entry.regions) {
    if (region) passes::lower_local_atomics(*region);
  }
  for (const passes::lane_form& form : entry.wide) {
    if (form.wide) passes::lower_local_atomics(*form.wide);
    if (form.tail) passes::lower_local_atomics(*form.tail);
    if (form.blocked) passes::lower_local_atomics(*form.blocked);
  }
  // From here on no two vectors become one body.
  for (const passes::lane_form& form : entry.wide) {
    if (passes::vector_bits_of(machine) == 512) break;
    if (form.wide) passes::split_guarded_stores(*form.wide);
    if (form.blocked) passes::split_guarded_stores(*form.blocked);
  }
  if (entry.stack_scratch_bytes != 0) needs.scratch_bytes = 0;
  if (entry.stack_context_bytes == 0) needs.context_bytes = std::max(needs.context_bytes, context_bytes);
  return passes::build_cpu_entry(module, entry);
}

/// One entry for two forms, where condition(builder, entry's arguments) holds and elsewhere.
template <class Condition>
llvm::Function* choose(llvm::Function& there, llvm::Function& elsewhere, std::array<llvm::StringRef, 2> names,
                       const Condition& condition) {
  llvm::Module& module = *there.getParent();
  llvm::LLVMContext& context = module.getContext();
  auto* chooser = llvm::Function::Create(there.getFunctionType(), llvm::GlobalValue::InternalLinkage, "", module);
  chooser->setAttributes(there.getAttributes());
  chooser->takeName(&there);
  llvm::BasicBlock* blocks[3];
  for (llvm::BasicBlock*& block : blocks) block = llvm::BasicBlock::Create(context, "", chooser);
  llvm::IRBuilder<> builder(blocks[0]);
  llvm::SmallVector<llvm::Value*, 4> arguments;
  for (llvm::Argument& argument : chooser->args()) arguments.push_back(&argument);
  builder.CreateCondBr(condition(builder, arguments), blocks[1], blocks[2]);
  for (unsigned i : {0u, 1u}) {
    llvm::Function& chosen = i == 0 ? there : elsewhere;
    chosen.setName(chooser->getName() + "." + names[i]);
    // One function, as everything expects of an entry. Its arguments say themselves what they don't alias.
    chosen.addFnAttr(llvm::Attribute::AlwaysInline);
    for (unsigned k : {0u, 1u}) chosen.removeParamAttr(k, llvm::Attribute::NoAlias);
    builder.SetInsertPoint(blocks[i + 1]);
    builder.CreateCall(&chosen, arguments);
    builder.CreateRetVoid();
  }
  return chooser;
}

/// Of the launch, along the last dimension.
llvm::Value* load_number(llvm::IRBuilderBase& builder, llvm::Value* state, std::size_t array, unsigned dimension = 2) {
  const std::size_t place = array + dimension * sizeof(std::uint64_t);
  return builder.CreateLoad(builder.getInt64Ty(),
                            builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state, place));
}

/// For launches whose rows consist of whole sub-groups.
llvm::Function* choose_by_row(llvm::Function& rows, llvm::Function& flat, unsigned sub_group_size) {
  return choose(rows, flat, {"rows", "flat"},
                [&](llvm::IRBuilderBase& builder, llvm::ArrayRef<llvm::Value*> arguments) {
                  llvm::Value* row = load_number(builder, arguments[1], offsetof(abi::nd_state, local_range));
                  return builder.CreateIsNull(builder.CreateAnd(row, builder.getInt64(sub_group_size - 1)));
                });
}

llvm::Value* block_at(llvm::IRBuilderBase& builder, llvm::Value* blocks, const passes::entry_request& entry) {
  return entry.takes_all_blocks ? blocks : passes::load_argument_block(builder, blocks, entry.block);
}

/// For usual launches.
llvm::Function* choose_by_bounds(llvm::Function& usual, llvm::Function& any, llvm::Function& condition,
                                 const passes::entry_request& entry) {
  return choose(
      usual, any, {"usual", "any"}, [&](llvm::IRBuilderBase& builder, llvm::ArrayRef<llvm::Value*> arguments) {
        llvm::SmallVector<llvm::Value*, 16> known{block_at(builder, arguments[0], entry)};
        for (std::size_t array : {offsetof(abi::nd_state, global_range), offsetof(abi::nd_state, global_offset),
                                  offsetof(abi::nd_state, local_range)}) {
          for (unsigned d : {0u, 1u, 2u}) known.push_back(load_number(builder, arguments[1], array, d));
        }
        return builder.CreateCall(&condition, known);
      });
}

/// For launches whose argument block has a width of rows.
llvm::Function* choose_by_length(llvm::Function& rows, llvm::Function& flat, llvm::Function& length,
                                 const passes::entry_request& entry) {
  return choose(rows, flat, {"rows", "flat"},
                [&](llvm::IRBuilderBase& builder, llvm::ArrayRef<llvm::Value*> arguments) {
                  llvm::Value* block = block_at(builder, arguments[0], entry);
                  llvm::Value* range = load_number(builder, arguments[1], offsetof(abi::nd_state, global_range));
                  llvm::Value* offset = load_number(builder, arguments[1], offsetof(abi::nd_state, global_offset));
                  return builder.CreateIsNotNull(builder.CreateCall(&length, {block, range, offset}));
                });
}

/// Ids come out of users' objects: they are recognised where they are values.
void find_values(llvm::Function& work_item, llvm::TargetMachine& machine) {
  passes::pass_runner runner(&machine);
  llvm::FunctionPassManager values;
  values.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  values.addPass(llvm::EarlyCSEPass());
  runner.run(work_item, std::move(values));
}

/// The entry of a kernel. Its groups are rows, or one row each, as its sub-groups need it.
llvm::Function* lower_groups(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                             passes::entry_request entry, code_needs& needs, std::string& report) {
  const bool sub_groups = passes::needs_sub_groups(work_item);
  const passes::group_shape shape{entry.dimensions, entry.local_range};
  if (!sub_groups || passes::sub_groups_are_in_rows(shape, entry.sub_group_size) ||
      abi::is_planted("sub_groups_in_rows")) {
    return make_entry(work_item, machine, request, std::move(entry), sub_groups, needs, report);
  }
  if (!request.full_debug) find_values(work_item, machine);
  llvm::Function* rows = nullptr;
  if (entry.local_range[2] == 0 && !runs_one_by_one(request)) {
    llvm::ValueToValueMapTy map;
    if (entry.access_group) map.MD()[entry.access_group].reset(entry.access_group);
    llvm::Function* copy = llvm::CloneFunction(&work_item, map);
    passes::state_row_multiple(*copy, entry.sub_group_size);
    passes::entry_request whole = entry;
    whole.row_multiple = entry.sub_group_size;
    std::string unused;
    rows = make_entry(*copy, machine, request, std::move(whole), sub_groups, needs, unused);
  }
  passes::flatten_groups(work_item, shape, request.has_narrow_ids());
  entry.flat = true;
  const unsigned size = entry.sub_group_size;
  llvm::Function* flat = make_entry(work_item, machine, request, std::move(entry), sub_groups, needs, report);
  return rows ? choose_by_row(*rows, *flat, size) : flat;
}

/// The same for what is visited in loops over dimensions.
void find_visits(llvm::Function& work_item, llvm::TargetMachine& machine) {
  passes::pass_runner runner(&machine);
  llvm::FunctionPassManager values;
  values.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  values.addPass(llvm::EarlyCSEPass());
  values.addPass(llvm::InstCombinePass());
  values.addPass(llvm::SimplifyCFGPass());
  values.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(3)));
  values.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  values.addPass(llvm::EarlyCSEPass());
  runner.run(work_item, std::move(values));
  passes::mark_argument_loads(work_item);
}

bool has_barriers(const llvm::Module& module) {
  const llvm::Function* barrier = module.getFunction("__sinter_barrier");
  return barrier && !barrier->use_empty();
}

/// The entry of a kernel: in rows too where it divides its id by what is known before it runs.
llvm::Function* lower_ranges(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                             passes::entry_request entry, code_needs& needs, std::string& report) {
  const auto as_it_is = [&](std::string& lines) {
    return lower_groups(work_item, machine, request, entry, needs, lines);
  };
  const bool grouped = entry.shape == abi::kernel_shape::nd_range;
  if (entry.dimensions != 1 || entry.shape == abi::kernel_shape::single_task || runs_one_by_one(request) ||
      !passes::divides(work_item) || has_barriers(*work_item.getParent()) || passes::needs_sub_groups(work_item)) {
    return as_it_is(report);
  }
  find_values(work_item, machine);
  const passes::flat_rows found =
      passes::find_flat_rows(work_item, {request.has_narrow_ids(), grouped, entry.local_range[2], entry.access_group});
  if (!found.function) return as_it_is(report);
  passes::entry_request in_rows = entry;
  in_rows.row_length = found.length;
  in_rows.shape = abi::kernel_shape::range;
  in_rows.whole_groups = grouped;
  in_rows.local_range = {};
  llvm::Function* rows = make_entry(*found.function, machine, request, std::move(in_rows), false, needs, report);
  report += "  in rows of a flat range, as long as the kernel's arguments say\n";
  std::string unused;
  llvm::Function* flat = as_it_is(unused);
  return choose_by_length(*rows, *flat, *found.length, entry);
}

/// The entry of a kernel: with another one for usual launches where that is faster.
llvm::Function* lower_kernel(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                             passes::entry_request entry, code_needs& needs, std::string& report) {
  passes::usual_launches found;
  if (entry.shape != abi::kernel_shape::single_task && request.has_narrow_ids() && !runs_one_by_one(request)) {
    find_values(work_item, machine);
    found = passes::find_usual_launches(work_item, entry.access_group);
  }
  if (!found.function) return lower_ranges(work_item, machine, request, std::move(entry), needs, report);
  code_needs usual_needs = needs;
  std::string lines;
  llvm::Function* usual = lower_ranges(*found.function, machine, request, entry, usual_needs, lines);
  if (!usual_needs.has_vectors) {
    // Not worth a second form.
    usual->eraseFromParent();
    found.condition->eraseFromParent();
    return lower_ranges(work_item, machine, request, std::move(entry), needs, report);
  }
  report += lines;
  report += "  for launches in which no index wraps at 2^32 and linear ids have the range's width\n";
  pipeline_request rarely = request;
  rarely.rare = true;
  rarely.hardly_ever = found.nearly_all;
  std::string unused;
  llvm::Function* any = lower_groups(work_item, machine, rarely, entry, needs, unused);
  // Where the kernel as it was written is bounded, so is its copy.
  needs.flags |= usual_needs.flags & ~static_cast<std::uint32_t>(abi::code_is_bounded);
  needs.context_bytes = std::max(needs.context_bytes, usual_needs.context_bytes);
  needs.scratch_bytes = std::max(needs.scratch_bytes, usual_needs.scratch_bytes);
  return choose_by_bounds(*usual, *any, *found.condition, entry);
}

/// Whether all code will be in one function.
bool is_alone(const llvm::Module& module) {
  return llvm::count_if(module, [](const llvm::Function& function) {
    return !function.isDeclaration() && !function.hasFnAttribute(llvm::Attribute::AlwaysInline);
  }) == 1;
}

} // namespace

std::string entry_name(const kernel_facts& kernel) {
  std::string name = "sinter:";
  for (char c : kernel.display_name) name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ? c : '_';
  return name;
}

llvm::Error lower_for_cpu(llvm::Module& module, llvm::TargetMachine& machine, const pipeline_request& request,
                          std::string& report) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());

  // Only this kernel and what it reaches.
  llvm::Function* kernel = passes::select_kernel(module, request.kernel.symbol);
  if (!kernel) return llvm::createStringError("the image has no function '" + request.kernel.symbol + "'");

  passes::lower_specialization_constants(module, request.constants);

  // One function that knows its work-item.
  if (llvm::Error error = passes::inline_device_calls(*kernel)) return error;
  // While local accessors are still loads of the argument block.
  if (request.checks_accesses()) passes::check_accesses(*kernel, request.kernel.row, request.kernel.leaves);
  llvm::Expected<std::uint64_t> variable_bytes = passes::place_group_variables(*kernel);
  if (!variable_bytes) return variable_bytes.takeError();
  if (!request.fused) {
    passes::fold_known_arguments(*kernel, passes::known_arguments(request.kernel.leaves, request.groups, request.constants));
  }
  passes::expand_float_logarithms(*kernel, machine);
  if (passes::has_root_estimate(machine)) passes::estimate_reciprocal_roots(*kernel);
  llvm::Expected<std::uint64_t> scratch_bytes = passes::scratch_bytes_per_item(*kernel);
  if (!scratch_bytes) return scratch_bytes.takeError();
  const passes::work_item_function work_item = passes::make_work_item_function(*kernel, request.fused ? 2 : 1);
  kernel->eraseFromParent();
  if (passes::visits_elements(*work_item.function) && passes::divides(*work_item.function) &&
      !runs_one_by_one(request)) {
    find_visits(*work_item.function, machine);
    passes::visit_rows(*work_item.function);
  }
  passes::erase_element_visits(module);
  // From here on no id query and no fence call is left.
  if (llvm::Error error = passes::check_dynamic_arrays(*work_item.function)) return error;

  // Regions between barriers, loops around them, the entry the runtime calls.
  passes::entry_request entry{entry_name(request.kernel),
                              request.kernel.row.shape,
                              request.kernel.row.dimensions,
                              request.has_narrow_ids(),
                              request.fused,
                              {},
                              0,
                              {},
                              {},
                              0,
                              request.full_debug ? nullptr : work_item.access_group,
                              nullptr,
                              sub_group_size_of(request)};
  if (!request.fused) {
    entry.block = block_of(request.kernel);
    passes::state_argument_block(*work_item.function, entry.block);
  }
  // A fusion may join kernels of several sizes, and groups that a kernel makes are not those of its launch.
  const bool own_groups = (request.kernel.row.flags & abi::kernel_own_groups) != 0;
  entry.local_range = request.groups.range;
  if (!own_groups && entry.local_range[2] == 0) {
    llvm::copy(request.kernel.row.required_work_group_size, entry.local_range.begin());
  }
  code_needs needs{0, 0, *scratch_bytes, *variable_bytes};
  const std::string name = "kernel '" + request.kernel.display_name + "' (" + request.kernel.source_position + ")";
  // What it calls, too, where that asks nothing of its work-item.
  for (llvm::Function& function : module) {
    if (passes::bound_dynamic_arrays(function, name)) needs.flags |= abi::code_needs_stack;
  }
  llvm::Function* entry_function = lower_kernel(*work_item.function, machine, request, std::move(entry), needs, report);
  // From here on no barrier is left.

  // Whatever refers to this process goes through tables; libm is all that stays outside.
  passes::lower_math_to_libm(module);
  const passes::host_links links = passes::link_to_host(module, request.imports);
  add_kernel_info(module, entry_function, needs, links);
  set_target_attributes(module);

  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream)) return llvm::createStringError("internal error, invalid IR: " + problem);
  return llvm::Error::success();
}

namespace {

/// What LLVM's pipeline leaves undone where one body runs neighbours, perhaps all of a group.
void improve_blocked(llvm::Function& entry, passes::pass_runner& runner) {
  runner.functions.invalidate(entry, llvm::PreservedAnalyses::none());
  // What they hand each other through local memory: GVN has looked at so many instructions only (bound_effort).
  llvm::FunctionPassManager values;
  values.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  runner.run(entry, std::move(values));
  passes::remove_dead_local_stores(entry);
  runner.functions.invalidate(entry, llvm::PreservedAnalyses::none());
  // Addresses of neighbouring rows are steps from each other: products of each take more registers than there are.
  llvm::FunctionPassManager addresses;
  addresses.addPass(llvm::StraightLineStrengthReducePass());
  addresses.addPass(llvm::EarlyCSEPass());
  runner.run(entry, std::move(addresses));
}

} // namespace

void simplify_debug_code(llvm::Module& module) {
  for (llvm::Function& function : module) {
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.removeFnAttr(llvm::Attribute::NoInline);
  }
  passes::pass_runner runner;
  llvm::ModulePassManager passes;
  passes.addPass(
      runner.builder.buildModuleSimplificationPipeline(llvm::OptimizationLevel::O1, llvm::ThinOrFullLTOPhase::None));
  runner.run(module, std::move(passes));
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine, bool full_debug) {
  llvm::PassInstrumentationCallbacks callbacks;
  passes::bound_propagation(callbacks);
  passes::pass_runner runner(&machine, &callbacks);
  llvm::ModulePassManager pipeline;
  const auto level = llvm::OptimizationLevel::O3;
  // Before anything looks at work-item functions alone: only in their loop are ids known to be narrow.
  pipeline.addPass(llvm::AlwaysInlinerPass());
  if (!full_debug && is_alone(module)) {
    // What LLVM's default pipeline does between functions finds nothing.
    pipeline.addPass(llvm::GlobalDCEPass());
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(runner.builder.buildFunctionSimplificationPipeline(level, llvm::ThinOrFullLTOPhase::None));
    pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
    pipeline.addPass(runner.builder.buildModuleOptimizationPipeline(level, llvm::ThinOrFullLTOPhase::None));
  } else if (!full_debug) {
    pipeline.addPass(runner.builder.buildPerModuleDefaultPipeline(level));
  }
  runner.run(module, std::move(pipeline));
  for (llvm::Function& function : module) {
    if (!full_debug && function.hasFnAttribute(passes::blocked_attribute)) improve_blocked(function, runner);
  }
  passes::lower_root_estimates(module);
  // Late: LLVM's own passes like masks narrow.
  const unsigned vector_bits = passes::vector_bits_of(machine);
  if (!full_debug && vector_bits != 512) {
    for (llvm::Function& function : module) passes::keep_masks_wide(function, vector_bits);
  }
  passes::settle_private_memory(module);
  // As the last one: masks become constant on the way here.
  for (llvm::Function& function : module) {
    passes::store_known_lanes(function);
    passes::align_lanes_of_pointers(function);
  }
}

} // namespace sinter::jit
