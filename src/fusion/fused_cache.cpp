#include "fused_cache.hpp"

#include <algorithm>
#include <bit>
#include <images/code_variants.hpp>
#include <images/compile_options.hpp>
#include <images/registry.hpp>
#include <list>
#include <mutex>
#include <base/background_work.hpp>
#include <base/environment.hpp>
#include <base/race_notes.hpp>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sycl::inline _V1::detail {
namespace {

using code_pointer = std::unique_ptr<sinter::fused_code>;

struct variant {
  code_pointer code;
  bool has_constants = false;  ///< whether all numbers of the launch are constants of the code
  std::string last_numbers;    ///< the numbers of the variant's latest launch
  unsigned repeats = 0;        ///< number of launches in a row with these numbers
};

// An automatic list gets at most this many variants for one key, because numbers that change each time are not worth
// compiling for.
constexpr std::size_t most_variants = 4;
// After this many launches in a row with equal numbers, the numbers will probably stay equal, so it pays to compile
// code that contains them as constants.
constexpr unsigned repeats_for_constants = 32;
constexpr int most_with_constants = 2;

/// Facts about lists with one key.
struct known_list {
  std::list<variant> variants;
  bool seen = false;       ///< whether such a list was completed before
  bool compiling = false;  ///< whether its code is being compiled in the background
};

struct key_hash {
  std::size_t operator()(const std::string& key) const noexcept { return XXH3_64bits(key.data(), key.size()); }
};

struct cache {
  std::mutex mutex;  // protects the members below; held while compiling, so that a list is compiled once
  std::unordered_map<std::string, known_list, key_hash> lists;
  std::unordered_set<std::string, key_hash> lasting;  ///< lists whose temporaries still existed at their latest launch
  /// for each list, the sets of values of specialization constants with which it was launched
  std::unordered_map<std::string, std::unordered_set<std::string>, key_hash> constants;
  /// lists that end with a reduction and were refused as automatic lists; see refusal_key
  std::unordered_set<std::string, key_hash> refused;
  /// These texts describe the list that is looked up. They are members so that their memory is used again.
  std::string key, numbers;

