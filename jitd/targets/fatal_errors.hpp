#pragma once
/// LLVM ends the process where its code generator meets what it has no answer to (report_fatal_error): an instruction
/// that this CPU lacks, a coroutine that nobody lowered. While a kernel is compiled, that is an error like any other.

#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace sinter::jit {

/// Runs `work`. Empty when it returned; else what LLVM could not do: `work` was left where it stood, without
/// destructors, and nothing that it used may be touched again.
std::string survive_fatal_errors(llvm::function_ref<void()> work);

} // namespace sinter::jit
