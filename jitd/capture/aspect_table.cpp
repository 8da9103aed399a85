#include "aspect_table.hpp"

#include <abi/image_format.hpp>
#include <set>

#include "ast_visitor.hpp"
#include "captures.hpp"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang_versions.hpp"
#include "llvm/ADT/DenseMap.h"

namespace sinter::capture {
namespace {

bool has_tags = false;

statement_place place_of(const clang::SourceManager& files, clang::SourceLocation location) {
  const clang::PresumedLoc place = files.getPresumedLoc(files.getExpansionLoc(location));
  if (place.isInvalid()) return {};
  return {place.getFilename(), place.getLine(), place.getColumn()};
}

/// Finds the aspects of types. A type has the aspects of its own tags, of its bases and of its members.
class type_aspects {
public:
  explicit type_aspects(clang::ASTContext& context) : m_context(context) {}

  abi::aspect_set of(clang::QualType type) {
    while (!type.isNull() && (type->isPointerType() || type->isReferenceType())) type = type->getPointeeType();
    if (type.isNull() || type->isDependentType()) return {};
    const clang::Type* element = type->getBaseElementTypeUnsafe();
    const clang::CXXRecordDecl* record = element ? element->getAsCXXRecordDecl() : nullptr;
    return record ? of(*record) : abi::aspect_set{};
  }

  abi::aspect_set own(const clang::CXXRecordDecl& record) const {
    abi::aspect_set bits;
    for (const clang::TagDecl* each : record.redecls()) {
      for (const auto* attribute : each->specific_attrs<clang::AnnotateAttr>()) {
        if (attribute->getAnnotation() != "sycl_uses_aspects") continue;
        for (const clang::Expr* argument : attribute->args()) {
          clang::Expr::EvalResult result;
          if (argument->isValueDependent() || !argument->EvaluateAsInt(result, m_context)) continue;
          bits |= abi::aspect_bit(
              static_cast<std::uint64_t>(result.Val.getInt().tryExtValue().value_or(abi::aspect_limit)));
        }
      }
    }
    return bits;
  }

private:
  abi::aspect_set of(const clang::CXXRecordDecl& record) {
    // A type may contain itself by way of pointers; it is visited only once.
    const auto [known, is_new] = m_known.try_emplace(record.getCanonicalDecl(), abi::aspect_set{});
    if (!is_new) return known->second;
    abi::aspect_set bits = own(record);
    if (const clang::CXXRecordDecl* definition = record.getDefinition()) {
      for (const clang::CXXBaseSpecifier& base : definition->bases()) bits |= of(base.getType());
      for (const clang::FieldDecl* field : definition->fields()) bits |= of(field->getType());
    }
    return m_known[record.getCanonicalDecl()] = bits;
  }

  clang::ASTContext& m_context;
  llvm::DenseMap<const clang::CXXRecordDecl*, abi::aspect_set> m_known;
};

/// Collects the uses of aspects in one function's body. Lambdas in the body are functions of their own.
class body_visitor : public clang::DynamicRecursiveASTVisitor {
public:
  body_visitor(clang::ASTContext& context, type_aspects& types, std::vector<clang::FunctionDecl*>& lambdas)
      : m_context(context), m_types(types), m_lambdas(lambdas) {}

  std::vector<aspect_use> take() { return std::move(m_uses); }

  void note(clang::QualType type, clang::SourceLocation location) {
    const abi::aspect_set fresh = m_types.of(type) & ~m_seen;
    if (!fresh) return;
    m_seen |= fresh;
    m_uses.push_back({fresh, place_of(m_context.getSourceManager(), location)});
  }

  bool VisitExpr(clang::Expr* expression) override {
    note(expression->getType(), expression->getExprLoc());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* variable) override {
    note(variable->getType(), variable->getLocation());
    return true;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) override {
    clang::CXXMethodDecl* call = lambda->getCallOperator();
    if (call->getDescribedFunctionTemplate()) {
      for (clang::FunctionDecl* each : call->getDescribedFunctionTemplate()->specializations())
        m_lambdas.push_back(each);
    } else {
      m_lambdas.push_back(call);
    }
    for (clang::Expr* captured : lambda->capture_inits()) {
      if (captured && !TraverseStmt(captured)) return false;
    }
    return true;
  }
  bool TraverseIfStmt(clang::IfStmt* statement) override {
    if (!statement->isConstexpr()) return clang::DynamicRecursiveASTVisitor::TraverseIfStmt(statement);
    const auto taken = statement->getNondiscardedCase(m_context);
    if (!taken) return clang::DynamicRecursiveASTVisitor::TraverseIfStmt(statement);
    return !*taken || TraverseStmt(*taken);
  }
  bool TraverseVarDecl(clang::VarDecl* variable) override {
    if (variable->isConstexpr()) return VisitVarDecl(variable);
    return clang::DynamicRecursiveASTVisitor::TraverseVarDecl(variable);
  }
  bool TraverseConstantExpr(clang::ConstantExpr*) override { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr*) override { return true; }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr*) override { return true; }
  bool TraverseCXXTypeidExpr(clang::CXXTypeidExpr*) override { return true; }

private:
  clang::ASTContext& m_context;
  type_aspects& m_types;
  std::vector<clang::FunctionDecl*>& m_lambdas;
  std::vector<aspect_use> m_uses;
  abi::aspect_set m_seen;
};

/// Searches the user's own files, and collects tagged types and the functions that have bodies.
class declaration_visitor : public clang::DynamicRecursiveASTVisitor {
public:
  declaration_visitor() { ShouldVisitTemplateInstantiations = true; }
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext()) functions.push_back(function);
    return true;
  }
  bool VisitCXXRecordDecl(clang::CXXRecordDecl* record) override {
    if (record->isThisDeclarationADefinition() && !record->isDependentContext()) records.push_back(record);
    return true;
  }
  // This visitor enters bodies only to find lambdas and local classes. body_visitor looks through the bodies
  // afterwards.
  std::vector<clang::FunctionDecl*> functions;
  std::vector<clang::CXXRecordDecl*> records;
};

