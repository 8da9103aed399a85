#pragma once
/// Replaces specialization constants by numbers.
///
/// Input: a module with calls of __sinter_specialization_constant with constant keys.
/// Output: no such call is left. With a table (`values`), constants that are set become constants of the module, and
///   other constants have the initial value that the kernel names. If `values` is null, the kernel's code searches, at
///   run time, the table that the kernel passes to the call.
///
/// Kernels of a fusion have tables of their own, in their argument blocks. fold_specialization_constants folds the
/// constants of one kernel, and does not change other kernels. Values that the kernel captured are read from its
/// argument block.

#include <abi/launch_abi.hpp>

#include <optional>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {

void lower_specialization_constants(llvm::Module& module, const abi::specialization_table* values);

/// Returns the table to which the pointer at `offset` in the argument block leads. The table is null if no value is
/// set. Returns std::nullopt if the table is not known.
using table_finder = llvm::function_ref<std::optional<const abi::specialization_table*>(std::uint64_t offset)>;
void fold_specialization_constants(llvm::Function& kernel, table_finder table_at);

} // namespace sinter::passes
