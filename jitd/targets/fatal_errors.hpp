#pragma once
/// LLVM ends the process if its code generator meets a case that it can't handle (report_fatal_error): an instruction
/// that this CPU lacks, a coroutine that was not lowered. While a kernel is compiled, that is an error like any other.

#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace sinter::jit {

/// Runs `work`. Empty when it returned; else LLVM's reason: `work` was abandoned, without destructors, and nothing that
/// it used may be touched again.
std::string survive_fatal_errors(llvm::function_ref<void()> work);

} // namespace sinter::jit