  /// Returns the cache, which is never destroyed, because commands may run when the program ends.
  static cache& instance() {
    static auto* instance = new (sinter::lasting) cache;
    return *instance;
  }
};

bool is_measured(const fusion_options& options) { return options.timed && sinter::environment().measure_fusion; }

std::uint32_t fusion_flags(const fusion_options& options) {
  const bool only_proved = options.automatic || options.only_proved || sinter::environment().strict;
  return (options.no_barriers ? sinter::abi::fusion_no_barriers : 0u) |
         (only_proved ? sinter::abi::fusion_only_proved : 0u) |
         (options.tiles ? sinter::abi::fusion_tiles : 0u) |
         (options.trusted ? sinter::abi::fusion_trusted : 0u) |
         (options.must_pay ? sinter::abi::fusion_must_pay : 0u) |
         (options.must_pay && is_measured(options) ? sinter::abi::fusion_is_measured : 0u) |
         (sinter::environment().fuse_small ? sinter::abi::fusion_slow_tiles : 0u) |
         (sinter::environment().report_fused_code ? sinter::abi::fusion_show_code : 0u) |
         (options.tiles ? options.tile_limits : 0u);
}

void append_numbers(const member_arguments& arguments, const sinter::fusion_facts& facts, std::string& numbers) {
  arguments.append_bytes_at(facts.depends_on, numbers);
  if (!facts.any_size) arguments.append_sizes(numbers);
}

sinter::abi::compile_options options_for(const member_arguments& arguments, const sinter::code_target& target) {
  return target.is_this_process() ? sinter::compile_options_for(arguments.ids())
                            : sinter::gpu_options_for(arguments.ids(), target.sub_group_size);
}

sinter::fusion_job job_of(const member_arguments& arguments, const fusion_options& options,
                          const sinter::code_target& target, sinter::launch_class launches, bool constants = false) {
  const struct {
    std::uint32_t fusion;
    sinter::abi::compile_options compile;
    std::uint32_t constants;
  } all{fusion_flags(options), options_for(arguments, target), constants ? 1u : 0u};
  static_assert(std::has_unique_object_representations_v<decltype(all)>);
  return {target, launches, arguments.kernels(), arguments.launched(),
          std::string(reinterpret_cast<const char*>(&all), sizeof(all)) + arguments.key(),
          [&arguments](const sinter::fusion_facts& facts) {
            std::string numbers;
            append_numbers(arguments, facts, numbers);
            return numbers;
          }};
}

code_pointer compile(member_arguments& arguments, const fusion_options& options, const sinter::code_target& target,
                     sinter::launch_class launches, bool constants = false) {
  arguments.name_pointers();
  sinter::abi::fusion_request request{};
  request.contract = sinter::abi::contract_version;
  request.options = options_for(arguments, target);
  if (!target.is_this_process()) request.gpu = target.request(launches);
  request.fusion = fusion_flags(options);
  request.member_count = static_cast<std::uint32_t>(arguments.members().size());
  request.members = arguments.members().data();
  request.pointer_count = static_cast<std::uint32_t>(arguments.pointers().size());
  request.pointers = arguments.pointers().data();
  std::vector<sinter::abi::fusion_dependence> known = arguments.values();
  if (constants) known.insert(known.end(), arguments.numbers().begin(), arguments.numbers().end());
  request.constant_count = known.size();
  request.constants = known.data();
  return sinter::compile_fusion(job_of(arguments, options, target, launches, constants), request, arguments.numbers());
}

/// Finds code or a refusal for these argument blocks, among the variants of one key. Called under the mutex.
variant* find(cache& known, std::list<variant>& variants, const member_arguments& arguments) {
  for (variant& candidate : variants) {
    known.numbers.clear();
    append_numbers(arguments, candidate.code->facts, known.numbers);
    if (known.numbers == candidate.code->facts.numbers) return &candidate;
  }
  return nullptr;
}

/// Appends the values of specialization constants to the key. If the list was launched with too many different sets of
/// values, new values are not appended; the code then reads them at run time. For GPUs the values are always appended,
/// because GPU code has no table from which it could read them.
void add_constants(cache& known, member_arguments& arguments, const sinter::code_target& target, std::string& key) {
  if (!arguments.has_values()) return;
  std::string values;
  arguments.append_constants(values);
  auto& seen = known.constants[key];
  if (seen.size() < sinter::most_specialized) seen.insert(values);
  if (!seen.contains(values) && target.is_this_process()) {
    arguments.look_up_constants();
    values.clear();
  }
  key += values;
}

const sinter::fused_code* code_or_reason(const sinter::fused_code& found, std::size_t members,
                                         fusion_refused& refused) {
  refused.why = found.facts.refused;
  if (found.choice && found.choice->is_kept(sinter::fusion_choice::form::apart)) {
    refused.why = found.choice->text();
    refused.measured = true;
    return nullptr;
  }
  if (refused.why.empty()) return &found;
  refused.parts = found.facts.parts(members);
  return nullptr;
}

/// Returns whether the list's numbers were repeated often enough to become constants. Called under the mutex.
bool repeats_often(cache& known, variant& found, const std::list<variant>& variants,
                   const member_arguments& arguments) {
  if (found.has_constants || !found.code->facts.refused.empty() || arguments.numbers().empty()) return false;
  known.numbers.clear();
  arguments.append_bytes_at(arguments.numbers(), known.numbers);
  found.repeats = known.numbers == found.last_numbers ? found.repeats + 1 : 0;
  if (found.repeats == 0) found.last_numbers = known.numbers;
  if (found.repeats != repeats_for_constants) return false;
  return std::count_if(variants.begin(), variants.end(), [](const variant& each) { return each.has_constants; }) <
         most_with_constants;
}

/// Identifies a list that ends with a reduction: by the kernels' addresses and the order of magnitude of the first
/// kernel's range.
std::string refusal_key(std::span<sinter::abi::kernel_descriptor* const> kernels,
                        const sinter::abi::launch_geometry& first) {
  std::string key(reinterpret_cast<const char*>(kernels.data()), kernels.size_bytes());
  key += static_cast<char>(std::bit_width(sinter::abi::work_items(first.global_range)));
  return key;
}

/// If a list that ends with a reduction is refused, notes the list, so that later lists of these kernels are fused
/// without the reduction. The reduction may still join other kernels. Called under the mutex.
void note_refusal(cache& known, const member_arguments& arguments, const sinter::fused_code& made) {
  if (!made.facts.refused.empty() && arguments.members().back().visits_elements())
    known.refused.insert(refusal_key(arguments.kernels(), arguments.members().front()));
}

/// Compiles in the background. Called under the mutex.
void compile_later(cache& known, const std::string& key, const member_arguments& arguments,
                   const fusion_options& options, const sinter::code_target& target, sinter::launch_class launches,
                   bool constants) {
  known.lists[key].compiling = true;
  auto own = std::make_shared<member_arguments>(arguments);
  own->own_blocks();
  auto uses = std::make_shared<std::list<sinter::image_use>>();
  for (const sinter::abi::kernel_descriptor* kernel : own->kernels()) uses->emplace_back(*kernel);
  sinter::run_in_background([&known, key, own, uses, options, &target, launches, constants] {
    code_pointer made = constants ? sinter::load_fusion(job_of(*own, options, target, launches, true)) : nullptr;
    if (!made) made = compile(*own, options, target, launches, constants);
    std::lock_guard lock(known.mutex);
    // Searches begin at the front, so the new variant goes there: it was made with the latest facts.
    known_list& list = known.lists[key];
    note_refusal(known, *own, *made);
    if (!constants || made->facts.refused.empty()) list.variants.push_front({std::move(made), constants, {}, 0});
    list.compiling = false;
    fusion_pause::note_compiled();
    uses->clear();
  });
}

} // namespace

