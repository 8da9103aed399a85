#include <abi/float_atomics.hpp>
#include <abi/gpu_launch.hpp>

#include "device_state.hpp"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "passes/lanes/one_entry.hpp"
#include "steps.hpp"
#include "targets/address_inference.hpp"
#include "targets/gpu/accessor_places.hpp"
#include "targets/gpu/device_calls.hpp"
#include "targets/gpu/driver_symbols.hpp"
#include "targets/gpu/failures.hpp"
#include "targets/gpu/late_stores.hpp"
#include "targets/gpu/loop_unrolling.hpp"
#include "targets/gpu/meetings.hpp"
#include "targets/gpu/private_memory.hpp"
#include "targets/gpu/scalar_addresses.hpp"

namespace sinter::jit {
namespace {

using passes::optional_step;

/// Whether any function of the module asks for a work-item's place in its group, or has group barriers.
bool asks_for_groups(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& each) {
    const llvm::StringRef name = each.getName();
    return name.starts_with(abi::device_symbol_prefix) && !each.use_empty() &&
           (name.contains("local") || name.contains("group") || name.contains("barrier"));
  });
}

llvm::Error refuse_gpu_sizes(gpu_state& state) {
  state.sub_group_size = gpu::sub_group_size_of(state.dialect.sizes(), state.facts.row);
  state.block = groups_of(state.facts.row, state.request, gpu::block_of_range(state.facts.row.dimensions));
  const abi::image_kernel& row = state.facts.row;
  state.smaller_blocks = row.shape == abi::kernel_shape::range && row.dimensions == 1 &&
                         state.dialect.knows_block_size() && !asks_for_groups(state.module);
  return gpu::refuse_sizes(state.dialect.sizes(), row, state.block);
}

llvm::Error lower_gpu_matrices(gpu_state& state) {
  return state.dialect.lower_matrices(*state.kernel, state.sub_group_size, state.machine);
}

llvm::Error lower_gpu_textures(gpu_state& state) {
  state.dialect.lower_textures(state.module);
  return llvm::Error::success();
}

llvm::Error make_gpu_entry(gpu_state& state) {
  const gpu::kernel_entry made =
      gpu::make_entry(state.dialect, state.module, *state.kernel, state.facts, state.request, state.block,
                      state.smaller_blocks);
  state.kernel = nullptr;
  state.entry = made.function;
  state.where = made.where;
  return llvm::Error::success();
}

llvm::Error read_gpu_globals(gpu_state& state) {
  read_device_globals(*state.entry, *state.entry->getArg(1), gpu::global_space);
  return llvm::Error::success();
}

llvm::Error lower_gpu_calls(gpu_state& state) {
  gpu::lower_device_calls(state.dialect, state.module, state.where, state.sub_group_size, state.scratch_bytes);
  return llvm::Error::success();
}

llvm::Error link_gpu_failures(gpu_state& state) {
  gpu::link_failures(state.dialect, state.module);
  return llvm::Error::success();
}

llvm::Error link_gpu_meetings(gpu_state& state) {
  if (gpu::link_meetings(state.dialect, state.module)) state.flags |= abi::gpu_code_groups_meet;
  return llvm::Error::success();
}

llvm::Error lower_gpu_prints(gpu_state& state) { return state.dialect.lower_prints(state.module); }

llvm::Error link_gpu_math(gpu_state& state) { return state.dialect.link_math(state.module, state.machine); }

llvm::Error name_gpu_private_memory(gpu_state& state) {
  gpu::name_private_memory(state.module, state.machine);
  return llvm::Error::success();
}

llvm::Error fence_gpu_atomics(gpu_state& state) {
  state.dialect.fence_atomics(state.module);
  return verify_for_llvm(state.module);
}

llvm::Error simplify_gpu_code(gpu_state& state) {
  inference_guard guard;
  passes::pass_runner runner(&state.machine, &guard.callbacks);
  guard.stand_around(runner.functions);
  runner.know_no_library(state.module.getTargetTriple());
  llvm::ModulePassManager front;
  front.addPass(llvm::InternalizePass([&](const llvm::GlobalValue& value) {
    return &value == state.entry || value.isDeclaration() || gpu::is_for_driver(value.getName());
  }));
  if (!state.dialect.has_functions()) {
    inline_always(state.module, [&](const llvm::Function& each) { return &each != state.entry; });
    front.addPass(llvm::AlwaysInlinerPass());
  }
  front.addPass(llvm::GlobalDCEPass());
  front.addPass(
      runner.builder.buildModuleSimplificationPipeline(llvm::OptimizationLevel::O1, llvm::ThinOrFullLTOPhase::None));
  runner.run(state.module, std::move(front));
  return llvm::Error::success();
}

