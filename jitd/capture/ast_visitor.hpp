#pragma once
/// clang's visitor with virtual functions, which LLVM 19 does not have.

#include "llvm/Config/llvm-config.h"

#if LLVM_VERSION_MAJOR < 20
#include "clang/AST/RecursiveASTVisitor.h"

namespace clang {

/// This class has only the functions that Sinter's visitors override.
class DynamicRecursiveASTVisitor : public RecursiveASTVisitor<DynamicRecursiveASTVisitor> {
  using base = RecursiveASTVisitor<DynamicRecursiveASTVisitor>;

public:
  bool ShouldVisitTemplateInstantiations = false;

  virtual ~DynamicRecursiveASTVisitor() = default;
  bool shouldVisitTemplateInstantiations() const { return ShouldVisitTemplateInstantiations; }

  virtual bool VisitExpr(Expr*) { return true; }
  virtual bool VisitVarDecl(VarDecl*) { return true; }
  virtual bool VisitFunctionDecl(FunctionDecl*) { return true; }
  virtual bool VisitCXXRecordDecl(CXXRecordDecl*) { return true; }
  virtual bool TraverseLambdaExpr(LambdaExpr* lambda) { return base::TraverseLambdaExpr(lambda); }
  virtual bool TraverseIfStmt(IfStmt* statement) { return base::TraverseIfStmt(statement); }
  virtual bool TraverseVarDecl(VarDecl* variable) { return base::TraverseVarDecl(variable); }
  virtual bool TraverseConstantExpr(ConstantExpr* expression) { return base::TraverseConstantExpr(expression); }
  virtual bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr* expression) {
    return base::TraverseUnaryExprOrTypeTraitExpr(expression);
  }
  virtual bool TraverseCXXNoexceptExpr(CXXNoexceptExpr* expression) {
    return base::TraverseCXXNoexceptExpr(expression);
  }
  virtual bool TraverseCXXTypeidExpr(CXXTypeidExpr* expression) { return base::TraverseCXXTypeidExpr(expression); }
};

}  // namespace clang
#else
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#endif
