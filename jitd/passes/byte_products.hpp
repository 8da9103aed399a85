#pragma once
/// Sums of products of single bytes (`sum += a[0] * b[0]; sum += a[1] * b[1]; ...` where a and b are parts of words, as
/// in products of quantised numbers) become sums of products of whole words of four or eight bytes, for machines that
/// have an instruction for these.
///
/// Input: simplified code of one work-item, or with lanes as vectors: additions of numbers of 32 bits.
/// A byte is any part of at most 8 bits of a number, with a sign or without one; its place is followed through shifts,
/// masks and conversions.
/// Output: four products whose bytes lie in words at the same places are gone, and the maker's value is added instead.
///   Sums wrap at 2^32, so their order does not matter; promises that they do not wrap are dropped.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace sinter::passes {

enum class byte_sign { none, has, any };  ///< any: numbers of less than 8 bits, which are the same with and without

/// A word of 32 or 64 bits, or one in each lane.
struct byte_word {
  llvm::Value* value;
  byte_sign sign;
};
/// All bytes of two words of one type.
struct byte_dot {
  byte_word first, second;
  unsigned bits;  ///< of a word: 32 or 64
};

/// Returns `sum` and the sums of all products: numbers of 32 bits.
using byte_dot_maker =
    llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&, llvm::Value* sum, llvm::ArrayRef<byte_dot>)>;

/// Returns whether there are such products. `takes`: whether sums of the type can be made.
bool join_byte_products(llvm::Function& function, llvm::function_ref<bool(const llvm::Type&)> takes,
                        byte_dot_maker maker);

}  // namespace sinter::passes
