#pragma once
/// The pass role: copies the kernels of a host module into one device image. Assumes: the pass runs at the start of the
/// pipeline, on the front end's output. Kernels and descriptors carry the annotations of abi/launch_abi.hpp. Kernels
/// also carry their layout (kernel_layout.hpp), which the AST role wrote. Guarantees: every captured kernel's
/// descriptor names its image record and index; the module registers the record in a constructor and unregisters it in
/// a destructor; host code is otherwise unchanged. A kernel that can't be captured keeps its host entry and is
/// diagnosed. Descriptors that already have an image are left unchanged, so a second run changes nothing. The pass
/// reads only IR, so it also works with -save-temps, with bitcode as input, and with LTO.

#include "device_module.hpp"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/OptimizationLevel.h"

namespace sinter::capture {

class capture_pass : public llvm::PassInfoMixin<capture_pass> {
public:
  explicit capture_pass(llvm::OptimizationLevel level) : m_level(level) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }

private:
  bool capture(llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels, llvm::ArrayRef<llvm::Function*> exports);

  llvm::OptimizationLevel m_level;
};

} // namespace sinter::capture
