/// sinter-passes.so: the JIT's passes by name, for opt. lower_for_cpu (pipeline/pipeline.cpp) passes state from step to
/// step in memory. Here the state is in the module, so that passes can be chained and each can be tested from a text
/// file:
///
///   "sinter-kernel"="nd_range<2>"     attribute of the kernel; also range<D>, single_task
///   "sinter-work-group-size"="16"     attribute of a one-dimensional kernel that requires this size
///   "sinter-local-accessors"="8:16"   attribute of the kernel: its local accessors, OFFSET:SIZE,... in bytes
///   "sinter-work-item"                attribute of the result of sinter-work-item-function, and of its regions
///   "sinter-region"="1"               attribute of a region, with "sinter-context-bytes" of the whole kernel
///   "sinter-bounded"                  attribute of a work-item function: sinter-bounded-work proved its work bounded
///   "sinter-lanes"="8 lanes: ..."     attribute of a function that sinter-vectorize looked at: its report
///   !sinter.access_group              accesses for which the loops of sinter-cpu-entry may be declared parallel
///   !sinter.constants = !{!0, ...}    known values of specialization constants: !0 = !{i64 KEY, !"bytes"}
///   !sinter.groups = !{!0}            properties of all launches: !0 = !{!"local range", !"local accessors"}
///   !sinter.imports = !{!0}           names of the import table: !0 = !{!"first", !"second"}
///
/// Some passes take parameters, and sinter-lower-cpu takes all of these: <wide>, <check-barriers>, <fused>, <lanes=N>
/// (0: as many as fit; 1, the default: no vectors), <sub-group=N> (the size; for sinter-vectorize, the lanes are one
/// sub-group), <block=N> (vectors in one body; 0: as many as are useful; 1 is the default). Several parameters are
/// written <wide;fused>.
///
/// The fusion passes act on the one function with !sycl.kernel.fused (passes/fusion/fusion_metadata.hpp).
/// sinter-internalize writes what it refuses to this function's attribute "sinter-not-internalized".

#include <abi/read_variable.hpp>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR < 22
#include "llvm/Passes/PassPlugin.h"
#else
#include "llvm/Plugins/PassPlugin.h"
#endif
#include "llvm/Support/ErrorHandling.h"
#include "passes/blocking/register_blocking.hpp"
#include "passes/blocking/streaming_stores.hpp"
#include "passes/device/access_checks.hpp"
#include "passes/device/device_inlining.hpp"
#include "passes/device/dynamic_arrays.hpp"
#include "passes/device/float_logarithms.hpp"
#include "passes/device/kernel_selection.hpp"
#include "passes/device/known_arguments.hpp"
#include "passes/device/library_recursion.hpp"
#include "passes/device/specialization_ids.hpp"
#include "passes/device/specialization_values.hpp"
#include "passes/device/sub_groups.hpp"
#include "passes/device/work_item_function.hpp"
#include "passes/entry/host_links.hpp"
#include "passes/entry/vectorizer.hpp"
#include "passes/entry/work_item_loops.hpp"
#include "passes/fusion/disjoint_memory.hpp"
#include "passes/fusion/fused_arguments.hpp"
#include "passes/fusion/internalizer.hpp"
#include "passes/fusion/kernel_fusion.hpp"
#include "passes/kernel_memory.hpp"
#include "passes/lanes/endless_loops.hpp"
#include "passes/lanes/one_entry.hpp"
#include "passes/lanes/upward_steps.hpp"
#include "passes/machine/data_wide_masks.hpp"
#include "passes/machine/guarded_stores.hpp"
#include "passes/machine/machine_calls.hpp"
#include "passes/machine/root_estimates.hpp"
#include "passes/optional_steps.hpp"
#include "passes/work_items/barrier_regions.hpp"
#include "passes/work_items/bounded_work.hpp"
#include "passes/work_items/carried_values.hpp"
#include "passes/work_items/dead_local_stores.hpp"
#include "passes/work_items/flat_groups.hpp"
#include "passes/work_items/local_atomics.hpp"
#include "passes/virtual_tables.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/steps.hpp"
#include "print_lanes.hpp"
#include "targets/address_inference.hpp"
#include "targets/cpu_target.hpp"

