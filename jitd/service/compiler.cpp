#include "compiler.hpp"

#include <abi/gpu_launch.hpp>
#include <abi/launch_abi.hpp>
#include <abi/readable_name.hpp>
#include <cstddef>
#include <cstring>
#include <optional>

#include "externals.hpp"
#include "fusion_members.hpp"
#include "targets/fatal_errors.hpp"
#include "input/kernel_image.hpp"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "passes/device/device_globals.hpp"
#include "passes/device/kernel_selection.hpp"
#include "passes/optional_steps.hpp"
#include "pipeline/device_pipeline.hpp"
#include "pipeline/pipeline.hpp"
#include "targets/address_sanitizer.hpp"
#include "targets/code_passes.hpp"
#include "targets/cpu_target.hpp"
#include "targets/joined_arguments.hpp"

namespace sinter::jit {
namespace {

/// Keeps LLVM from printing and exiting: errors become text.
class collecting_handler : public llvm::DiagnosticHandler {
public:
  collecting_handler(std::string& errors, bool& needs_stack) : m_errors(errors), m_needs_stack(needs_stack) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    m_needs_stack |= llvm::isa<llvm::DiagnosticInfoStackSize>(info);
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream stream(m_errors);
      if (const auto* stack = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info)) {
        stream << "its variables take " << stack->getResourceSize() << " bytes of private memory, and the device has "
               << stack->getResourceLimit() << " for a work-item; use memory of the device, or smaller arrays";
        return true;
      }
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }

private:
  std::string& m_errors;
  bool& m_needs_stack;
};

/// Sets a flag in the kernel_info of a finished object file. How much stack the code needs is known only after LLVM has
/// made the code.
llvm::Error add_code_flag(llvm::SmallVectorImpl<char>& bytes, std::uint32_t flag) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), "sinter.kernel");
  auto object = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!object) return object.takeError();
  for (const llvm::object::SymbolRef& symbol : (*object)->symbols()) {
    auto name = symbol.getName();
    if (!name) return name.takeError();
    if (*name != abi::kernel_info_symbol) continue;
    auto section = symbol.getSection();
    auto place = symbol.getValue();
    if (!section) return section.takeError();
    if (!place) return place.takeError();
    auto contents = (*section)->getContents();
    if (!contents) return contents.takeError();
    char* flags = bytes.data() + (contents->data() - bytes.data()) + *place + offsetof(abi::kernel_info, flags);
    std::uint32_t known;
    std::memcpy(&known, flags, sizeof(known));
    known |= flag;
    std::memcpy(flags, &known, sizeof(known));
    return llvm::Error::success();
  }
  return llvm::createStringError("internal error: the object has no kernel_info");
}

/// Each compilation has its own context, module and machine, so that threads share nothing.
class compilation {
public:
  explicit compilation(bool full_debug) : m_full_debug(full_debug) {
    m_context.setDiagnosticHandler(std::make_unique<collecting_handler>(m_errors, m_needs_stack));
  }

  llvm::Error run(const abi::jit_request& request, stage until) {
    if (llvm::Error error = read(request, until)) return error;
    if (until == stage::device_ir) return llvm::Error::success();
    const passes::counted_steps counted(m_kernel.display_name);
    return lower(request.options, request.groups, request.constants, /*fused=*/false, until);
  }

  llvm::Expected<device_code> run_for_gpu(const abi::jit_request& request) {
    if (llvm::Error error = read(request, stage::object)) return error;
    if (llvm::Error error = check_parameters("its", request.gpu)) return error;
    const llvm::GlobalVariable* shared = find_global_of_kernel();
    if (shared && request.gpu.pointers_apart != 0) {
      return refuse_global(*shared, "the device has no unified shared memory");
    }
    const passes::counted_steps counted(m_kernel.display_name);
    std::vector<std::uint32_t> globals = passes::number_device_globals(*m_module, m_imports);
    llvm::Expected<device_code> code = lower_for_device(*m_module, m_kernel, request);
    if (code && !m_errors.empty()) return llvm::createStringError(m_errors);
    if (!code) return code;
    code->warnings = m_warnings;
    code->globals = std::move(globals);
    return code;
  }

  llvm::Error run(const abi::fusion_request& request) {
    const std::vector<kernel_facts> members = read_facts(request);
    const std::string name = fused_name(members);
    const passes::counted_steps counted(name);
    if (llvm::Error error = join(request, members)) return error;
    return lower(request.options, {}, nullptr, /*fused=*/true, stage::object);
  }

