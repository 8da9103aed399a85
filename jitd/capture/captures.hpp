#pragma once
/// Checks the members of a kernel's function object: references and types that are not device-copyable get a warning.

namespace clang {
class CompilerInstance;
class CXXRecordDecl;
class DeclContext;
}

#include <string>
#include <vector>

namespace sinter::capture {

/// Checks the captures of the user's function object.
void judge_captures(clang::CompilerInstance& compiler, const clang::CXXRecordDecl& function, const std::string& kernel);

/// Names of the variables that a lambda captures, in their order in memory. Other classes have no such names.
std::vector<std::string> captured_names(const clang::CXXRecordDecl& function);

/// Whether the scope is ::sycl or an inline namespace in ::sycl. The check is needed because users may have other
/// namespaces with the name sycl.
bool is_namespace_sycl(const clang::DeclContext& scope);

/// Whether the class is a member of ::sycl itself, not of a namespace within ::sycl.
bool is_in_sycl(const clang::CXXRecordDecl& record);

} // namespace sinter::capture
