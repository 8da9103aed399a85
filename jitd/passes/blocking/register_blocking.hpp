#pragma once
/// Register blocking: runs a wide function's work-items and their neighbours in the same body, instruction by
/// instruction ("unroll and jam"). This has two advantages: values that are equal for all neighbours are computed only
/// once and stay in registers, and the neighbours' sums are independent chains of additions, which the processor can
/// overlap.
///
/// Input: a wide function (wide_function.hpp). Work-items are independent of each other, because a region has no
///   barrier inside.
/// Output: a function whose parameters are those of the first of `factor` neighbours. Neighbours follow each other
///   along the last dimension (vectors) or along the dimension before it (rows, perhaps with several vectors of each
///   row). There is no such function if neighbours branch differently, if they share too little, or if the values that
///   they keep would not fit the registers. The wide function stays unchanged, because it runs the remaining
///   work-items.

#include <cstdint>
#include <string>

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

enum class neighbours { vectors, rows };

struct blocking_request {
  neighbours along;
  unsigned lanes;   ///< number of lanes of the wide function
  unsigned factor;  ///< wanted number of neighbours; 0: as many as pay; 1: none; other numbers: only in tests
  std::uint64_t most = ~std::uint64_t{0};  ///< limit: no row or group has more neighbours
  /// For rows: the number of vectors of a row, a multiple of `vectors` of the result. It is 0 if the number is not
  /// known.
  std::uint64_t vectors_of_row = 0;
};

struct blocked_form {
  llvm::Function* function = nullptr;
  unsigned factor = 1;
  unsigned vectors = 1;  ///< number of vectors of each row
  std::string report;  ///< the outcome in a few words
};

blocked_form block_registers(llvm::Function& wide, llvm::TargetMachine& machine, const blocking_request& request);

}  // namespace sinter::passes
