#pragma once
/// LLVM's passes that make machine code of a module, with guards against defects of two of them (docs/llvm_defects.md,
/// "A mask that is read twice is never made", "Constants that no address space is found for").
///
/// Used like llvm::legacy::PassManager, for all targets.

#include "llvm/IR/LegacyPassManager.h"

namespace sinter::jit {

class code_passes : public llvm::legacy::PassManager {
public:
  void add(llvm::Pass* pass) override;
};

}  // namespace sinter::jit