llvm::Error mark_gpu_pointers(gpu_state& state) {
  mark_global_pointers(*state.entry, *state.entry->getArg(0), gpu::global_space);
  return llvm::Error::success();
}

llvm::Error align_gpu_places(gpu_state& state) {
  if (state.reads_places) gpu::align_places(*state.entry, state.facts.leaves, state.groups);
  return llvm::Error::success();
}

llvm::Error mark_gpu_accessors(gpu_state& state) {
  if (state.request.gpu.disjoint != 0) {
    mark_disjoint_accessors(*state.entry, *state.entry->getArg(0), state.facts.leaves);
  }
  return llvm::Error::success();
}

llvm::Error mark_gpu_atomics(gpu_state& state) {
  if (abi::float_atomics_stay_on_device()) {
    for (llvm::Instruction& each : llvm::instructions(*state.entry)) {
      if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&each)) state.dialect.mark_own_memory(*atomic);
    }
    return llvm::Error::success();
  }
  for (llvm::AtomicRMWInst* each :
       atomics_of_accessors(*state.entry, *state.entry->getArg(0), state.facts.leaves)) {
    state.dialect.mark_own_memory(*each);
  }
  return llvm::Error::success();
}

llvm::Error place_gpu_matrices(gpu_state& state) {
  state.dialect.place_matrices(*state.entry);
  return llvm::Error::success();
}

llvm::Error simplify_exchanges(gpu_state& state) {
  if (!state.smaller_blocks) state.dialect.simplify_exchanges(*state.entry, state.block, state.machine);
  return llvm::Error::success();
}

llvm::Error unroll_gpu_loops(gpu_state& state) {
  gpu::unroll_loops(*state.entry);
  return llvm::Error::success();
}

llvm::Error place_gpu_constants(gpu_state& state) {
  passes::pass_runner runner(&state.machine);
  llvm::ModulePassManager constants;
  if (llvm::Error error = state.dialect.place_constants(runner.builder, constants)) return error;
  runner.run(state.module, std::move(constants));
  return llvm::Error::success();
}

/// Infers address spaces, because they tell LLVM about alignment and aliasing.
llvm::Error infer_gpu_spaces(gpu_state& state) {
  passes::pass_runner runner(&state.machine);
  llvm::ModulePassManager spaces;
  spaces.addPass(llvm::createModuleToFunctionPassAdaptor(infer_address_spaces(gpu::generic_space)));
  runner.run(state.module, std::move(spaces));
  return verify_for_llvm(state.module);
}

/// Optimises the code. Without optimisation, the target's own passes still have to choose the library code for this
/// GPU.
llvm::Error optimise_gpu_code(gpu_state& state) {
  const bool optimises = passes::may_run(optional_step::llvm);
  llvm::ModulePassManager whole;
  whole.addPass(state.runner.builder.buildPerModuleDefaultPipeline(optimises ? llvm::OptimizationLevel::O3
                                                                             : llvm::OptimizationLevel::O0));
  state.runner.run(state.module, std::move(whole));
  return llvm::Error::success();
}

llvm::Error dot_gpu_bytes(gpu_state& state) {
  state.dialect.dot_bytes(*state.entry, state.runner);
  return llvm::Error::success();
}

llvm::Error copy_gpu_asynchronously(gpu_state& state) {
  state.dialect.copy_asynchronously(*state.entry, state.facts.leaves, state.runner.functions, state.machine);
  return llvm::Error::success();
}

llvm::Error fold_gpu_places(gpu_state& state) {
  if (!state.reads_places) return llvm::Error::success();
  gpu::fold_places(*state.entry, state.facts.leaves, state.groups);
  state.runner.functions.invalidate(*state.entry, llvm::PreservedAnalyses::none());
  return llvm::Error::success();
}

llvm::Error delay_gpu_stores(gpu_state& state) {
  gpu::delay_stores(*state.entry, state.runner.functions.getResult<llvm::AAManager>(*state.entry));
  return llvm::Error::success();
}

llvm::Error give_gpu_loops_one_entry(gpu_state& state) {
  // AMD's code generation runs LLVM's own pass for loops with several entries, which loses values
  // (docs/llvm_defects.md).
  if (!state.dialect.has_scalar_unit()) return llvm::Error::success();
  for (llvm::Function& function : state.module) {
    llvm::FunctionPassManager manager;
    manager.addPass(passes::one_entry_loops());
    if (!function.isDeclaration()) state.runner.run(function, std::move(manager));
  }
  return llvm::Error::success();
}

