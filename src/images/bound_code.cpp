#include "bound_code.hpp"

#include <dlfcn.h>

#include <abi/device_abi.hpp>
#include <algorithm>
#include <base/background_work.hpp>
#include <cstdio>

#include "cache.hpp"
#include "compile_counts.hpp"
#include "jit_library.hpp"
#include "opened_file.hpp"
#include "registry.hpp"

namespace sinter {
namespace {

abi::runtime_functions runtime_table = {__sinter_trap, __sinter_assert_fail, {}};

/// Makes an empty file for an entry without code: a refused fusion, or a choice between two forms.
std::string make_empty_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wxe");
  return file && std::fclose(file) == 0 ? std::string() : "it can't be written";
}

}  // namespace

void serve_access_checks(const abi::access_check_functions& functions) noexcept { runtime_table.checks = functions; }

bool bind(const abi::kernel_info& info, const abi::kernel_descriptor& kernel, code_variant& code) {
  if (info.contract != abi::contract_version) return false;
  if (info.imports) {
    const void* const* const imports = links_of(kernel).imports.data();
    if (*info.imports && *info.imports != imports) return false;
    *info.imports = imports;
  }
  if (info.runtime) *info.runtime = &runtime_table;
  code.entry = info.entry;
  code.bounded = (info.flags & abi::code_is_bounded) != 0;
  code.needs_stack = (info.flags & abi::code_needs_stack) != 0;
  code.in_long_rows = (info.flags & abi::code_in_long_rows) != 0;
  code.lanes = static_cast<std::uint8_t>(1u << std::min(info.flags >> abi::code_lanes_shift & 0xf, 7u));
  code.has_tails = (info.flags & abi::code_has_tails) != 0;
  code.context_bytes_per_item = info.context_bytes_per_item;
  code.scratch_bytes_per_item = info.scratch_bytes_per_item;
  code.variable_bytes = info.variable_bytes;
  code.private_bytes = info.private_bytes;
  return true;
}

bool open_cached(const abi::kernel_descriptor& kernel, const std::string& path, std::string_view object,
                 code_variant& code) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    kernel_cache::instance().reject(path, reason ? reason : "dlopen failed", object);
    return false;
  }
  const auto* info = has_code_of(library, object)
                         ? static_cast<const abi::kernel_info*>(dlsym(library, abi::kernel_info_symbol))
                         : nullptr;
  if (!info || !bind(*info, kernel, code)) {
    dlclose(library);
    return false;
  }
  code.library = library;
  code.origin = code_origin::cache;
  compile_counts::instance().hits.fetch_add(1);
  return true;
}

void store_object(const abi::jit_api* api, const abi::jit_object* object, const std::string& key,
                  const std::string& facts) {
  kernel_cache::instance().store(key, api ? file_stamp(api->llvm_path) : "", facts, [&](const std::string& path) {
    char error[512] = "";
    if (!object) return make_empty_file(path);
    return api->link(object, path.c_str(), error, sizeof(error)) ? std::string() : std::string(error);
  });
}

void release_code(const std::vector<std::unique_ptr<code_variant>>& unused) noexcept {
  for (const auto& code : unused) {
    // The JIT's object is released in the background, after the task that stores it in the cache. This thread must not
    // wait for that task: during a dlclose it holds the loader's lock, which the task may need.
    if (code->object) {
      run_in_background([api = jit().api, object = code->object] { api->release(object); });
    }
    if (code->library) dlclose(code->library);
    if (code->gpu) code->made_for.target->unload(*code->gpu);
  }
}

}  // namespace sinter
