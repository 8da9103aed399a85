#include "capture_pass.hpp"

#include <abi/readable_name.hpp>
#include <algorithm>
#include <set>

#include "../passes/llvm_versions.hpp"
#include "aspects.hpp"
#include "code_split.hpp"
#include "device_assembly.hpp"
#include "device_library.hpp"
#include "device_macros.hpp"
#include "device_module.hpp"
#include "device_pass.hpp"
#include "diagnostics.hpp"
#include "fixed_targets.hpp"
#include "host_copies.hpp"
#include "image_writer.hpp"
#include "long_doubles.hpp"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "own_arguments.hpp"
#include "reach.hpp"
#include "sides.hpp"
#include "simplify.hpp"
#include "specialization_keys.hpp"
#include "static_variables.hpp"
#include "turns.hpp"

namespace sinter::capture {
namespace {

void report(llvm::Module& host, const captured_kernel& kernel, const call_graph& calls, const offence& found) {
  std::string text = "kernel '" + kernel.layout.display_name + "' " + found.text;
  std::string chain = found.node.empty() ? std::string() : calls.chain(kernel.symbol, found.node);
  if (!chain.empty()) text += "; call chain: " + chain;
  if (found.place.line != 0) text += "; at " + found.place.file + ":" + std::to_string(found.place.line);
  if (found.not_capturable) {
    text +=
        "; the kernel is not compiled for devices and runs as host code. Put what is for the host only, like a counter "
        "of "
        "copies, into SINTER_IF_HOST(...): one pass compiles both sides, so __SYCL_DEVICE_ONLY__ is never defined";
  } else if (found.not_portable) {
    text += "; the kernel can run on the host CPU only";
  } else {
    text += "; a work-item that gets there ends the program";
  }
  warn(host, kernel.layout.location_id, kernel.layout.source_position, found.place, text);
}

/// Warns about a function that other files may call from their kernels.
void report(llvm::Module& host, const llvm::Function& exported, const call_graph& calls, const offence& found) {
  const std::string name = abi::without_inline_namespace(llvm::demangle(exported.getName()));
  std::string text = "function '" + name + "' (SYCL_EXTERNAL) " + found.text;
  const std::string chain = found.node.empty() ? std::string() : calls.chain(exported.getName(), found.node);
  if (!chain.empty()) text += "; call chain: " + chain;
  if (found.place.line != 0) text += "; at " + found.place.file + ":" + std::to_string(found.place.line);
  if (found.not_capturable) {
    text +=
        "; kernels of other files call it as a function of the host, which can't ask for its work-item. Put what is "
        "for the host only into SINTER_IF_HOST(...)";
  } else if (found.not_portable) {
    text += "; kernels that call it can run on the host CPU only";
  } else {
    text += "; a work-item that gets there ends the program";
  }
  warn(host, 0, std::string(), found.place, text);
}

bool has_full_debug_info(const llvm::Module& host) {
  for (const llvm::DICompileUnit* unit : host.debug_compile_units()) {
    if (unit->getEmissionKind() == llvm::DICompileUnit::FullDebug) return true;
  }
  return false;
}

/// The targets of the command line are read from the kernels' annotations, because the AST role, which got the command
/// line, may run in another process.
const target_list& targets_of(llvm::ArrayRef<captured_kernel> kernels) {
  return kernels.empty() ? fixed_targets() : kernels[0].layout.fixed_targets;
}

/// A device module ready to embed, and the findings in it.
struct prepared_device {
  std::unique_ptr<llvm::Module> module;
  std::vector<image_entry> entries;
  std::vector<const captured_kernel*> refused;
  std::vector<image_function> exports;
  std::vector<std::string> refused_exports;  ///< exported functions that only host code can call
  bool full_debug;
};

bool has_thread_locals(const llvm::Module& module) {
  return llvm::any_of(module.globals(), [](const llvm::GlobalVariable& variable) { return variable.isThreadLocal(); });
}

bool has_long_doubles(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (is_long_double(instruction.getType())) return true;
    }
  }
  return false;
}

