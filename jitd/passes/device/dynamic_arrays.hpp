#pragma once
/// Handles private arrays whose length is known only while the kernel runs (a GNU extension, alloca). Such arrays lie
/// on the stack, for one work-item at a time, and only until the next barrier. If an array lives longer, the kernel is
/// refused. The error tells the array's name and line.
///
/// Input: a work-item function, not yet cut at its barriers. Output: the function without restores of stack pointers
/// that were saved in front of a barrier, because the end of each region frees the arrays.

#include <cstdint>
#include <string>

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

llvm::Error check_dynamic_arrays(llvm::Function& work_item);

/// The limit for the bytes of all such arrays of a function together. The stacks of threads that run kernels are large
/// enough for these arrays.
inline constexpr std::uint64_t most_dynamic_bytes = std::uint64_t{2} << 20;

/// Emits code that ends the program if arrays would exceed most_dynamic_bytes. The message of this code names `kernel`.
/// Returns whether the function has such arrays.
bool bound_dynamic_arrays(llvm::Function& function, const std::string& kernel);

}  // namespace sinter::passes
