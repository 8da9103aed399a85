#include "externals.hpp"

#include "input/kernel_image.hpp"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "passes/convergence.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::jit {
namespace {

bool is_wanted(const llvm::Module& module, llvm::StringRef name) {
  const llvm::Function* function = module.getFunction(name);
  return function && function->isDeclaration() && !function->use_empty();
}

/// The capture plugin assumed that each function of another file might have a barrier. Now all functions are known.
void mark_convergent_again(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 16> work;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) {
      if (function.isConvergent()) work.push_back(&function);
      continue;
    }
    function.setNotConvergent();
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call && call->getCalledFunction()) call->removeFnAttr(llvm::Attribute::Convergent);
    }
  }
  passes::mark_callers_convergent(std::move(work));
}

/// Inlines calls, in the same way as the capture plugin inlines the functions of one file.
void inline_calls(llvm::Module& module) {
  llvm::ModuleInlinerWrapperPass inliner(llvm::getInlineParams(225), /*MandatoryFirst=*/false);
  llvm::FunctionPassManager scalar;
  scalar.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  scalar.addPass(llvm::EarlyCSEPass());
  scalar.addPass(llvm::SimplifyCFGPass());
  scalar.addPass(llvm::InstCombinePass());
  scalar.addPass(llvm::SimplifyCFGPass());
  inliner.getPM().addPass(llvm::createCGSCCToFunctionPassAdaptor(std::move(scalar)));
  llvm::ModulePassManager pipeline;
  pipeline.addPass(std::move(inliner));
  pipeline.addPass(llvm::GlobalDCEPass());
  passes::pass_runner().run(module, std::move(pipeline));
}

} // namespace

llvm::Expected<std::vector<std::string>> link_externals(llvm::Module& module, llvm::ArrayRef<linked_kernel> kernels,
                                                        const abi::image_header& image,
                                                        llvm::ArrayRef<const abi::image_header*> externals,
                                                        std::string& warnings) {
  std::vector<std::string> imports = read_imports(image);
  if (externals.empty()) return imports;
  llvm::StringSet<> exported;
  for (const abi::image_header* external : externals) {
    for (const std::string& name : read_exports(*external)) exported.insert(name);
  }
  // Several files may have static functions of the same name, so each file's functions get new names.
  std::vector<std::vector<std::string>> renamed;
  for (std::size_t i = 0; i < externals.size(); ++i) {
    std::vector<std::string>& names = renamed.emplace_back();
    const std::vector<std::string> spelled = read_imports(*externals[i]);
    for (std::size_t k = 0; k < spelled.size(); ++k) {
      const bool known = exported.contains(spelled[k]);
      names.push_back(known ? spelled[k] : "sinter.import." + std::to_string(i) + "." + std::to_string(k));
    }
    imports.insert(imports.end(), names.begin(), names.end());
  }

  llvm::Linker linker(module);
  llvm::StringSet<> foreign;
  std::vector<bool> linked(externals.size());
  bool any = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < externals.size(); ++i) {
      const std::vector<std::string> exports = read_exports(*externals[i]);
      if (linked[i] || llvm::none_of(exports, [&](const std::string& name) { return is_wanted(module, name); }))
        continue;
      linked[i] = changed = any = true;
      auto other = read_module(*externals[i], module.getContext(), {});
      if (!other) return other.takeError();
      const std::vector<std::string> spelled = read_imports(*externals[i]);
      for (std::size_t k = 0; k < spelled.size(); ++k) {
        llvm::GlobalValue* value = (*other)->getNamedValue(spelled[k]);
        if (value && value->isDeclaration()) value->setName(renamed[i][k]);
      }
      const llvm::StringSet<> kept = [&] {
        llvm::StringSet<> names;
        for (const std::string& name : exports) {
          // If several files define a function, the first one is taken.
          const llvm::Function* known = module.getFunction(name);
          if (!known || known->isDeclaration()) names.insert(name);
        }
        return names;
      }();
      for (const auto& name : kept) foreign.insert(name.getKey());
      for (llvm::GlobalValue& value : (*other)->global_values()) {
        if (!value.isDeclaration() && !kept.contains(value.getName()))
          value.setLinkage(llvm::GlobalValue::InternalLinkage);
      }
      if (linker.linkInModule(std::move(*other))) {
        return llvm::createStringError("functions of another file (SYCL_EXTERNAL) can't be linked to the kernel");
      }
    }
  }
  if (!any) return imports;
  warnings = check_externals(module, kernels, foreign);
  for (llvm::GlobalValue& value : module.global_values()) {
    const bool is_kernel =
        llvm::any_of(kernels, [&](const linked_kernel& kernel) { return kernel.symbol == value.getName(); });
    if (!value.isDeclaration() && !is_kernel) value.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  mark_convergent_again(module);
  inline_calls(module);
  return imports;
}

} // namespace sinter::jit
