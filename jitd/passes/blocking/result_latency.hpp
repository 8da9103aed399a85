#pragma once
/// Finds loops whose lanes end in different iterations, and in which most operations wait for results of the previous
/// iteration. In such loops, vectors with twice as many lanes (two registers for each vector) take hardly longer.
///
/// Input: a wide function (wide_function.hpp), for machines whose masks have registers of their own.

#include "llvm/IR/Function.h"

namespace sinter::passes {

bool waits_for_results(llvm::Function& wide, unsigned vector_bits);

} // namespace sinter::passes