namespace sinter::jit {
namespace {

constexpr const char* kernel_attribute = "sinter-kernel";
constexpr const char* size_attribute = "sinter-work-group-size";
constexpr const char* accessors_attribute = "sinter-local-accessors";
constexpr const char* work_item_attribute = "sinter-work-item";
constexpr const char* region_attribute = "sinter-region";
constexpr const char* context_attribute = "sinter-context-bytes";
constexpr const char* bounded_attribute = "sinter-bounded";
constexpr const char* lanes_attribute = "sinter-lanes";
constexpr const char* access_group_metadata = "sinter.access_group";
constexpr const char* imports_metadata = "sinter.imports";
constexpr const char* constants_metadata = "sinter.constants";
constexpr const char* groups_metadata = "sinter.groups";

struct parameters {
  bool wide = false, check_barriers = false, check_accesses = false, fused = false;
  unsigned lanes = 1, sub_group = 0, block = 1;
  std::array<std::uint64_t, 3> local{};  ///< the local range; all 0: not known
};

[[noreturn]] void fail(const llvm::Twine& message) { llvm::report_fatal_error(message, /*gen_crash_diag=*/false); }

std::unique_ptr<llvm::TargetMachine> machine_or_fail(bool optimise) {
  auto machine = make_target_machine(optimise);
  if (!machine) fail(llvm::Twine(llvm::toString(machine.takeError())));
  return std::move(*machine);
}

/// The functions in the order of the module, which is also the order of regions.
std::vector<llvm::Function*> functions_with(llvm::Module& module, llvm::StringRef attribute) {
  std::vector<llvm::Function*> result;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && function.hasFnAttribute(attribute)) result.push_back(&function);
  }
  return result;
}

llvm::Function& only_function_with(llvm::Module& module, llvm::StringRef attribute) {
  const auto functions = functions_with(module, attribute);
  if (functions.size() != 1) {
    fail("expected one function with attribute \"" + attribute + "\", found " + llvm::Twine(functions.size()));
  }
  return *functions[0];
}

struct kernel_kind {
  abi::kernel_shape shape;
  unsigned dimensions;
};

kernel_kind read_kind(const llvm::Function& function) {
  llvm::StringRef text = function.getFnAttribute(kernel_attribute).getValueAsString();
  if (text == "single_task") return {abi::kernel_shape::single_task, 1};
  const bool is_range = text.consume_front("range<");
  if ((is_range || text.consume_front("nd_range<")) && text.size() == 2 && text[0] >= '1' && text[0] <= '3' &&
      text[1] == '>') {
    return {is_range ? abi::kernel_shape::range : abi::kernel_shape::nd_range, static_cast<unsigned>(text[0] - '0')};
  }
  fail("function '" + function.getName() +
       "': \"sinter-kernel\" has to be single_task, range<1..3> or nd_range<1..3>, not '" +
       function.getFnAttribute(kernel_attribute).getValueAsString() + "'");
}

std::vector<std::string> read_import_names(llvm::Module& module) {
  std::vector<std::string> names;
  const llvm::NamedMDNode* list = module.getNamedMetadata(imports_metadata);
  if (!list || list->getNumOperands() == 0) return names;
  for (const llvm::MDOperand& name : list->getOperand(0)->operands()) {
    const auto* text = llvm::dyn_cast_or_null<llvm::MDString>(name.get());
    if (!text) fail("!sinter.imports has to name one node of strings");
    names.push_back(text->getString().str());
  }
  return names;
}

