#include <cctype>

#include "launch_forms.hpp"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "passes/device/device_math.hpp"
#include "passes/device/dynamic_arrays.hpp"
#include "passes/device/float_cube_roots.hpp"
#include "passes/device/float_gammas.hpp"
#include "passes/device/float_exponentials.hpp"
#include "passes/device/followed_prefetches.hpp"
#include "passes/device/float_logarithms.hpp"
#include "passes/device/remainders.hpp"
#include "passes/device/sub_groups.hpp"
#include "passes/device/work_item_function.hpp"
#include "passes/entry/host_links.hpp"
#include "passes/entry/work_item_loops.hpp"
#include "passes/fusion/element_visits.hpp"
#include "passes/kernel_parts.hpp"
#include "passes/launches/visited_rows.hpp"
#include "passes/machine/added_products.hpp"
#include "passes/machine/machine_calls.hpp"
#include "passes/machine/root_estimates.hpp"
#include "passes/optional_steps.hpp"
#include "passes/value_passes.hpp"
#include "pipeline.hpp"
#include "steps.hpp"
#include "targets/cpu_target.hpp"

namespace sinter::jit {
namespace {

using passes::may_run;
using passes::optional_step;

unsigned sub_group_size_of(const pipeline_request& request) {
  const unsigned required = request.kernel.row.required_sub_group_size;
  return required != 0 ? required : request.options.sub_group_size;
}

llvm::Error settle_added_products(kernel_state& state) {
  passes::settle_added_products(state.module, state.machine);
  return llvm::Error::success();
}

llvm::Error expand_float_logarithms(kernel_state& state) {
  passes::for_each_part(*state.kernel, [&](llvm::Function& each) {
    passes::expand_float_logarithms(each, state.machine);
  });
  return llvm::Error::success();
}

llvm::Error expand_float_exponentials(kernel_state& state) {
  passes::for_each_part(*state.kernel, [&](llvm::Function& each) {
    passes::expand_float_exponentials(each, state.machine);
  });
  return llvm::Error::success();
}

llvm::Error expand_float_cube_roots(kernel_state& state) {
  passes::for_each_part(*state.kernel, [](llvm::Function& each) { passes::expand_float_cube_roots(each); });
  return llvm::Error::success();
}

llvm::Error expand_float_gammas(kernel_state& state) {
  passes::for_each_part(*state.kernel, [](llvm::Function& each) { passes::expand_float_gammas(each); });
  return llvm::Error::success();
}

llvm::Error expand_remainders(kernel_state& state) {
  passes::for_each_part(*state.kernel, [&](llvm::Function& each) { passes::expand_remainders(each, state.machine); });
  return llvm::Error::success();
}

llvm::Error estimate_roots(kernel_state& state) {
  if (passes::has_machine_functions(state.machine) && may_run(optional_step::root_estimates)) {
    passes::for_each_part(*state.kernel, [](llvm::Function& each) { passes::estimate_reciprocal_roots(each); });
  }
  return llvm::Error::success();
}

llvm::Error make_work_item_function(kernel_state& state) {
  const passes::work_item_function made = passes::make_work_item_function(*state.kernel, state.request.fused ? 2 : 1);
  state.kernel->eraseFromParent();
  state.kernel = nullptr;
  state.work_item = made.function;
  if (state.request.kernel.row.shape != abi::kernel_shape::nd_range) passes::make_groups_of_one(*made.function);
  state.access_group = made.access_group;
  return llvm::Error::success();
}

llvm::Error drop_followed_prefetches(kernel_state& state) {
  if (state.module.getFunction("llvm.prefetch.p0") && may_run(optional_step::followed_prefetches)) {
    passes::drop_followed_prefetches(*state.work_item);
  }
  return llvm::Error::success();
}

/// Runs find_values if the code visits elements in loops over the dimensions of a range.
void find_visits(llvm::Function& work_item, llvm::TargetMachine& machine) {
  passes::pass_runner runner(&machine);
  llvm::FunctionPassManager values;
  passes::add_value_passes(values);
  values.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(3)));
  values.addPass(llvm::SimplifyCFGPass());
  values.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  values.addPass(llvm::EarlyCSEPass());
  runner.run(work_item, std::move(values));
  passes::mark_argument_loads(work_item);
}

llvm::Error visit_rows(kernel_state& state) {
  llvm::Function& work_item = *state.work_item;
  if (passes::visits_elements(work_item) && passes::may_have_visit_forms(work_item) &&
      !state.request.runs_one_by_one() && may_run(optional_step::visited_rows)) {
    find_visits(work_item, state.machine);
    passes::visit_rows(work_item);
  }
  passes::erase_element_visits(state.module);
  return llvm::Error::success();
}

llvm::Error check_dynamic_arrays(kernel_state& state) {
  if (llvm::Error error = passes::check_dynamic_arrays(*state.work_item)) return error;
  const kernel_facts& facts = state.request.kernel;
  const std::string name = "kernel '" + facts.display_name + "' (" + facts.source_position + ")";
  // The kernel may call functions that do not query their work-item. Limits the arrays of these functions, too.
  for (llvm::Function& function : state.module) {
    if (passes::bound_dynamic_arrays(function, name)) state.needs.flags |= abi::code_needs_stack;
  }
  return llvm::Error::success();
}

