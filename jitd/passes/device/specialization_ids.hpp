#pragma once
/// Turns specialization constants into those of SPIR-V, whose values a driver sets.
///
/// Input: a module with calls of __sinter_specialization_constant with constant keys.
/// Output: calls whose key is in the table are replaced by private arrays, which are filled unit by unit with the
///   results of __spirv_SpecConstant(number, 0) (abi::specialization_unit). The values in the table are not used. Other
///   constants have the initial value that the kernel names.

#include <abi/launch_abi.hpp>

#include "llvm/IR/Module.h"

namespace sinter::passes {

void name_specialization_constants(llvm::Module& module, const abi::specialization_table& constants);

/// Leaves one call for each number, at the beginning of `kernel`, because LLVM writes a SPIR-V constant for each call,
/// and SPIR-V allows only one constant for each number. Returns an error if other functions have such calls.
llvm::Error join_specialization_ids(llvm::Function& kernel);

}  // namespace sinter::passes
