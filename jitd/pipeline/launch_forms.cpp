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

/// Loads a number of the launch from an array with one number for each dimension.
llvm::Value* load_number(llvm::IRBuilderBase& builder, llvm::Value* state, std::size_t array, unsigned dimension = 2) {
  const std::size_t place = array + dimension * sizeof(std::uint64_t);
  return builder.CreateLoad(builder.getInt64Ty(),
                            builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state, place));
}

using entry_arguments = llvm::ArrayRef<llvm::Value*>;

/// The condition under which an entry runs a form. If it does not hold, the entry runs one of the later forms in the
/// list.
struct launch_condition {
  std::array<const char*, 2> names;  ///< the suffix of this form's name, and the suffix of the forms behind it
  /// Computes an i1 from the entry's arguments.
  llvm::Value* (*holds)(llvm::IRBuilderBase&, entry_arguments, const passes::launch_layout&, llvm::Function* asked);
};

/// True for launches whose rows consist of whole sub-groups.
llvm::Value* rows_are_whole(llvm::IRBuilderBase& builder, entry_arguments arguments,
                            const passes::launch_layout& layout, llvm::Function*) {
  llvm::Value* row = load_number(builder, arguments[1], offsetof(abi::nd_state, local_range));
  return builder.CreateIsNull(builder.CreateAnd(row, builder.getInt64(layout.row_multiple - 1)));
}

llvm::Value* block_at(llvm::IRBuilderBase& builder, llvm::Value* blocks, const passes::launch_layout& layout) {
  return layout.takes_all_blocks ? blocks : passes::load_argument_block(builder, blocks, layout.block);
}

/// True for launches whose range consists of rows, with a width that is a number in the argument block.
llvm::Value* rows_have_a_length(llvm::IRBuilderBase& builder, entry_arguments arguments,
                                const passes::launch_layout& layout, llvm::Function* length) {
  llvm::Value* block = block_at(builder, arguments[0], layout);
  llvm::Value* range = load_number(builder, arguments[1], offsetof(abi::nd_state, global_range));
  llvm::Value* offset = load_number(builder, arguments[1], offsetof(abi::nd_state, global_offset));
  return builder.CreateIsNotNull(builder.CreateCall(length, {block, range, offset}));
}

/// True for launches whose numbers stay within the bounds that the form for usual launches assumes.
llvm::Value* is_usual(llvm::IRBuilderBase& builder, entry_arguments arguments, const passes::launch_layout& layout,
                      llvm::Function* within_bounds) {
  llvm::SmallVector<llvm::Value*, 16> known{block_at(builder, arguments[0], layout)};
  for (std::size_t array : {offsetof(abi::nd_state, global_range), offsetof(abi::nd_state, global_offset),
                            offsetof(abi::nd_state, local_range)}) {
    for (unsigned d : {0u, 1u, 2u}) known.push_back(load_number(builder, arguments[1], array, d));
  }
  return builder.CreateCall(within_bounds, known);
}

constexpr launch_condition whole_rows{{"rows", "flat"}, rows_are_whole};
constexpr launch_condition known_length{{"rows", "flat"}, rows_have_a_length};
constexpr launch_condition usual_numbers{{"usual", "any"}, is_usual};

/// Joins two entries into one entry. The new entry runs `there` if the condition holds, and otherwise `elsewhere`.
llvm::Function* choose(const launch_condition& condition, llvm::Function* asked, const passes::launch_layout& layout,
                       llvm::Function& there, llvm::Function& elsewhere) {
  llvm::Module& module = *there.getParent();
  llvm::LLVMContext& context = module.getContext();
  auto* chooser = llvm::Function::Create(there.getFunctionType(), llvm::GlobalValue::InternalLinkage, "", module);
  chooser->setAttributes(there.getAttributes());
  // The forms compute the same conditions and addresses, which only the complete -O3 merges, so the attribute for a
  // shorter pipeline is removed.
  chooser->removeFnAttr(passes::vectors_attribute);
  chooser->takeName(&there);
  llvm::BasicBlock* blocks[3];
  for (llvm::BasicBlock*& block : blocks) block = llvm::BasicBlock::Create(context, "", chooser);
  llvm::IRBuilder<> builder(blocks[0]);
  llvm::SmallVector<llvm::Value*, 4> arguments;
  for (llvm::Argument& argument : chooser->args()) arguments.push_back(&argument);
  builder.CreateCondBr(condition.holds(builder, arguments, layout, asked), blocks[1], blocks[2]);
  for (unsigned i : {0u, 1u}) {
    llvm::Function& chosen = i == 0 ? there : elsewhere;
    chosen.setName(chooser->getName() + "." + condition.names[i]);
    // The forms are inlined into one function, because other code expects an entry to be a single function. NoAlias is
    // stated on the arguments of this function instead of the arguments of the forms.
    chosen.addFnAttr(llvm::Attribute::AlwaysInline);
    for (unsigned k : {0u, 1u}) chosen.removeParamAttr(k, llvm::Attribute::NoAlias);
    builder.SetInsertPoint(blocks[i + 1]);
    builder.CreateCall(&chosen, arguments);
    builder.CreateRetVoid();
  }
  return chooser;
}

