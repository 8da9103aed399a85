#pragma once
/// SPIR-V by SPIRV-LLVM-Translator of the same LLVM, which a build may have beside libsinter-jit.so
/// (-Dspirv_translator=true): for modules that LLVM's own target refuses, or for all of them.

#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit::spirv {

/// The program; empty: there is none.
const std::string& translator();
/// SINTER_SPIRV_WRITER=translator: whether it writes all modules.
bool is_translator_wanted();

/// The module is not changed. A process of its own translates it, for a minute at most.
llvm::Expected<std::string> translate_module(const llvm::Module& module);

}  // namespace sinter::jit::spirv