/// Values of specialization constants in the module's metadata.
class specialization_metadata {
public:
  explicit specialization_metadata(llvm::Module& module) {
    const llvm::NamedMDNode* list = module.getNamedMetadata(constants_metadata);
    if (!list) return;
    for (const llvm::MDNode* row : list->operands()) {
      const auto* key = row->getNumOperands() == 2
                            ? llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(row->getOperand(0))
                            : nullptr;
      const auto* bytes = key ? llvm::dyn_cast_or_null<llvm::MDString>(row->getOperand(1).get()) : nullptr;
      if (!bytes) fail("!sinter.constants has to name nodes of a 64-bit key and a string");
      m_entries.push_back({key->getZExtValue(), bytes->getString().data(), bytes->getString().size()});
    }
    m_table = {static_cast<std::uint32_t>(m_entries.size()), m_entries.data()};
    m_known = true;
  }
  specialization_metadata(const specialization_metadata&) = delete;
  /// The table of the values, or null if no values are known.
  const abi::specialization_table* table() const { return m_known ? &m_table : nullptr; }

private:
  bool m_known = false;
  std::vector<abi::specialization_table::entry> m_entries;
  abi::specialization_table m_table{};
};

/// Reads properties that the work-groups of all launches share from the module's metadata. The result has pointers to
/// data of the module.
abi::known_groups read_groups(llvm::Module& module) {
  abi::known_groups groups{};
  const llvm::NamedMDNode* list = module.getNamedMetadata(groups_metadata);
  if (!list || list->getNumOperands() != 1) return groups;
  const llvm::MDNode& row = *list->getOperand(0);
  const auto* range =
      row.getNumOperands() == 2 ? llvm::dyn_cast_or_null<llvm::MDString>(row.getOperand(0).get()) : nullptr;
  const auto* accessors = range ? llvm::dyn_cast_or_null<llvm::MDString>(row.getOperand(1).get()) : nullptr;
  if (!accessors || (!range->getString().empty() && range->getString().size() != sizeof(groups.range))) {
    fail("!sinter.groups has to name one node: the bytes of a local range and of local accessors");
  }
  std::memcpy(groups.range.data(), range->getString().data(), range->getString().size());
  groups.local_accessors = accessors->getString().data();
  groups.local_accessor_bytes = accessors->getString().size();
  return groups;
}

// ------------------------------------------------------------------------------------------------- one step each

std::vector<abi::image_leaf> local_accessors(const llvm::Function& kernel) {
  std::vector<abi::image_leaf> leaves;
  llvm::SmallVector<llvm::StringRef, 4> places;
  kernel.getFnAttribute(accessors_attribute).getValueAsString().split(places, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef place : places) {
    const auto [offset, size] = place.split(':');
    abi::image_leaf leaf{};
    leaf.kind = abi::leaf_kind::local_accessor;
    if (offset.getAsInteger(10, leaf.offset) || size.getAsInteger(10, leaf.size)) {
      fail("attribute \"sinter-local-accessors\" has to be \"OFFSET:SIZE,...\"");
    }
    leaves.push_back(leaf);
  }
  return leaves;
}

void name_constants(llvm::Module& module, parameters) {
  const specialization_metadata constants(module);
  if (constants.table()) passes::name_specialization_constants(module, *constants.table());
}

void join_ids(llvm::Module& module, parameters) {
  llvm::Function& kernel = only_function_with(module, kernel_attribute);
  if (llvm::Error error = passes::join_specialization_ids(kernel)) fail(llvm::toString(std::move(error)));
}

/// Runs the pass for a machine with four registers.
void carry_values(llvm::Module& module, parameters) {
  passes::pass_runner runner;
  for (llvm::Function* entry : functions_with(module, passes::blocked_attribute)) {
    runner.run(*entry, llvm::FunctionPassManager());
    passes::carry_values(*entry, runner.functions, /*registers=*/4);
  }
}

void remove_dead_local_stores(llvm::Module& module, parameters) {
  for (llvm::Function* entry : functions_with(module, passes::blocked_attribute))
    passes::remove_dead_local_stores(*entry);
}

/// Runs the pass with a block of 64 bytes. "sinter-local-accessors" names the arguments that are known.
void check_accesses(llvm::Module& module, parameters) {
  llvm::Function& kernel = only_function_with(module, kernel_attribute);
  const kernel_kind kind = read_kind(kernel);
  abi::image_kernel row{};
  row.shape = kind.shape;
  row.dimensions = kind.dimensions;
  row.block_size = 64;
  passes::check_accesses(kernel, row, local_accessors(kernel));
}

