#pragma once
/// Runs LLVM's passes that make machine code of a module, with guards against defects of two of these passes
/// (docs/llvm_defects.md, "A mask that is read twice is never made", "Constants that no address space is found for").
///
/// The class is used like llvm::legacy::PassManager, for all targets.

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::jit {

class code_passes : public llvm::legacy::PassManager {
public:
  void add(llvm::Pass* pass) override;
};

/// Writes the module's code. Returns false if the machine can't write this type of file.
bool emit_code(llvm::TargetMachine& machine, llvm::Module& module, llvm::CodeGenFileType type,
               llvm::SmallVectorImpl<char>& bytes);

}  // namespace sinter::jit
