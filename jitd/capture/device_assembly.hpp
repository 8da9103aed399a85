#pragma once
/// Inline assembly for NVIDIA's GPUs (PTX) in kernels.
///
/// clang reads a file for the host, even in a second pass with macros of devices (device_pass.hpp). So clang writes PTX
/// like assembly of the host: with the host's names of registers, dollars in front of braces, and the host's flags as
/// clobbers. Assembly is PTX where only devices reach it (`if (sycl::ext::sinter::on_device())`, SINTER_IF_DEVICE), and
/// in a second pass that defines a macro of NVIDIA's compilers. All other assembly is the host's, and kernels that
/// contain it run on the host's CPU only.

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Whether inline assembly is PTX because one of the macros (device_macros.hpp) is defined.
bool are_macros_of_ptx(llvm::ArrayRef<std::string> macros);

/// Rewrites PTX as LLVM's target NVPTX expects it, and marks its calls (abi::assembly_attribute). If `all` is true, all
/// inline assembly is PTX; otherwise only the inline assembly that no host code reaches is PTX. Must run before
/// `answer_on_device` (sides.hpp).
void write_ptx(llvm::Module& device, bool all);

/// Whether a call of inline assembly is marked.
bool is_ptx(const llvm::CallBase& call);

}  // namespace sinter::capture
