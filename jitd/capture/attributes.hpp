#pragma once
/// Kernel attributes of SYCL 2020 5.8.1 on a stock clang: [[sycl::reqd_work_group_size]],
/// [[sycl::reqd_sub_group_size]], [[sycl::work_group_size_hint]] and [[sycl::device_has]]. Types and functions may have
/// [[__sycl_detail__::__uses_aspects__]], too.
///
/// clang lets a plugin register attributes, but drops or misreads the arguments of unknown attributes behind a lambda's
/// parameter list. `attribute_macros` therefore spells each attribute as [[sycl::annotate("sycl_<name>", arguments)]],
/// which reaches the AST in every position: as an AnnotateAttr of the function or as an AnnotateTypeAttr of its type.
/// [[intel::reqd_sub_group_size]] and [[cl::intel_reqd_sub_group_size]] are accepted, too.

#include <optional>
#include <string>
#include <vector>

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class FunctionDecl;
class Preprocessor;
class Sema;
} // namespace clang

namespace sinter::capture {

/// Preprocessor lines to put before the user's source.
std::string attribute_macros();

/// Turns the names of the attributes into macros, but only at places where an attribute can stand, because users may
/// have functions with these names.
void watch_attributes(clang::Preprocessor& preprocessor);

/// An attribute at one place of the text.
struct attribute_instance {
  clang::SourceLocation location;
  std::optional<std::vector<long>> arguments;  ///< empty if an argument can't be evaluated to an integer
};

/// All attributes `name` on one declaration, in front of it and behind its parameters; attributes of earlier
/// declarations are left out.
std::vector<attribute_instance> attribute_instances(clang::Sema& sema, const clang::FunctionDecl& declaration,
                                                    llvm::StringRef name);

/// Integer arguments of attribute `name` on a kernel's call operator. Returns nothing if the operator lacks the
/// attribute or the arguments can't be evaluated.
std::optional<std::vector<long>> attribute_arguments(clang::Sema& sema, const clang::FunctionDecl& function,
                                                     llvm::StringRef name);

} // namespace sinter::capture
