#pragma once
/// Warnings of the pass role, at the kernel's place in the source if that place is still known.

#include <string>

#include "reach.hpp"

namespace clang {
class CompilerInstance;
class DiagnosticsEngine;
class SourceLocation;
} // namespace clang

namespace llvm {
class Module;
}

namespace sinter::capture {

/// Called when a compilation begins. Makes clang add lines to instructions even if the user did not ask for debug
/// information, because warnings name these lines.
void add_lines(clang::CompilerInstance& compiler);
/// Whether the last call of add_lines in this thread added lines.
bool lines_were_added();

/// Remembers a kernel's location, and returns a number for kernel_layout::location_id. The number is never 0.
unsigned remember_location(clang::CompilerInstance& compiler, clang::SourceLocation location);

/// Warns in the group -Wbackend-plugin. The warning appears even if its place is in a system header, because it is
/// about the user's kernel. If both places are known, the warning is at `place` and has a note at the kernel. If the
/// kernel's location was not remembered, the text names `source_position`.
void warn(llvm::Module& module, unsigned location_id, const std::string& source_position, const statement_place& place,
          const std::string& message);

/// Warns at a location of the source, in the AST role.
void warn(clang::DiagnosticsEngine& engine, clang::SourceLocation location, const std::string& message);
void warn(clang::CompilerInstance& compiler, clang::SourceLocation location, const std::string& message);

} // namespace sinter::capture
