#pragma once
/// Facts about aspects that the AST shows and the IR does not: their names, and which functions use types that are
/// tagged with [[__sycl_detail__::__uses_aspects__(...)]]. Both roles of the plugin (plugin.cpp) run in one process,
/// except with -save-temps. With -save-temps, the pass role has no table, and knows only the aspects of tagged
/// functions and of double, half and 64-bit atomics.

#include <abi/image_format.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "reach.hpp"

namespace clang {
class ASTContext;
class CompilerInstance;
}  // namespace clang

namespace sinter::capture {

/// Aspects of a statement, as bits (abi::aspect_bit).
struct aspect_use {
  abi::aspect_set aspects;
  statement_place place;
};

struct aspect_table {
  std::vector<std::pair<unsigned, std::string>> names;       ///< values and names of the enumerators of sycl::aspect
  /// The name of a type in the IR, such as "class.amx_type", and its aspects.
  std::vector<std::pair<std::string, abi::aspect_set>> types;
  llvm::StringMap<std::vector<aspect_use>> uses;             ///< the uses in each function; the key is the symbol
};

/// Writes uses as the text of an annotation, which begins with uses_prefix, and reads them back. Reading returns
/// nothing if the text belongs to another annotation.
std::string to_annotation(const std::vector<aspect_use>& uses);
std::vector<aspect_use> uses_from_annotation(llvm::StringRef text);
inline constexpr llvm::StringLiteral uses_prefix = "sinter.uses:1\n";

/// The table of this compilation.
aspect_table& known_aspects();

/// Called when a declaration of the translation unit is tagged: from then on the unit's functions have to be searched.
void note_tag();

/// Fills the table. Discarded statements, constant expressions and unevaluated operands do not count as uses (SYCL 2020
/// 5.7).
void find_aspect_uses(clang::CompilerInstance& compiler, clang::ASTContext& context);

}  // namespace sinter::capture
