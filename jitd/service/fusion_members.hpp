#pragma once
/// Reads the kernels of a fusion request from their images into one module.

#include <abi/launch_abi.hpp>
#include <memory>
#include <string>
#include <vector>

#include "input/kernel_image.hpp"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

std::vector<kernel_facts> read_facts(const abi::fusion_request& request);

/// Returns one module with the device code of all members. Member i has the name member_symbol(i). `imports` gets the
/// names of functions that the module only declares, and `warnings` the warnings of link_externals.
llvm::Expected<std::unique_ptr<llvm::Module>> read_members(const abi::fusion_request& request,
                                                           llvm::LLVMContext& context,
                                                           std::vector<std::string>& imports,
                                                           std::string& warnings);

} // namespace sinter::jit