/// The name that clang gives the type in the IR.
std::string name_in_ir(const clang::ASTContext& context, const clang::CXXRecordDecl& record) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << record.getKindName() << '.';
  record.printQualifiedName(out, with_inline_namespaces(context.getPrintingPolicy()));
  return text;
}

void read_names(clang::ASTContext& context) {
  for (const clang::NamedDecl* scope : context.getTranslationUnitDecl()->lookup(&context.Idents.get("sycl"))) {
    const auto* name_space = llvm::dyn_cast<clang::NamespaceDecl>(scope);
    if (!name_space) continue;
    for (const clang::NamedDecl* found : name_space->lookup(&context.Idents.get("aspect"))) {
      const auto* enumeration = llvm::dyn_cast<clang::EnumDecl>(found);
      if (!enumeration || !enumeration->getDefinition()) continue;
      for (const clang::EnumConstantDecl* each : enumeration->getDefinition()->enumerators()) {
        known_aspects().names.emplace_back(static_cast<unsigned>(each->getInitVal().getZExtValue()),
                                           each->getNameAsString());
      }
      return;
    }
  }
}

}  // namespace

std::string to_annotation(const std::vector<aspect_use>& uses) {
  std::string text = uses_prefix.str();
  for (const auto& [aspects, place] : uses) {
    text += std::to_string(aspects.words[0]) + ":" + std::to_string(aspects.words[1]) + ":" +
            std::to_string(place.line) + ":" + std::to_string(place.column) + ":" + place.file + "\n";
  }
  return text;
}

std::vector<aspect_use> uses_from_annotation(llvm::StringRef text) {
  std::vector<aspect_use> uses;
  if (!text.consume_front(uses_prefix)) return uses;
  while (!text.empty()) {
    const auto [line, rest] = text.split('\n');
    text = rest;
    llvm::SmallVector<llvm::StringRef, 5> fields;
    line.split(fields, ':', 4);
    aspect_use use;
    if (fields.size() != 5 || fields[0].getAsInteger(10, use.aspects.words[0]) ||
        fields[1].getAsInteger(10, use.aspects.words[1]) || fields[2].getAsInteger(10, use.place.line) ||
        fields[3].getAsInteger(10, use.place.column)) {
      continue;
    }
    use.place.file = fields[4].str();
    uses.push_back(use);
  }
  return uses;
}

aspect_table& known_aspects() {
  static aspect_table table;
  return table;
}

void note_tag() { has_tags = true; }

void find_aspect_uses(clang::CompilerInstance& compiler, clang::ASTContext& context) {
  aspect_table& table = known_aspects();
  table = {};
  read_names(context);
  if (!has_tags) return;
  const clang::SourceManager& files = context.getSourceManager();
  declaration_visitor declarations;
  for (clang::Decl* each : context.getTranslationUnitDecl()->decls()) {
    // System headers are not searched. A function in a system header may use a type of the user, but the user's
    // function that calls this function names the type, too.
    if (!files.isInSystemHeader(each->getLocation())) declarations.TraverseDecl(each);
  }
  type_aspects types(context);
  for (const clang::CXXRecordDecl* record : declarations.records) {
    if (const abi::aspect_set own = types.own(*record)) table.types.emplace_back(name_in_ir(context, *record), own);
  }
  clang::ASTNameGenerator names(context);
  std::set<const clang::FunctionDecl*> done;
  for (std::vector<clang::FunctionDecl*>& work = declarations.functions; !work.empty();) {
    clang::FunctionDecl* function = work.back();
    work.pop_back();
    if (!done.insert(function).second) continue;
    body_visitor body(context, types, work);
    for (const clang::ParmVarDecl* parameter : function->parameters())
      body.note(parameter->getType(), parameter->getLocation());
    body.note(function->getReturnType(), function->getLocation());
    if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function); method && !method->isStatic()) {
      body.note(method->getFunctionObjectParameterType(), function->getLocation());
    }
    body.TraverseStmt(function->getBody());
    const std::vector<aspect_use> uses = body.take();
    if (uses.empty()) continue;
    // For an internal function, the annotation is enough: clang generates its code only at the end of the file. Code of
    // an externally visible function may already exist, without the annotation, so the table also lists the aspects of
    // such a function, under its symbol.
    function->addAttr(clang::AnnotateAttr::CreateImplicit(context, to_annotation(uses), nullptr, 0));
    if (!function->isExternallyVisible()) continue;
    // Constructors and destructors have a symbol for each of their variants.
    if (llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(function)) {
      for (const std::string& each : names.getAllManglings(function)) table.uses[each] = uses;
    } else {
      table.uses[names.getName(function)] = uses;
    }
  }
}

}  // namespace sinter::capture
