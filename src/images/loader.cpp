#include "loader.hpp"

#include <abi/device_abi.hpp>
#include <abi/matrix_layout.hpp>
#include <algorithm>
#include <atomic>
#include <base/background_work.hpp>
#include <base/environment.hpp>
#include <base/per_thread.hpp>
#include <base/large_stack.hpp>
#include <base/trace.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <sycl/exception.hpp>

#include "bound_code.hpp"
#include "cache.hpp"
#include "code_keys.hpp"
#include "compile_counts.hpp"
#include "compile_options.hpp"
#include "gpu_code.hpp"
#include "jit_library.hpp"
#include "kernel_compiler.hpp"
#include "kernel_name.hpp"
#include "registry.hpp"

namespace sinter {
namespace {

/// Returns the sizes of work-groups as text, for example "4 x 16". Returns an empty text if there are no groups.
std::string text_of_groups(const abi::kernel_descriptor& kernel, const abi::local_range& groups) {
  std::string text;
  for (unsigned d = 3 - kernel.dimensions; groups[2] != 0 && d < 3; ++d) {
    text += (text.empty() ? "" : " x ") + std::to_string(groups[d]);
  }
  return text;
}

/// Compiles a kernel. Returns an empty text on success, otherwise a sentence about the error.
std::string compile(const abi::kernel_descriptor& kernel, const abi::compile_options& options,
                    const abi::specialization_table* constants, const std::string& key,
                    std::shared_ptr<cache_claim> claim, code_variant& code) {
  abi::jit_result result{};
  std::string error = compile_kernel(kernel, options, constants, /*gpu=*/{}, code, result);
  if (!error.empty()) return error;
  const std::string name = kernel_display_name(kernel);
  const std::string groups = text_of_groups(kernel, code.made_for.layout.known().range);
  report_lanes("kernel '" + name + "'" + (groups.empty() ? "" : ", groups of " + groups),
               {{"kernel", name}, {"groups", groups}}, result);
  code.object = result.object;
  code.origin = code_origin::jit;
  if (!bind(*result.info, kernel, code)) return "the compiled code is of another version";
  if (kernel_cache::instance().enabled()) {
    run_in_background_next([api = jit().api, object = result.object, key, claim = std::move(claim)] {
      store_object(api, object, key, {});
    });
  }
  return {};
}

bool load_cached(const abi::kernel_descriptor& kernel, const std::string& key, code_variant& code) {
  std::string object;
  const std::string path = kernel_cache::instance().find(key, nullptr, &object);
  return !path.empty() && open_cached(kernel, path, object, code);
}

std::string search_in_trace(const abi::kernel_descriptor& kernel) {
  return "look in the cache for " + kernel_display_name(kernel);
}

/// Looks for the code in the cache. Returns false if the cache does not have the code, or if the user has requested a
/// report that only the compiler can make.
bool find_code(const abi::kernel_descriptor& kernel, const std::string& key, code_variant& code) {
  if (environment().report_vectorize) return false;
  const trace_scope scope(trace_kind::jit, [&] { return search_in_trace(kernel); });
  return load_cached(kernel, key, code);
}

std::unique_ptr<code_variant> make_code(const abi::kernel_descriptor& kernel, variant_key made_for,
                                        const abi::specialization_table* constants) {
  auto code = std::make_unique<code_variant>();
  code->made_for = std::move(made_for);
  const abi::compile_options options = compile_options_for(code->made_for.launches.ids);
  const std::string key = key_of_kernel(kernel, code->made_for, options);
  cache_search search;
  if (!environment().report_vectorize) {
    const trace_scope scope(trace_kind::jit, [&] { return search_in_trace(kernel); });
    search = kernel_cache::instance().search(key, "kernel '" + kernel_display_name(kernel) + "'",
                                             [&] { return load_cached(kernel, key, *code); });
  }
  if (search.found) return code;
  const trace_scope scope(trace_kind::jit, [&] { return "compile " + kernel_display_name(kernel); });
  std::string error;
  on_large_stack([&] { error = compile(kernel, options, constants, key, std::move(search.claim), *code); });
  if (error.empty()) return code;
  compile_counts::instance().failures.fetch_add(1);
  const std::string text =
      "kernel '" + kernel_display_name(kernel) + "' could not be compiled for the CPU device: " + error;
  // Host code can't run this kernel, either, because sub-groups have the same size in host code.
  if (error.starts_with(abi::unsupported_matrix)) sycl::detail::throw_error(sycl::errc::kernel_not_supported, text);
  if (environment().strict || !kernel.host) sycl::detail::throw_error(sycl::errc::build, text);
  if (environment().warning_level > 0) {
    std::fprintf(stderr, "sinter: %s. It runs as host code, which is slower; SINTER_STRICT=1 makes this an error\n",
                 text.c_str());
  }
  auto host_code = std::make_unique<code_variant>();
  host_code->made_for = std::move(code->made_for);
  // Host code works with any layout of groups.
  if (host_code->made_for.constants.empty()) host_code->made_for.layout = {};
  return host_code;
}

/// Returns, as text, the values of the constants on which code for the launch depends. Constants that the kernel does
/// not use are omitted.
std::string values_of(const abi::kernel_descriptor& kernel, const abi::specialization_table& constants) {
  const std::vector<abi::specialization_table::entry> read = constants_read(kernel, constants);
  return describe({static_cast<std::uint32_t>(read.size()), read.data()});
}

void append_raw(const abi::specialization_table& constants, std::string& bytes) {
  for (std::uint32_t i = 0; i < constants.count; ++i) {
    const auto& [key, value, size] = constants.entries[i];
    bytes.append(reinterpret_cast<const char*>(&key), sizeof(key));
    bytes.append(reinterpret_cast<const char*>(&size), sizeof(size));
    bytes.append(static_cast<const char*>(value), size);
  }
}

/// Frees the code on another thread: closing a cached kernel needs the loader's lock, and the thread that holds this
/// lock may be waiting for this launch.
void release_later(std::vector<std::unique_ptr<code_variant>> unused) {
  if (unused.empty()) return;
  run_in_background(
      [all = std::make_shared<std::vector<std::unique_ptr<code_variant>>>(std::move(unused))] { release_code(*all); });
}

// Set at the end of the program. LLVM's static objects are destroyed before the program's images are unregistered, so
// the JIT's code can't be freed then. This is no loss, because the system frees all memory.
std::atomic<bool> program_ends{false};

}  // namespace

const code_variant& acquire_code(abi::kernel_descriptor& kernel, const code_target& target, launch_class launches,
                                 const abi::local_range& local_range, const void* block,
                                 const abi::specialization_table* constants) {
  if (constants && constants->count == 0) constants = nullptr;
  if (!constants) {
    if (const code_variant* known = find_variant(kernel, target, launches, local_range, block)) return *known;
  }
  // Usually, an earlier launch had the same constants in the same order.
  std::string& raw_values = per_thread<std::string>();
  raw_values.clear();
  if (constants) {
    append_raw(*constants, raw_values);
    if (const code_variant* known = find_variant(kernel, target, launches, local_range, block, raw_values)) {
      note_lookup(kernel, *known);
      return *known;
    }
  }
  static const int registered = std::atexit([] { program_ends = true; });
  (void)registered;
  // Constants that are not set have their default values, which are known, too.
  static constexpr abi::specialization_table none_set{};
  if (!constants) constants = &none_set;
  const group_layout layout(local_range, block, image_view(kernel.image->image).leaves(kernel.index));
  std::lock_guard lock(variants_mutex(kernel));
  if (constants == &none_set) {
    if (const code_variant* known = find_variant(kernel, target, launches, local_range, block)) return *known;
  }
  const variant_key wanted{&target, launches, layout, values_of(kernel, *constants)};
  variant_key key = within_limits(kernel, wanted);
  if (key.constants == any_constants) {
    // Frees removed variants, unless another launch may still use a removed variant. This launch itself holds the image
    // once on the CPU, and twice for GPUs.
    if (image_holders(kernel) <= (target.is_this_process() ? 1u : 2u)) release_later(take_retired(kernel));
    // On GPUs, code can't read the values from a table, so the code has to contain these values.
    const bool has_to = !target.is_this_process();
    if (make_room(kernel, wanted, has_to)) key = within_limits(kernel, wanted);
    if (has_to) key.constants = wanted.constants;
  }
  if (const code_variant* known = find_variant(kernel, key)) {
    if (!key.constants.empty()) note_lookup(kernel, *known);
    return *known;
  }
  if (key.constants == any_constants) constants = nullptr;
  std::unique_ptr<code_variant> made = target.is_this_process() ? make_code(kernel, std::move(key), constants)
                                                          : make_gpu_code(kernel, std::move(key), constants);
  // Later launches with the same constants in the same order find the variant by these bytes.
  if (constants && !made->made_for.constants.empty()) made->raw_values = raw_values;
  const code_variant& added = add_variant(kernel, std::move(made));
  if (!added.made_for.constants.empty()) note_lookup(kernel, added);
  return added;
}

const code_variant* acquire_cached_code(abi::kernel_descriptor& kernel, const code_target& target,
                                        launch_class launches, const abi::local_range& local_range, const void* block) {
  std::unique_lock lock(variants_mutex(kernel), std::try_to_lock);
  if (!lock) return nullptr;
  if (const code_variant* known = find_variant(kernel, target, launches, local_range, block)) return known;
  const group_layout layout(local_range, block, image_view(kernel.image->image).leaves(kernel.index));
  auto code = std::make_unique<code_variant>();
  code->made_for = within_limits(kernel, {&target, launches, layout, values_of(kernel, {})});
  const std::string key = key_of_kernel(kernel, code->made_for, compile_options_for(launches.ids));
  return find_code(kernel, key, *code) ? &add_variant(kernel, std::move(code)) : nullptr;
}

void forget_code(abi::kernel_descriptor& kernel) noexcept {
  if (program_ends) return;
  release_code(take_variants(kernel));
  release_code(take_retired(kernel));
}

void report_lanes(const std::string& what, std::vector<report_value> values, const abi::jit_result& result) {
  if (!environment().report_vectorize) return;
  print_report({"vectorize", {"", "vectorize: " + what, std::move(values), to_statements(result.lanes)}});
}

}  // namespace sinter
