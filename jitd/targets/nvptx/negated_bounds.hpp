#pragma once
/// Guard against a defect of NVIDIA's assembler (docs/ptxas_defects.md): it unrolls a loop that counts down to a
/// negated value as if the value were not negated, and leaves out iterations.

#include <string>

#include "llvm/ADT/StringRef.h"

namespace sinter::jit::nvptx {

/// The PTX with another spelling, ~x + 1, of each negation that a comparison reads.
std::string without_negated_bounds(llvm::StringRef text);

}  // namespace sinter::jit::nvptx
