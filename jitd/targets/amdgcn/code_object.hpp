#pragma once
/// Code objects, which drivers of AMD's GPUs load: an ELF shared object with one kernel, its descriptor and its
/// metadata.

#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::jit::amdgcn {

/// 9 of "gfx90a", 11 of "gfx1100"; 0: no name of a GPU.
unsigned generation_of(llvm::StringRef gpu);
/// 9010 of "gfx90a": major * 1000 + minor * 100 + stepping.
unsigned version_of(llvm::StringRef gpu);

/// Makes a code object of version 5, which runtimes since ROCm 5.3 take. The module is used up.
llvm::Expected<std::string> make_code_object(llvm::TargetMachine& machine, llvm::Module& module);

}  // namespace sinter::jit::amdgcn
