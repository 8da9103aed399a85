#pragma once
/// Gives a number to each variable of the program that exists once per device (sycl_ext_oneapi_device_global).
///
/// Input: a kernel alone in its module (kernel_selection). Its device globals are declarations with
/// abi::device_global_attribute. Output: the variables' addresses are results of device_global_symbol, which takes a
/// number and is called at the beginning of each function that uses a variable. If the initialiser of another constant
/// uses a variable, this use stays, and targets refuse the kernel.

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace sinter::passes {

inline constexpr llvm::StringLiteral device_global_symbol = "__sinter_device_global";

/// Returns, for each number, the variable's index in `imports`.
std::vector<std::uint32_t> number_device_globals(llvm::Module& module, llvm::ArrayRef<std::string> imports);

/// Returns a device global that the module uses. Returns null if there is none.
const llvm::GlobalVariable* find_device_global(const llvm::Module& module);

}  // namespace sinter::passes