  llvm::Expected<fused_device_code> run_for_gpu(const abi::fusion_request& request) {
    const std::vector<kernel_facts> members = read_facts(request);
    const std::string name = fused_name(members);
    const passes::counted_steps counted(name);
    if (llvm::Error error = join(request, members)) return std::move(error);
    if (const llvm::GlobalVariable* shared = find_global_of_kernel()) {
      return refuse_global(*shared, "kernels with such variables are fused for the CPU only");
    }
    if (llvm::Error error = check_parameters("their", request.gpu)) return std::move(error);
    if (llvm::Error error = join_arguments(*m_fusion.kernel, m_fusion.block_places)) return std::move(error);
    // All launches of this code have work-groups of this size. If the code has tiles or rows, it determines the size
    // itself. Otherwise, the size is that of a member's groups.
    abi::jit_request whole{};
    whole.options = request.options;
    whole.gpu = request.gpu;
    if (m_kernel.row.shape == abi::kernel_shape::nd_range) {
      const bool own_groups = m_fusion.local_range[0] != 0;
      const std::uint64_t(&range)[3] =
          own_groups ? m_fusion.local_range : request.members[m_fusion.local_member].local_range;
      whole.groups.range = {range[0], range[1], range[2]};
    }
    llvm::Expected<device_code> code = lower_for_device(*m_module, m_kernel, whole);
    if (!code) return code.takeError();
    // This member has a barrier of all work-groups (root_group), which work-groups outside of this member's range would
    // never reach.
    if ((code->flags & abi::gpu_code_groups_meet) != 0) {
      return llvm::createStringError("all work-groups of a kernel meet at a barrier (root_group)");
    }
    if (!m_errors.empty()) return llvm::createStringError(m_errors);
    code->warnings = m_warnings;
    return fused_device_code{std::move(*code), std::move(m_fusion)};
  }

  llvm::Error emit(llvm::CodeGenFileType type, llvm::SmallVectorImpl<char>& bytes) {
    if (!emit_code(*m_machine, *m_module, type, bytes)) {
      return llvm::createStringError("LLVM can't emit code for this machine");
    }
    if (!m_errors.empty()) return llvm::createStringError(m_errors);
    const bool note = m_needs_stack && type == llvm::CodeGenFileType::ObjectFile;
    return note ? add_code_flag(bytes, abi::code_needs_stack) : llvm::Error::success();
  }

  const kernel_facts& kernel() const { return m_kernel; }
  fused_kernel& fusion() { return m_fusion; }
  const passes::report_statements& report() const { return m_report; }
  const std::string& warnings() const { return m_warnings; }
  bool full_debug() const { return m_full_debug; }
  const llvm::Module& module() const { return *m_module; }

private:
  /// A device_global that the kernel uses, or null. Other kernels of the file may use other device_globals.
  const llvm::GlobalVariable* find_global_of_kernel() {
    if (!passes::find_device_global(*m_module)) return nullptr;
    passes::select_kernel(*m_module, m_kernel.symbol);
    return passes::find_device_global(*m_module);
  }
  static llvm::Error refuse_global(const llvm::GlobalVariable& variable, const char* why) {
    return llvm::createStringError("it uses the device_global '" +
                                   abi::without_inline_namespace(llvm::demangle(variable.getName())) + "', and " + why);
  }

  llvm::Error check_parameters(const char* whose, const abi::gpu_target& gpu) const {
    const std::uint64_t most = gpu.parameter_bytes == 0 ? abi::large_gpu_parameter_bytes : gpu.parameter_bytes;
    // The block is in memory if a SPIR-V driver can't take it by value.
    const bool by_memory = llvm::StringRef(gpu.name).starts_with(abi::spirv_target_name);
    const std::uint64_t geometry = geometry_bytes(gpu);
    if (by_memory || m_kernel.row.block_size + geometry <= most) return llvm::Error::success();
    return llvm::createStringError(std::string(whose) + " arguments have " + std::to_string(m_kernel.row.block_size) +
                                   " bytes together, and the device takes " +
                                   std::to_string(most - geometry));
  }

  llvm::Error join(const abi::fusion_request& request, llvm::ArrayRef<kernel_facts> members) {
    auto module = read_members(request, m_context, m_imports, m_warnings);
    if (!module) return module.takeError();
    m_module = std::move(*module);
    auto fused = fuse(*m_module, request, members);
    if (!fused) return fused.takeError();
    m_fusion = std::move(*fused);
    m_kernel = m_fusion.facts;
    return llvm::Error::success();
  }