/// The kernel's function object is aligned at least as much as each of its members.
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

/// Removes functions that nothing calls: versions of the work-item function from which other versions were made.
void erase_unused(llvm::Module& module, const llvm::Function* entry) {
  for (bool found = true; found;) {
    found = false;
    for (llvm::Function& function : llvm::make_early_inc_range(module)) {
      if (&function == entry || !function.hasLocalLinkage() || !function.use_empty()) continue;
      function.eraseFromParent();
      found = true;
    }
  }
}

llvm::Error make_forms(kernel_state& state) {
  const pipeline_request& request = state.request;
  const abi::image_kernel& row = request.kernel.row;
  state.needs.scratch_bytes = state.scratch_bytes;
  passes::launch_layout layout{.shape = row.shape,
                               .dimensions = row.dimensions,
                               .narrow_ids = request.has_narrow_ids(),
                               .takes_all_blocks = request.fused,
                               .sub_group_size = sub_group_size_of(request)};
  if (!request.full_debug && may_run(optional_step::parallel_loops)) layout.access_group = state.access_group;
  if (!request.fused) {
    layout.block = block_of(request.kernel);
    passes::state_argument_block(*state.work_item, layout.block);
  }
  // The size that a kernel requires is not used as the local range in two cases: for a fusion, which may join kernels
  // of several sizes, and for a kernel that chooses its own groups.
  const bool own_groups = (row.flags & abi::kernel_own_groups) != 0;
  layout.local_range = request.groups.range;
  if (!own_groups && layout.local_range[2] == 0) llvm::copy(row.required_work_group_size, layout.local_range.begin());
  state.entry = lower_kernel(*state.work_item, state.machine, request, layout, state.needs, state.report);
  state.work_item = nullptr;
  erase_unused(state.module, state.entry);
  return llvm::Error::success();
}

llvm::Error lower_math(kernel_state& state) {
  passes::lower_math_to_libm(state.module);
  return llvm::Error::success();
}

/// Adds @sinter_kernel_info, which has the fields of abi::kernel_info in the same order.
void add_kernel_info(llvm::Module& module, llvm::Function* entry, const code_needs& needs,
                     std::uint64_t variable_bytes, const passes::host_links& links) {
  llvm::LLVMContext& context = module.getContext();
  auto* int32 = llvm::Type::getInt32Ty(context);
  auto* int64 = llvm::Type::getInt64Ty(context);
  llvm::Constant* null = llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context));
  llvm::Constant* value = llvm::ConstantStruct::getAnon(
      {llvm::ConstantInt::get(int32, abi::contract_version), llvm::ConstantInt::get(int32, needs.flags), entry,
       llvm::ConstantInt::get(int64, needs.context_bytes), llvm::ConstantInt::get(int64, needs.scratch_bytes),
       llvm::ConstantInt::get(int64, variable_bytes),
       llvm::ConstantInt::get(int64, 0),  // set after the last optimisation, when the number is known
       links.imports ? static_cast<llvm::Constant*>(links.imports) : null,
       links.runtime ? static_cast<llvm::Constant*>(links.runtime) : null});
  auto* info = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                        llvm::GlobalValue::ExternalLinkage, value, abi::kernel_info_symbol);
  info->setAlignment(llvm::Align(8));
}

llvm::Error link_to_host(kernel_state& state) {
  const passes::host_links links = passes::link_to_host(state.module, state.request.imports);
  // There is no entry if steps are run one by one (opt).
  if (state.entry) add_kernel_info(state.module, state.entry, state.needs, state.variable_bytes, links);
  return llvm::Error::success();
}

llvm::Error name_target(kernel_state& state) {
  set_target_attributes(state.module);
  return verify_for_llvm(state.module);
}

constexpr lowering_step lowering_list[] = {
    // This step is the first, because every later step may let LLVM fold constants.
    {"added-products", "it is settled how often a * b + c is rounded", settle_added_products},
    {"float-logarithms", "logarithms of floats are in line", expand_float_logarithms},
    {"float-exponentials", "exp of floats is in line", expand_float_exponentials},
    {"float-cube-roots", "cbrt of floats is in line", expand_float_cube_roots},
    {"float-gammas", "tgamma and lgamma of floats are in line", expand_float_gammas},
    {"remainders", "fmod is in line, but for numbers without bounds", expand_remainders},
    {"root-estimates", "rsqrt is the machine's estimate and a step, where it has one", estimate_roots},
    {"work-item-function", "ids are parameters; no query and no fence is left", make_work_item_function},
    {"followed-prefetches", "memory that the CPU's own prefetchers follow is not asked for", drop_followed_prefetches},
    {"visited-rows", "no element visit is marked any more", visit_rows},
    {"dynamic-arrays", "none of them lives across a barrier", check_dynamic_arrays},
    {"forms", "there is an entry, and no barrier", make_forms},
    {"device-math", "all that is called outside is libm's", lower_math},
    {"host-links", "what refers to this process goes through tables", link_to_host},
    {"target", "functions name the CPU; the module is valid", name_target},
};

}  // namespace

std::string entry_name(const kernel_facts& kernel) {
  std::string name = "sinter:";
  for (char c : kernel.display_name)
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ? c : '_';
  return name;
}

llvm::ArrayRef<lowering_step> lowering_steps() { return lowering_list; }

}  // namespace sinter::jit