llvm::Error add_gpu_scalars_first(gpu_state& state) {
  if (!state.dialect.has_scalar_unit()) return llvm::Error::success();
  gpu::add_scalar_parts_first(state.dialect, *state.entry,
                              state.runner.functions.getResult<llvm::DominatorTreeAnalysis>(*state.entry));
  state.runner.functions.invalidate(*state.entry, llvm::PreservedAnalyses::none());
  return llvm::Error::success();
}

llvm::Error widen_gpu_atomics(gpu_state& state) {
  for (llvm::Function& function : state.module) state.dialect.widen_atomics(function);
  return verify(state.module);
}

llvm::Error refuse_host_needs(gpu_state& state) {
  if (llvm::Error error = refuse_host_memory(state.module)) return error;
  if (llvm::Error error = refuse_jumps(state.module)) return error;
  return refuse_host_functions(state.module,
                               [&](const llvm::Function& each) { return state.dialect.is_of_driver(each); });
}

constexpr gpu_step gpu_list[] = {
    {"sizes", "groups and sub-groups are of sizes that the GPU has", refuse_gpu_sizes},
    {"matrices", "matrices of sub-groups are those of the GPU's units", lower_gpu_matrices},
    {"textures", "images are read and written by the GPU's texture units, or no call asks for them",
     lower_gpu_textures},
    {"entry", "the kernel takes its argument block and a geometry", make_gpu_entry},
    {"device-globals", "addresses of device globals are read from the geometry's table", read_gpu_globals},
    {"device-calls", "of the device ABI's functions those of mathematics are left", lower_gpu_calls},
    {"failures", "the code behind failures is there", link_gpu_failures},
    {"meetings", "the code behind barriers of all groups is there", link_gpu_meetings},
    {"prints", "printf is the driver's, or writes for the host", lower_gpu_prints},
    {"private-memory", "a work-item's variables are in their address space", name_gpu_private_memory},
    {"mathematics", "functions of mathematics have bodies", link_gpu_math},
    {"atomic-fences", "fences keep the order of atomic accesses; the module is valid", fence_gpu_atomics},
    {"simplify", "all is in the entry, and values are in registers", simplify_gpu_code},
    {"global-pointers", "pointers of the argument block lead to global memory", mark_gpu_pointers},
    {"accessor-places", "LLVM knows what divides places of local accessors", align_gpu_places},
    {"disjoint-accessors", "LLVM knows which accessors are apart", mark_gpu_accessors,
     optional_step::disjoint_accessors},
    {"buffer-atomics", "atomic operations say where memory is the GPU's own", mark_gpu_atomics},
    {"matrix-places", "loads and stores of matrices say which memory is meant, where it is known", place_gpu_matrices},
    {"warp-values", "values that all users in a warp have alike are not exchanged", simplify_exchanges,
     optional_step::warp_values},
    {"byte-products", "bytes of words are multiplied as words, where the GPU can: loops are short", dot_gpu_bytes,
     optional_step::byte_products},
    {"loop-unrolling", "innermost loops hide the latency of memory", unroll_gpu_loops, optional_step::loop_unrolling},
    {"global-constants", "constants are in global memory, each once", place_gpu_constants},
    {"address-spaces", "accesses name their memory, where it is known; the module is valid", infer_gpu_spaces},
    {"llvm", "optimised as for -O3", optimise_gpu_code},
    {"async-copies", "work-items wait for copies to local memory in front of barriers", copy_gpu_asynchronously,
     optional_step::async_copies},
    {"known-places", "places of local accessors that all launches have alike are numbers", fold_gpu_places},
    {"late-stores", "loads of other memory do not wait for stores", delay_gpu_stores, optional_step::late_stores},
    {"one-entry", "each loop has one entry, for AMD's code generation", give_gpu_loops_one_entry},
    {"scalar-addresses", "parts of addresses that a wave has alike are added first", add_gpu_scalars_first,
     optional_step::scalar_addresses},
    {"wide-atomics", "atomic accesses are so for all who reach the memory; the module is valid", widen_gpu_atomics},
    {"host-needs", "nothing is needed that the host alone has", refuse_host_needs},
};

}  // namespace

llvm::ArrayRef<gpu_step> gpu_steps() { return gpu_list; }

}  // namespace sinter::jit
