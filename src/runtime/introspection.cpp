#include "introspection.hpp"

#include <abi/launch_abi.hpp>
#include <images/cache.hpp>
#include <images/cache_folder.hpp>
#include <images/jit_library.hpp>
#include <images/registry.hpp>
#include <runtime/backend_table.hpp>

namespace sinter {

introspection introspect() {
  introspection result;
  result.version = SINTER_VERSION;
  result.contract = abi::contract_version;
  const jit_facts jit = query_jit();
  result.jit_path = jit.path;
  result.llvm_version = jit.llvm_version;
  result.llvm_path = jit.llvm_path;
  result.cpu_name = jit.cpu_name;
  result.jit_error = jit.error;
  const kernel_cache& cache = kernel_cache::instance();
  result.cache_disabled = cache.disabled_because();
  result.cache_directory = cache.enabled() ? cache.directory() : environment().cache_directory;
  result.cache_limit_bytes = std::uint64_t{environment().cache_mebibytes} << 20;
  if (cache.enabled()) {
    const cache_contents contents = cache_contents_of(cache.directory());
    result.cache_entries = contents.kernels;
    result.cache_bytes = contents.bytes;
  }
  for (const backend_row& each : backend_table()) {
    if (each.state) result.drivers.push_back(each.state());
  }
  const registry_counts counts = count_images();
  result.images = counts.images;
  result.image_kernels = counts.kernels;
  result.images_refused = counts.refused;
  return result;
}

std::vector<const char*> unsafe_backends() {
  std::vector<const char*> names;
  for (const backend_row& each : backend_table()) {
    if (each.leave_out) names.push_back(each.name);
  }
  return names;
}

void try_backend(std::string_view name) {
  for (const backend_row& each : backend_table()) {
    if (name != each.name) continue;
    if (each.state) each.state();
    each.devices();
  }
}

void leave_backend_out(std::string_view name, const std::string& why) {
  for (const backend_row& each : backend_table()) {
    if (name == each.name && each.leave_out) each.leave_out(why);
  }
}

std::span<const environment_variable> introspect_environment() noexcept { return environment_table(); }

} // namespace sinter
