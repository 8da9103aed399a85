#pragma once
/// The AST role: annotates every kernel function with its layout (kernel_layout.hpp) before code generation reads it.

#include <memory>

#include "clang/AST/ASTConsumer.h"

namespace clang {
class CompilerInstance;
}

namespace sinter::capture {

std::unique_ptr<clang::ASTConsumer> make_layout_consumer(clang::CompilerInstance& compiler);

} // namespace sinter::capture
