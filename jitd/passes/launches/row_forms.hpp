#pragma once
/// Handles kernels in which one id counts through all rows. From this id, the kernels compute positions, rows and
/// planes: they divide the id by widths, which are among their arguments.
///
/// Input: a work-item function whose ids are SSA values. Output: an id in a row is written as a sum of two numbers. The
/// first is its position in the row. The second is equal for the whole row, and is a multiple of the row's length.

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// Shorter rows are not worth the extra work at their ends.
inline constexpr unsigned shortest_row = 16;

/// One step of a kernel's computation with the id, or with an id that an earlier step computed.
struct id_step {
  enum class kind { cast, quotient, remainder, is_below };  ///< the result of a cast or a remainder is an id, too
  llvm::Instruction* instruction;
  llvm::Value *id, *divisor;  ///< a cast has no divisor
  kind what;

  bool is_division() const { return what == kind::quotient || what == kind::remainder; }
};

/// Each step comes after the steps whose results it uses. Divisors are known before the kernel runs.
using id_steps = llvm::SmallVector<id_step, 16>;
id_steps steps_of(llvm::Function& work_item, llvm::Value* id, bool narrow_ids);

/// Whether the divisor is the width of the row. The width may be loaded or computed several times.
bool divides_by_length(const id_step& step, llvm::Value* width);

/// Returns the divisor that divides most of the other divisors, or null if there is none.
llvm::Value* innermost(const id_steps& steps);

/// Removes casts between types of at least 32 bits, which do not change positive numbers below 2^31.
llvm::Value* without_casts(llvm::Value* value);

/// Makes a function i64(block, global range, global offset) that returns the length of rows. The result is 0 in three
/// cases: if `width` is negative or below `shortest_row`, if a divisor that has `width` as a factor is not a multiple
/// of `width`, or if the launch has an offset.
llvm::Function* make_row_length(llvm::Function& work_item, const id_steps& steps, llvm::Value* width, bool narrow_ids);

/// The values that describe a row of ids. All of them have 64 bits.
struct row_of_ids {
  llvm::Value *id, *number, *begin, *length;
};

/// Rewrites the steps of `id` for a row: each division disappears, or is done once for the whole row. The code that
/// runs once for the row stands in front of `where`.
void write_in_row(llvm::Instruction* where, bool narrow_ids, const row_of_ids& row, const id_steps& steps,
                  llvm::Value* id, llvm::Value* width);

}  // namespace sinter::passes
