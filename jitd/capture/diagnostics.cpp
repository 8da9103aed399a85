#include "diagnostics.hpp"

#include <vector>

#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang_versions.hpp"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {
namespace {

// A process of cc1 compiles one file only. A process of clangd compiles many files, but each thread compiles only one
// file at a time.
struct location_table {
  clang::CompilerInstance* compiler = nullptr;
  std::vector<clang::SourceLocation> locations;
  bool added_lines = false;
};

location_table& table() {
  static thread_local location_table instance;
  return instance;
}

} // namespace

void add_lines(clang::CompilerInstance& compiler) {
  table() = {};
  table().compiler = &compiler;
  clang::CodeGenOptions& options = compiler.getCodeGenOpts();
  if (options.getDebugInfo() != llvm::codegenoptions::NoDebugInfo) return;
  options.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
  table().added_lines = true;
}

bool lines_were_added() { return table().added_lines; }

unsigned remember_location(clang::CompilerInstance& compiler, clang::SourceLocation location) {
  location_table& known = table();
  known.compiler = &compiler;
  known.locations.push_back(location);
  return known.locations.size();
}

namespace {

/// Returns a place in the text of a file, or nothing if the compiler has not read the file.
clang::SourceLocation find(clang::CompilerInstance& compiler, const statement_place& place) {
  if (place.line == 0) return {};
  const clang::OptionalFileEntryRef file = compiler.getFileManager().getOptionalFileRef(place.file);
  if (!file) return {};
  return compiler.getSourceManager().translateFileLineCol(&file->getFileEntry(), place.line,
                                                          place.column ? place.column : 1);
}

} // namespace

void warn(clang::DiagnosticsEngine& engine, clang::SourceLocation location, const std::string& message) {
  engine.Report(location, plugin_warning(engine)) << message;
}

void warn(clang::CompilerInstance& compiler, clang::SourceLocation location, const std::string& message) {
  warn(compiler.getDiagnostics(), location, message);
}

void warn(llvm::Module& module, unsigned location_id, const std::string& source_position, const statement_place& place,
          const std::string& message) {
  location_table& known = table();
  const bool has_kernel = location_id != 0 && location_id <= known.locations.size();
  const clang::SourceLocation statement = known.compiler ? find(*known.compiler, place) : clang::SourceLocation();
  if (known.compiler && (has_kernel || statement.isValid())) {
    const clang::SourceLocation kernel = has_kernel ? known.locations[location_id - 1] : clang::SourceLocation();
    warn(*known.compiler, statement.isValid() ? statement : kernel, message);
    const clang::SourceManager& files = known.compiler->getSourceManager();
    const bool elsewhere = statement.isValid() && kernel.isValid() &&
                           files.getPresumedLoc(statement).getLine() != files.getPresumedLoc(kernel).getLine();
    clang::DiagnosticsEngine& engine = known.compiler->getDiagnostics();
    if (elsewhere) engine.Report(kernel, engine.getCustomDiagID(clang::DiagnosticsEngine::Note, "in this kernel"));
    return;
  }
  std::string text = message;
  if (place.line != 0) {
    text = place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column ? place.column : 1) +
           ": " + text;
  } else if (!source_position.empty()) {
    text = source_position + ": " + text;
  }
  // The diagnostic keeps a reference to the Twine.
  const llvm::Twine reference(text);
  const function_warning info(reference, *module.begin());
  module.getContext().diagnose(info);
}

} // namespace sinter::capture
