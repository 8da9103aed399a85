#include <abi/device_assembly.hpp>
#include <abi/gpu_launch.hpp>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "passes/device/access_checks.hpp"
#include "passes/device/device_inlining.hpp"
#include "passes/device/failing_work_items.hpp"
#include "passes/device/group_scratch.hpp"
#include "passes/device/group_variables.hpp"
#include "passes/device/kernel_selection.hpp"
#include "passes/device/known_arguments.hpp"
#include "passes/device/library_recursion.hpp"
#include "passes/device/matrices.hpp"
#include "passes/device/textures.hpp"
#include "passes/device/specialization_ids.hpp"
#include "passes/device/specialization_values.hpp"
#include "passes/device/turns.hpp"
#include "passes/fusion/element_visits.hpp"
#include "passes/optional_steps.hpp"
#include "passes/virtual_tables.hpp"
#include "steps.hpp"

namespace sinter::jit {
namespace {

llvm::Error refuse_diagnosed(front_state& state) {
  if (!state.device || (state.facts.row.flags & abi::kernel_not_portable) == 0) return llvm::Error::success();
  return llvm::createStringError("it was diagnosed when it was compiled: it can run on the host CPU only");
}

llvm::Error drop_unread_slots(front_state& state) {
  llvm::Function* kernel = state.module.getFunction(state.facts.symbol);
  if (state.device && kernel) passes::drop_unread_slots(*kernel);
  return llvm::Error::success();
}

llvm::Error select_kernel(front_state& state) {
  state.kernel = passes::select_kernel(state.module, state.facts.symbol);
  if (!state.kernel) return llvm::createStringError("the image has no function '" + state.facts.symbol + "'");
  return llvm::Error::success();
}

/// Refuses inline assembly that the device can't take. Launches seldom get here, because the runtime refuses kernels
/// with such assembly: the device lacks the aspect that they require.
llvm::Error refuse_foreign_assembly(front_state& state) {
  for (const llvm::Function& function : state.module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Attribute mark = call && call->isInlineAsm() ? call->getFnAttr(abi::assembly_attribute)
                                                               : llvm::Attribute();
      if (!mark.isValid() || mark.getValueAsString() == state.assembly) continue;
      return llvm::createStringError("it has inline assembly (" + mark.getValueAsString().str() +
                                     "), which this device does not take; launch it on a device that does, or give "
                                     "other devices code without");
    }
  }
  return llvm::Error::success();
}

llvm::Error count_turns(front_state& state) {
  if (!state.device || state.device->turns == 0) {
    passes::take_one_turn(state.module);
  } else if ((state.facts.row.flags & abi::kernel_takes_turns) == 0) {
    return llvm::createStringError("its work-items can't take several groups");
  }
  return llvm::Error::success();
}

/// For devices other than the CPU: removes the calls that mark elements of reductions. For the CPU, the step
/// visited-rows uses these calls.
llvm::Error forget_element_visits(front_state& state) {
  if (state.device) passes::erase_element_visits(state.module);
  return llvm::Error::success();
}

/// Turns clang's traps into failed assertions. clang makes traps for __builtin_trap and for functions that end without
/// their result (-O0). SPIR-V has no such instruction, and on CUDA a trap would end all work.
llvm::Error name_traps(front_state& state) {
  llvm::Function* trap = state.module.getFunction("llvm.trap");
  if (!state.device || !trap) return llvm::Error::success();
  llvm::IRBuilder<> builder(state.module.getContext());
  llvm::FunctionCallee named = state.module.getOrInsertFunction(
      "__sinter_trap", llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, /*isVarArg=*/false));
  for (llvm::User* user : llvm::make_early_inc_range(trap->users())) {
    auto* call = llvm::cast<llvm::CallInst>(user);
    builder.SetInsertPoint(call);
    builder.CreateCall(named, {builder.CreateGlobalString(
                                  "device code traps: __builtin_trap, or a function ends without its result")});
    call->eraseFromParent();
  }
  return llvm::Error::success();
}

llvm::Error unroll_recursion(front_state& state) {
  if (state.device) passes::unroll_recursion(state.module);
  return llvm::Error::success();
}

