#pragma once
/// Differences between versions of clang and its plugins, like passes/llvm_versions.hpp for LLVM.

#include "clang/AST/Attr.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/Template.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"

#if LLVM_VERSION_MAJOR < 22
#include "llvm/Passes/PassPlugin.h"
#else
#include "llvm/Plugins/PassPlugin.h"
#endif

namespace sinter::capture {

inline void annotate(clang::Sema& sema, clang::Decl& declaration, const clang::ParsedAttr& attribute,
                     llvm::StringRef name, llvm::MutableArrayRef<clang::Expr*> arguments) {
#if LLVM_VERSION_MAJOR < 21
  sema.AddAnnotationAttr(&declaration, attribute, name, arguments);
#else
  if (clang::Attr* made = sema.CreateAnnotationAttr(attribute, name, arguments)) declaration.addAttr(made);
#endif
}

/// Returns null on an error.
inline clang::QualType template_instance(clang::Sema& sema, clang::ClassTemplateDecl& of,
                                         clang::SourceLocation location,
                                         clang::TemplateArgumentListInfo& arguments) {
#if LLVM_VERSION_MAJOR < 22
  return sema.CheckTemplateIdType(clang::TemplateName(&of), location, arguments);
#else
  return sema.CheckTemplateIdType(clang::ElaboratedTypeKeyword::None, clang::TemplateName(&of), location, arguments,
                                  /*Scope=*/nullptr, /*ForNestedNameSpecifier=*/false);
#endif
}

/// A warning of the group backend-plugin, which is given in system headers as well.
inline unsigned plugin_warning([[maybe_unused]] clang::DiagnosticsEngine& engine) {
#if LLVM_VERSION_MAJOR < 20
  return clang::diag::warn_fe_backend_plugin;
#else
  auto group = clang::DiagnosticIDs::getGroupForWarningOption("backend-plugin");
  clang::DiagnosticIDs::CustomDiagDesc description(
      clang::diag::Severity::Warning, "%0", clang::DiagnosticIDs::CLASS_WARNING, /*ShowInSystemHeader=*/true,
      /*ShowInSystemMacro=*/true, group);
  return engine.getDiagnosticIDs()->getCustomDiagID(description);
#endif
}

/// Makes a policy print names of types as clang's code generation writes them, with inline namespaces.
inline clang::PrintingPolicy with_inline_namespaces(clang::PrintingPolicy policy) {
#if LLVM_VERSION_MAJOR < 20
  policy.SuppressInlineNamespace = false;
#else
  policy.SuppressInlineNamespace = llvm::to_underlying(clang::PrintingPolicy::SuppressInlineNamespaceMode::None);
#endif
  return policy;
}

inline unsigned bit_width(const clang::FieldDecl& field, [[maybe_unused]] const clang::ASTContext& context) {
#if LLVM_VERSION_MAJOR < 20
  return field.getBitWidthValue(context);
#else
  return field.getBitWidthValue();
#endif
}

#if LLVM_VERSION_MAJOR < 20
/// Keeps a reference to the text, which has to outlive the diagnostic.
class function_warning : public llvm::DiagnosticInfo {
public:
  function_warning(const llvm::Twine& text, const llvm::Function&)
      : DiagnosticInfo(llvm::getNextAvailablePluginDiagnosticKind(), llvm::DS_Warning), m_text(text) {}
  void print(llvm::DiagnosticPrinter& out) const override { out << m_text; }

private:
  const llvm::Twine& m_text;
};
#else
/// Keeps a reference to the text, which has to outlive the diagnostic.
class function_warning : public llvm::DiagnosticInfoGenericWithLoc {
public:
  function_warning(const llvm::Twine& text, const llvm::Function& function)
      : DiagnosticInfoGenericWithLoc(text, function, llvm::DiagnosticLocation(), llvm::DS_Warning) {}
};
#endif

}  // namespace sinter::capture
