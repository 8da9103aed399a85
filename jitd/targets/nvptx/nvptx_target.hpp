#pragma once
/// NVIDIA GPUs as a compilation target: the machine, its limits, and PTX. What is done to a kernel in between is the list
/// gpu_steps() (pipeline/steps.hpp).

#include <memory>
#include <string>

#include "llvm/Target/TargetMachine.h"
#include "targets/device_code.hpp"

namespace sinter::jit::nvptx {

/// 90 of "sm_90" and "sm_90a"; 0: no name of a GPU.
unsigned generation_of(llvm::StringRef gpu);

/// By the GPU's name; for kernels with parameters of so many bytes.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string& gpu,
                                                                  std::uint64_t parameter_bytes);

/// Sub-groups of another size than warps have.
llvm::Error refuse_sub_groups(const abi::image_kernel& row);
/// Work-groups that are too large; zeros are not known.
llvm::Error refuse_block(const abi::local_range& block);

/// The module as PTX; it is used up.
llvm::Expected<std::string> emit(llvm::TargetMachine& machine, llvm::Module& module);

}  // namespace sinter::jit::nvptx
