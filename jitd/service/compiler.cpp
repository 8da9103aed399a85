#include "compiler.hpp"

#include "kernel_image.hpp"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline.hpp"
#include "targets/cpu_target.hpp"

namespace sinter::jit {
namespace {

/// Keeps LLVM from printing and exiting: errors become text.
class collecting_handler : public llvm::DiagnosticHandler {
public:
  explicit collecting_handler(std::string& errors) : m_errors(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(m_errors);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }

private:
  std::string& m_errors;
};

/// One compilation: context, module and machine of its own, so that threads do not meet.
class compilation {
public:
  explicit compilation(const abi::jit_request& request)
      : m_request(request), m_kernel(read_kernel(*request.image, request.kernel_index)),
        m_full_debug((request.image->flags & abi::image_full_debug) != 0) {
    m_context.setDiagnosticHandler(std::make_unique<collecting_handler>(m_errors));
  }

  llvm::Error run(stage until) {
    auto module = read_module(*m_request.image, m_context);
    if (!module) return module.takeError();
    m_module = std::move(*module);
    if (until == stage::device_ir) return llvm::Error::success();
    auto machine = make_target_machine(!m_full_debug);
    if (!machine) return machine.takeError();
    m_machine = std::move(*machine);
    const std::vector<std::string> imports = read_imports(*m_request.image);
    const pipeline_request request{m_kernel, imports, (m_request.flags & abi::jit_narrow_ids) != 0,
                                   (m_request.flags & abi::jit_check_barriers) != 0, m_full_debug};
    if (llvm::Error error = lower_for_cpu(*m_module, *m_machine, request)) return error;
    if (until == stage::lowered_ir) return llvm::Error::success();
    optimise(*m_module, *m_machine, m_full_debug);
    return llvm::Error::success();
  }

  llvm::Error emit(llvm::CodeGenFileType type, llvm::SmallVectorImpl<char>& bytes) {
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    if (m_machine->addPassesToEmitFile(passes, stream, nullptr, type)) {
      return llvm::createStringError("LLVM can't emit code for this machine");
    }
    passes.run(*m_module);
    if (!m_errors.empty()) return llvm::createStringError(m_errors);
    return llvm::Error::success();
  }

  const kernel_facts& kernel() const { return m_kernel; }
  bool full_debug() const { return m_full_debug; }
  const llvm::Module& module() const { return *m_module; }

private:
  abi::jit_request m_request;
  kernel_facts m_kernel;
  bool m_full_debug;
  std::string m_errors;
  llvm::LLVMContext m_context;
  std::unique_ptr<llvm::Module> m_module;
  std::unique_ptr<llvm::TargetMachine> m_machine;
};

} // namespace

llvm::Expected<compiled_object> compile_kernel(const abi::jit_request& request) {
  compilation work(request);
  if (llvm::Error error = work.run(stage::object)) return std::move(error);
  llvm::SmallVector<char, 0> bytes;
  if (llvm::Error error = work.emit(llvm::CodeGenFileType::ObjectFile, bytes)) return std::move(error);
  return compiled_object{std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), "sinter.kernel", false),
                         entry_name(work.kernel()), work.full_debug()};
}

llvm::Expected<std::string> show_kernel(const abi::jit_request& request, stage what) {
  compilation work(request);
  if (llvm::Error error = work.run(what)) return std::move(error);
  if (what >= stage::assembly) {
    llvm::SmallVector<char, 0> bytes;
    if (llvm::Error error = work.emit(llvm::CodeGenFileType::AssemblyFile, bytes)) return std::move(error);
    return std::string(bytes.data(), bytes.size());
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  work.module().print(stream, nullptr);
  return text;
}

} // namespace sinter::jit