const sinter::fused_code* find_fused_code(member_arguments& arguments, const fusion_options& options,
                                          const sinter::code_target& target, sinter::launch_class launches,
                                          fusion_moment moment, fusion_refused& refused) {
  cache& known = cache::instance();
  const std::size_t members = arguments.members().size();
  std::lock_guard lock(known.mutex);
  std::string& key = known.key;
  key.clear();
  arguments.append_lasting_key(key);
  if (moment == fusion_moment::launch) {
    if (arguments.has_candidates()) {
      known.lasting.insert(key);
    } else {
      known.lasting.erase(key);
    }
  } else if (arguments.has_candidates() && !known.lasting.contains(key)) {
    arguments.forget_temporaries();
  }
  add_constants(known, arguments, target, key);
  arguments.append_outlook(key);
  // The key contains the descriptors' addresses, because fused code contains addresses of its kernels' libraries. After
  // a library was closed, another library may be loaded at these addresses.
  for (const sinter::abi::kernel_descriptor* kernel : arguments.kernels()) {
    key.append(reinterpret_cast<const char*>(&kernel), sizeof(kernel));
  }
  const void* made_for = &target;
  key.append(reinterpret_cast<const char*>(&made_for), sizeof(made_for));
  key.append(reinterpret_cast<const char*>(&launches), sizeof(launches));
  key += options.no_barriers ? 'n' : 'b';
  key += options.automatic ? 'a' : options.only_proved ? 'p' : 'e';
  key += options.tiles ? 't' : '-';
  key += options.trusted ? 'u' : '-';
  key += options.must_pay ? 'm' : '-';
  key += options.timed ? 'd' : '-';
  known_list& list = known.lists[key];
  if (variant* found = find(known, list.variants, arguments)) {
    const sinter::fused_code& code = *found->code;
    if (repeats_often(known, *found, list.variants, arguments) && !list.compiling) {
      compile_later(known, key, arguments, options, target, launches, true);
    }
    return code_or_reason(code, members, refused);
  }
  // A sequence that comes only once is not worth compiling, so code is compiled when it comes again. Code that an
  // earlier process has compiled is used at once.
  const bool first = !std::exchange(list.seen, true) && !options.part;
  if (!options.automatic || first) {
    code_pointer made = sinter::load_fusion(job_of(arguments, options, target, launches));
    if (!made && !options.automatic) made = compile(arguments, options, target, launches);
    if (made && options.automatic) note_refusal(known, arguments, *made);
    if (made) {
      return code_or_reason(*list.variants.emplace_back(variant{std::move(made), false, {}, 0}).code, members, refused);
    }
  }
  refused.why = not_compiled_yet;
  if (first || list.compiling) return nullptr;
  if (list.variants.size() < most_variants) compile_later(known, key, arguments, options, target, launches, false);
  return nullptr;
}

bool was_refused(std::span<sinter::abi::kernel_descriptor* const> kernels, const sinter::abi::launch_geometry& first) {
  const std::string key = refusal_key(kernels, first);
  cache& known = cache::instance();
  std::lock_guard lock(known.mutex);
  return known.refused.contains(key);
}

} // namespace sycl::detail
