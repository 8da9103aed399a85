#include "diagnostics.hpp"

#include <vector>

#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {
namespace {

// One cc1 process compiles one file: process-wide state is as wide as the compilation.
struct location_table {
  clang::CompilerInstance* compiler = nullptr;
  std::vector<clang::SourceLocation> locations;
};

location_table& table() {
  static location_table instance;
  return instance;
}

} // namespace

unsigned remember_location(clang::CompilerInstance& compiler, clang::SourceLocation location) {
  location_table& known = table();
  known.compiler = &compiler;
  known.locations.push_back(location);
  return known.locations.size();
}

void warn(llvm::Module& module, unsigned location_id, const std::string& source_position, const std::string& message) {
  location_table& known = table();
  if (known.compiler && location_id != 0 && location_id <= known.locations.size()) {
    clang::DiagnosticsEngine& engine = known.compiler->getDiagnostics();
    auto group = clang::DiagnosticIDs::getGroupForWarningOption("backend-plugin");
    clang::DiagnosticIDs::CustomDiagDesc description(
        clang::diag::Severity::Warning, "%0", clang::DiagnosticIDs::CLASS_WARNING, /*ShowInSystemHeader=*/false,
        /*ShowInSystemMacro=*/false, group);
    unsigned id = engine.getDiagnosticIDs()->getCustomDiagID(description);
    engine.Report(known.locations[location_id - 1], id) << message;
    return;
  }
  std::string text = source_position.empty() ? message : source_position + ": " + message;
  // The diagnostic keeps a reference to the Twine.
  const llvm::Twine reference(text);
  llvm::DiagnosticInfoGenericWithLoc info(reference, *module.begin(), llvm::DiagnosticLocation(), llvm::DS_Warning);
  module.getContext().diagnose(info);
}

} // namespace sinter::capture
