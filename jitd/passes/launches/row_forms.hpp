#pragma once
/// Values that kernels compute from an id that counts through rows: places, rows and planes, by widths among their
/// arguments.
///
/// Input: a work-item function whose ids are values, not memory. An id in a row is written as a sum: its place in the
/// row, and a number that is equal for the whole row and a multiple of the row's length.

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace sinter::passes {

/// Rows below are not worth their ends.
inline constexpr unsigned shortest_row = 16;

/// A step that a kernel computes from an id, or from the result of such a division.
struct id_step {
  enum class kind { cast, quotient, remainder, is_below };  ///< casts and remainders are ids again
  llvm::Instruction* instruction;
  llvm::Value *id, *divisor;  ///< no divisor: a cast
  kind what;

  bool is_division() const { return what == kind::quotient || what == kind::remainder; }
};

/// Each step comes after those that it is computed from. Divisors are known before the kernel runs.
using id_steps = llvm::SmallVector<id_step, 16>;
id_steps steps_of(llvm::Function& work_item, llvm::Value* id, bool narrow_ids);

/// Whether the divisor is the width of the row, which may be loaded or computed again.
bool divides_by_length(const id_step& step, llvm::Value* width);

/// The divisor of which most of the others are multiples; null: there is none.
llvm::Value* innermost(const id_steps& steps);

/// Numbers that are positive and below 2^31 are the same in all types that have 32 bits at least.
llvm::Value* without_casts(llvm::Value* value);

/// i64(block, global range, global offset): how long rows are; 0 where `width` is no width (below `shortest_row`,
/// negative), where divisors that seem to be multiples of it are not, or where there is an offset.
llvm::Function* make_row_length(llvm::Function& work_item, const id_steps& steps, llvm::Value* width, bool narrow_ids);

/// All numbers have 64 bits.
struct row_of_ids {
  llvm::Value *id, *number, *begin, *length;
};

/// Rewrites the steps of `id` for a row: divisions disappear or give the same for the whole row. Computed in front of
/// `where`.
void write_in_row(llvm::Instruction* where, bool narrow_ids, const row_of_ids& row, const id_steps& steps,
                  llvm::Value* id, llvm::Value* width);

}  // namespace sinter::passes
