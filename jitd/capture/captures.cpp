#include "captures.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Sema/Sema.h"
#include "clang_versions.hpp"
#include "diagnostics.hpp"
#include "llvm/ADT/DenseMap.h"

namespace sinter::capture {
namespace {

/// Whether the class is in ::sycl or in a namespace within ::sycl.
bool is_within_sycl(const clang::CXXRecordDecl& record) {
  for (const clang::DeclContext* at = &record; at; at = at->getParent()) {
    const auto* name_space = llvm::dyn_cast<clang::NamespaceDecl>(at);
    if (name_space && name_space->getName() == "sycl" && at->getParent()->getRedeclContext()->isTranslationUnit())
      return true;
  }
  return false;
}

/// Returns the value of a trait, if the trait derives from a std::bool_constant. Returns nothing for traits made in
/// other ways.
std::optional<bool> truth_of(const clang::CXXRecordDecl& trait) {
  if (const auto* constant = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&trait)) {
    const clang::TemplateArgumentList& arguments = constant->getTemplateArgs();
    if (constant->getName() == "integral_constant" && arguments.size() == 2 &&
        arguments[1].getKind() == clang::TemplateArgument::Integral) {
      return arguments[1].getAsIntegral().getBoolValue();
    }
  }
  if (!trait.hasDefinition()) return std::nullopt;
  for (const clang::CXXBaseSpecifier& base : trait.bases()) {
    const clang::CXXRecordDecl* record = base.getType()->getAsCXXRecordDecl();
    if (const std::optional<bool> truth = record ? truth_of(*record) : std::nullopt) return truth;
  }
  return std::nullopt;
}

/// Whether the type is trivially copyable. If the type has a const member that is a structure, clang says that the type
/// is not trivially copyable. This function ignores that.
bool is_copied_byte_by_byte(const clang::CXXRecordDecl& record) {
  return record.hasDefinition() && record.hasTrivialDestructor() && record.hasTrivialCopyConstructor();
}

/// Whether sycl::is_device_copyable is true for a type that is not trivially copyable. If the trait can't be evaluated,
/// the result is true, so that no warning is given.
bool is_device_copyable(clang::CompilerInstance& compiler, clang::QualType type, clang::SourceLocation location) {
  clang::ASTContext& context = compiler.getASTContext();
  const clang::DeclContext* scope = nullptr;
  for (const clang::NamedDecl* found : context.getTranslationUnitDecl()->lookup(&context.Idents.get("sycl"))) {
    if (const auto* name_space = llvm::dyn_cast<clang::NamespaceDecl>(found)) scope = name_space;
  }
  if (!scope) return true;
  for (clang::NamedDecl* found : scope->lookup(&context.Idents.get("is_device_copyable"))) {
    auto* trait = llvm::dyn_cast<clang::ClassTemplateDecl>(found);
    if (!trait) continue;
    clang::Sema& sema = compiler.getSema();
    clang::TemplateArgumentListInfo arguments(location, location);
    arguments.addArgument(clang::TemplateArgumentLoc(clang::TemplateArgument(type),
                                                     context.getTrivialTypeSourceInfo(type, location)));
    const clang::QualType instance = template_instance(sema, *trait, location, arguments);
    if (instance.isNull() || !sema.isCompleteType(location, instance)) return true;
    const clang::CXXRecordDecl* record = instance->getAsCXXRecordDecl();
    return !record || truth_of(*record).value_or(true);
  }
  return true;
}

} // namespace

bool is_namespace_sycl(const clang::DeclContext& scope) {
  const auto* name_space = llvm::dyn_cast<clang::NamespaceDecl>(&scope);
  while (name_space && name_space->isInline()) {
    name_space = llvm::dyn_cast<clang::NamespaceDecl>(name_space->getDeclContext());
  }
  return name_space && name_space->getName() == "sycl" &&
         name_space->getDeclContext()->getRedeclContext()->isTranslationUnit();
}

bool is_in_sycl(const clang::CXXRecordDecl& record) { return is_namespace_sycl(*record.getDeclContext()); }

namespace {

/// Maps a lambda's members to its captures. A member that holds no capture is not in the map.
llvm::DenseMap<const clang::FieldDecl*, const clang::LambdaCapture*> captures_of(const clang::CXXRecordDecl& function) {
  llvm::DenseMap<const clang::FieldDecl*, const clang::LambdaCapture*> captures;
  if (!function.isLambda()) return captures;
  llvm::DenseMap<const clang::ValueDecl*, clang::FieldDecl*> fields;
  clang::FieldDecl* this_field = nullptr;
  function.getCaptureFields(fields, this_field);
  for (const clang::LambdaCapture& capture : function.captures()) {
    if (!capture.capturesVariable()) continue;
    if (clang::FieldDecl* field = fields.lookup(capture.getCapturedVar())) captures[field] = &capture;
  }
  return captures;
}

}  // namespace

std::vector<std::string> captured_names(const clang::CXXRecordDecl& function) {
  std::vector<std::string> names;
  if (!function.isLambda()) return names;
  const auto captures = captures_of(function);
  for (const clang::FieldDecl* field : function.fields()) {
    const clang::LambdaCapture* capture = captures.lookup(field);
    names.push_back(capture ? capture->getCapturedVar()->getNameAsString() : "this");
  }
  return names;
}

void judge_captures(clang::CompilerInstance& compiler, const clang::CXXRecordDecl& function,
                    const std::string& kernel) {
  clang::ASTContext& context = compiler.getASTContext();
  if (is_within_sycl(function)) return;
  const auto captures = captures_of(function);
  for (const clang::FieldDecl* field : function.fields()) {
    const clang::LambdaCapture* capture = captures.lookup(field);
    const std::string name = capture ? capture->getCapturedVar()->getNameAsString() : field->getNameAsString();
    const clang::SourceLocation location = capture ? capture->getLocation() : field->getLocation();
    const std::string what =
        "kernel '" + kernel + "' " + (capture ? "captures" : "has the member") + " '" + name + "' ";
    const clang::QualType type = context.getBaseElementType(field->getType());
    if (type->isReferenceType()) {
      warn(compiler, location,
           what + (capture ? "by reference" : "of a reference type") +
               ": devices reach neither the host's stack nor its objects; take it by value ([=]), and memory as an "
               "accessor or "
               "a pointer of sycl::malloc_shared or malloc_device");
      continue;
    }
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (!record || type.isTriviallyCopyableType(context) || is_copied_byte_by_byte(*record)) continue;
    if (is_within_sycl(*record)) continue;
    if (is_device_copyable(compiler, type.getUnqualifiedType(), location)) continue;
    clang::PrintingPolicy policy = context.getPrintingPolicy();
    policy.SuppressTagKeyword = true;
    warn(
        compiler, location,
        what + "of type '" + field->getType().getAsString(policy) +
            "', which is not device-copyable: its copies on a device would share, or free, memory of the host; take an "
            "accessor, a pointer of sycl::malloc_shared or an array instead, or specialize sycl::is_device_copyable if "
            "its "
            "bytes may be copied");
  }
}

} // namespace sinter::capture
