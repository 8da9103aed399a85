#pragma once
/// Asks the JIT for code of one kernel.

#include <abi/launch_abi.hpp>
#include <string>

#include "code_variant.hpp"

namespace sinter {

/// Compiles a kernel for the conditions in `code`. Returns an empty text on success, otherwise a sentence. The caller
/// owns the JIT's object.
std::string compile_kernel(const abi::kernel_descriptor& kernel, const abi::compile_options& options,
                           const abi::specialization_table* constants, const abi::gpu_target& gpu,
                           const code_variant& code, abi::jit_result& result);

/// Prints the result's warnings, each text once in a process.
void show_warnings(const abi::jit_result& result);

}  // namespace sinter
