/// The function table of libsinter-jit.so (abi/launch_abi.hpp). This is the one place where errors become text.

#include <abi/launch_abi.hpp>
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "code_memory.hpp"
#include "compiler.hpp"
#include "llvm_end.hpp"
#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "object_linker.hpp"
#include "targets/cpu_target.hpp"

namespace sinter::abi {

struct jit_object {
  jit::compiled_object object;
  std::unique_ptr<jit::loaded_code> code;
  jit::device_code device;
  gpu_code gpu;
  std::vector<report_statement> lanes, fusion;  ///< these statements refer to texts in the object's reports
  std::string error;                            ///< why there is no code
};

} // namespace sinter::abi

namespace sinter::jit {
namespace {

abi::report_statements name_statements(const passes::report_statements& made,
                                       std::vector<abi::report_statement>& names) {
  for (const passes::report_statement& each : made) {
    names.push_back({each.topic.c_str(), each.text.c_str(), each.numbers.data(), each.numbers.size()});
  }
  return {names.data(), names.size()};
}

/// Stores the error's message in an object without code. If a list was refused, the object also has the parts that can
/// be fused, for the report.
void keep_error(llvm::Error error, abi::jit_result& result) {
  auto made = std::make_unique<abi::jit_object>();
  if (error.isA<fusion_refusal>()) {
    llvm::visitErrors(error, [&](const llvm::ErrorInfoBase& each) {
      made->object.fusion.report = static_cast<const fusion_refusal&>(each).parts();
    });
  }
  made->error = llvm::toString(std::move(error));
  result.object = made.release();
  result.error = result.object->error.c_str();
}

/// Fills `result` with the object that `make` returns, or with the error that `make` returns.
template <class Request>
abi::jit_object* answer(const Request* request, abi::jit_result* result,
                        llvm::Expected<std::unique_ptr<abi::jit_object>> (*make)(const Request&)) {
  const auto start = std::chrono::steady_clock::now();
  *result = {};
  auto fail = [&](llvm::Error error) -> abi::jit_object* {
    keep_error(std::move(error), *result);
    return nullptr;
  };
  if (request->contract != abi::contract_version)
    return fail(llvm::createStringError("the request is of another version"));
  const llvm_use use;
  if (use.is_too_late()) {
    return fail(llvm::createStringError("the program, or another library of it, opened LLVM before Sinter did, so "
                                        "LLVM has ended with the program; launch the kernel once before main returns"));
  }
  auto object = make(*request);
  if (!object) return fail(object.takeError());
  result->object = object->release();
  result->info = result->object->code ? result->object->code->info : nullptr;
  result->gpu = result->object->gpu.text ? &result->object->gpu : nullptr;
  result->lanes = name_statements(result->object->object.lanes, result->object->lanes);
  const bool for_gpu = result->gpu != nullptr;
  result->warnings = (for_gpu ? result->object->device.warnings : result->object->object.warnings).c_str();
  result->milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result->object;
}

template <class Request, llvm::Expected<compiled_object> (*Compile)(const Request&)>
llvm::Expected<std::unique_ptr<abi::jit_object>> load_compiled(const Request& request) {
  auto made = std::make_unique<abi::jit_object>();
  auto object = Compile(request);
  if (!object) return object.takeError();
  made->object = std::move(*object);
  auto code = load(made->object);
  if (!code) return code.takeError();
  made->code = std::move(*code);
  return made;
}

std::unique_ptr<abi::jit_object> object_of(device_code&& code) {
  auto made = std::make_unique<abi::jit_object>();
  made->device = std::move(code);
  made->gpu = {made->device.text.c_str(),
               made->device.text.size(),
               made->device.entry.c_str(),
               made->device.block,
               made->device.scratch_bytes_per_item,
               made->device.variable_bytes,
               made->device.flags,
               made->device.pointers.data(),
               made->device.pointers.size(),
               made->device.globals.data(),
               made->device.globals.size()};
  return made;
}

llvm::Expected<std::unique_ptr<abi::jit_object>> make_device_code(const abi::jit_request& request) {
  auto code = compile_for_gpu(request);
  if (!code) return code.takeError();
  return object_of(std::move(*code));
}

llvm::Expected<std::unique_ptr<abi::jit_object>> make_fused_device_code(const abi::fusion_request& request) {
  auto fused = compile_fusion_for_gpu(request);
  if (!fused) return fused.takeError();
  auto made = object_of(std::move(fused->code));
  made->object.fusion = std::move(fused->fusion);
  return made;
}

/// Refuses a request of another version. In this case, reads nothing of the request but its version.
template <class Request>
bool is_of_gpu(const Request& request) {
  return request.contract == abi::contract_version && request.gpu.name;
}

bool compile(const abi::jit_request* request, abi::jit_result* result) noexcept {
  return answer(request, result,
                is_of_gpu(*request) ? make_device_code : load_compiled<abi::jit_request, compile_kernel>) != nullptr;
}

bool compile_fused(const abi::fusion_request* request, abi::jit_result* result, abi::fusion_result* fusion) noexcept {
  abi::jit_object* object =
      answer(request, result,
             is_of_gpu(*request) ? make_fused_device_code : load_compiled<abi::fusion_request, compile_fusion>);
  if (!object) {
    if (result->object) fusion->report = name_statements(result->object->object.fusion.report, result->object->fusion);
    return false;
  }
  const fused_kernel& made = object->object.fusion;
  *fusion = {name_statements(made.report, object->fusion),
             made.code.c_str(),
             made.depends_on.data(),
             made.promotions.data(),
             static_cast<std::uint32_t>(made.depends_on.size()),
             static_cast<std::uint32_t>(made.promotions.size()),
             made.local_memory_bytes,
             made.saved_bytes,
             made.range_member,
             made.local_member,
             made.any_size ? 1u : 0u,
             {made.global_range[0], made.global_range[1], made.global_range[2]},
             {made.local_range[0], made.local_range[1], made.local_range[2]}};
  return true;
}

bool link(const abi::jit_object* object, const char* path, char* error, std::size_t error_size) noexcept {
  if (!object->code) {
    std::snprintf(error, error_size, "code of a GPU can't be linked");
    return false;
  }
  const llvm_use use;
  if (use.is_too_late()) {
    std::snprintf(error, error_size, "LLVM has ended with the program");
    return false;
  }
  llvm::Error failure = link_shared_object(object->object.bytes->getMemBufferRef(), path);
  if (!failure) return true;
  std::snprintf(error, error_size, "%s", llvm::toString(std::move(failure)).c_str());
  return false;
}

void release(abi::jit_object* object) noexcept { delete object; }

const char* llvm_path() {
  static const char* const path = [] {
    Dl_info info;
    // The address of a function of LLVM shows in which file LLVM is. This may be any function that is not inline.
    void (llvm::LLVMContext::*member)(bool) = &llvm::LLVMContext::setDiscardValueNames;
    void* address = nullptr;
    static_assert(sizeof(member) >= sizeof(address));
    __builtin_memcpy(&address, &member, sizeof(address));
    return dladdr(address, &info) && info.dli_fname ? realpath(info.dli_fname, nullptr) : nullptr;
  }();
  return path ? path : "";
}

} // namespace
} // namespace sinter::jit

extern "C" __attribute__((visibility("default"))) const sinter::abi::jit_api* sinter_jit_open(std::uint32_t contract) {
  using namespace sinter;
  if (contract != abi::contract_version) return nullptr;
  // Without this object, lld would register these options when it first links, perhaps while the program ends. Static
  // objects are destroyed in reverse order, and this object is made earlier, so it is destroyed later.
  static llvm::codegen::RegisterCodeGenFlags options_of_lld;
  static const abi::jit_api api = {
      abi::contract_version, LLVM_VERSION_STRING, jit::llvm_path(), jit::host_cpu().cpu.c_str(),
      jit::compile,          jit::compile_fused, jit::link, jit::release,
  };
  return &api;
}
