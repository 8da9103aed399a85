#pragma once
/// Counts the instructions of all versions of a kernel (forms), before LLVM optimises and emits this code. The code is
/// limited by this count and not by the compile time, because the count is the same on every machine and in every run.

#include <cstdint>

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// The number of instructions. A vector instruction counts once for each register that it fills, or once for each lane
/// if the machine has no such vector instruction.
std::uint64_t code_size(const llvm::Function& function, unsigned vector_bits);

/// The limit for the code of all versions of a kernel (forms) together, as a multiple of the code of its scalar form.
inline constexpr std::uint64_t most_code_per_scalar = 10;
/// A scalar form counts as at least this much code, because small kernels compile quickly.
inline constexpr std::uint64_t least_scalar_code = 600;

} // namespace sinter::passes
