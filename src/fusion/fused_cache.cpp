#include "fused_cache.hpp"

#include <algorithm>
#include <images/kernel_name.hpp>
#include <images/registry.hpp>
#include <list>
#include <mutex>
#include <runtime/environment.hpp>
#include <unordered_map>
#include <unordered_set>

namespace sycl::detail {
namespace {

using code_pointer = std::unique_ptr<sinter::fused_code>;

struct variant {
  code_pointer code;
  bool has_constants = false;  ///< all numbers of the launch are part of the code
  std::string last_numbers;    ///< of its latest launch
  unsigned repeats = 0;        ///< launches with these numbers
};

// Of one key, made automatically: sequences whose numbers change each time are not worth it.
constexpr std::size_t most_variants = 4;
// Numbers that came so often will come again: code that holds them is worth compiling. Not for each number anew, though.
constexpr unsigned repeats_for_constants = 32;
constexpr int most_with_constants = 2;

struct cache {
  std::mutex mutex;  // protects variants; held while compiling, so that a list is compiled once
  std::unordered_map<std::string, std::list<variant>> variants;
  std::unordered_map<std::string, member_arguments::outlook> outlooks;
  std::unordered_set<std::string> seen;       ///< keys that came by
  std::unordered_set<std::string> compiling;  ///< in the background

