#include "gpu_code.hpp"

#include <abi/gpu_launch.hpp>
#include <base/background_work.hpp>
#include <base/large_stack.hpp>
#include <base/trace.hpp>
#include <cstdio>

#include <sycl/exception.hpp>

#include "cache.hpp"
#include "code_keys.hpp"
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

/// Empty on success, else a sentence.
std::string compile(const abi::kernel_descriptor& kernel, const abi::compile_options& options,
                    const abi::specialization_table* constants, code_variant& code) {
  const code_target& target = *code.made_for.target;
  const trace_scope scope(trace_kind::jit, [&] { return "compile " + kernel_display_name(kernel); });
  abi::jit_result result{};
  std::string error = compile_kernel(kernel, options, constants, target.request(), code, result);
  if (!error.empty()) return error;
  code.origin = code_origin::jit;
  try {
    take_gpu_code(target, *result.gpu, *code.gpu);
  } catch (const sycl::exception& failure) {
    error = failure.what();
  }
  jit().api->release(result.object);
  return error;
}

}  // namespace

void take_gpu_code(const code_target& target, const abi::gpu_code& made, gpu_program& program) {
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
  program.image = target.assemble(target.owner, std::string(made.text, made.size));
}

void store_gpu_image(const std::string& key, const std::string& stamp, const std::string& image,
                     const std::string& facts) {
  kernel_cache::instance().store(key, stamp, facts, [&](const std::string& path) { return write_file(path, image); });
}

std::unique_ptr<code_variant> make_gpu_code(const abi::kernel_descriptor& kernel, variant_key made_for,
                                            const abi::specialization_table* constants) {
  auto code = std::make_unique<code_variant>();
  code->made_for = std::move(made_for);
  code->gpu = std::make_unique<gpu_program>();
  const code_target& target = *code->made_for.target;
  const abi::compile_options options = gpu_options_for(code->made_for.ids, target.sub_group_size);
  const std::string key = key_of_kernel(kernel, code->made_for, options);
  cache_search search = kernel_cache::instance().search(key, "kernel '" + kernel_display_name(kernel) + "'",
                                                        [&] { return load_cached_gpu_code(kernel, key, *code); });
  if (search.found) return code;
  std::string error;
  on_large_stack([&] { error = compile(kernel, options, constants, *code); });
  if (!error.empty()) {
    compile_counts::instance().failures.fetch_add(1);
    throw sycl::exception(sycl::make_error_code(sycl::errc::build), "kernel '" + kernel_display_name(kernel) +
                                                                        "' could not be compiled for devices (" +
                                                                        target.gpu + "): " + error);
  }
  if (kernel_cache::instance().enabled()) {
    run_in_background_next([key, image = code->gpu->image, facts = gpu_facts(*code->gpu),
                            stamp = file_stamp(jit().api->llvm_path),
                            claim = std::move(search.claim)] { store_gpu_image(key, stamp, image, facts); });
  }
  return code;
}

}  // namespace sinter
