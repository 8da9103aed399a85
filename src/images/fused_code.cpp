#include "fused_code.hpp"

#include <abi/fusion_choice.hpp>
#include <abi/work_items.hpp>
#include <base/background_work.hpp>
#include <base/environment.hpp>
#include <base/large_stack.hpp>
#include <base/trace.hpp>
#include <cstdio>
#include <vector>

#include <sycl/exception.hpp>

#include "bound_code.hpp"
#include "cache.hpp"
#include "code_keys.hpp"
#include "compile_counts.hpp"
#include "gpu_code.hpp"
#include "gpu_facts.hpp"
#include "jit_library.hpp"
#include "kernel_compiler.hpp"
#include "kernel_name.hpp"
#include "loader.hpp"
#include "registry.hpp"

namespace sinter {
namespace {

// The cache keeps code of one fusion for at most this many sets of numbers. Code for further sets replaces older code.
constexpr unsigned fusion_slots = 4;

void name_members(const fusion_job& job, code_variant& code) {
  const auto launched = job.members.first(job.launched);
  code.members.assign(launched.begin(), launched.end());
  for (const abi::kernel_descriptor* member : launched) {
    code.grouped |= member->shape == abi::kernel_shape::nd_range;
    code.name += (code.name.empty() ? "fused " : " + ") + kernel_display_name(*member);
  }
}

std::string names_of(const fusion_job& job) {
  std::string text;
  for (const abi::kernel_descriptor* member : job.members) {
    text += (text.empty() ? "" : ", ") + kernel_display_name(*member);
  }
  return text;
}

/// If the estimate for the fused code is not clear, adds a choice to the code, so that launches measure whether the
/// fused code is faster than its members.
void attach_choice(const fusion_job& job, fused_code& code) {
  if (!code.facts.refused.empty()) return;
  for (const report_statement& each : code.facts.statements) {
    if (each.topic != abi::unclear_topic) continue;
    const std::string key = key_of_fusion(job.target, job.launches, *job.members.front(), job.form, 0) +
                            "\nchoice for " + std::to_string(environment().threads) + " threads, size " +
                            size_class(code.facts.work_items);
    code.choice = &choice_for(key, names_of(job), each.text);
  }
}

/// Returns the key of the first unused slot. If all slots are used, returns the key of the slot that a hash of the
/// numbers selects.
std::string choose_key(std::span<const std::string> keys, const std::string& numbers) {
  for (const std::string& key : keys) {
    if (!kernel_cache::instance().has_file(key)) return key;
  }
  return keys[std::hash<std::string>()(numbers) % keys.size()];
}

bool is_of_gpu(const fusion_job& job) { return !job.target.is_this_process(); }

/// Returns the facts of fused code for GPUs as text: the facts of the program (empty for a refusal), followed by the
/// facts of the fusion.
std::string write_facts(const fused_code& code) {
  const std::string program = code.variant.gpu ? gpu_facts(*code.variant.gpu) : std::string();
  return program + "\n" + write_fusion_facts(code.facts);
}

/// Reads the facts. Returns false if Sinter has not written these bytes.
bool read_facts(const std::string& bytes, const fusion_job& job, fused_code& code) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string::npos) return false;
  if (!read_fusion_facts(std::string_view(bytes).substr(end + 1), job.members.size(), code.facts)) return false;
  if (!code.facts.refused.empty()) return true;
  code.variant.gpu = std::make_unique<gpu_program>();
  return read_gpu_facts(bytes.substr(0, end), code.variant.grouped, *code.variant.gpu);
}

void store_fusion(const fusion_job& job, const fused_code& code, std::shared_ptr<cache_claim> claim) {
  if (!kernel_cache::instance().enabled()) return;
  std::vector<std::string> keys;
  for (unsigned slot = 0; slot < fusion_slots; ++slot)
    keys.push_back(key_of_fusion(job.target, job.launches, *job.members.front(), job.form, slot));
  if (is_of_gpu(job)) {
    run_in_background_next(
        [keys, numbers = code.facts.numbers, facts = write_facts(code),
         image = code.variant.gpu ? code.variant.gpu->image : std::string(), stamp = file_stamp(jit().api->llvm_path),
         claim = std::move(claim)] { store_gpu_image(choose_key(keys, numbers), stamp, image, facts); });
    return;
  }
  run_in_background_next(
      [api = jit().api, object = code.variant.object, keys, facts = code.facts, claim = std::move(claim)] {
        store_object(api, object, choose_key(keys, facts.numbers), write_fusion_facts(facts));
      });
}

