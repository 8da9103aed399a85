#pragma once
/// Lets the JIT compile the code of one kernel.

#include <abi/launch_abi.hpp>
#include <string>

#include "code_variant.hpp"

namespace sinter {

/// Compiles a kernel for the conditions in `code.made_for`. Returns an empty text on success, otherwise a sentence
/// about the error. The caller becomes the owner of the JIT's object in `result`.
std::string compile_kernel(const abi::kernel_descriptor& kernel, const abi::compile_options& options,
                           const abi::specialization_table* constants, const abi::gpu_target& gpu,
                           const code_variant& code, abi::jit_result& result);

/// Prints the warnings in the result. Each text is printed only once per process.
void show_warnings(const abi::jit_result& result);

}  // namespace sinter