/// Removes lines and columns that were added only for warnings (add_lines).
void drop_unwanted_lines(llvm::Module& device, const llvm::Module& host) {
  for (const llvm::DICompileUnit* unit : host.debug_compile_units()) {
    if (unit->getEmissionKind() != llvm::DICompileUnit::NoDebug) return;
  }
  llvm::StripDebugInfo(device);
}

/// `source` is the module from which kernels are copied: the host's module or that of the second pass, whose code never
/// becomes host code.
prepared_device prepare(llvm::Module& source, bool is_host, llvm::ArrayRef<captured_kernel> kernels,
                        llvm::ArrayRef<llvm::Function*> exports, llvm::OptimizationLevel level, bool full_debug) {
  prepared_device result;
  result.module = extract_device_module(source, kernels, exports);
  const llvm::StringSet<> side_askers = find_side_askers(*result.module);
  write_ptx(*result.module, !is_host && are_macros_of_ptx(chosen_device_macros().macros));
  answer_on_device(*result.module, true);
  define_library_functions(*result.module);
  lower_host_constructs(*result.module);
  if (level == llvm::OptimizationLevel::O1) allow_unrolling(*result.module);
  if (full_debug) {
    remove_unreachable(*result.module);
    free_local_types(*result.module);
  }
  const call_graph calls(*result.module);
  // The analysis runs before debug information is stripped, because it needs the places of variables.
  const aspect_analysis aspects(source, *result.module, kernels);
  prune_debug_info(*result.module, full_debug);
  llvm::StringSet<> turn_takers;
  if (!full_debug) turn_takers = find_turn_takers(source, *result.module, kernels);
  aspects.warn_of_undeclared(source, kernels);
  const target_list& targets = targets_of(kernels);
  aspects.warn_of_targets(source, kernels, exports, targets);
  aspects.warn_of_sizes(source, kernels, exports);
  aspects.write_metadata(*result.module);
  for (const captured_kernel& kernel : kernels) {
    write_fixed_targets(*result.module->getFunction(kernel.symbol), targets);
  }
  for (const llvm::Function* each : exports) {
    write_fixed_targets(*result.module->getFunction(each->getName()), targets);
  }

  // Checks are made on simplified code, even where unoptimised code is embedded.
  std::unique_ptr<llvm::Module> judged_copy = full_debug ? passes::clone_module(*result.module) : nullptr;
  llvm::Module& judged = judged_copy ? *judged_copy : *result.module;
  simplify(judged);
  const llvm::StringSet<> writers = copy_written_arguments(judged, *result.module, kernels);

  // If several kernels of this file reach the same offence by way of an exported function, the offence is reported only
  // once.
  std::set<std::pair<std::string, unsigned>> said;
  for (const captured_kernel& kernel : kernels) {
    const kernel_reach reach = examine(*judged.getFunction(kernel.symbol));
    std::uint32_t flags = flags_of(targets) | (turn_takers.contains(kernel.symbol) ? abi::kernel_takes_turns : 0u) |
                          (reach.groups_meet ? abi::kernel_groups_meet : 0u) |
                          (reach.has_device_globals ? abi::kernel_device_globals : 0u);
    bool capturable = true;
    for (const offence& found : reach.offences) {
      report(source, kernel, calls, found);
      said.insert({found.text + found.place.file, found.place.line});
      if (found.not_portable) flags |= abi::kernel_not_portable;
      capturable &= !found.not_capturable;
    }
    // Writes into the argument block rule out a host copy, because all work-items of host code share one block.
    if (is_host && reach.offences.empty() && !reach.has_device_globals && !side_askers.contains(kernel.symbol) &&
        !writers.contains(kernel.symbol)) {
      flags |= host_copy_flags(*judged.getFunction(kernel.symbol), *kernel.host_function);
    }
    if (capturable) {
      result.entries.push_back({&kernel, flags, calls.constants(kernel.symbol), aspects.required(kernel.symbol),
                                aspects.sub_group_size(kernel.symbol)});
    } else {
      result.refused.push_back(&kernel);
    }
  }
  for (const llvm::Function* function : exports) {
    const kernel_reach reach = examine(*judged.getFunction(function->getName()));
    for (const offence& found : reach.offences) {
      if (said.insert({found.text + found.place.file, found.place.line}).second)
        report(source, *function, calls, found);
    }
    const bool refused = llvm::any_of(reach.offences, [](const offence& found) { return found.not_capturable; });
    const std::string name = function->getName().str();
    if (refused) {
      result.refused_exports.push_back(name);
    } else {
      const std::uint32_t flags = flags_of(targets) | (reach.groups_meet ? abi::kernel_groups_meet : 0u);
      result.exports.push_back({name, flags, aspects.required(name), aspects.sub_group_size(name)});
    }
  }
  // Even with -O0 -g, the simplified code is embedded if the unoptimised code uses thread_local variables or long
  // doubles but the simplified code does not. Such uses may be in code that no work-item reaches, or in computations
  // with constants alone, which simplification removes.
  const auto keeps_more = [&] {
    return has_thread_locals(*result.module) || (has_long_doubles(*result.module) && !has_long_doubles(*judged_copy));
  };
  if (judged_copy && result.refused.empty() && result.refused_exports.empty() && keeps_more()) {
    result.module = std::move(judged_copy);
    full_debug = false;
  }
  drop_unwanted_lines(*result.module, source);
  result.full_debug = full_debug;
  return result;
}