/// A form of the kernel for launches of one kind.
struct launch_form {
  llvm::Function* work_item;
  passes::launch_layout layout;
  bool sub_groups = false;        ///< whether the form asks for sub-groups
  bool is_reported = true;        ///< whether the report describes the form, because most launches run it
  const char* note = nullptr;     ///< text for the report
  llvm::Function* entry = nullptr;
};

/// A choice between forms of a kernel's code. If the condition holds, the entry runs one of the forms from `first` to
/// `behind` - 1; otherwise it runs one of the forms from `behind` on.
struct launch_choice {
  std::size_t first, behind;
  const launch_condition* when;
  llvm::Function* asked = nullptr;
};

/// All forms, and the choices between them. If a choice is made among the alternatives of another choice, the inner
/// choice precedes the outer choice in the list.
struct launch_forms {
  std::vector<launch_form> list;
  std::vector<launch_choice> choices;
};

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

/// Adds forms of a kernel with groups. If rows of a group may not consist of whole sub-groups, one of the forms treats
/// each group as a single row.
void add_group_forms(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                     passes::launch_layout layout, launch_forms& forms) {
  const bool sub_groups = passes::needs_sub_groups(work_item);
  const passes::group_shape shape{layout.dimensions, layout.local_range};
  if (layout.shape == abi::kernel_shape::range && !request.runs_one_by_one() && may_run(optional_step::row_bounds))
    layout.row_bounds = passes::cut_rows(work_item, request.has_narrow_ids(), /*in_flat_range=*/false);
  if (!sub_groups || passes::sub_groups_are_in_rows(shape, layout.sub_group_size) ||
      abi::is_planted("sub_groups_in_rows")) {
    forms.list.push_back({&work_item, layout, sub_groups});
    return;
  }
  if (!request.full_debug) find_values(work_item, machine);
  if (layout.local_range[2] == 0 && !request.runs_one_by_one()) {
    llvm::ValueToValueMapTy map;
    if (layout.access_group) map.MD()[layout.access_group].reset(layout.access_group);
    llvm::Function* copy = llvm::CloneFunction(&work_item, map);
    passes::state_row_multiple(*copy, layout.sub_group_size);
    passes::launch_layout whole = layout;
    whole.row_multiple = layout.sub_group_size;
    forms.choices.push_back({forms.list.size(), forms.list.size() + 1, &whole_rows});
    forms.list.push_back({copy, whole, sub_groups, /*is_reported=*/false});
  }
  passes::flatten_groups(work_item, shape, request.has_narrow_ids());
  layout.flat = true;
  forms.list.push_back({&work_item, layout, sub_groups});
}

bool has_barriers(const llvm::Module& module) {
  const llvm::Function* barrier = module.getFunction("__sinter_barrier");
  return barrier && !barrier->use_empty();
}

