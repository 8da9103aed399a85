#pragma once
/// How much code the forms of a kernel are, before LLVM optimises and emits it: what compiling will take, as a number
/// that is the same on every machine and in every run.

#include <cstdint>

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Instructions; those on vectors count once for each register they fill, and for each lane where lanes go their own
/// way.
std::uint64_t code_size(const llvm::Function& function, unsigned vector_bits);

/// Forms of a kernel may be together this many times as much code as its scalar form alone...
inline constexpr std::uint64_t most_code_per_scalar = 10;
/// ... which counts as this much at least: of small kernels compiling takes no time worth mention.
inline constexpr std::uint64_t least_scalar_code = 600;

} // namespace sinter::passes
