#pragma once
/// Specialization constants become SPIR-V's own, whose values a driver puts in.
///
/// Input: a module with calls of __sinter_specialization_constant, whose key is a constant.
/// Output: none of them are left for the keys of the table: their results are private arrays, filled unit by unit with
///   what __spirv_SpecConstant(number, 0) gives (abi::specialization_unit). Values in the table are not looked at.
///   Others have the initial value the kernel names.

#include <abi/launch_abi.hpp>

#include "llvm/IR/Module.h"

namespace sinter::passes {

void name_specialization_constants(llvm::Module& module, const abi::specialization_table& constants);

/// LLVM writes one constant for each call, but each number may have only one constant. Therefore one call for each
/// number is left, at the beginning of `kernel`. An error when other functions have some.
llvm::Error join_specialization_ids(llvm::Function& kernel);

}  // namespace sinter::passes
