#pragma once
/// Private arrays whose length is known only while the kernel runs (a GNU extension, alloca). The arrays lie on the
/// stack of the code between two barriers, for one work-item at a time. Arrays that live longer are refused, by name
/// and line.
///
/// Input: a work-item function, not yet cut at its barriers. Output: the same, but stack pointers that were saved in
/// front of a barrier are not restored, because the end of each region frees the arrays.

#include <cstdint>
#include <string>

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace sinter::passes {

llvm::Error check_dynamic_arrays(llvm::Function& work_item);

/// The most bytes of all such arrays of a function together; their code runs on stacks that have this room.
inline constexpr std::uint64_t most_dynamic_bytes = std::uint64_t{2} << 20;

/// Ends the program with a sentence that names `kernel` if they would exceed that. Returns whether there are any.
bool bound_dynamic_arrays(llvm::Function& function, const std::string& kernel);

}  // namespace sinter::passes