/// Declares an import in the host module: the host's linker also needs imports that only the second pass names.
void declare_import(llvm::Module& host, const llvm::GlobalValue& import) {
  if (host.getNamedValue(import.getName())) return;
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&import)) {
    host.getOrInsertFunction(function->getName(), function->getFunctionType());
  } else {
    host.getOrInsertGlobal(import.getName(), import.getValueType());
  }
}

void embed_part(llvm::Module& host, llvm::Module& code, const image_part& part, std::uint32_t flags) {
  const std::vector<llvm::GlobalValue*> imports = find_imports(code);
  for (const llvm::GlobalValue* import : imports) declare_import(host, *import);
  std::vector<std::string> import_names, exports;
  for (const llvm::GlobalValue* import : imports) import_names.push_back(import->getName().str());
  for (const image_function& function : part.functions) exports.push_back(function.symbol);
  embed_image(host, write_image(code, part.kernels, imports, part.functions, flags), part.kernels, import_names,
              exports);
}

void embed_parts(llvm::Module& host, const prepared_device& device, llvm::ArrayRef<captured_kernel> kernels) {
  const auto how = kernels.empty() ? chosen_code_split() : static_cast<code_split>(kernels[0].layout.code_split);
  const std::uint32_t flags = device.full_debug ? abi::image_full_debug : 0u;
  const std::vector<image_part> parts = split_code(how, !targets_of(kernels).empty(), device.entries, device.exports);
  if (parts.size() == 1) return embed_part(host, *device.module, parts[0], flags);
  for (const image_part& part : parts) {
    const std::unique_ptr<llvm::Module> code = module_of(*device.module, part, parts);
    embed_part(host, *code, part, flags);
  }
}

bool have_same_arguments(const kernel_layout& a, const kernel_layout& b) {
  const auto same = [](const abi::image_leaf& one, const abi::image_leaf& other) {
    return one.offset == other.offset && one.size == other.size && one.kind == other.kind;
  };
  return a.source_position == b.source_position && std::ranges::equal(a.leaves, b.leaves, same);
}

/// Describes the error that a kernel's captured variables have other places in memory in the second pass than in the
/// first.
std::string about_captures(const kernel_layout& host, const kernel_layout& device) {
  const auto [one, other] = std::ranges::mismatch(host.captures, device.captures);
  const std::string start = "kernel '" + host.display_name + "' captures ";
  if (one != host.captures.end() && other != device.captures.end()) {
    return start + "'" + *other + "' where the macros of device-macros are defined, and '" + *one +
           "' where they are not, as it uses them in another order; name all captures, as in [" + *one + ", " + *other +
           "]";
  }
  return start + "other variables where the macros of device-macros are defined, perhaps since 'if constexpr' leaves " +
         "out what uses them; name the captures, as in [p, n], or define the macros for both sides, as by -D__SPIR__=1";
}

