#pragma once
/// Makes keys of the persistent cache. A key is a text with everything that code depends on.

#include <abi/launch_abi.hpp>
#include <string>
#include <vector>

#include "code_variant.hpp"

namespace sinter {

/// Returns the constants that the kernel's code may read, with known arguments, in the order of their keys.
std::vector<abi::specialization_table::entry> constants_read(const abi::kernel_descriptor& kernel,
                                                             const abi::specialization_table& constants);
/// Returns keys and bytes of the constants as text. Equal texts mean equal code.
std::string describe(const abi::specialization_table& constants);

/// Returns the facts that decide which instructions the JIT chooses for this machine. They are found without LLVM.
const std::string& cpu_identity();

std::string key_of_kernel(const abi::kernel_descriptor& kernel, const variant_key& variant,
                          const abi::compile_options& options);
/// Returns the key of fused code. Code for different numbers has different slots. `form` names the members and all
/// other facts about them.
std::string key_of_fusion(const code_target& target, launch_class launches, const abi::kernel_descriptor& first,
                          const std::string& form, unsigned slot);

}  // namespace sinter
