#pragma once
/// Asks the JIT for code of one kernel.

#include <abi/launch_abi.hpp>
#include <string>

#include "code_variant.hpp"

namespace sinter {

/// Compiles a kernel for the conditions in `code`. Empty on success, else a sentence. The JIT's object is the caller's.
std::string compile_kernel(const abi::kernel_descriptor& kernel, const abi::compile_options& options,
                           const abi::specialization_table* constants, const abi::gpu_target& gpu,
                           const code_variant& code, abi::jit_result& result);

/// Prints the result's warnings, each text once in a process.
void show_warnings(const abi::jit_result& result);

}  // namespace sinter
