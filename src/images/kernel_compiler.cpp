#include "kernel_compiler.hpp"

#include <base/environment.hpp>
#include <cstdio>
#include <mutex>
#include <set>
#include <vector>

#include "compile_counts.hpp"
#include "jit_library.hpp"
#include "registry.hpp"

namespace sinter {

std::string compile_kernel(const abi::kernel_descriptor& kernel, const abi::compile_options& options,
                           const abi::specialization_table* constants, const abi::gpu_target& gpu,
                           const code_variant& code, abi::jit_result& result) {
  const jit_library& library = jit();
  if (!library.api) return library.error;
  const std::vector<const abi::image_header*>& externals = links_of(kernel).externals;
  const abi::jit_request request{.contract = abi::contract_version,
                                 .kernel_index = kernel.index,
                                 .options = options,
                                 .groups = code.made_for.layout.known(),
                                 .image = kernel.image->image,
                                 .constants = constants,
                                 .externals = externals.data(),
                                 .external_count = externals.size(),
                                 .gpu = gpu};
  if (!library.api->compile(&request, &result)) {
    std::string error = result.error;
    library.api->release(result.object);
    return error;
  }
  compile_counts::instance().note_compiled(result);
  show_warnings(result);
  return {};
}

void show_warnings(const abi::jit_result& result) {
  if (environment().warning_level == 0 || !result.warnings || *result.warnings == '\0') return;
  static std::mutex mutex;
  static auto* said = new std::set<std::string>;
  std::lock_guard lock(mutex);
  if (said->insert(result.warnings).second) std::fprintf(stderr, "sinter: %s", result.warnings);
}

}  // namespace sinter
