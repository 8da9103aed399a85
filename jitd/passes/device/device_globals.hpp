#pragma once
/// Variables of the program that each device has for itself (sycl_ext_oneapi_device_global).
///
/// Input: a kernel alone in its module (kernel_selection), whose variables are declarations with
///   abi::device_global_attribute. Output: their addresses are calls of device_global_symbol with a number, at the
/// beginning of each function that uses one. Uses in constant tables stay, and targets refuse them.

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {

inline constexpr llvm::StringLiteral device_global_symbol = "__sinter_device_global";

/// For each number, the variable's place among `imports`.
std::vector<std::uint32_t> number_device_globals(llvm::Module& module, llvm::ArrayRef<std::string> imports);

/// Returns null if there is none.
const llvm::GlobalVariable* find_device_global(const llvm::Module& module);

}  // namespace sinter::passes
