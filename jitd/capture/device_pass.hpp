#pragma once
/// Makes a second pass over a file, with macros of devices defined, for programs that choose their device code by such
/// macros (device_macros.hpp). With two passes, kernels are copied out of the second pass's module, and host code comes
/// from the first pass.
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

/// Compiles the file a second time, for devices. The pass role of the plugin gets the module later. The AST role calls
/// this function before clang reads the file. Returns false if the file has errors, which have been reported.
bool compile_for_devices(clang::CompilerInstance& compiler, llvm::ArrayRef<std::string> macros);

/// Whether this thread makes the second pass now.
bool is_device_pass();

/// Returns the module that compile_for_devices made in this thread, or null if there is none. The pass role calls this
/// function.
std::unique_ptr<llvm::Module> take_device_pass(llvm::LLVMContext& context);

}  // namespace sinter::capture
