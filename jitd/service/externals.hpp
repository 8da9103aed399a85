#pragma once
/// Links functions of other files (SYCL_EXTERNAL) into the kernel's module, in place of calls of the host's functions.
/// These functions, like kernels, can use ids, barriers, sub-groups and local memory.

#include <abi/image_format.hpp>
#include <string>
#include <vector>

#include "external_checks.hpp"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// Links functions that `module` declares and `externals` export. `module` was read from `image`. The result names the
/// remaining declarations, in the order of the table of addresses: first the declarations of `image`, then those of
/// each external. `warnings` gets the warnings of check_externals.
llvm::Expected<std::vector<std::string>> link_externals(llvm::Module& module, llvm::ArrayRef<linked_kernel> kernels,
                                                        const abi::image_header& image,
                                                        llvm::ArrayRef<const abi::image_header*> externals,
                                                        std::string& warnings);

} // namespace sinter::jit
