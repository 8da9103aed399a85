#include "launch_forms.hpp"

#include <abi/planted_error.hpp>
#include <array>
#include <cstddef>

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/device/sub_groups.hpp"
#include "passes/device/work_item_function.hpp"
#include "passes/launches/flat_rows.hpp"
#include "passes/launches/narrow_counters.hpp"
#include "passes/launches/row_bounds.hpp"
#include "passes/launches/usual_launches.hpp"
#include "passes/optional_steps.hpp"
#include "passes/work_items/flat_groups.hpp"
#include "region_forms.hpp"

namespace sinter::jit {
namespace {

using passes::may_run;
using passes::optional_step;

/// Makes one entry of two forms: one runs if condition(builder, entry's arguments) holds, else the other.
template <class Condition>
llvm::Function* choose(llvm::Function& there, llvm::Function& elsewhere, std::array<llvm::StringRef, 2> names,
                       const Condition& condition) {
  llvm::Module& module = *there.getParent();
  llvm::LLVMContext& context = module.getContext();
  auto* chooser = llvm::Function::Create(there.getFunctionType(), llvm::GlobalValue::InternalLinkage, "", module);
  chooser->setAttributes(there.getAttributes());
  // The forms share conditions and addresses, which only the whole of -O3 joins.
  chooser->removeFnAttr(passes::vectors_attribute);
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
    // The forms are inlined into one function, because other code expects an entry to be one. The aliasing of its
    // arguments is stated on the arguments themselves.
    chosen.addFnAttr(llvm::Attribute::AlwaysInline);
    for (unsigned k : {0u, 1u}) chosen.removeParamAttr(k, llvm::Attribute::NoAlias);
    builder.SetInsertPoint(blocks[i + 1]);
    builder.CreateCall(&chosen, arguments);
    builder.CreateRetVoid();
  }
  return chooser;
}

/// Loads a number of the launch, along one dimension.
llvm::Value* load_number(llvm::IRBuilderBase& builder, llvm::Value* state, std::size_t array, unsigned dimension = 2) {
  const std::size_t place = array + dimension * sizeof(std::uint64_t);
  return builder.CreateLoad(builder.getInt64Ty(),
                            builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state, place));
}

/// Chooses the form for launches whose rows consist of whole sub-groups.
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

/// Chooses the form for usual launches.
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

}  // namespace

void find_values(llvm::Function& work_item, llvm::TargetMachine& machine) {
  passes::pass_runner runner(&machine);
  llvm::FunctionPassManager values;
  values.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  values.addPass(llvm::EarlyCSEPass());
  runner.run(work_item, std::move(values));
  if (!passes::narrow_counters(work_item)) return;
  runner.functions.invalidate(work_item, llvm::PreservedAnalyses::none());
  llvm::FunctionPassManager casts;
  casts.addPass(llvm::InstCombinePass());
  runner.run(work_item, std::move(casts));
}

