#pragma once
/// Guards against a defect of NVIDIA's assembler (docs/ptxas_defects.md). The assembler unrolls a loop that counts down
/// to a negated value as if the value were not negated, and so leaves out iterations.

#include <string>

#include "llvm/ADT/StringRef.h"

namespace sinter::jit::nvptx {

/// Returns the PTX with one change: if a comparison reads a negation, the negation is spelled ~x + 1.
std::string without_negated_bounds(llvm::StringRef text);

}  // namespace sinter::jit::nvptx
