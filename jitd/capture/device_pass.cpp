#include "device_pass.hpp"

#include "clang/Basic/DiagnosticSema.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang_versions.hpp"
#include "device_assembly.hpp"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/abi-breaking.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::capture {
namespace {

/// The module is passed on as bitcode, because each compilation has a context of its own.
struct pass_state {
  bool running = false;
  llvm::SmallVector<char, 0> kept;
};
pass_state& state() {
  static thread_local pass_state value;
  return value;
}

bool complain(clang::CompilerInstance& compiler, const char* what) {
  clang::DiagnosticsEngine& diagnostics = compiler.getDiagnostics();
  diagnostics.Report(diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "Sinter's plugin: %0")) << what;
  return false;
}

/// Copies the settings of the compilation, with other macros and without output files.
std::shared_ptr<clang::CompilerInvocation> with_macros(clang::CompilerInstance& compiler,
                                                       llvm::ArrayRef<std::string> macros) {
  auto invocation = std::make_shared<clang::CompilerInvocation>(compiler.getInvocation());
  for (const std::string& macro : macros) {
    invocation->getPreprocessorOpts().addMacroDef(macro.find('=') == std::string::npos ? macro + "=1" : macro);
  }
  invocation->getFrontendOpts().OutputFile.clear();
  invocation->getFrontendOpts().ProgramAction = clang::frontend::EmitLLVMOnly;
  // No LLVM passes run on this module, because the plugin's pass role is only for the module of the first compilation.
  invocation->getCodeGenOpts().DisableLLVMPasses = true;
  invocation->getDependencyOutputOpts() = clang::DependencyOutputOptions();
  // Warnings are left to the first compilation.
  invocation->getDiagnosticOpts().IgnoreWarnings = true;
  invocation->getDiagnosticOpts().VerifyDiagnostics = false;
  invocation->getDiagnosticOpts().DiagnosticSerializationFile.clear();
  return invocation;
}

/// Lets inline assembly have constraints that the host lacks ("=f", "h"), which reach the IR unchanged
/// (device_assembly.hpp). clang's checks can't be replaced, so their errors are turned off. (A clang that was built
/// with assertions stops here nevertheless.)
void take_any_registers([[maybe_unused]] clang::DiagnosticsEngine& diagnostics) {
#if !LLVM_ENABLE_ABI_BREAKING_CHECKS
  for (const unsigned error :
       {clang::diag::err_asm_invalid_output_constraint, clang::diag::err_asm_invalid_input_constraint}) {
    diagnostics.setSeverity(error, clang::diag::Severity::Ignored, {});
  }
#endif
}

bool compiles_code(const clang::CompilerInstance& compiler) {
  switch (compiler.getFrontendOpts().ProgramAction) {
    case clang::frontend::EmitAssembly:
    case clang::frontend::EmitBC:
    case clang::frontend::EmitLLVM:
    case clang::frontend::EmitLLVMOnly:
    case clang::frontend::EmitCodeGenOnly:
    case clang::frontend::EmitObj: return true;
    default: return false;
  }
}

}  // namespace

bool compile_for_devices([[maybe_unused]] clang::CompilerInstance& compiler,
                         [[maybe_unused]] llvm::ArrayRef<std::string> macros) {
  state().kept.clear();
  if (macros.empty() || !compiles_code(compiler)) return true;
#if LLVM_VERSION_MAJOR < 22
  return complain(compiler, "device-macros needs LLVM 22 or later");
#else
  for (const clang::FrontendInputFile& input : compiler.getFrontendOpts().Inputs) {
    if (input.isPreprocessed()) {
      return complain(compiler,
                      "device-macros needs the source; this input was preprocessed (-save-temps, ccache without "
                      "direct mode)");
    }
  }
  llvm::LLVMContext context;
  clang::CompilerInstance second(with_macros(compiler, macros));
  second.setVirtualFileSystem(compiler.getVirtualFileSystemPtr());
  second.createDiagnostics();
  if (are_macros_of_ptx(macros)) take_any_registers(second.getDiagnostics());
  state().running = true;
  const auto finish = llvm::make_scope_exit([] { state().running = false; });
  clang::EmitLLVMOnlyAction action(&context);
  const bool done = second.ExecuteAction(action);
  const std::unique_ptr<llvm::Module> module = action.takeModule();
  if (!done || !module) return complain(compiler, "the file does not compile with the macros of device-macros");
  llvm::raw_svector_ostream stream(state().kept);
  llvm::WriteBitcodeToFile(*module, stream);
  return true;
#endif
}

bool is_device_pass() { return state().running; }

std::unique_ptr<llvm::Module> take_device_pass(llvm::LLVMContext& context) {
  if (state().kept.empty()) return nullptr;
  const llvm::MemoryBufferRef bytes(llvm::StringRef(state().kept.data(), state().kept.size()), "device pass");
  llvm::Expected<std::unique_ptr<llvm::Module>> module = llvm::parseBitcodeFile(bytes, context);
  state().kept.clear();
  if (module) return std::move(*module);
  llvm::consumeError(module.takeError());
  return nullptr;
}

}  // namespace sinter::capture
