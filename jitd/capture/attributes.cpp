#include "attributes.hpp"

#include "aspect_table.hpp"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/Template.h"
#include "attribute_checks.hpp"
#include "clang_versions.hpp"
#include "diagnostics.hpp"
#include <algorithm>
#include <limits>

namespace sinter::capture {
namespace {

struct attribute_name {
  const char* spelled;
  const char* meant;
};
constexpr attribute_name names[] = {
    {"reqd_work_group_size", "reqd_work_group_size"},     {"reqd_sub_group_size", "reqd_sub_group_size"},
    {"work_group_size_hint", "work_group_size_hint"},     {"device_has", "device_has"},
    {"intel_reqd_sub_group_size", "reqd_sub_group_size"}, {"__uses_aspects__", "uses_aspects"},
    {"uses_aspects", "uses_aspects"},
};
// Scopes of attributes in DPC++ and SYCL 1.2.1.
constexpr const char* scopes[] = {"sycl", "intel", "cl", "__sycl_detail__", "sycl_detail"};

class sycl_annotation : public clang::ParsedAttrInfo {
public:
  // The kind matters only for attributes of types: it makes clang build an AnnotateTypeAttr.
  sycl_annotation() : clang::ParsedAttrInfo(clang::AttributeCommonInfo::AT_AnnotateType) {
    static constexpr Spelling spellings[] = {{clang::ParsedAttr::AS_CXX11, "sycl::annotate"},
                                             {clang::ParsedAttr::AS_CXX11, "intel::annotate"},
                                             {clang::ParsedAttr::AS_CXX11, "cl::annotate"},
                                             {clang::ParsedAttr::AS_CXX11, "__sycl_detail__::annotate"},
                                             {clang::ParsedAttr::AS_CXX11, "sycl_detail::annotate"},
                                             {clang::ParsedAttr::AS_CXX11, "annotate"}};
    Spellings = spellings;
    NumArgs = 1;
    OptArgs = 15;
  }

  bool isParamExpr(size_t) const override { return true; }

  AttrHandling handleDeclAttribute(clang::Sema& sema, clang::Decl* declaration,
                                   const clang::ParsedAttr& attribute) const override {
    llvm::StringRef name;
    if (!sema.checkStringLiteralArgumentAttr(attribute, 0, name)) return AttributeNotApplied;
    auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    const bool tags = name == "sycl_uses_aspects";
    if (!function && !(tags && llvm::isa<clang::CXXRecordDecl>(declaration))) {
      const llvm::StringRef spelled = name.starts_with("sycl_") ? name.drop_front(5) : name;
      warn(sema.getDiagnostics(), sema.getSourceManager().getExpansionLoc(attribute.getLoc()),
           "'" + spelled.str() + "' has no effect here: it belongs to functions" + (tags ? " and classes" : ""));
      return AttributeNotApplied;
    }
    if (tags) note_tag();
    if (function) note_attributed(*function);
    llvm::SmallVector<clang::Expr*, 8> arguments;
    for (unsigned i = 1; i < attribute.getNumArgs(); ++i) arguments.push_back(attribute.getArgAsExpr(i));
    annotate(sema, *declaration, attribute, name, arguments);
    return AttributeApplied;
  }
};

clang::ParsedAttrInfoRegistry::Add<sycl_annotation> registration("sinter-attributes", "SYCL 2020 kernel attributes");

/// Instantiates an attribute's argument. clang itself does not do this for attributes behind the parameter list of a
/// lambda in a template.
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

/// The text of a string literal that clang may have wrapped in a constant expression.
llvm::StringRef literal(const clang::Expr* expression) {
  const auto* text =
      llvm::dyn_cast<clang::StringLiteral>(expression->IgnoreParenImpCasts()->IgnoreUnlessSpelledInSource());
  return text ? text->getString() : llvm::StringRef();
}

/// Follows the tokens that the parser gets, and looks for [[sycl::NAME, [[using sycl: NAME and __attribute__((NAME.
class attribute_watcher {
public:
  explicit attribute_watcher(clang::Preprocessor& preprocessor) {
    for (const auto& name : names) m_names.push_back(preprocessor.getIdentifierInfo(name.spelled));
    for (const char* scope : scopes) m_scopes.push_back(preprocessor.getIdentifierInfo(scope));
  }

