#pragma once
/// Register blocking: neighbours of a wide function's work-items in the same body, instruction by instruction ("unroll
/// and jam"). Values that are equal for all neighbours are computed once and stay in registers; sums of the neighbours
/// are independent chains.
///
/// Input: a wide function (wide_function.hpp). Work-items are independent of each other: regions have no barriers
///   inside.
/// Output: a function with the same parameters, those of the first of `factor` neighbours, along the last dimension
///   (vectors) or the one before it (rows, perhaps several vectors of each). None where neighbours part, where nothing
///   is shared, or where the values that all of them keep would not fit the registers. The wide function stays as it
///   is, for what is left.

#include <cstdint>
#include <string>

#include "llvm/IR/Function.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

enum class neighbours { vectors, rows };

struct blocking_request {
  neighbours along;
  unsigned lanes;   ///< of the wide function
  unsigned factor;  ///< 0: as many as pay, 1: none; tests ask for more
  std::uint64_t most = ~std::uint64_t{0};  ///< there are not more neighbours
  /// Rows: they may be as many vectors wide as divide this number; 0: not known.
  std::uint64_t vectors_of_row = 0;
};

struct blocked_form {
  llvm::Function* function = nullptr;
  unsigned factor = 1;
  unsigned vectors = 1;  ///< of each row
  std::string report;  ///< a few words: what became of it
};

blocked_form block_registers(llvm::Function& wide, llvm::TargetMachine& machine, const blocking_request& request);

}  // namespace sinter::passes
