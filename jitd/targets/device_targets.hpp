#pragma once
/// The targets that are no CPU.

#include "device_code.hpp"

namespace sinter::jit {

/// By the name of the target that the request is for.
llvm::Expected<device_code> lower_for_device(llvm::Module& module, const kernel_facts& kernel,
                                             const abi::jit_request& request);

}  // namespace sinter::jit
