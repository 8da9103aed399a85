#pragma once
/// Formats of printf, as C has them, in the words of drivers.

#include <optional>
#include <string>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Value.h"

namespace sinter::jit {

/// The string that a pointer leads to, if it is constant and ends.
std::optional<std::string> constant_text(const llvm::Value& pointer);

/// The part of a format that takes one argument: a conversion, or the `*` of a width or precision.
struct print_directive {
  std::size_t lengths;     ///< where its length modifiers (h, l, z, ...) begin
  std::size_t conversion;  ///< the letter; of a `*`, that
};
llvm::SmallVector<print_directive, 8> print_directives(llvm::StringRef format);

/// Numbers of 64 bits are `l` for drivers, whatever the host calls them: ll, z, j or t.
std::string with_long_lengths(llvm::StringRef format);

}  // namespace sinter::jit