namespace {

/// The entry of a kernel. Its groups are rows, or one row each, as its sub-groups need it.
llvm::Function* lower_groups(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                             passes::entry_request entry, code_needs& needs, passes::report_statements& report) {
  const bool sub_groups = passes::needs_sub_groups(work_item);
  const passes::group_shape shape{entry.dimensions, entry.local_range};
  if (entry.shape == abi::kernel_shape::range && !request.runs_one_by_one() && may_run(optional_step::row_bounds))
    entry.row_bounds = passes::cut_rows(work_item, request.has_narrow_ids(), /*in_flat_range=*/false);
  if (!sub_groups || passes::sub_groups_are_in_rows(shape, entry.sub_group_size) ||
      abi::is_planted("sub_groups_in_rows")) {
    return make_entry(work_item, machine, request, std::move(entry), sub_groups, needs, report);
  }
  if (!request.full_debug) find_values(work_item, machine);
  llvm::Function* rows = nullptr;
  if (entry.local_range[2] == 0 && !request.runs_one_by_one()) {
    llvm::ValueToValueMapTy map;
    if (entry.access_group) map.MD()[entry.access_group].reset(entry.access_group);
    llvm::Function* copy = llvm::CloneFunction(&work_item, map);
    passes::state_row_multiple(*copy, entry.sub_group_size);
    passes::entry_request whole = entry;
    whole.row_multiple = entry.sub_group_size;
    passes::report_statements unused;
    rows = make_entry(*copy, machine, request, std::move(whole), sub_groups, needs, unused);
  }
  passes::flatten_groups(work_item, shape, request.has_narrow_ids());
  entry.flat = true;
  const unsigned size = entry.sub_group_size;
  llvm::Function* flat = make_entry(work_item, machine, request, std::move(entry), sub_groups, needs, report);
  return rows ? choose_by_row(*rows, *flat, size) : flat;
}

bool has_barriers(const llvm::Module& module) {
  const llvm::Function* barrier = module.getFunction("__sinter_barrier");
  return barrier && !barrier->use_empty();
}

/// Makes the entry of a kernel; also in rows, if it divides its id by values that are known before it runs.
llvm::Function* lower_ranges(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                             passes::entry_request entry, code_needs& needs, passes::report_statements& report) {
  const auto as_it_is = [&](passes::report_statements& lines) {
    return lower_groups(work_item, machine, request, entry, needs, lines);
  };
  const bool grouped = entry.shape == abi::kernel_shape::nd_range;
  if (entry.dimensions != 1 || entry.shape == abi::kernel_shape::single_task || request.runs_one_by_one() ||
      !passes::divides(work_item) || has_barriers(*work_item.getParent()) || passes::needs_sub_groups(work_item) ||
      !may_run(optional_step::flat_rows)) {
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
  if (may_run(optional_step::row_bounds))
    in_rows.row_bounds = passes::cut_rows(*found.function, request.has_narrow_ids(), /*in_flat_range=*/true);
  llvm::Function* rows = make_entry(*found.function, machine, request, std::move(in_rows), false, needs, report);
  report.push_back({"", "in rows of a flat range, as long as the kernel's arguments say"});
  passes::report_statements unused;
  llvm::Function* flat = as_it_is(unused);
  return choose_by_length(*rows, *flat, *found.length, entry);
}

}  // namespace

llvm::Function* lower_kernel(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                             passes::entry_request entry, code_needs& needs, passes::report_statements& report) {
  passes::usual_launches found;
  if (entry.shape != abi::kernel_shape::single_task && request.has_narrow_ids() && !request.runs_one_by_one() &&
      may_run(optional_step::usual_launches)) {
    find_values(work_item, machine);
    found = passes::find_usual_launches(work_item, entry.access_group);
  }
  if (!found.function) return lower_ranges(work_item, machine, request, std::move(entry), needs, report);
  code_needs usual_needs = needs;
  passes::report_statements lines;
  llvm::Function* usual = lower_ranges(*found.function, machine, request, entry, usual_needs, lines);
  if (!usual_needs.has_vectors) {
    // The form is not worth its code.
    usual->eraseFromParent();
    found.condition->eraseFromParent();
    return lower_ranges(work_item, machine, request, std::move(entry), needs, report);
  }
  report.insert(report.end(), lines.begin(), lines.end());
  report.push_back({"", "for launches in which no index wraps at 2^32 and linear ids have the range's width"});
  pipeline_request rarely = request;
  rarely.launches = found.nearly_all ? launch_share::hardly_any : launch_share::few;
  passes::report_statements unused;
  llvm::Function* any = lower_groups(work_item, machine, rarely, entry, needs, unused);
  // If the original kernel is bounded, so is its copy.
  needs.flags |= usual_needs.flags & ~static_cast<std::uint32_t>(abi::code_is_bounded);
  needs.context_bytes = std::max(needs.context_bytes, usual_needs.context_bytes);
  needs.scratch_bytes = std::max(needs.scratch_bytes, usual_needs.scratch_bytes);
  return choose_by_bounds(*usual, *any, *found.condition, entry);
}

}  // namespace sinter::jit
