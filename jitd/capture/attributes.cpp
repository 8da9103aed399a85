#include "attributes.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/Template.h"
#include <limits>

namespace sinter::capture {
namespace {

constexpr const char* names[] = {"reqd_work_group_size", "reqd_sub_group_size", "work_group_size_hint", "device_has"};

class sycl_annotation : public clang::ParsedAttrInfo {
public:
  // The kind matters in type position only: it makes clang build an AnnotateTypeAttr there.
  sycl_annotation() : clang::ParsedAttrInfo(clang::AttributeCommonInfo::AT_AnnotateType) {
    static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, "sycl::annotate"},
                                             {clang::ParsedAttr::AS_CXX11, "annotate"}};
    Spellings = spellings;
    NumArgs = 1;
    OptArgs = 15;
  }

  bool isParamExpr(size_t) const override { return true; }

  AttrHandling handleDeclAttribute(clang::Sema& sema, clang::Decl* declaration,
                                   const clang::ParsedAttr& attribute) const override {
    if (!llvm::isa<clang::FunctionDecl, clang::CXXRecordDecl>(declaration)) return AttributeNotApplied;
    llvm::StringRef name;
    if (!sema.checkStringLiteralArgumentAttr(attribute, 0, name)) return AttributeNotApplied;
    llvm::SmallVector<clang::Expr*, 8> arguments;
    for (unsigned i = 1; i < attribute.getNumArgs(); ++i) arguments.push_back(attribute.getArgAsExpr(i));
    if (clang::Attr* result = sema.CreateAnnotationAttr(attribute, name, arguments)) declaration->addAttr(result);
    return AttributeApplied;
  }
};

clang::ParsedAttrInfoRegistry::Add<sycl_annotation> registration("sinter-attributes", "SYCL 2020 kernel attributes");

/// The lambdas of templates keep arguments behind their parameter lists as the template spells them.
clang::Expr* instantiate(clang::Sema& sema, const clang::FunctionDecl& function, clang::Expr* argument) {
  if (!argument->isInstantiationDependent()) return argument;
  auto* declaration = const_cast<clang::FunctionDecl*>(&function);
  const clang::MultiLevelTemplateArgumentList arguments = sema.getTemplateInstantiationArgs(declaration);
  const clang::Sema::InstantiatingTemplate synthesis(sema, argument->getExprLoc(), declaration);
  const clang::EnterExpressionEvaluationContext evaluated(sema,
                                                          clang::Sema::ExpressionEvaluationContext::ConstantEvaluated);
  clang::LocalInstantiationScope scope(sema);
  const clang::ExprResult result = sema.SubstExpr(argument, arguments);
  return result.isUsable() ? result.get() : argument;
}

template <class Range>
std::optional<std::vector<long>> evaluate(clang::Sema& sema, const clang::FunctionDecl& function,
                                          const Range& arguments, unsigned skip) {
  std::vector<long> values;
  for (clang::Expr* spelled : arguments) {
    if (skip != 0) {
      --skip;
      continue;
    }
    const clang::Expr* argument = instantiate(sema, function, spelled);
    clang::Expr::EvalResult result;
    if (argument->isValueDependent() || !argument->EvaluateAsInt(result, sema.getASTContext())) return std::nullopt;
    values.push_back(result.Val.getInt().tryExtValue().value_or(std::numeric_limits<long>::max()));
  }
  return values;
}

/// A string literal argument, through the constant expression clang wraps it in.
llvm::StringRef literal(const clang::Expr* expression) {
  const auto* text = llvm::dyn_cast<clang::StringLiteral>(expression->IgnoreParenImpCasts()->IgnoreUnlessSpelledInSource());
  return text ? text->getString() : llvm::StringRef();
}

} // namespace

std::string attribute_macros() {
  std::string text;
  for (const char* name : names) {
    text += std::string("#define ") + name + "(...) annotate(\"sycl_" + name + "\" __VA_OPT__(,) __VA_ARGS__)\n";
  }
  return text;
}

std::optional<std::vector<long>> attribute_arguments(clang::Sema& sema, const clang::FunctionDecl& function,
                                                     llvm::StringRef name) {
  const std::string wanted = "sycl_" + name.str();
  for (const auto* attribute : function.specific_attrs<clang::AnnotateAttr>()) {
    if (attribute->getAnnotation() == wanted) return evaluate(sema, function, attribute->args(), 0);
  }
  const clang::TypeSourceInfo* type = function.getTypeSourceInfo();
  if (!type) return std::nullopt;
  for (clang::TypeLoc at = type->getTypeLoc(); at; at = at.getNextTypeLoc()) {
    auto attributed = at.getAs<clang::AttributedTypeLoc>();
    if (!attributed) continue;
    const auto* attribute = attributed.getAttrAs<clang::AnnotateTypeAttr>();
    if (!attribute) continue;
    if (attribute->getAnnotation() == wanted) return evaluate(sema, function, attribute->args(), 0);
    if (attribute->args_size() > 0 && literal(*attribute->args_begin()) == wanted) {
      return evaluate(sema, function, attribute->args(), 1);
    }
  }
  return std::nullopt;
}

} // namespace sinter::capture
