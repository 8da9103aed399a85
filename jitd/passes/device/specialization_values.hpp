#pragma once
/// Specialization constants become numbers.
///
/// Input: a module with calls of __sinter_specialization_constant, whose key is a constant.
/// Output: none of them are left. With a table of values, those that are set are constants of the module, others the
///   initial value the kernel names; without one, the table that the kernel hands over is searched when it runs.
///
/// Kernels of a fusion have tables of their own, in their argument blocks: fold_specialization_constants folds the
/// constants of one kernel, and leaves the others alone. There, values that a kernel captured are read from its
/// argument block.

#include <abi/launch_abi.hpp>

#include <optional>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {

void lower_specialization_constants(llvm::Module& module, const abi::specialization_table* values);

/// The table that a pointer in the argument block refers to. It is null if no value is set, and nothing if the table is
/// not known.
using table_finder = llvm::function_ref<std::optional<const abi::specialization_table*>(std::uint64_t offset)>;
void fold_specialization_constants(llvm::Function& kernel, table_finder table_at);

} // namespace sinter::passes