/// Runs the pass even if this machine has no instruction for estimates.
void estimate_roots(llvm::Module& module, parameters) {
  for (llvm::Function& function : module) passes::estimate_reciprocal_roots(function);
}

void flatten_groups(llvm::Module& module, parameters chosen) {
  for (llvm::Function* function : functions_with(module, work_item_attribute)) {
    passes::flatten_groups(*function, {read_kind(*function).dimensions, chosen.local}, !chosen.wide);
    if (chosen.local[2] != 0)
      passes::state_local_range(*function, {1, 1, chosen.local[0] * chosen.local[1] * chosen.local[2]});
  }
}

void find_bounded_work(llvm::Module& module, parameters) {
  for (llvm::Function* function : functions_with(module, work_item_attribute)) {
    if (passes::is_bounded(*function)) function->addFnAttr(bounded_attribute);
  }
}

void leave_out_endless_loops(llvm::Module& module, parameters) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    llvm::DominatorTree tree(function);
    passes::leave_out_endless_loops(function, llvm::LoopInfo(tree));
  }
}

void give_loops_one_entry(llvm::Module& module, parameters) {
  passes::pass_runner runner;
  for (llvm::Function& function : module) {
    llvm::FunctionPassManager manager;
    manager.addPass(passes::one_entry_loops());
    if (!function.isDeclaration()) runner.run(function, std::move(manager));
  }
}

void state_upward_steps(llvm::Module& module, parameters) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    llvm::DominatorTree tree(function);
    passes::state_upward_steps(llvm::LoopInfo(tree));
  }
}

/// Runs the pass on the function with the name "kernel".
void drop_slots(llvm::Module& module, parameters) {
  llvm::Function* kernel = module.getFunction("kernel");
  if (!kernel) fail("no function named kernel");
  passes::drop_unread_slots(*kernel);
}

void exchange_through_memory(llvm::Module& module, parameters chosen) {
  passes::exchange_through_memory(only_function_with(module, work_item_attribute),
                                  chosen.sub_group != 0 ? chosen.sub_group : 8);
}

void split_at_barriers(llvm::Module& module, parameters chosen) {
  llvm::Function& work_item = only_function_with(module, work_item_attribute);
  const auto machine = machine_or_fail(/*optimise=*/false);
  const passes::barrier_regions split = chosen.lanes != 1
                                            ? passes::split_for_lanes(work_item, *machine, !chosen.wide)
                                            : passes::split_at_barriers(work_item);
  if (split.regions.empty()) return;
  for (std::size_t i = 0; i < split.regions.size(); ++i) {
    split.regions[i]->addFnAttr(region_attribute, std::to_string(i));
    split.regions[i]->addFnAttr(context_attribute, std::to_string(split.context_bytes_per_item));
  }
  work_item.eraseFromParent();
}

void build_cpu_entry(llvm::Module& module, parameters chosen) {
  const std::vector<llvm::Function*> functions = functions_with(module, work_item_attribute);
  if (functions.empty()) fail("no function with attribute \"sinter-work-item\": run sinter-work-item-function before");
  const kernel_kind kind = read_kind(*functions[0]);
  const llvm::NamedMDNode* group = module.getNamedMetadata(access_group_metadata);
  const passes::launch_layout layout{.shape = kind.shape,
                                     .dimensions = kind.dimensions,
                                     .narrow_ids = !chosen.wide,
                                     .takes_all_blocks = chosen.fused,
                                     .access_group = group ? group->getOperand(0) : nullptr};
  passes::entry_body body{.regions = functions};
  if (functions.size() == 1) functions[0]->addFnAttr(llvm::Attribute::AlwaysInline);
  if (chosen.check_barriers && functions.size() > 1) {
    auto report = module.getOrInsertFunction("sinter.divergent_barrier", llvm::Type::getVoidTy(module.getContext()));
    body.report_divergence = llvm::cast<llvm::Function>(report.getCallee());
  }
  llvm::Function* entry = passes::build_cpu_entry(module, "entry", layout, body);
  // The entry is made external, so that LLVM's own passes, which tests may run next, do not remove it as unused.
  entry->setLinkage(llvm::GlobalValue::ExternalLinkage);
}

