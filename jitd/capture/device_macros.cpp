#include "device_macros.hpp"

#include <memory>

#include "clang/Basic/CharInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "diagnostics.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace sinter::capture {
namespace {

/// Macros that other compilers define in their passes for devices.
constexpr llvm::StringLiteral known_macros[] = {"__SYCL_DEVICE_ONLY__", "__SPIR__",      "__SPIRV__",
                                                "__NVPTX__",            "__AMDGCN__",    "__SYCL_CUDA_ARCH__",
                                                "SYCL_DEVICE_ONLY",     "__HIPSYCL_DEVICE_ONLY__"};

/// The first place in the compiled file that tests a macro of devices.
struct question {
  std::string macro;
  clang::SourceLocation location;
};
question& first_question() {
  static thread_local question value;
  return value;
}

class macro_watch : public clang::PPCallbacks {
public:
  explicit macro_watch(const clang::SourceManager& files) : m_files(files) {}

  void Defined(const clang::Token& name, const clang::MacroDefinition& known, clang::SourceRange range) override {
    note(range.getBegin(), name, known);
  }
  void Ifdef(clang::SourceLocation, const clang::Token& name, const clang::MacroDefinition& known) override {
    note(name.getLocation(), name, known);
  }
  void Ifndef(clang::SourceLocation, const clang::Token& name, const clang::MacroDefinition& known) override {
    note(name.getLocation(), name, known);
  }
  void Elifdef(clang::SourceLocation, const clang::Token& name, const clang::MacroDefinition& known) override {
    note(name.getLocation(), name, known);
  }
  void Elifndef(clang::SourceLocation, const clang::Token& name, const clang::MacroDefinition& known) override {
    note(name.getLocation(), name, known);
  }

private:
  void note(clang::SourceLocation location, const clang::Token& name, const clang::MacroDefinition& known) {
    question& first = first_question();
    if (known || first.location.isValid() || m_files.isInSystemHeader(location)) return;
    const clang::IdentifierInfo* word = name.getIdentifierInfo();
    if (!word || !llvm::is_contained(known_macros, word->getName())) return;
    first = {word->getName().str(), location};
  }

  const clang::SourceManager& m_files;
};

}  // namespace

std::vector<std::string> parse_device_macros(llvm::StringRef list, std::string& error) {
  std::vector<std::string> macros;
  llvm::SmallVector<llvm::StringRef, 4> words;
  list.split(words, ',');
  for (const llvm::StringRef word : words) {
    if (!clang::isValidAsciiIdentifier(word.split('=').first)) {
      error = "'" + word.str() + "' is no MACRO or MACRO=VALUE";
      return {};
    }
    macros.push_back(word.str());
  }
  return macros;
}

device_macro_choice& chosen_device_macros() {
  static thread_local device_macro_choice value;
  return value;
}

void watch_device_macros(clang::CompilerInstance& compiler) {
  first_question() = {};
  const device_macro_choice& chosen = chosen_device_macros();
  if (chosen.is_silent || !chosen.macros.empty()) return;
  compiler.getPreprocessor().addPPCallbacks(std::make_unique<macro_watch>(compiler.getSourceManager()));
}

void warn_of_device_macros(clang::CompilerInstance& compiler) {
  const question& first = first_question();
  if (first.location.isInvalid()) return;
  warn(compiler, first.location,
       "this file has kernels and asks for '" + first.macro +
           "', which is not defined: one pass compiles host and devices. Say SINTER_IF_DEVICE(...) instead, have a "
           "second "
           "pass for devices by -fplugin-arg-sinter-device-macros=" +
           first.macro + ", or no such warning by -fplugin-arg-sinter-device-macros=none (docs/porting.md)");
}

}  // namespace sinter::capture
