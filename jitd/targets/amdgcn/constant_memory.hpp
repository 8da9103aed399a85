#pragma once
/// Gives each variable of a module an address space.

#include "llvm/IR/PassManager.h"

namespace sinter::jit::amdgcn {

/// Output: constants are in address space `space`, and other variables in global memory. Code that uses these
/// variables gets generic pointers (address_inference.hpp finds out where these pointers lead).
class constant_memory : public llvm::PassInfoMixin<constant_memory> {
public:
  explicit constant_memory(unsigned space) : m_space(space) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& modules);

private:
  unsigned m_space;
};

}  // namespace sinter::jit::amdgcn