void widen(llvm::Module& module, parameters chosen) {
  const auto machine = machine_or_fail(/*optimise=*/false);
  for (llvm::Function* function : functions_with(module, work_item_attribute)) {
    const bool nd_range = read_kind(*function).shape == abi::kernel_shape::nd_range;
    function->removeFnAttr(work_item_attribute);
    const passes::lane_form form = passes::vectorize(
        *function, *machine,
        {nd_range, !chosen.wide, chosen.sub_group != 0 ? chosen.sub_group : chosen.lanes, chosen.sub_group != 0});
    if (form.has_wrong_plan) fail(form.report);
    function->addFnAttr(lanes_attribute, form.report);
    // No code refers to these functions, so they must be external.
    for (llvm::Function* made : {form.wide, form.tail}) {
      if (made) made->setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
  }
}

void print_analyses(llvm::Module& module, parameters chosen) {
  const auto machine = machine_or_fail(/*optimise=*/false);
  for (llvm::Function* function : functions_with(module, work_item_attribute)) {
    const bool nd_range = read_kind(*function).shape == abi::kernel_shape::nd_range;
    print_lanes(*function, *machine, chosen.lanes, nd_range, llvm::outs());
  }
}

/// The functions that sinter-vectorize has made.
std::vector<llvm::Function*> wide_functions(llvm::Module& module) {
  std::vector<llvm::Function*> result;
  for (llvm::Function* function : functions_with(module, kernel_attribute)) {
    if (function->getName().ends_with(".wide")) result.push_back(function);
  }
  return result;
}

void block_registers(llvm::Module& module, parameters chosen) {
  const auto machine = machine_or_fail(/*optimise=*/false);
  for (llvm::Function* wide : wide_functions(module)) {
    const kernel_kind kind = read_kind(*wide);
    const bool has_rows = kind.shape == abi::kernel_shape::nd_range && kind.dimensions > 1;
    const passes::blocking_request wanted{has_rows ? passes::neighbours::rows : passes::neighbours::vectors,
                                          chosen.lanes, chosen.block};
    llvm::Function* made = passes::block_registers(*wide, *machine, wanted).function;
    if (made) made->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
}

void make_streaming(llvm::Module& module, parameters chosen) {
  for (llvm::Function* wide : wide_functions(module)) {
    llvm::Function* made = passes::make_streaming(*wide, chosen.lanes).function;
    if (made) made->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
}

void lower_local_atomics(llvm::Module& module, parameters) {
  for (llvm::Function* function : functions_with(module, work_item_attribute)) passes::lower_local_atomics(*function);
}

void split_guarded_stores(llvm::Module& module, parameters) {
  for (llvm::Function& function : module) passes::split_guarded_stores(function);
}

/// Runs the pass for registers of 256 bits on any machine.
void keep_masks_wide(llvm::Module& module, parameters) {
  for (llvm::Function& function : module) passes::keep_masks_wide(function, 256);
}

/// The request that lower_for_cpu and its steps get for the module's only kernel. The request is made from the module
/// and the parameters.
class module_request {
public:
  module_request(llvm::Module& module, parameters chosen)
      : m_facts(read_facts(module)),
        m_imports(read_import_names(module)),
        m_constants(module),
        m_request{m_facts,
                  m_imports,
                  {chosen.wide ? abi::id_width::bits_64 : abi::id_width::bits_32, chosen.check_barriers,
                   chosen.check_accesses ? abi::access_check::reported : abi::access_check::none, chosen.lanes,
                   chosen.sub_group != 0 ? chosen.sub_group : 8, chosen.block},
                  read_groups(module),
                  m_constants.table(),
                  chosen.fused,
                  /*full_debug=*/false,
                  /*cache_bytes=*/1u << 25} {}
  module_request(const module_request&) = delete;

  const pipeline_request& request() const { return m_request; }

private:
  static kernel_facts read_facts(llvm::Module& module) {
    const auto kernels = functions_with(module, kernel_attribute);
    if (kernels.empty()) return {};
    const llvm::Function& kernel = *kernels[0];
    const kernel_kind kind = read_kind(kernel);
    kernel_facts facts{kernel.getName().str(), kernel.getName().str(), "test.cpp:1", {}, local_accessors(kernel)};
    facts.row.shape = kind.shape;
    facts.row.dimensions = kind.dimensions;
    if (std::uint32_t size = 0; !kernel.getFnAttribute(size_attribute).getValueAsString().getAsInteger(10, size)) {
      facts.row.required_work_group_size[0] = facts.row.required_work_group_size[1] = 1;
      facts.row.required_work_group_size[2] = size;
    }
    return facts;
  }

  kernel_facts m_facts;
  std::vector<std::string> m_imports;
  specialization_metadata m_constants;
  pipeline_request m_request;
};

void lower_all(llvm::Module& module, parameters chosen) {
  const auto machine = machine_or_fail(/*optimise=*/false);
  only_function_with(module, kernel_attribute);
  const module_request asked(module, chosen);
  passes::report_statements report;
  const passes::counted_steps counted(asked.request().kernel.display_name);
  if (llvm::Error error = lower_for_cpu(module, *machine, asked.request(), report)) {
    fail(llvm::Twine(llvm::toString(std::move(error))));
  }
}

/// Whether the step needs a kernel. Front steps and the steps up to "forms" need a kernel; later steps take any module.
bool acts_on_kernel(const front_step&) { return true; }
bool acts_on_kernel(const lowering_step& step) {
  const auto* forms =
      llvm::find_if(lowering_steps(), [](const lowering_step& each) { return llvm::StringRef(each.name) == "forms"; });
  return &step <= forms;
}

/// Runs one step of the list. Steps pass state on to each other. This state is read from the module before the step,
/// and written to the module after it.
template <class State>
void run_step(const step<State>& each, llvm::Module& module, parameters chosen) {
  const bool has_work_item = !functions_with(module, work_item_attribute).empty();
  if (acts_on_kernel(each) && !has_work_item) only_function_with(module, kernel_attribute);
  const auto machine = machine_or_fail(/*optimise=*/false);
  const module_request asked(module, chosen);
  passes::report_statements report;
  kernel_state state(module, *machine, asked.request(), report);
  if (has_work_item) {
    state.work_item = &only_function_with(module, work_item_attribute);
  } else if (!functions_with(module, kernel_attribute).empty()) {
    state.kernel = &only_function_with(module, kernel_attribute);
  }
  if (llvm::Error error = each.run(state)) fail(llvm::Twine(llvm::toString(std::move(error))));
  if (has_work_item || !state.work_item) return;
  if (chosen.sub_group != 0) passes::state_sub_group_size(*state.work_item, chosen.sub_group);
  state.work_item->addFnAttr(work_item_attribute);
  module.getOrInsertNamedMetadata(access_group_metadata)->addOperand(state.access_group);
}

void run_step(const finishing_step& each, llvm::Module& module, parameters) {
  const auto machine = machine_or_fail(/*optimise=*/true);
  finishing_state state(module, *machine, /*full_debug=*/false);
  if (llvm::Error error = each.run(state)) fail(llvm::toString(std::move(error)));
}

void optimise_for_host(llvm::Module& module, parameters) {
  const auto machine = machine_or_fail(/*optimise=*/true);
  if (llvm::Error error = optimise(module, *machine, /*full_debug=*/false)) fail(llvm::toString(std::move(error)));
}

struct module_step {
  const char* name;
  void (*run)(llvm::Module&, parameters);
  bool has_parameters;
};

// ------------------------------------------------------------------------------------------------- fusion

std::pair<llvm::Function*, passes::fusion_description> fusion_of(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.getMetadata("sycl.kernel.fused")) continue;
    auto description = passes::read_fusion_metadata(function);
    if (!description) fail(llvm::Twine(llvm::toString(description.takeError())));
    return {&function, std::move(*description)};
  }
  fail("no function with !sycl.kernel.fused");
}

void fuse_kernels(llvm::Module& module, parameters) {
  if (llvm::Error error = passes::fuse_kernels(*fusion_of(module).first))
    fail(llvm::Twine(llvm::toString(std::move(error))));
}

void merge_arguments(llvm::Module& module, parameters) {
  const auto [fused, description] = fusion_of(module);
  passes::merge_identical_arguments(*fused, description);
}

void internalize(llvm::Module& module, parameters) {
  const auto [fused, description] = fusion_of(module);
  std::uint64_t local_offset = 0;
  const auto merged = passes::merge_identical_arguments(*fused, description);
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const passes::identical_set& set = description.sets[i];
    if (set.promoted == passes::promotion::none || !merged[i]) continue;
    const std::uint64_t bytes = set.elements * set.element_bytes;
    std::string why = passes::find_hidden_use(*fused, set);
    if (why.empty()) why = passes::internalize(*merged[i], {set.promoted, bytes, local_offset});
    if (!why.empty()) fused->addFnAttr("sinter-not-internalized", why);
    if (set.promoted == passes::promotion::local_memory) local_offset += bytes;
  }
}