  void see(const clang::Token& token) {
    using namespace clang::tok;
    const TokenKind last = m_last;
    m_last = token.getKind();
    bool here = false;  // whether the next token may be the name of one of our attributes
    if (m_last == l_square && last == l_square) {
      m_inside = true;
      m_using = false;
    } else if (m_last == r_square && last == r_square) {
      m_inside = false;
    } else if (m_last == l_paren && last == l_paren) {
      here = m_gnu;
    } else if (m_inside && m_last == kw_using) {
      m_using = true;
    } else if (m_inside && m_after_scope) {
      here = m_last == (m_using ? colon : coloncolon);
    } else if (m_inside && m_using) {
      here = m_last == comma;
    }
    m_gnu = m_last == kw___attribute || (m_gnu && m_last == l_paren);
    m_after_scope = m_last == identifier && llvm::is_contained(m_scopes, token.getIdentifierInfo());
    if (m_enabled == here) return;
    m_enabled = here;
    for (clang::IdentifierInfo* name : m_names) name->setHasMacroDefinition(here);
  }

private:
  llvm::SmallVector<clang::IdentifierInfo*, 8> m_names;
  llvm::SmallVector<clang::IdentifierInfo*, 4> m_scopes;
  clang::tok::TokenKind m_last = clang::tok::unknown;
  bool m_inside = false, m_using = false, m_gnu = false, m_after_scope = false;
  bool m_enabled = true;  // true at the beginning: the definitions of the macros have just been read
};

} // namespace

std::string attribute_macros() {
  std::string text;
  for (const auto& [spelled, meant] : names) {
    text += std::string("#define ") + spelled + "(...) annotate(\"sycl_" + meant + "\" __VA_OPT__(,) __VA_ARGS__)\n";
  }
  return text;
}

void watch_attributes(clang::Preprocessor& preprocessor) {
  preprocessor.setTokenWatcher(
      [watcher = attribute_watcher(preprocessor)](const clang::Token& token) mutable { watcher.see(token); });
}

std::vector<attribute_instance> attribute_instances(clang::Sema& sema, const clang::FunctionDecl& declaration,
                                                    llvm::StringRef name) {
  const std::string wanted = "sycl_" + name.str();
  std::vector<attribute_instance> found;
  for (const auto* attribute : declaration.specific_attrs<clang::AnnotateAttr>()) {
    if (attribute->isInherited() || attribute->getAnnotation() != wanted) continue;
    found.push_back({attribute->getLocation(), evaluate(sema, declaration, attribute->args(), 0)});
  }
  const clang::TypeSourceInfo* type = declaration.getTypeSourceInfo();
  if (!type) return found;
  // A type lists its attributes from the outside in, the last one first, so the order is reversed.
  const std::size_t in_front = found.size();
  for (clang::TypeLoc at = type->getTypeLoc(); at; at = at.getNextTypeLoc()) {
    auto attributed = at.getAs<clang::AttributedTypeLoc>();
    const auto* attribute = attributed ? attributed.getAttrAs<clang::AnnotateTypeAttr>() : nullptr;
    if (!attribute) continue;
    if (attribute->getAnnotation() == wanted) {
      found.push_back({attribute->getLocation(), evaluate(sema, declaration, attribute->args(), 0)});
    } else if (attribute->args_size() > 0 && literal(*attribute->args_begin()) == wanted) {
      found.push_back({attribute->getLocation(), evaluate(sema, declaration, attribute->args(), 1)});
    }
  }
  std::reverse(found.begin() + static_cast<std::ptrdiff_t>(in_front), found.end());
  return found;
}

std::optional<std::vector<long>> attribute_arguments(clang::Sema& sema, const clang::FunctionDecl& function,
                                                     llvm::StringRef name) {
  const std::vector<attribute_instance> found = attribute_instances(sema, function, name);
  return found.empty() ? std::nullopt : found.front().arguments;
}

} // namespace sinter::capture
