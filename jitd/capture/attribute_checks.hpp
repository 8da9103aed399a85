#pragma once
/// What SYCL 2020 5.8 forbids of attributes and an annotation would let pass: arguments that are none, twice with
/// different ones, a declaration and its definition that disagree.

namespace clang {
class ASTContext;
class CompilerInstance;
class FunctionDecl;
}  // namespace clang

namespace sinter::capture {

/// Begins a compilation.
void forget_attributed();

/// Has one of ours, and is looked at in the end.
void note_attributed(clang::FunctionDecl& function);

/// At the end of a translation unit: functions that have attributes, and the instances of those that are templates.
void check_attributes(clang::CompilerInstance& compiler);

/// Of a kernel's function object, also where only its type has them. What has been said is not said again.
void check_attributes(clang::CompilerInstance& compiler, const clang::FunctionDecl& function);

}  // namespace sinter::capture
