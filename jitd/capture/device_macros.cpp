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
constexpr llvm::StringLiteral pass_macros[] = {"__SYCL_DEVICE_ONLY__", "SYCL_DEVICE_ONLY", "__HIPSYCL_DEVICE_ONLY__"};

/// Macros for one kind of device, in order of preference for a second pass: the first macros suit most devices.
constexpr llvm::StringLiteral kind_macros[] = {"__SPIR__", "__SPIRV__", "__NVPTX__", "__SYCL_CUDA_ARCH__",
                                               "__AMDGCN__"};

/// The device macros that the compiled file tests, in the order of these tests, and the place of the first test.
struct questions {
  std::vector<std::string> macros;
  clang::SourceLocation first;
};
questions& all_questions() {
  static thread_local questions value;
  return value;
}

/// The macros that the warning suggests for a second pass: at most one from each list, because code behind a macro of
/// the first list often tests a macro of the second list, too.
std::string suggested_macros(const std::vector<std::string>& asked) {
  llvm::SmallVector<llvm::StringRef, 2> macros;
  for (const llvm::ArrayRef<llvm::StringLiteral> known : {llvm::ArrayRef(pass_macros), llvm::ArrayRef(kind_macros)})
    if (const auto* found = llvm::find_if(known, [&](auto macro) { return llvm::is_contained(asked, macro); });
        found != known.end())
      macros.push_back(*found);
  return llvm::join(macros, ",");
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
    if (known || m_files.isInSystemHeader(location)) return;
    const clang::IdentifierInfo* word = name.getIdentifierInfo();
    if (!word) return;
    const llvm::StringRef text = word->getName();
    if (!llvm::is_contained(pass_macros, text) && !llvm::is_contained(kind_macros, text)) return;
    questions& asked = all_questions();
    if (asked.first.isInvalid()) asked.first = location;
    if (!llvm::is_contained(asked.macros, word->getName())) asked.macros.push_back(word->getName().str());
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
  all_questions() = {};
  const device_macro_choice& chosen = chosen_device_macros();
  if (chosen.is_silent || !chosen.macros.empty()) return;
  compiler.getPreprocessor().addPPCallbacks(std::make_unique<macro_watch>(compiler.getSourceManager()));
}

void warn_of_device_macros(clang::CompilerInstance& compiler) {
  const questions& asked = all_questions();
  if (asked.first.isInvalid()) return;
  const bool is_one = asked.macros.size() == 1;
  warn(compiler, asked.first,
       "this file has kernels and asks for '" + llvm::join(asked.macros, "', '") + "', which " +
           (is_one ? "is" : "are") +
           " not defined: one pass compiles host and devices. Say SINTER_IF_DEVICE(...) instead, have a second "
           "pass for devices by -fplugin-arg-sinter-device-macros=" +
           suggested_macros(asked.macros) +
           ", or no such warning by -fplugin-arg-sinter-device-macros=none (docs/porting.md)");
}

}  // namespace sinter::capture
