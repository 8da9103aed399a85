#include <abi/planted_error.hpp>

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/StraightLineStrengthReduce.h"
#include "passes/entry/work_item_loops.hpp"
#include "passes/kernel_memory.hpp"
#include "passes/machine/byte_dots.hpp"
#include "passes/machine/data_wide_masks.hpp"
#include "passes/machine/integer_divisions.hpp"
#include "passes/machine/known_masks.hpp"
#include "passes/machine/machine_facts.hpp"
#include "passes/machine/machine_calls.hpp"
#include "passes/machine/paired_gathers.hpp"
#include "passes/machine/tile_calls.hpp"
#include "passes/machine/value_paths.hpp"
#include "passes/optional_steps.hpp"
#include "passes/work_items/carried_values.hpp"
#include "passes/work_items/dead_local_stores.hpp"
#include "repeated_passes.hpp"
#include "steps.hpp"
#include "vector_passes.hpp"

namespace sinter::jit {
namespace {

using passes::may_run;
using passes::optional_step;

/// Whether inlining has left only one function, apart from functions that were cut from it.
bool is_alone(const llvm::Module& module) {
  return llvm::count_if(module, [](const llvm::Function& function) {
           return !function.isDeclaration() && !function.hasFnAttribute(llvm::Attribute::AlwaysInline) &&
                  !passes::is_piece(function);
         }) == 1;
}

bool has_rows_together(const llvm::Module& module) {
  return llvm::any_of(module, passes::has_rows_together);
}

/// Whether all code of the entry is vectors. The entry chooses between several versions of the kernel. These versions
/// are always inlined, so they are not looked at.
bool is_all_vectors(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    return passes::is_all_vectors(function) && !function.hasFnAttribute(llvm::Attribute::AlwaysInline);
  });
}

/// Runs LLVM's -O3 for the machine. For the debugger, only always-inline functions are inlined.
llvm::Error run_llvm(finishing_state& state) {
  const auto level = llvm::OptimizationLevel::O3;
  const bool optimises = !state.full_debug && may_run(optional_step::llvm);
  llvm::PassBuilder& builder = state.runner.builder;
  llvm::ModulePassManager pipeline;
  // Inlining comes before passes that look at a single function: these passes need the loop around the work-item
  // function, which shows that ids are narrow.
  pipeline.addPass(llvm::AlwaysInlinerPass());
  if (optimises && is_alone(state.module)) {
    // The interprocedural part of LLVM's default pipeline is left out, because it finds nothing in a module with one
    // function.
    pipeline.addPass(llvm::GlobalDCEPass());
    const bool in_rows = has_rows_together(state.module);
    if (in_rows || is_all_vectors(state.module)) {
      pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(passes_for_vectors(in_rows)));
      pipeline.addPass(llvm::GlobalDCEPass());
    } else {
      llvm::FunctionPassManager passes;
      passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
      passes.addPass(builder.buildFunctionSimplificationPipeline(level, llvm::ThinOrFullLTOPhase::None));
      pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
      pipeline.addPass(builder.buildModuleOptimizationPipeline(level, llvm::ThinOrFullLTOPhase::None));
    }
  } else if (optimises) {
    pipeline.addPass(builder.buildPerModuleDefaultPipeline(level));
  }
  state.runner.run(state.module, std::move(pipeline));
  return llvm::Error::success();
}

llvm::Error dot_bytes(finishing_state& state) {
  if (state.full_debug || !may_run(optional_step::byte_products)) return llvm::Error::success();
  for (llvm::Function& function : state.module) {
    if (!passes::dot_bytes(function, state.machine)) continue;
    state.runner.functions.invalidate(function, llvm::PreservedAnalyses::none());
    llvm::FunctionPassManager equal_words;
    equal_words.addPass(llvm::EarlyCSEPass());
    state.runner.run(function, std::move(equal_words));
  }
  return llvm::Error::success();
}

/// Pairs gathers on x86 only: other machines with gathers were not measured.
llvm::Error pair_gathers(finishing_state& state) {
  if (state.full_debug || !state.machine.getTargetTriple().isX86()) return llvm::Error::success();
  if (!may_run(optional_step::paired_gathers)) return llvm::Error::success();
  for (llvm::Function& function : state.module) {
    if (function.isDeclaration()) continue;
    passes::pair_gathers(function, state.machine.getTargetTransformInfo(function));
  }
  return llvm::Error::success();
}

