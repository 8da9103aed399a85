#pragma once
/// Finds kernels whose work-items can do the work of several groups, turn by turn (abi::kernel_takes_turns).

#include "device_module.hpp"

namespace sinter::capture {

/// Finds the kernels among `kernels` that can take turns (abi::turns_annotation). In each of its iterations, such a
/// kernel calls a certain function once. This function neither queries its group nor waits for other work-items of the
/// group. `device` must not be simplified yet.
llvm::StringSet<> find_turn_takers(llvm::Module& host, const llvm::Module& device,
                                   llvm::ArrayRef<captured_kernel> kernels);

}  // namespace sinter::capture