/// Treats each set as an allocation of its own.
void mark_disjoint_memory(llvm::Module& module, parameters) {
  const auto [fused, description] = fusion_of(module);
  std::vector<passes::argument_space> spaces;
  for (const llvm::LoadInst* merged : passes::merge_identical_arguments(*fused, description)) {
    spaces.push_back({merged, static_cast<unsigned>(spaces.size() + 1)});
  }
  passes::mark_disjoint_memory(*fused, spaces);
}

void propagate_constants(llvm::Module& module, parameters) {
  const auto [fused, description] = fusion_of(module);
  passes::propagate_constants(*fused, description);
}

// This list is searched first. The list has the steps of a fusion, steps on functions that an attribute marks, and
// passes that run all steps at once. All other steps are found in front_steps(), lowering_steps() and
// finishing_steps().
constexpr module_step module_steps[] = {
    {"sinter-fuse-kernels", fuse_kernels, false},
    {"sinter-merge-arguments", merge_arguments, false},
    {"sinter-internalize", internalize, false},
    {"sinter-disjoint-memory", mark_disjoint_memory, false},
    {"sinter-propagate-constants", propagate_constants, false},
    {"sinter-check-accesses", check_accesses, false},  // runs if the environment asks for it
    {"sinter-root-estimates", estimate_roots, false},  // runs if the machine has estimates
    {"sinter-flatten-groups", flatten_groups, true},
    {"sinter-bounded-work", find_bounded_work, false},
    {"sinter-library-recursion", [](llvm::Module& module, parameters) { passes::unroll_recursion(module); }, false},
    {"sinter-unread-slots", drop_slots, false},
    {"sinter-endless-loops", leave_out_endless_loops, false},
    {"sinter-one-entry", give_loops_one_entry, false},
    {"sinter-upward-steps", state_upward_steps, false},
    {"sinter-specialization-ids", name_constants, false},  // only for SPIR-V
    {"sinter-join-specialization-ids", join_ids, false},
    {"sinter-exchange-through-memory", exchange_through_memory, true},
    {"sinter-barrier-regions", split_at_barriers, true},
    {"sinter-print-lanes", print_analyses, true},
    {"sinter-vectorize", widen, true},
    {"sinter-streaming-stores", make_streaming, true},
    {"sinter-register-blocking", block_registers, true},
    {"sinter-local-atomics", lower_local_atomics, false},
    {"sinter-guarded-stores", split_guarded_stores, false},  // for machines without registers for masks
    {"sinter-cpu-entry", build_cpu_entry, true},
    {"sinter-lower-cpu", lower_all, true},  // all steps
    {"sinter-optimise", optimise_for_host, false},
    // These steps are parts of sinter-optimise for entries with "sinter-blocked".
    {"sinter-carried-values", carry_values, false},
    {"sinter-dead-local-stores", remove_dead_local_stores, false},
    // This step is near the end of sinter-optimise, for machines without registers for masks.
    {"sinter-wide-masks", keep_masks_wide, false},
};