/// Lowers specialization constants. For devices other than the CPU, they become constants of the module, because such
/// devices can't reach the host's table.
llvm::Error lower_constants(front_state& state) {
  const abi::specialization_table none_set{};
  const abi::specialization_table* known = state.device && !state.constants ? &none_set : state.constants;
  const bool by_driver = state.device && state.device->specialization_ids != 0;
  if (by_driver) passes::name_specialization_constants(state.module, *known);
  passes::lower_specialization_constants(state.module, known);
  return llvm::Error::success();
}

/// For the CPU, removes textures. Other devices lower textures later, in their own lists of steps.
llvm::Error forget_textures(front_state& state) {
  if (!state.device) passes::forget_textures(state.module);
  return llvm::Error::success();
}

llvm::Error inline_device_calls(front_state& state) {
  return passes::inline_device_calls(*state.kernel, state.inlines_failures);
}

llvm::Error name_failing_work_items(front_state& state) {
  const abi::image_kernel& row = state.facts.row;
  passes::name_failing_work_items(state.module, {{state.kernel, row.shape, row.dimensions}});
  return llvm::Error::success();
}

/// Lowers matrices for the CPU. Other devices lower matrices later, because some have matrix instructions.
llvm::Error lower_matrices(front_state& state) {
  if (state.device) return llvm::Error::success();
  const abi::image_kernel& row = state.facts.row;
  const unsigned size = row.required_sub_group_size != 0 ? row.required_sub_group_size : state.sub_group_size;
  return passes::lower_matrices(*state.kernel, row.shape == abi::kernel_shape::nd_range ? size : 1, state.cpu,
                                state.checks_barriers);
}

/// This step runs while local accessors are still loads from the argument block.
llvm::Error check_accesses(front_state& state) {
  if (state.checks_accesses) passes::check_accesses(*state.kernel, state.facts.row, state.facts.leaves);
  return llvm::Error::success();
}

llvm::Error place_group_variables(front_state& state) {
  return passes::place_group_variables(*state.kernel).moveInto(state.variable_bytes);
}

llvm::Error fold_known_arguments(front_state& state) {
  if (state.fused) return llvm::Error::success();
  auto known = passes::known_arguments(state.facts.leaves, state.groups, state.constants);
  if (state.reads_places) passes::leave_places(known, state.facts.leaves);
  if (passes::may_run(passes::optional_step::known_arguments)) passes::fold_known_arguments(*state.kernel, known);
  return llvm::Error::success();
}

llvm::Error find_group_scratch(front_state& state) {
  return passes::scratch_bytes_per_item(*state.kernel).moveInto(state.scratch_bytes);
}

constexpr front_step front_list[] = {
    {"portable", "devices can run the kernel", refuse_diagnosed},
    {"unread-slots", "for devices, tables of virtual functions name none that nothing reads", drop_unread_slots},
    {"select-kernel", "the module has this kernel and what it reaches", select_kernel},
    {"assembly", "inline assembly is the device's own", refuse_foreign_assembly},
    {"turns", "groups take no turns where the launch has none", count_turns},
    {"traps", "for devices, a trap is a failure that the host hears of", name_traps},
    {"library-recursion", "for devices, functions of the library don't call themselves", unroll_recursion},
    {"specialization-constants", "no call asks for one", lower_constants},
    {"textures", "for the CPU, no call asks for texture units", forget_textures},
    {"inline-device-calls", "the kernel alone asks for its work-item", inline_device_calls},
    {"failing-work-items", "failed assertions name their work-item", name_failing_work_items},
    {"element-visits", "for devices, no element visit is marked", forget_element_visits},
    {"matrices", "for the CPU, no call asks for a matrix of a sub-group", lower_matrices},
    {"check-accesses", "each access is reported, where that was asked for", check_accesses},
    {"group-variables", "no call asks for a variable of the group", place_group_variables},
    {"known-arguments", "what all launches have alike is constant", fold_known_arguments},
    {"group-scratch", "it is known how much the group's functions need", find_group_scratch},
};

}  // namespace

llvm::ArrayRef<front_step> front_steps() { return front_list; }

}  // namespace sinter::jit
