#pragma once
/// Kernels that write into their argument block: into members of the function object that are `mutable`.

#include "device_module.hpp"

namespace sinter::capture {

/// Gives each work-item its own copy of the argument block in kernels that write into the block: work-items share the
/// block on the CPU, and can't write to it on GPUs. `simplified` is simplified code, and is so afterwards. `embedded` is
/// the code of the same kernels that is embedded, perhaps the same module. Returns the names of such kernels.
llvm::StringSet<> copy_written_arguments(llvm::Module& simplified, llvm::Module& embedded,
                                         llvm::ArrayRef<captured_kernel> kernels);

}  // namespace sinter::capture
