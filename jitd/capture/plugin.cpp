/// The plugin is one shared object with two roles. -fplugin loads the AST role and -fpass-plugin the pass role; both
/// options are always given.

#include "attribute_checks.hpp"
#include "attributes.hpp"
#include "capture_pass.hpp"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/Preprocessor.h"
#include "clang_versions.hpp"
#include "code_split.hpp"
#include "device_macros.hpp"
#include "device_pass.hpp"
#include "diagnostics.hpp"
#include "fixed_targets.hpp"
#include "layout_consumer.hpp"
#include "llvm/Passes/PassBuilder.h"

namespace {

class capture_action : public clang::PluginASTAction {
protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    // The second pass runs before this compilation sets its state, because both compilations keep their state in the
    // same variables.
    if (!sinter::capture::is_device_pass()) {
      sinter::capture::compile_for_devices(compiler, sinter::capture::chosen_device_macros().macros);
    }
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    if (compiler.getLangOpts().CPlusPlus) {
      // Other SYCL compilers predefine this macro, too: libraries ask for it before they include anything.
      preprocessor.setPredefines(preprocessor.getPredefines() +
                                 "#ifndef SYCL_LANGUAGE_VERSION\n#define SYCL_LANGUAGE_VERSION 202012L\n#endif\n"
                                 "#define __SYCL_UNNAMED_LAMBDA__ 1\n#define __SYCL_SINGLE_SOURCE__ 1\n" +
                                 sinter::capture::attribute_macros());
      sinter::capture::watch_attributes(preprocessor);
      sinter::capture::watch_device_macros(compiler);
    }
    // clangd skips the bodies of functions in headers, but the entries of kernels are there and are needed.
    compiler.getFrontendOpts().SkipFunctionBodies = false;
    sinter::capture::add_lines(compiler);
    sinter::capture::forget_attributed();
    return sinter::capture::make_layout_consumer(compiler);
  }
  /// Reads the options -fplugin-arg-sinter-WORD.
  bool ParseArgs(const clang::CompilerInstance& compiler, const std::vector<std::string>& words) override {
    sinter::capture::fixed_targets().clear();
    sinter::capture::chosen_code_split() = sinter::capture::code_split::none;
    sinter::capture::chosen_device_macros() = {};
    const auto complain = [&](llvm::StringRef word, const std::string& error) {
      clang::DiagnosticsEngine& diagnostics = compiler.getDiagnostics();
      const unsigned id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "Sinter's plugin: '%0': %1");
      diagnostics.Report(id) << word << error;
      return false;
    };
    // If the options name several device configuration files, the last file counts, even if its option comes after the
    // option that names the targets.
    std::string error;
    llvm::StringRef file;
    for (llvm::StringRef word : words) {
      if (word.consume_front(file_word)) file = word;
    }
    const sinter::capture::target_list known = sinter::capture::find_targets(file, error);
    if (!error.empty()) return complain((file_word + file).str(), error);
    for (llvm::StringRef word : words) {
      llvm::StringRef rest = word;
      if (rest.consume_front("fixed-targets=")) {
        sinter::capture::choose_targets(rest, known, sinter::capture::fixed_targets(), error);
      } else if (rest.consume_front("device-code-split")) {
        sinter::capture::chosen_code_split() = sinter::capture::parse_code_split(rest, error);
      } else if (rest.consume_front("device-macros=")) {
        auto& chosen = sinter::capture::chosen_device_macros();
        chosen.is_silent = rest == "none";
        if (!chosen.is_silent) chosen.macros = sinter::capture::parse_device_macros(rest, error);
      } else if (!rest.starts_with(file_word)) {
        error =
            "there are only 'fixed-targets=TARGET,TARGET', 'device-config-file=FILE', 'device-code-split=WAY' and "
            "'device-macros=MACRO,MACRO'";
      }
      if (!error.empty()) return complain(word, error);
    }
    return true;
  }
  static constexpr llvm::StringLiteral file_word = "device-config-file=";
  // The main action generates code at the end of the translation unit, and the annotations have to exist before that.
  ActionType getActionType() override { return AddBeforeMainAction; }
};

clang::FrontendPluginRegistry::Add<capture_action> registration("sinter", "captures SYCL kernels for Sinter");

} // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "sinter-capture", SINTER_VERSION, [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
              passes.addPass(sinter::capture::capture_pass(level));
            });
          }};
}
