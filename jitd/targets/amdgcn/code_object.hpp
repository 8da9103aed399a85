#pragma once
/// Makes code objects, which drivers of AMD's GPUs load. Each code object is an ELF shared object with one kernel,
/// its descriptor and its metadata.

#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::jit::amdgcn {

/// Returns 9 for "gfx90a", 11 for "gfx1100", and 0 for a string that is no GPU's name.
unsigned generation_of(llvm::StringRef gpu);
/// Returns major * 1000 + minor * 100 + stepping, such as 9010 for "gfx90a".
unsigned version_of(llvm::StringRef gpu);

/// Makes a code object of version 5, which runtimes since ROCm 5.3 accept. The module can't be used afterwards.
llvm::Expected<std::string> make_code_object(llvm::TargetMachine& machine, llvm::Module& module);

}  // namespace sinter::jit::amdgcn
