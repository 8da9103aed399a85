#pragma once
/// Counts the code in the forms of a kernel, before LLVM optimises and emits it. The count estimates the compile time
/// by a number that is the same on every machine and in every run.

#include <cstdint>

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// The number of instructions. Vector instructions count once for each register that they fill, or once for each lane
/// if lanes are handled one by one.
std::uint64_t code_size(const llvm::Function& function, unsigned vector_bits);

/// All forms of a kernel together may have this many times the code of its scalar form.
inline constexpr std::uint64_t most_code_per_scalar = 10;
/// A scalar form counts as at least this much code, because small kernels compile quickly.
inline constexpr std::uint64_t least_scalar_code = 600;

} // namespace sinter::passes
