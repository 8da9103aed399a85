#include "fused_code.hpp"

#include <base/background_work.hpp>
#include <base/environment.hpp>
#include <base/large_stack.hpp>
#include <cstdio>
#include <vector>

#include "bound_code.hpp"
#include "cache.hpp"
#include "code_keys.hpp"
#include "compile_counts.hpp"
#include "jit_library.hpp"
#include "kernel_name.hpp"
#include "loader.hpp"
#include "registry.hpp"

namespace sinter {
namespace {

// Fused code for different numbers lies side by side. More than this replace each other.
constexpr unsigned fusion_slots = 4;

void name_members(const fusion_job& job, code_variant& code) {
  for (const abi::kernel_descriptor* member : job.members) {
    code.grouped |= member->shape == abi::kernel_shape::nd_range;
    code.name += (code.name.empty() ? "fused " : " + ") + kernel_display_name(*member);
  }
}

/// A free slot, else one that the numbers choose. Asked where files are written, one after the other.
std::string choose_key(std::span<const std::string> keys, const std::string& numbers) {
  for (const std::string& key : keys) {
    if (!kernel_cache::instance().has_file(key)) return key;
  }
  return keys[std::hash<std::string>()(numbers) % keys.size()];
}

void store_fusion(const fusion_job& job, const fused_code& code) {
  if (!kernel_cache::instance().enabled()) return;
  std::vector<std::string> keys;
  for (unsigned slot = 0; slot < fusion_slots; ++slot)
    keys.push_back(key_of_fusion(job.target, *job.members.front(), job.form, slot));
  run_in_background([api = jit().api, object = code.variant.object, keys, facts = code.facts] {
    store_object(api, object, choose_key(keys, facts.numbers), write_fusion_facts(facts));
  });
}

}  // namespace

std::unique_ptr<fused_code> load_fusion(const fusion_job& job) {
  for (unsigned slot = 0; slot < fusion_slots; ++slot) {
    std::string bytes;
    const std::string path =
        kernel_cache::instance().find(key_of_fusion(job.target, *job.members.front(), job.form, slot), &bytes);
    if (path.empty()) continue;  // evicted; others may be there
    auto code = std::make_unique<fused_code>();
    if (!read_fusion_facts(bytes, job.members.size(), code->facts)) {
      kernel_cache::instance().reject(path, "its facts are wrong");
      return nullptr;
    }
    if (job.numbers(code->facts) != code->facts.numbers) continue;
    if (!code->facts.refused.empty()) return code;
    if (!open_cached(*job.members.front(), path, code->variant)) return nullptr;
    code->origin = "  loaded      from the cache\n";
    name_members(job, code->variant);
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
  auto refuse = [&](const std::string& why) {
    facts = {};
    facts.refused = why;
    facts.depends_on.assign(may_depend_on.begin(), may_depend_on.end());
    facts.numbers = job.numbers(facts);
    return std::move(code);
  };
  if (environment().checks_accesses()) return refuse("SINTER_CHECK looks at kernels one by one");
  const abi::jit_api* api = nullptr;
  abi::jit_result result{};
  abi::fusion_result fusion{};
  bool fused = false;
  on_large_stack([&] {
    api = jit().api;
    fused = api && api->fuse(&request, &result, &fusion);
  });
  if (!api) return refuse(jit().error);
  wait_first_at_exit();
  if (!fused) {
    auto refused = refuse(result.error);
    store_fusion(job, *refused);
    return refused;
  }
  report_lanes("fused kernel", result);
  compile_counts::instance().note_compiled(result);
  code->variant.made_for.target = &job.target;
  code->variant.object = result.object;
  code->variant.origin = code_origin::jit;
  if (!bind(*result.info, *job.members.front(), code->variant))
    return refuse("the compiled code is of another version");
  facts.report = fusion.report;
  facts.trusted = fusion.trusted;
  facts.depends_on.assign(fusion.depends_on, fusion.depends_on + fusion.dependence_count);
  facts.take_numbers_of(fusion);
  const abi::fusion_member& launched = request.members[facts.range_member];
  const std::uint64_t(&range)[3] = launched.visits_elements() ? launched.element_range : launched.global_range;
  facts.work_items = range[0] * range[1] * range[2];
  facts.numbers = job.numbers(facts);
  store_fusion(job, *code);
  char line[64];
  std::snprintf(line, sizeof(line), "  compiled    in %.1f ms\n", result.milliseconds);
  code->origin = line;
  name_members(job, code->variant);
  return code;
}

}  // namespace sinter