/// Adds forms of a kernel without groups. If the kernel divides its id by a value that is known before the launch (for
/// example, by a captured width), adds a form that runs the work-items in rows of this length.
void add_range_forms(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                     const passes::launch_layout& layout, launch_forms& forms) {
  const bool grouped = layout.shape == abi::kernel_shape::nd_range;
  if (layout.dimensions != 1 || layout.shape == abi::kernel_shape::single_task || request.runs_one_by_one() ||
      !passes::divides(work_item) || has_barriers(*work_item.getParent()) || passes::needs_sub_groups(work_item) ||
      !may_run(optional_step::flat_rows)) {
    return add_group_forms(work_item, machine, request, layout, forms);
  }
  find_values(work_item, machine);
  const passes::flat_rows found = passes::find_flat_rows(
      work_item, {request.has_narrow_ids(), grouped, layout.local_range[2], layout.access_group});
  if (!found.function) return add_group_forms(work_item, machine, request, layout, forms);
  passes::launch_layout in_rows = layout;
  in_rows.row_length = found.length;
  in_rows.shape = abi::kernel_shape::range;
  in_rows.whole_groups = grouped;
  in_rows.local_range = {};
  if (may_run(optional_step::row_bounds))
    in_rows.row_bounds = passes::cut_rows(*found.function, request.has_narrow_ids(), /*in_flat_range=*/true);
  const std::size_t first = forms.list.size();
  forms.list.push_back({found.function, in_rows, /*sub_groups=*/false, /*is_reported=*/true,
                        "in rows of a flat range, as long as the kernel's arguments say"});
  add_group_forms(work_item, machine, request, layout, forms);
  for (launch_form& rarely : llvm::drop_begin(forms.list, first + 1)) rarely.is_reported = false;
  forms.choices.push_back({first, first + 1, &known_length, found.length});
}

/// Makes an entry for each form, and joins these entries into one entry.
llvm::Function* make_entries(launch_forms& forms, llvm::TargetMachine& machine, const pipeline_request& request,
                             code_needs& needs, passes::report_statements& report) {
  for (launch_form& form : forms.list) {
    passes::report_statements unused;
    form.entry = make_entry(*form.work_item, machine, request, form.layout, form.sub_groups, needs,
                            form.is_reported ? report : unused);
    if (form.note) report.push_back({"", form.note});
  }
  for (const launch_choice& each : forms.choices) {
    launch_form& first = forms.list[each.first];
    first.entry = choose(*each.when, each.asked, first.layout, *first.entry, *forms.list[each.behind].entry);
  }
  return forms.list.front().entry;
}

}  // namespace

llvm::Function* lower_kernel(llvm::Function& work_item, llvm::TargetMachine& machine, const pipeline_request& request,
                             const passes::launch_layout& layout, code_needs& needs,
                             passes::report_statements& report) {
  passes::usual_launches found;
  if (layout.shape != abi::kernel_shape::single_task && request.has_narrow_ids() && !request.runs_one_by_one() &&
      may_run(optional_step::usual_launches)) {
    find_values(work_item, machine);
    found = passes::find_usual_launches(work_item, layout.access_group);
  }
  const auto all_forms = [&] {
    launch_forms forms;
    add_range_forms(work_item, machine, request, layout, forms);
    return make_entries(forms, machine, request, needs, report);
  };
  if (!found.function) return all_forms();
  launch_forms usual, any;
  code_needs usual_needs = needs;
  passes::report_statements usual_report, unused;
  add_range_forms(*found.function, machine, request, layout, usual);
  llvm::Function* usually = make_entries(usual, machine, request, usual_needs, usual_report);
  if (!usual_needs.has_vectors) {
    // The form for usual launches is not faster, so it is removed.
    usually->eraseFromParent();
    found.condition->eraseFromParent();
    return all_forms();
  }
  report.insert(report.end(), usual_report.begin(), usual_report.end());
  report.push_back({"", "for launches in which no index wraps at 2^32 and linear ids have the range's width"});
  pipeline_request rarely = request;
  rarely.launches = found.nearly_all ? launch_share::hardly_any : launch_share::few;
  add_group_forms(work_item, machine, rarely, layout, any);
  llvm::Function* else_this = make_entries(any, machine, rarely, needs, unused);
  // If the work of the original kernel is bounded, so is the work of its copy.
  const unsigned lanes = std::max(needs.flags >> abi::code_lanes_shift, usual_needs.flags >> abi::code_lanes_shift);
  needs.flags |= usual_needs.flags & ~static_cast<std::uint32_t>(abi::code_is_bounded);
  needs.flags = (needs.flags & ((1u << abi::code_lanes_shift) - 1)) | lanes << abi::code_lanes_shift;
  needs.context_bytes = std::max(needs.context_bytes, usual_needs.context_bytes);
  needs.scratch_bytes = std::max(needs.scratch_bytes, usual_needs.scratch_bytes);
  return choose(usual_numbers, found.condition, layout, *usually, *else_this);
}

}  // namespace sinter::jit
