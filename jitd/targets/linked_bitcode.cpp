#include "linked_bitcode.hpp"

#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

namespace sinter::jit {

llvm::Error link_math_file(llvm::Module& module, const std::string& path, const std::string& remedy) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> math = llvm::getLazyIRFileModule(path, problem, module.getContext());
  if (!math) return llvm::createStringError("no math library for GPUs: " + path + remedy);
  math->setDataLayout(module.getDataLayout());
  math->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(math), llvm::Linker::LinkOnlyNeeded)) {
    return llvm::createStringError("the math library for GPUs, " + path + ", can't be linked");
  }
  return llvm::Error::success();
}

}  // namespace sinter::jit