class named_pass : public llvm::PassInfoMixin<named_pass> {
public:
  explicit named_pass(std::function<void(llvm::Module&)> run) : m_run(std::move(run)) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    m_run(module);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

private:
  std::function<void(llvm::Module&)> m_run;
};

bool parse_parameters(llvm::StringRef text, parameters& result) {
  while (!text.empty()) {
    const auto parts = text.split(';');
    llvm::StringRef word = parts.first, rest = parts.second;
    if (word == "wide") {
      result.wide = true;
    } else if (word == "check-barriers") {
      result.check_barriers = true;
    } else if (word == "check-accesses") {
      result.check_accesses = true;
    } else if (word == "fused") {
      result.fused = true;
    } else if (word.consume_front("sub-group=")) {
      if (word.getAsInteger(10, result.sub_group)) return false;
    } else if (word.consume_front("local=")) {
      llvm::SmallVector<llvm::StringRef, 3> sizes;
      word.split(sizes, 'x');
      if (sizes.size() != 3) return false;
      for (unsigned d = 0; d < 3; ++d) {
        if (sizes[d].getAsInteger(10, result.local[d])) return false;
      }
    } else if (word.consume_front("lanes=")) {
      if (word.getAsInteger(10, result.lanes)) return false;
    } else if (!word.consume_front("block=") || word.getAsInteger(10, result.block)) {
      return false;
    }
    text = rest;
  }
  return true;
}