  /// Never destroyed: commands may run when the program ends.
  static cache& instance() {
    static auto* instance = new cache;
    return *instance;
  }
};

std::uint32_t fusion_flags(const fusion_options& options) {
  return (options.no_barriers ? sinter::abi::fusion_no_barriers : 0u) |
         (options.automatic || sinter::environment().strict ? sinter::abi::fusion_only_proved : 0u) |
         (sinter::environment().report_fused_code ? sinter::abi::fusion_show_code : 0u);
}
std::uint32_t jit_flags(const member_arguments& arguments) {
  return (arguments.narrow_ids() ? sinter::abi::jit_narrow_ids : 0u) |
         (sinter::environment().check_barriers ? sinter::abi::jit_check_barriers : 0u) |
         sinter::environment().lanes << sinter::abi::jit_lanes_shift |
         sinter::usual_sub_group_size() << sinter::abi::jit_sub_group_shift |
         sinter::environment().block << sinter::abi::jit_block_shift;
}

std::string numbers_of(const member_arguments& arguments, const sinter::fusion_facts& facts) {
  std::string numbers = arguments.bytes_at(facts.depends_on);
  return facts.any_size ? numbers : numbers + arguments.sizes();
}

sinter::fusion_job job_of(const member_arguments& arguments, const fusion_options& options, bool constants = false) {
  const std::uint32_t flags[3] = {fusion_flags(options), jit_flags(arguments), constants ? 1u : 0u};
  return {arguments.kernels(), std::string(reinterpret_cast<const char*>(flags), sizeof(flags)) + arguments.key(),
          [&arguments](const sinter::fusion_facts& facts) { return numbers_of(arguments, facts); }};
}

code_pointer compile(member_arguments& arguments, const fusion_options& options, bool constants = false) {
  arguments.name_pointers();
  sinter::abi::fusion_request request{};
  request.contract = sinter::abi::contract_version;
  request.flags = jit_flags(arguments);
  request.fusion = fusion_flags(options);
  request.member_count = static_cast<std::uint32_t>(arguments.members().size());
  request.members = arguments.members().data();
  request.pointer_count = static_cast<std::uint32_t>(arguments.pointers().size());
  request.pointers = arguments.pointers().data();
  if (constants) {
    request.constant_count = static_cast<std::uint32_t>(arguments.numbers().size());
    request.constants = arguments.numbers().data();
  }
  return sinter::compile_fusion(job_of(arguments, options, constants), request, arguments.numbers());
}

/// Code or a refusal for these argument blocks, among variants of one key.
variant* find(std::list<variant>& variants, const member_arguments& arguments) {
  for (variant& candidate : variants) {
    if (numbers_of(arguments, candidate.code->facts) == candidate.code->facts.numbers) return &candidate;
  }
  return nullptr;
}

const sinter::fused_code* code_or_reason(const sinter::fused_code& found, std::string& why) {
  why = found.facts.refused;
  return why.empty() ? &found : nullptr;
}

/// Whether its numbers have just come often enough to become constants.
bool repeats_often(variant& found, const std::list<variant>& variants, const member_arguments& arguments) {
  if (found.has_constants || !found.code->facts.refused.empty() || arguments.numbers().empty()) return false;
  std::string numbers = arguments.bytes_at(arguments.numbers());
  found.repeats = numbers == found.last_numbers ? found.repeats + 1 : 0;
  found.last_numbers = std::move(numbers);
  if (found.repeats != repeats_for_constants) return false;
  return std::count_if(variants.begin(), variants.end(), [](const variant& each) { return each.has_constants; }) <
         most_with_constants;
}

/// Compiles behind the program's back. Under the mutex.
void compile_later(cache& known, const std::string& key, member_arguments&& arguments, const fusion_options& options,
                   bool constants) {
  known.compiling.insert(key);
  auto own = std::make_shared<member_arguments>(std::move(arguments));
  own->own_blocks();
  auto uses = std::make_shared<std::list<sinter::image_use>>();
  for (const sinter::abi::kernel_descriptor* kernel : own->kernels()) uses->emplace_back(*kernel);
  sinter::run_in_background([&known, key, own, uses, options, constants] {
    code_pointer made = constants ? sinter::load_fusion(job_of(*own, options, true)) : nullptr;
    if (!made) made = compile(*own, options, constants);
    std::lock_guard lock(known.mutex);
    // In front: more is known of these.
    if (!constants || made->facts.refused.empty()) known.variants[key].push_front({std::move(made), constants, {}, 0});
    known.compiling.erase(key);
    uses->clear();
  });
}

} // namespace

member_arguments::outlook expected_outlook(const std::string& key) {
  cache& known = cache::instance();
  std::lock_guard lock(known.mutex);
  const auto found = known.outlooks.find(key);
  return found == known.outlooks.end() ? member_arguments::outlook::forgotten : found->second;
}

void remember_outlook(const std::string& key, member_arguments::outlook seen) {
  cache& known = cache::instance();
  std::lock_guard lock(known.mutex);
  known.outlooks[key] = seen;
}

const sinter::fused_code* find_fused_code(member_arguments&& arguments, const fusion_options& options, std::string& why) {
  std::string key = arguments.key();
  // Another library may be loaded to where one was closed, and its code is bound to that place.
  for (const sinter::abi::kernel_descriptor* kernel : arguments.kernels()) {
    key.append(reinterpret_cast<const char*>(&kernel), sizeof(kernel));
  }
  key += options.no_barriers ? 'n' : 'b';
  key += options.automatic ? 'a' : 'e';
  cache& known = cache::instance();
  std::lock_guard lock(known.mutex);
  std::list<variant>& variants = known.variants[key];
  if (variant* found = find(variants, arguments)) {
    const sinter::fused_code& code = *found->code;
    if (repeats_often(*found, variants, arguments) && !known.compiling.contains(key)) {
      compile_later(known, key, std::move(arguments), options, true);
    }
    return code_or_reason(code, why);
  }
  // A sequence that is never seen again is not worth compiling; what an earlier process has compiled is there at once.
  const bool first = known.seen.insert(key).second;
  if (!options.automatic || first) {
    code_pointer made = sinter::load_fusion(job_of(arguments, options));
    if (!made && !options.automatic) made = compile(arguments, options);
    if (made) return code_or_reason(*variants.emplace_back(variant{std::move(made), false, {}, 0}).code, why);
  }
  why = "not compiled yet";
  if (first || known.compiling.contains(key)) return nullptr;
  if (variants.size() < most_variants) compile_later(known, key, std::move(arguments), options, false);
  return nullptr;
}

} // namespace sycl::detail
