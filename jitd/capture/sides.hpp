#pragma once
/// Host and device share one source and one pass of the front end; __sinter_on_device (abi/device_abi.hpp) tells them
/// apart.

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Replaces all calls of __sinter_on_device in the module by the answer and removes the branches of the other side, in
/// unoptimised code too. Returns whether there were such calls.
bool answer_on_device(llvm::Module& module, bool on_device);

} // namespace sinter::capture
