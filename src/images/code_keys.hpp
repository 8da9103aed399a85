#pragma once
/// Makes the keys for entries of the persistent cache. A key is a text that contains everything on which the code
/// depends.

#include <abi/launch_abi.hpp>
#include <string>
#include <vector>

#include "code_variant.hpp"

namespace sinter {

/// Returns the constants that the kernel's code may read, including known arguments, in the order of their keys.
std::vector<abi::specialization_table::entry> constants_read(const abi::kernel_descriptor& kernel,
                                                             const abi::specialization_table& constants);
/// Returns the keys and values of the constants as text. If the texts of two sets of constants are equal, their code is
/// equal.
std::string describe(const abi::specialization_table& constants);

/// Returns, as text, the properties of this machine that decide which instructions the JIT uses. They are determined
/// without LLVM.
const std::string& cpu_identity();

std::string key_of_kernel(const abi::kernel_descriptor& kernel, const variant_key& variant,
                          const abi::compile_options& options);
/// Returns the key for fused code. `form` identifies the members, and contains everything about them on which the code
/// depends, except the values of numbers among the arguments. Code for other values is stored under another value of
/// `slot`.
std::string key_of_fusion(const code_target& target, launch_class launches, const abi::kernel_descriptor& first,
                          const std::string& form, unsigned slot);

}  // namespace sinter