/// These functions return the kernels and the exported functions as they are in the second pass's module. They report
/// an error for each kernel or function that this module lacks.
std::vector<captured_kernel> of_second_pass(llvm::Module& second, llvm::ArrayRef<captured_kernel> kernels) {
  std::vector<captured_kernel> found;
  const std::vector<captured_kernel> all = find_kernels(second);
  for (const captured_kernel& kernel : kernels) {
    const auto same = llvm::find_if(all, [&](const captured_kernel& each) { return each.symbol == kernel.symbol; });
    if (same == all.end()) {
      second.getContext().emitError("kernel '" + kernel.layout.display_name + "' is not launched where the macros of "
                                    "device-macros are defined; both passes have to launch the same kernels");
      continue;
    }
    if (!have_same_arguments(same->layout, kernel.layout) || same->layout.captures != kernel.layout.captures) {
      second.getContext().emitError(about_captures(kernel.layout, same->layout));
      continue;
    }
    found.push_back(kernel);
    found.back().host_function = same->host_function;
  }
  return found;
}
std::vector<llvm::Function*> of_second_pass(llvm::Module& second, llvm::ArrayRef<llvm::Function*> exports) {
  std::vector<llvm::Function*> found;
  for (const llvm::Function* function : exports) {
    llvm::Function* const same = second.getFunction(function->getName());
    if (same && !same->isDeclaration()) {
      found.push_back(same);
    } else {
      second.getContext().emitError("function '" + abi::without_inline_namespace(llvm::demangle(function->getName())) +
                                    "' (SYCL_EXTERNAL) is not there where the macros of device-macros are defined");
    }
  }
  return found;
}

} // namespace

llvm::PreservedAnalyses capture_pass::run(llvm::Module& host, llvm::ModuleAnalysisManager&) {
  bool changed = complete_specialization_keys(host);
  changed |= make_group_variables_static(host);
  const std::vector<captured_kernel> kernels = find_kernels(host);
  const std::vector<llvm::Function*> exports = find_exports(host);
  if (!kernels.empty() || !exports.empty()) changed |= capture(host, kernels, exports);
  changed |= answer_on_device(host, false);
  // The lines that add_lines added are removed, because they are no longer needed and would slow down every later pass.
  if (lines_were_added()) changed |= llvm::StripDebugInfo(host);
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

bool capture_pass::capture(llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels,
                           llvm::ArrayRef<llvm::Function*> exports) {
  const bool full_debug = m_level == llvm::OptimizationLevel::O0 && has_full_debug_info(host);
  const std::unique_ptr<llvm::Module> second = take_device_pass(host.getContext());
  prepared_device device;
  std::vector<captured_kernel> second_kernels;
  if (second) {
    complete_specialization_keys(*second);
    second_kernels = of_second_pass(*second, kernels);
    device = prepare(*second, /*is_host=*/false, second_kernels, of_second_pass(*second, exports), m_level, full_debug);
  } else {
    device = prepare(host, /*is_host=*/true, kernels, exports, m_level, full_debug);
  }
  for (const captured_kernel* kernel : device.refused) mark_refused(*kernel);
  if (!device.refused.empty() || !device.refused_exports.empty()) {
    // Code that only refused kernels reach must not be embedded.
    for (const captured_kernel* kernel : device.refused) device.module->getFunction(kernel->symbol)->eraseFromParent();
    for (const std::string& name : device.refused_exports) device.module->getFunction(name)->deleteBody();
    remove_unreachable(*device.module);
  }
  if (device.entries.empty() && device.exports.empty()) return !device.refused.empty();

  llvm::SmallVector<llvm::Function*, 8> host_copies;
  for (const image_entry& entry : device.entries) {
    if ((entry.flags & abi::kernel_host_copy) != 0) host_copies.push_back(entry.kernel->host_function);
  }
  compute_as_compiled(host, host_copies);
  embed_parts(host, device, kernels);
  for (llvm::Function* function : exports) function->addFnAttr(exported_attribute);
  return true;
}

} // namespace sinter::capture
