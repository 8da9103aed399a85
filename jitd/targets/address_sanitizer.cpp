#include "address_sanitizer.hpp"

#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "passes/pass_runner.hpp"

namespace sinter::jit {

void sanitize_accesses(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) function.addFnAttr(llvm::Attribute::SanitizeAddress);
  }
  llvm::AddressSanitizerOptions options;
  options.UseAfterScope = false;
  options.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Never;
  llvm::ModulePassManager pipeline;
  // The program has started the sanitizer's runtime, so no constructor is needed.
  pipeline.addPass(llvm::AddressSanitizerPass(options, /*UseGlobalGC=*/false, /*UseOdrIndicator=*/false,
                                              llvm::AsanDtorKind::None, llvm::AsanCtorKind::None));
  passes::pass_runner().run(module, std::move(pipeline));
}

}  // namespace sinter::jit
