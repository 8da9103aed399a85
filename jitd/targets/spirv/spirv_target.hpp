#pragma once
/// SPIR-V for drivers of OpenCL, by LLVM's own target: the machine, its limits, and modules in binary form. The other
/// steps for a kernel are in the list spirv_steps() (pipeline/steps.hpp).

#include <memory>
#include <string>

#include "llvm/Target/TargetMachine.h"
#include "targets/device_code.hpp"

namespace sinter::jit {

bool is_spirv(const abi::gpu_target& target);

namespace spirv {

/// Makes LLVM's target machine for the target's name, which may end with a version of SPIR-V.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(llvm::StringRef name);

/// Refuses sub-groups of sizes that no device has.
llvm::Error refuse_sub_groups(const abi::image_kernel& row);

/// Returns the module in binary form. The module can't be used afterwards. Refuses constructs that SPIR-V lacks.
llvm::Expected<std::string> emit(llvm::TargetMachine& machine, llvm::Module& module);

}  // namespace spirv
}  // namespace sinter::jit