/// The counterpart of load_fusion for GPUs.
std::unique_ptr<fused_code> load_gpu_fusion(const fusion_job& job) {
  for (unsigned slot = 0; slot < fusion_slots; ++slot) {
    std::string facts, image;
    const std::string key = key_of_fusion(job.target, job.launches, *job.members.front(), job.form, slot);
    if (!kernel_cache::instance().read(key, facts, image)) continue;
    auto code = std::make_unique<fused_code>();
    name_members(job, code->variant);
    if (!read_facts(facts, job, *code)) return nullptr;
    if (job.numbers(code->facts) != code->facts.numbers) continue;
    if (!code->facts.refused.empty()) return code;
    code->variant.grouped |= code->facts.has_geometry();
    code->variant.gpu->image = std::move(image);
    code->variant.made_for.target = &job.target;
    code->variant.made_for.launches = job.launches;
    code->variant.origin = code_origin::cache;
    code->origin = {"loaded", "from the cache"};
    compile_counts::instance().hits.fetch_add(1);
    attach_choice(job, *code);
    return code;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<fused_code> load_fusion(const fusion_job& job) {
  if (is_of_gpu(job)) return load_gpu_fusion(job);
  for (unsigned slot = 0; slot < fusion_slots; ++slot) {
    std::string bytes, object;
    const std::string path = kernel_cache::instance().find(
        key_of_fusion(job.target, job.launches, *job.members.front(), job.form, slot), &bytes, &object);
    if (path.empty()) continue;  // no code in this slot; other slots may still have code
    auto code = std::make_unique<fused_code>();
    if (!read_fusion_facts(bytes, job.members.size(), code->facts)) {
      kernel_cache::instance().reject(path, "its facts are wrong");
      return nullptr;
    }
    if (job.numbers(code->facts) != code->facts.numbers) continue;
    if (!code->facts.refused.empty()) return code;
    code->variant.grouped |= code->facts.has_geometry();
    if (!open_cached(*job.members.front(), path, object, code->variant)) return nullptr;
    code->origin = {"loaded", "from the cache"};
    name_members(job, code->variant);
    attach_choice(job, *code);
    return code;
  }
  return nullptr;
}

std::unique_ptr<fused_code> compile_fusion(const fusion_job& job, abi::fusion_request request,
                                           std::span<const abi::fusion_dependence> may_depend_on) {
  const std::vector<const abi::image_header*>& externals = links_of(*job.members.front()).externals;
  request.external_count = externals.size();
  request.externals = externals.data();
  auto code = std::make_unique<fused_code>();
  fusion_facts& facts = code->facts;
  auto refuse = [&](const std::string& why, std::vector<report_statement> parts = {}) {
    facts = {};
    facts.refused = why;
    facts.statements = std::move(parts);
    facts.depends_on.assign(may_depend_on.begin(), may_depend_on.end());
    facts.numbers = job.numbers(facts);
    return std::move(code);
  };
  if (environment().checks_accesses()) return refuse("SINTER_CHECK looks at kernels one by one");
  // Another process may be compiling the same fusion, but perhaps for other numbers, so that its code is useless for
  // this process. So this process waits for at most one other process.
  std::unique_ptr<fused_code> others;
  cache_search search = kernel_cache::instance().search(
      key_of_fusion(job.target, job.launches, *job.members.front(), job.form, 0), "a fused kernel", [&] {
        others = load_fusion(job);
        return others != nullptr;
      });
  if (search.found) return others;
  const abi::jit_api* api = nullptr;
  abi::jit_result result{};
  abi::fusion_result fusion{};
  bool fused = false;
  on_large_stack([&] {
    const trace_scope scope(trace_kind::jit, [&] { return "compile fused: " + names_of(job); });
    api = jit().api;
    fused = api && api->fuse(&request, &result, &fusion);
  });
  if (!api) return refuse(jit().error);
  wait_first_at_exit();
  if (!fused) {
    auto refused = refuse(result.error, to_statements(fusion.report));
    if (result.object) api->release(result.object);
    store_fusion(job, *refused, std::move(search.claim));
    return refused;
  }
  compile_counts::instance().note_compiled(result);
  show_warnings(result);
  code->variant.made_for.target = &job.target;
  code->variant.made_for.launches = job.launches;
  code->variant.origin = code_origin::jit;
  if (result.gpu) {
    code->variant.gpu = std::make_unique<gpu_program>();
    try {
      take_gpu_code(job.target, *result.gpu, *code->variant.gpu);
    } catch (const sycl::exception& failure) {
      api->release(result.object);
      return refuse(failure.what());
    }
  } else {
    report_lanes("fused kernel", {{"kernel", names_of(job)}}, result);
    code->variant.object = result.object;
    if (!bind(*result.info, *job.members.front(), code->variant))
      return refuse("the compiled code is of another version");
  }
  facts.statements = to_statements(fusion.report);
  facts.code = fusion.code;
  facts.depends_on.assign(fusion.depends_on, fusion.depends_on + fusion.dependence_count);
  facts.promotions.assign(fusion.promotions, fusion.promotions + fusion.promotion_count);
  facts.take_numbers_of(fusion);
  const abi::fusion_member& launched = request.members[facts.range_member];
  const std::uint64_t(&range)[3] = launched.visits_elements() ? launched.element_range : launched.global_range;
  facts.work_items = abi::work_items(range);
  code->variant.grouped |= facts.has_geometry();
  if (facts.has_geometry()) facts.work_items = abi::work_items(facts.global_range);
  facts.numbers = job.numbers(facts);
  attach_choice(job, *code);
  store_fusion(job, *code, std::move(search.claim));
  char text[64];
  std::snprintf(text, sizeof(text), "in %.1f ms", result.milliseconds);
  code->origin = {"compiled", text, {{"milliseconds", result.milliseconds}}};
  name_members(job, code->variant);
  // All facts have been copied, so the object is no longer needed.
  if (result.gpu) api->release(result.object);
  return code;
}

}  // namespace sinter