  llvm::Error read(const abi::jit_request& request, stage until) {
    m_kernel = read_kernel(*request.image, request.kernel_index);
    auto module = read_module(*request.image, m_context, until == stage::device_ir ? std::string() : m_kernel.symbol);
    if (!module) return module.takeError();
    m_module = std::move(*module);
    if (until == stage::device_ir) return llvm::Error::success();
    auto imports = link_externals(*m_module, {{m_kernel.symbol, m_kernel.display_name}}, *request.image,
                                  {request.externals, request.external_count}, m_warnings);
    if (!imports) return imports.takeError();
    m_imports = std::move(*imports);
    return llvm::Error::success();
  }

  llvm::Error lower(const abi::compile_options& options, const abi::known_groups& groups,
                    const abi::specialization_table* constants, bool fused, stage until) {
    const bool check_accesses = options.accesses == abi::access_check::reported;
    // Only simplified code shows which memory an access uses.
    if (check_accesses && m_full_debug) simplify_debug_code(*m_module);
    m_full_debug = m_full_debug && !check_accesses;
    auto machine = make_target_machine(!m_full_debug);
    if (!machine) return machine.takeError();
    m_machine = std::move(*machine);
    const pipeline_request request{m_kernel, m_imports, options,      groups,
                                   constants, fused,    m_full_debug, last_level_cache_bytes()};
    if (llvm::Error error = lower_for_cpu(*m_module, *m_machine, request, m_report)) return error;
    // Debug lines are dropped, because they would be of no use any more: the entry is not a function of the source.
    if (!m_full_debug) llvm::StripDebugInfo(*m_module);
    if (until != stage::lowered_ir) {
      if (llvm::Error error = optimise(*m_module, *m_machine, m_full_debug)) return error;
    }
    if (options.accesses == abi::access_check::sanitized) sanitize_accesses(*m_module);
    return llvm::Error::success();
  }

  kernel_facts m_kernel;
  std::vector<std::string> m_imports;
  fused_kernel m_fusion;
  bool m_full_debug;
  bool m_needs_stack = false;
  std::string m_errors, m_warnings;
  passes::report_statements m_report;
  llvm::LLVMContext m_context;
  std::unique_ptr<llvm::Module> m_module;
  std::unique_ptr<llvm::TargetMachine> m_machine;
};

bool full_debug(const abi::image_header& image) { return (image.flags & abi::image_full_debug) != 0; }

/// Returns the result of `make` for a compilation. If LLVM reports a fatal error, the compilation's objects stay in
/// memory and are never used again.
template <class Result>
llvm::Expected<Result> with_compilation(bool full_debug,
                                        llvm::function_ref<llvm::Expected<Result>(compilation&)> make) {
  auto work = std::make_unique<compilation>(full_debug);
  std::optional<llvm::Expected<Result>> result;
  const std::string failure = survive_fatal_errors([&] { result.emplace(make(*work)); });
  if (failure.empty()) return std::move(*result);
  (void)work.release();
  return llvm::createStringError("LLVM can't make code of it: " + failure);
}

llvm::Expected<compiled_object> finish(compilation& work) {
  llvm::SmallVector<char, 0> bytes;
  if (llvm::Error error = work.emit(llvm::CodeGenFileType::ObjectFile, bytes)) return std::move(error);
  return compiled_object{std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), "sinter.kernel", false),
                         entry_name(work.kernel()), work.full_debug(), std::move(work.fusion()), work.report(),
                         work.warnings()};
}

} // namespace

llvm::Expected<compiled_object> compile_kernel(const abi::jit_request& request) {
  return with_compilation<compiled_object>(
      full_debug(*request.image), [&](compilation& work) -> llvm::Expected<compiled_object> {
        if (llvm::Error error = work.run(request, stage::object)) return std::move(error);
        return finish(work);
      });
}

llvm::Expected<device_code> compile_for_gpu(const abi::jit_request& request) {
  return with_compilation<device_code>(/*full_debug=*/false,
                                       [&](compilation& work) { return work.run_for_gpu(request); });
}

llvm::Expected<compiled_object> compile_fusion(const abi::fusion_request& request) {
  // Fused kernels are optimised even if one of them was compiled for the debugger, because speed is the purpose of
  // fusion.
  return with_compilation<compiled_object>(
      /*full_debug=*/false, [&](compilation& work) -> llvm::Expected<compiled_object> {
        if (llvm::Error error = work.run(request)) return std::move(error);
        return finish(work);
      });
}

llvm::Expected<fused_device_code> compile_fusion_for_gpu(const abi::fusion_request& request) {
  return with_compilation<fused_device_code>(/*full_debug=*/false,
                                     [&](compilation& work) { return work.run_for_gpu(request); });
}

llvm::Expected<std::string> show_kernel(const abi::jit_request& request, stage what) {
  compilation work(full_debug(*request.image));
  if (llvm::Error error = work.run(request, what)) return std::move(error);
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
