#pragma once
/// Keys of the persistent cache: all that code depends on, as text.

#include <abi/launch_abi.hpp>
#include <string>
#include <vector>

#include "code_variant.hpp"

namespace sinter {

/// The constants that the kernel's code may read, by their keys; known arguments are among them.
std::vector<abi::specialization_table::entry> constants_read(const abi::kernel_descriptor& kernel,
                                                             const abi::specialization_table& constants);
/// Keys and bytes of the constants, as text. Equal text means equal code.
std::string describe(const abi::specialization_table& constants);

/// The facts that decide which instructions the JIT chooses for this machine, found without LLVM.
const std::string& cpu_identity();

std::string key_of_kernel(const abi::kernel_descriptor& kernel, const variant_key& variant,
                          const abi::compile_options& options);
/// Fused code for different numbers lies side by side, in slots. `form`: the members and all other facts about them.
std::string key_of_fusion(const code_target& target, launch_class launches, const abi::kernel_descriptor& first,
                          const std::string& form, unsigned slot);

}  // namespace sinter