/// Returns false for an unknown pass, which opt then reports.
bool add_pass(llvm::StringRef name, llvm::ModulePassManager& passes) {
  const auto [base, in_brackets] = name.split('<');
  llvm::StringRef words = in_brackets;
  parameters chosen;
  const bool has_words = base.size() != name.size();
  if (has_words && (!words.consume_back(">") || !parse_parameters(words, chosen))) return false;
  llvm::StringRef plain = base;
  if (!plain.consume_front("sinter-")) return false;
  for (const module_step& known : module_steps) {
    if (base != known.name || (has_words && !known.has_parameters)) continue;
    passes.addPass(named_pass([&known, chosen](llvm::Module& module) { known.run(module, chosen); }));
    return true;
  }
#if LLVM_VERSION_MAJOR >= 22
  // Without parameters, the pass is for the machine that the module names.
  if (base == "sinter-infer-address-spaces" && !has_words) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(infer_address_spaces(std::nullopt)));
    return true;
  }
#endif
  for (const front_step& known : front_steps()) {
    if (plain != known.name) continue;
    passes.addPass(named_pass([&known, chosen](llvm::Module& module) { run_step(known, module, chosen); }));
    return true;
  }
  for (const lowering_step& known : lowering_steps()) {
    if (plain != known.name) continue;
    passes.addPass(named_pass([&known, chosen](llvm::Module& module) { run_step(known, module, chosen); }));
    return true;
  }
  for (const finishing_step& known : finishing_steps()) {
    if (plain != known.name || has_words) continue;
    passes.addPass(named_pass([&known, chosen](llvm::Module& module) { run_step(known, module, chosen); }));
    return true;
  }
  return false;
}

}  // namespace
}  // namespace sinter::jit

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  // Nothing runs the compiled code, so it may use instructions that this machine lacks.
  if (const char* cpu = sinter::abi::read_variable("SINTER_CPU")) sinter::jit::compile_for(cpu);
  return {LLVM_PLUGIN_API_VERSION, "sinter-passes", LLVM_VERSION_STRING, [](llvm::PassBuilder& builder) {
            builder.registerPipelineParsingCallback(
                [](llvm::StringRef name, llvm::ModulePassManager& passes,
                   llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) { return sinter::jit::add_pass(name, passes); });
          }};
}
