#pragma once
/// Handles kernels that write into their argument block, which means into `mutable` members of the function object.

#include "device_module.hpp"

namespace sinter::capture {

/// Finds the kernels that write into their argument block, or may do so (argument_writes.hpp). Gives each work-item of
/// such a kernel its own copy of the block, because work-items share the block on the CPU, and can't write to it on
/// GPUs. `simplified` and `embedded` are modules with the code of `kernels`, and may be the same module. The code of
/// `simplified` has been simplified, and is simplified again after the change. The code of `embedded` becomes part of
/// the image. Returns the names of the kernels that have such copies.
llvm::StringSet<> copy_written_arguments(llvm::Module& simplified, llvm::Module& embedded,
                                         llvm::ArrayRef<captured_kernel> kernels);

}  // namespace sinter::capture
