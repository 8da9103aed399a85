#pragma once
/// LLVM's passes that make machine code of a module, with a guard against what one of them gets wrong
/// (docs/llvm_defects.md, "A mask that is read twice is never made").
///
/// Use as llvm::legacy::PassManager, for targets without masks in registers, too.

#include "llvm/IR/LegacyPassManager.h"

namespace sinter::jit {

class code_passes : public llvm::legacy::PassManager {
public:
  void add(llvm::Pass* pass) override;
};

}  // namespace sinter::jit