/// Improves code in which one body runs several vectors or rows of work-items. LLVM's pipeline leaves such code
/// unfinished.
void improve_blocked(llvm::Function& entry, passes::pass_runner& runner, unsigned registers) {
  runner.functions.invalidate(entry, llvm::PreservedAnalyses::none());
  // Finds values that neighbours pass through local memory. GVN did not find all of these values, because GVN
  // looks at a limited number of instructions (bound_effort).
  llvm::FunctionPassManager values;
  values.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  runner.run(entry, std::move(values));
  passes::carry_values(entry, runner.functions, registers);
  passes::remove_dead_local_stores(entry);
  runner.functions.invalidate(entry, llvm::PreservedAnalyses::none());
  if (!passes::has_rows_together(entry)) return;
  // Makes each row's address the sum of the previous row's address and a distance. If each address were a product of
  // its own, the addresses would need more registers than the machine has.
  llvm::FunctionPassManager addresses, steps, clean_up;
  steps.addPass(llvm::StraightLineStrengthReducePass());
  clean_up.addPass(llvm::EarlyCSEPass());
  add_where_changed(addresses, std::move(steps), std::move(clean_up));
  runner.run(entry, std::move(addresses));
}

llvm::Error improve_all_blocked(finishing_state& state) {
  const unsigned registers = passes::machine_facts::of(state.machine).vector_registers;
  for (llvm::Function& function : state.module) {
    const bool blocked = !state.full_debug && function.hasFnAttribute(passes::blocked_attribute);
    if (blocked && may_run(optional_step::blocked_values)) improve_blocked(function, state.runner, registers);
  }
  return llvm::Error::success();
}

llvm::Error lower_machine_calls(finishing_state& state) {
  passes::lower_machine_calls(state.module);
  passes::lower_tile_calls(state.module);
  return llvm::Error::success();
}

llvm::Error make_divisions_safe(finishing_state& state) {
  if (!passes::divisions_trap(state.machine)) return llvm::Error::success();
  for (llvm::Function& function : state.module) {
    if (!function.isDeclaration()) passes::make_divisions_safe(function, state.runner);
  }
  return llvm::Error::success();
}

bool has_phis_of_masks(llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& each) {
    return llvm::isa<llvm::PHINode>(each) && each.getType()->isVectorTy() && each.getType()->isIntOrIntVectorTy(1);
  });
}

/// Runs only for machines without mask registers, and for code whose masks LLVM would not keep in mask registers.
llvm::Error keep_masks_wide(finishing_state& state) {
  const passes::machine_facts facts = passes::machine_facts::of(state.machine);
  if (state.full_debug || !may_run(optional_step::wide_masks)) return llvm::Error::success();
  for (llvm::Function& function : state.module) {
    // With the planted error, masks become wide on machines with registers for masks as well. On such machines, wide
    // masks lead to a defect of LLVM (docs/llvm_defects/masks_of_signs.ll).
    if (!facts.has_wide_masks && !(has_phis_of_masks(function) && abi::is_planted("masks_of_signs"))) continue;
    passes::keep_masks_wide(function, facts.vector_bits);
  }
  return llvm::Error::success();
}

llvm::Error settle_memory(finishing_state& state) {
  passes::settle_private_memory(state.module);
  return llvm::Error::success();
}

llvm::Error store_known_lanes(finishing_state& state) {
  constexpr unsigned neon_bits = 128;
  const bool has_longer_sve = passes::known_sve_bits() > neon_bits;
  for (llvm::Function& function : state.module) {
    passes::store_known_lanes(function);
    passes::align_lanes_of_pointers(function);
    if (has_longer_sve) passes::widen_before_conversions(function);
  }
  return llvm::Error::success();
}

constexpr finishing_step finishing_list[] = {
    {"llvm", "all is in one function, or LLVM chose otherwise; optimised as for -O3", run_llvm},
    {"byte-products", "no lane multiplies bytes of words one by one", dot_bytes},
    {"paired-gathers", "two neighbours that lie anywhere are one load", pair_gathers},
    {"blocked-values", "bodies of neighbours hand each other values in registers, and such stores are gone",
     improve_all_blocked},
    {"machine-calls", "what stands for instructions of the machine is these", lower_machine_calls},
    // This step comes late, because the analysis of a division's operands needs the division itself. Passes that
    // recognise the width of rows need the division, too.
    {"integer-divisions", "no integer division traps", make_divisions_safe},
    // This step comes late, because LLVM's own passes expect narrow masks.
    {"keep-masks-wide", "masks in phis are as wide as their data, where the machine wants it", keep_masks_wide},
    {"private-memory", "the entry's stack is small", settle_memory},
    // This step is the last, because earlier steps make masks constant.
    {"known-lanes", "no masked store has a mask of which few lanes are known to be on", store_known_lanes},
};

}  // namespace

finishing_state::finishing_state(llvm::Module& which, llvm::TargetMachine& target, bool debugged)
    : module(which), machine(target), full_debug(debugged), runner(&target, &callbacks) {
  passes::bound_propagation(callbacks);
  leave_out_repeated(callbacks);
}

llvm::ArrayRef<finishing_step> finishing_steps() { return finishing_list; }

}  // namespace sinter::jit
