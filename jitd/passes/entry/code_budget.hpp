#pragma once
/// Counts the code in the forms of a kernel, before LLVM optimises and emits it: an estimate of the time to compile it,
/// as a number that is the same on every machine and in every run.

#include <cstdint>

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// The number of instructions; vector instructions count once for each register they fill, and once for each lane where
/// lanes are handled one by one.
std::uint64_t code_size(const llvm::Function& function, unsigned vector_bits);

/// Forms of a kernel may be together this many times as much code as its scalar form alone...
inline constexpr std::uint64_t most_code_per_scalar = 10;
/// ... but it counts as at least this much, because small kernels compile in no time.
inline constexpr std::uint64_t least_scalar_code = 600;

} // namespace sinter::passes
