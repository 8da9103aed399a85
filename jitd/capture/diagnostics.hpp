#pragma once
/// Warnings of the pass role, at the kernel's place in the source where that is still known.

#include <string>

namespace clang {
class CompilerInstance;
class SourceLocation;
} // namespace clang

namespace llvm {
class Module;
}

namespace sinter::capture {

/// Remembers where a kernel is; the number goes into kernel_layout::location_id. Never 0.
unsigned remember_location(clang::CompilerInstance& compiler, clang::SourceLocation location);

/// A warning of group -Wbackend-plugin. Without a remembered location it names `source_position` in the text.
void warn(llvm::Module& module, unsigned location_id, const std::string& source_position, const std::string& message);

} // namespace sinter::capture
