#pragma once
/// LLVM ends the process if its code generator can't handle some code (report_fatal_error), such as an instruction that
/// this CPU lacks, or a coroutine that was not lowered. While a kernel is compiled, such a failure becomes an ordinary
/// error.

#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace sinter::jit {

/// Runs `work`. Returns an empty string if `work` returned, else LLVM's reason. In the latter case, `work` was
/// abandoned without running destructors, and nothing that it used may be accessed again.
std::string survive_fatal_errors(llvm::function_ref<void()> work);

} // namespace sinter::jit
