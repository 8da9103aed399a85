#include "linked_text.hpp"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

namespace sinter::jit {

void link_text(llvm::Module& module, const std::string& text, llvm::StringRef function) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> linked = llvm::parseAssemblyString(text, problem, module.getContext());
  linked->setDataLayout(module.getDataLayout());
  linked->setTargetTriple(module.getTargetTriple());
  llvm::Linker::linkModules(module, std::move(linked));
  module.getFunction(function)->setLinkage(llvm::GlobalValue::InternalLinkage);
}

}  // namespace sinter::jit
