#include "capture_pass.hpp"

#include "device_module.hpp"
#include "diagnostics.hpp"
#include "image_writer.hpp"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "reach.hpp"
#include "simplify.hpp"
#include "specialization_keys.hpp"

namespace sinter::capture {
namespace {

void report(llvm::Module& host, const captured_kernel& kernel, const call_graph& calls, const offence& found) {
  std::string text = "kernel '" + kernel.layout.display_name + "' " + found.text;
  std::string chain = found.node.empty() ? std::string() : calls.chain(kernel.symbol, found.node);
  if (!chain.empty()) text += "; call chain: " + chain;
  if (!found.position.empty()) text += "; at " + found.position;
  if (found.not_capturable) {
    text += "; the kernel is not compiled for devices and runs as host code";
  } else if (found.not_portable) {
    text += "; the kernel can run on the host CPU only";
  } else {
    text += "; a work-item that gets there ends the program";
  }
  warn(host, kernel.layout.location_id, kernel.layout.source_position, text);
}

bool has_full_debug_info(const llvm::Module& host) {
  for (const llvm::DICompileUnit* unit : host.debug_compile_units()) {
    if (unit->getEmissionKind() == llvm::DICompileUnit::FullDebug) return true;
  }
  return false;
}

/// A device module ready to embed, and what was found in it.
struct prepared_device {
  std::unique_ptr<llvm::Module> module;
  std::vector<image_entry> entries;
  std::vector<const captured_kernel*> refused;
};

prepared_device prepare(llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels, llvm::OptimizationLevel level,
                        bool full_debug) {
  prepared_device result;
  result.module = extract_device_module(host, kernels);
  prune_debug_info(*result.module, full_debug);
  lower_host_constructs(*result.module);
  if (level == llvm::OptimizationLevel::O1) allow_unrolling(*result.module);
  if (full_debug) remove_unreachable(*result.module);
  const call_graph calls(*result.module);

  // What a kernel reaches is judged on simplified code also where unoptimised code is embedded.
  std::unique_ptr<llvm::Module> judged_copy = full_debug ? llvm::CloneModule(*result.module) : nullptr;
  llvm::Module& judged = judged_copy ? *judged_copy : *result.module;
  simplify(judged);

  for (const captured_kernel& kernel : kernels) {
    const kernel_reach reach = examine(*judged.getFunction(kernel.symbol));
    std::uint32_t flags = 0;
    if (reach.has_barrier) flags |= abi::kernel_has_barrier;
    if (reach.uses_local) flags |= abi::kernel_uses_local;
    bool capturable = true;
    for (const offence& found : reach.offences) {
      report(host, kernel, calls, found);
      if (found.not_portable) flags |= abi::kernel_not_portable;
      capturable &= !found.not_capturable;
    }
    if (capturable) {
      result.entries.push_back({&kernel, flags, calls.constants(kernel.symbol)});
    } else {
      result.refused.push_back(&kernel);
    }
  }
  return result;
}

} // namespace

llvm::PreservedAnalyses capture_pass::run(llvm::Module& host, llvm::ModuleAnalysisManager&) {
  const llvm::PreservedAnalyses unchanged =
      complete_specialization_keys(host) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  std::vector<captured_kernel> kernels = find_kernels(host);
  if (kernels.empty()) return unchanged;

  const bool full_debug = m_level == llvm::OptimizationLevel::O0 && has_full_debug_info(host);
  prepared_device device = prepare(host, kernels, m_level, full_debug);
  if (!device.refused.empty()) {
    // What only the refused ones reach must not be embedded.
    for (const captured_kernel* kernel : device.refused) device.module->getFunction(kernel->symbol)->eraseFromParent();
    remove_unreachable(*device.module);
  }
  if (device.entries.empty()) return unchanged;

  const std::vector<llvm::GlobalValue*> imports = find_imports(*device.module);
  std::vector<std::string> import_names;
  for (const llvm::GlobalValue* import : imports) import_names.push_back(import->getName().str());
  const std::vector<std::uint8_t> blob =
      write_image(*device.module, device.entries, imports, full_debug ? abi::image_full_debug : 0);
  embed_image(host, blob, device.entries, import_names);
  return llvm::PreservedAnalyses::none();
}

} // namespace sinter::capture
