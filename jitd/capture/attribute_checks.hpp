#pragma once
/// Warns where SYCL 2020 5.8 forbids an attribute though clang accepts it as an annotation: wrong arguments, the same
/// attribute twice with different arguments, or a declaration and a definition that disagree.

namespace clang {
class ASTContext;
class CompilerInstance;
class FunctionDecl;
}  // namespace clang

namespace sinter::capture {

/// Called when a compilation begins.
void forget_attributed();

/// Remembers a function that has a SYCL attribute, for the check at the end.
void note_attributed(clang::FunctionDecl& function);

/// Called at the end of a translation unit. Checks all functions with attributes, and the instances of templates among
/// them.
void check_attributes(clang::CompilerInstance& compiler);

/// Checks a kernel's function object, even if only the type of its call operator has attributes. No warning is given
/// twice.
void check_attributes(clang::CompilerInstance& compiler, const clang::FunctionDecl& function);

}  // namespace sinter::capture
