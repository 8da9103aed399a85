#include "introspection.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <abi/launch_abi.hpp>
#include <images/cache.hpp>
#include <images/loader.hpp>
#include <images/registry.hpp>
#include <string_view>

namespace sinter {
namespace {

/// Kernels only: files that are still being written begin with a dot.
void count_cache(introspection& result) {
  DIR* list = opendir(result.cache_directory.c_str());
  if (!list) return;
  while (const dirent* entry = readdir(list)) {
    const std::string_view name = entry->d_name;
    struct stat facts;
    if (name.starts_with('.') || !name.ends_with(".so") ||
        lstat((result.cache_directory + "/" + entry->d_name).c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
      continue;
    }
    ++result.cache_entries;
    result.cache_bytes += static_cast<std::uint64_t>(facts.st_size);
  }
  closedir(list);
}

} // namespace

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
  if (cache.enabled()) count_cache(result);
  const registry_counts counts = count_images();
  result.images = counts.images;
  result.image_kernels = counts.kernels;
  result.images_refused = counts.refused;
  return result;
}

std::span<const environment_variable> introspect_environment() noexcept { return environment_table(); }

} // namespace sinter
