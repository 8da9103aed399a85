#pragma once
/// Turns sums of products of single bytes into dot products of whole words of four or eight bytes, for which machines
/// have instructions. An example is `sum += a[0] * b[0]; sum += a[1] * b[1]; ...` where a and b are parts of words, as
/// in products of quantised numbers.
///
/// Input: simplified code of one work-item, or of lanes as vectors, with additions of 32-bit numbers. A byte is any
/// part of at most 8 bits of a number, signed or unsigned. The pass follows the byte's place through shifts, masks and
/// conversions.
/// Output: each sum of four products of bytes is replaced by code from the caller's byte_dot_maker, if the two factors
///   of each product are the same byte of two 32-bit words. Sums wrap at 2^32, so their order does not matter.
///   Flags that promise no wrapping (nsw, nuw) are dropped.

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace sinter::passes {

/// Whether a byte is signed. `any` means that the value has fewer than 8 bits, so that both readings are right.
enum class byte_sign { none, has, any };

/// A word of 32 or 64 bits, or a vector with a word for each lane.
struct byte_word {
  llvm::Value* value;
  byte_sign sign;
};
/// The dot product of two words of one type: the sum of the products of their bytes.
struct byte_dot {
  byte_word first, second;
  unsigned bits;  ///< bits of a word: 32 or 64
};

/// Emits code for `sum` plus all dot products, in 32 bits, and returns the result.
using byte_dot_maker =
    llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&, llvm::Value* sum, llvm::ArrayRef<byte_dot>)>;

/// Returns whether it has replaced products. `takes` tells whether the machine can sum up products of a type.
bool join_byte_products(llvm::Function& function, llvm::function_ref<bool(const llvm::Type&)> takes,
                        byte_dot_maker maker);

}  // namespace sinter::passes
