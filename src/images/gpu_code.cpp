#include "gpu_code.hpp"

#include <abi/device_abi.hpp>
#include <abi/gpu_launch.hpp>
#include <abi/matrix_layout.hpp>
#include <base/background_work.hpp>
#include <base/large_stack.hpp>
#include <base/trace.hpp>
#include <cstdio>
#include <vector>

#include <sycl/exception.hpp>

#include "cache.hpp"
#include "code_keys.hpp"
#include "code_variants.hpp"
#include "compile_counts.hpp"
#include "compile_options.hpp"
#include "gpu_facts.hpp"
#include "jit_library.hpp"
#include "kernel_compiler.hpp"
#include "kernel_name.hpp"
#include "registry.hpp"

namespace sinter {
namespace {

std::string write_file(const std::string& path, const std::string& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wxe");
  const bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return file && std::fclose(file) == 0 && written ? std::string() : "it can't be written";
}

bool load_cached_gpu_code(const abi::kernel_descriptor& kernel, const std::string& key, code_variant& code) {
  std::string facts, image;
  if (!kernel_cache::instance().read(key, facts, image)) return false;
  if (!read_gpu_facts(facts, kernel.shape == abi::kernel_shape::nd_range, *code.gpu)) return false;
  code.gpu->image = std::move(image);
  code.origin = code_origin::cache;
  compile_counts::instance().hits.fetch_add(1);
  return true;
}

void take_facts(const abi::gpu_code& made, gpu_program& program) {
  program.entry = made.entry;
  program.block = made.block;
  program.scratch_bytes_per_item = made.scratch_bytes_per_item;
  program.variable_bytes = made.variable_bytes;
  program.linear_groups = (made.flags & abi::gpu_code_linear_groups) != 0;
  program.can_fail = (made.flags & abi::gpu_code_can_fail) != 0;
  program.groups_meet = (made.flags & abi::gpu_code_groups_meet) != 0;
  program.block_in_memory = (made.flags & abi::gpu_code_block_in_memory) != 0;
  program.pointers.assign(made.pointers, made.pointers + made.pointer_count);
  program.globals.assign(made.globals, made.globals + made.global_count);
}

/// Compiles a kernel. The text that the compiler makes becomes the program's image. Returns an empty text on success,
/// otherwise a sentence about the error.
std::string compile(const abi::kernel_descriptor& kernel, const abi::compile_options& options,
                    const abi::specialization_table* constants, const abi::gpu_target& target, code_variant& code) {
  const trace_scope scope(trace_kind::jit, [&] { return "compile " + kernel_display_name(kernel); });
  abi::jit_result result{};
  std::string error = compile_kernel(kernel, options, constants, target, code, result);
  if (!error.empty()) return error;
  code.origin = code_origin::jit;
  take_facts(*result.gpu, *code.gpu);
  code.gpu->image.assign(result.gpu->text, result.gpu->size);
  jit().api->release(result.object);
  return {};
}

/// Converts the program's image to the form that the driver loads.
std::string assemble(const code_target& target, const abi::specialization_table* values, gpu_program& program) {
  try {
    program.image = target.assemble(target.owner, program, values);
    return {};
  } catch (const sycl::exception& failure) {
    return failure.what();
  }
}

void store_in_background(const std::string& key, const gpu_program& program, std::shared_ptr<cache_claim> claim) {
  if (!kernel_cache::instance().enabled()) return;
  run_in_background_next([key, image = program.image, facts = gpu_facts(program),
                          stamp = file_stamp(jit().api->llvm_path),
                          claim = std::move(claim)] { store_gpu_image(key, stamp, image, facts); });
}

// ---------------------------------------------------------------------------------- values that the driver sets

// The driver has to be called once for each unit of a constant (specialization_unit), so the number of units is
// limited.
constexpr std::uint64_t most_units = 256;

/// Returns whether the driver should set these values in a module. The result is false for the first most_folded sets
/// of values: code that contains the values is faster, so compiling it is worthwhile.
bool is_for_driver(const abi::kernel_descriptor& kernel, const variant_key& key,
                   const std::vector<abi::specialization_table::entry>& values) {
  if (!key.target->specialises || values.empty() || specialized_sets(kernel, key) < most_folded) return false;
  std::uint64_t units = 0;
  for (const auto& [name, value, size] : values) {
    if ((name & abi::specialization_of_argument) == abi::specialization_of_argument) return false;
    units += size / abi::specialization_unit(size);
  }
  return units <= most_units;
}

/// Returns the variant that contains a module for all sets of values of these constants. If the compiler can't make
/// such a module, the variant has no image.
const code_variant& shared_module(abi::kernel_descriptor& kernel, const abi::compile_options& options,
                                  const abi::specialization_table& values, variant_key key) {
  key.constants = named_constants;
  for (std::uint32_t i = 0; i < values.count; ++i) {
    key.constants += std::to_string(values.entries[i].key) + ":" + std::to_string(values.entries[i].size) + " ";
  }
  if (const code_variant* known = find_variant(kernel, key)) return *known;
  auto module = std::make_unique<code_variant>();
  module->made_for = std::move(key);
  module->gpu = std::make_unique<gpu_program>();
  const std::string cache_key = key_of_kernel(kernel, module->made_for, options);
  cache_search search =
      kernel_cache::instance().search(cache_key, "kernel '" + kernel_display_name(kernel) + "'",
                                      [&] { return load_cached_gpu_code(kernel, cache_key, *module); });
  if (!search.found) {
    abi::gpu_target target = module->made_for.target->request(module->made_for.launches);
    target.specialization_ids = 1;
    if (compile(kernel, options, &values, target, *module).empty()) {
      store_in_background(cache_key, *module->gpu, std::move(search.claim));
    } else {
      module->gpu->image.clear();
    }
  }
  return add_variant(kernel, std::move(module));
}

/// Lets the driver set the values. Returns false if the driver fails. In this case, the caller has to compile the
/// kernel with the values, which also reports the error.
bool specialise_by_driver(abi::kernel_descriptor& kernel, const abi::compile_options& options,
                          const std::vector<abi::specialization_table::entry>& values, code_variant& code) {
  const abi::specialization_table table{static_cast<std::uint32_t>(values.size()), values.data()};
  const gpu_program& module = *shared_module(kernel, options, table, code.made_for).gpu;
  if (module.image.empty()) return false;
  const bool has_groups = kernel.shape == abi::kernel_shape::nd_range;
  if (!read_gpu_facts(gpu_facts(module), has_groups, *code.gpu)) return false;
  code.gpu->image = module.image;
  code.origin = code_origin::jit;
  return assemble(*code.made_for.target, &table, *code.gpu).empty();
}

}  // namespace

void take_gpu_code(const code_target& target, const abi::gpu_code& made, gpu_program& program) {
  take_facts(made, program);
  program.image.assign(made.text, made.size);
  program.image = target.assemble(target.owner, program, nullptr);
}

void store_gpu_image(const std::string& key, const std::string& stamp, const std::string& image,
                     const std::string& facts) {
  kernel_cache::instance().store(key, stamp, facts, [&](const std::string& path) { return write_file(path, image); });
}

std::unique_ptr<code_variant> make_gpu_code(abi::kernel_descriptor& kernel, variant_key made_for,
                                            const abi::specialization_table* constants) {
  auto code = std::make_unique<code_variant>();
  code->made_for = std::move(made_for);
  code->gpu = std::make_unique<gpu_program>();
  const code_target& target = *code->made_for.target;
  const abi::compile_options options = gpu_options_for(code->made_for.launches.ids, target.sub_group_size);
  const std::string key = key_of_kernel(kernel, code->made_for, options);
  cache_search search = kernel_cache::instance().search(key, "kernel '" + kernel_display_name(kernel) + "'",
                                                        [&] { return load_cached_gpu_code(kernel, key, *code); });
  if (search.found) return code;
  std::string error;
  const auto values = constants_read(kernel, *constants);
  const bool by_driver = is_for_driver(kernel, code->made_for, values);
  on_large_stack([&] {
    if (by_driver && specialise_by_driver(kernel, options, values, *code)) return;
    error = compile(kernel, options, constants, target.request(code->made_for.launches), *code);
    if (error.empty()) error = assemble(target, nullptr, *code->gpu);
  });
  if (!error.empty()) {
    compile_counts::instance().failures.fetch_add(1);
    const bool is_supported = !error.starts_with(abi::unsupported_matrix);
    sycl::detail::throw_error(
        is_supported ? sycl::errc::build : sycl::errc::kernel_not_supported,
        "kernel '" + kernel_display_name(kernel) + "' could not be compiled for devices (" + target.gpu + "): " +
            error);
  }
  store_in_background(key, *code->gpu, std::move(search.claim));
  return code;
}

}  // namespace sinter
