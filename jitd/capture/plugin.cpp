/// One shared object in two roles: -fplugin loads the AST role, -fpass-plugin the pass role (EXPERIMENTS: always both).

#include "attributes.hpp"
#include "capture_pass.hpp"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/Preprocessor.h"
#include "layout_consumer.hpp"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

namespace {

class capture_action : public clang::PluginASTAction {
protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    if (compiler.getLangOpts().CPlusPlus) {
      // As other compilers of SYCL: libraries ask for it before they include anything.
      preprocessor.setPredefines(preprocessor.getPredefines() +
                                 "#ifndef SYCL_LANGUAGE_VERSION\n#define SYCL_LANGUAGE_VERSION 202012L\n#endif\n" +
                                 sinter::capture::attribute_macros());
      sinter::capture::watch_attributes(preprocessor);
    }
    // Warnings of the pass role name statements: instructions have to know where they come from. No debug information is
    // written for that, neither for the host nor for devices.
    clang::CodeGenOptions& options = compiler.getCodeGenOpts();
    if (options.getDebugInfo() == llvm::codegenoptions::NoDebugInfo) {
      options.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
    }
    return sinter::capture::make_layout_consumer(compiler);
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
  // Annotations have to be there before code generation, the main action, sees the translation unit's end.
  ActionType getActionType() override { return AddBeforeMainAction; }
};

clang::FrontendPluginRegistry::Add<capture_action> registration("sinter-capture", "captures SYCL kernels for Sinter");

} // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "sinter-capture", SINTER_VERSION, [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
              passes.addPass(sinter::capture::capture_pass(level));
            });
          }};
}
