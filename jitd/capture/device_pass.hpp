#pragma once
/// Makes a second pass over a file, with macros of devices defined, for programs that choose their device code by such
/// macros (device_macros.hpp). Kernels are then copied out of the second pass's module. Host code comes from the first
/// pass.
///
/// Both passes have to agree on the kernels and their arguments: a kernel is found by its symbol, and its argument
/// block has the layout of the first pass.

#include <memory>
#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace clang {
class CompilerInstance;
}

namespace sinter::capture {

/// Makes the second pass and keeps its module for the pass role. The AST role calls it before the file is read. Returns
/// false if the file has errors, which have been reported.
bool compile_for_devices(clang::CompilerInstance& compiler, llvm::ArrayRef<std::string> macros);

/// Whether this thread makes the second pass now.
bool is_device_pass();

/// Gives the pass role the module that compile_for_devices made in this thread, or null if there is none.
std::unique_ptr<llvm::Module> take_device_pass(llvm::LLVMContext& context);

}  // namespace sinter::capture
