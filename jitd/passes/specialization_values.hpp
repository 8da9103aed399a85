#pragma once
/// Specialization constants become numbers.
///
/// Input: a module with calls of __sinter_specialization_constant, whose key is a constant.
/// Output: none of them are left. With a table of values, those that are set are constants of the module, others the
///   initial value the kernel names; without one, the table that the kernel hands over is searched when it runs.

#include <abi/launch_abi.hpp>

#include "llvm/IR/Module.h"

namespace sinter::passes {

void lower_specialization_constants(llvm::Module& module, const abi::specialization_table* values);

} // namespace sinter::passes
