#pragma once
/// Reads C's formats of printf, and translates them for drivers.

#include <optional>
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Value.h"

namespace sinter::jit {

/// Returns the string to which a pointer leads, if the string is constant and has an end.
std::optional<std::string> constant_text(const llvm::Value& pointer);

/// The part of a format that takes one argument: a conversion, or the `*` of a width or precision.
struct print_directive {
  std::size_t lengths;     ///< position of its length modifiers (h, l, z, ...)
  std::size_t conversion;  ///< position of the conversion's letter, or of the `*`
};
llvm::SmallVector<print_directive, 8> print_directives(llvm::StringRef format);

/// Replaces the host's length modifiers of 64-bit numbers (ll, z, j, t) by `l`, which drivers use.
std::string with_long_lengths(llvm::StringRef format);

}  // namespace sinter::jit
