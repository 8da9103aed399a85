#include "fused_cache.hpp"

#include <algorithm>
#include <cstring>
#include <images/registry.hpp>
#include <list>
#include <mutex>
#include <runtime/environment.hpp>
#include <unordered_map>
#include <unordered_set>

namespace sycl::detail {
namespace {

/// Code, or the reason why there is none, for given bytes of the argument blocks.
struct variant {
  std::unique_ptr<sinter::fused_code> code;
  std::string why;
  std::string depended_bytes;
};

// Of one key, made automatically: sequences whose numbers change each time are not worth it.
constexpr std::size_t most_variants = 4;

struct cache {
  std::mutex mutex;  // protects variants; held while compiling, so that a list is compiled once
  std::unordered_map<std::string, std::list<variant>> variants;
  std::unordered_map<std::string, member_arguments::outlook> outlooks;
  std::unordered_set<std::string> seen;       ///< automatic fusions that came by
  std::unordered_set<std::string> compiling;  ///< in the background

  /// Never destroyed: commands may run when the program ends.
  static cache& instance() {
    static auto* instance = new cache;
    return *instance;
  }
};

std::string bytes_at(const member_arguments& arguments, const std::vector<sinter::abi::fusion_dependence>& places) {
  std::string bytes;
  for (const sinter::abi::fusion_dependence& place : places) {
    bytes.append(static_cast<const char*>(arguments.members()[place.member].block) + place.offset, place.size);
  }
  return bytes;
}

variant compile(member_arguments& arguments, const fusion_options& options) {
  arguments.name_pointers();
  sinter::abi::fusion_request request{};
  request.contract = sinter::abi::contract_version;
  request.flags = (arguments.narrow_ids() ? sinter::abi::jit_narrow_ids : 0u) |
                  (sinter::environment().check_barriers ? sinter::abi::jit_check_barriers : 0u);
  request.fusion = (options.no_barriers ? sinter::abi::fusion_no_barriers : 0u) |
                   (options.automatic || sinter::environment().strict ? sinter::abi::fusion_only_proved : 0u);
  request.member_count = static_cast<std::uint32_t>(arguments.members().size());
  request.members = arguments.members().data();
  request.pointer_count = static_cast<std::uint32_t>(arguments.pointers().size());
  request.pointers = arguments.pointers().data();
  variant made;
  made.code = sinter::compile_fusion(request, arguments.kernels(), made.why);
  made.depended_bytes = bytes_at(arguments, made.code ? made.code->depends_on : arguments.numbers());
  return made;
}

/// The code for these argument blocks, among variants of one key.
const variant* find(const std::list<variant>& variants, const member_arguments& arguments) {
  for (const variant& candidate : variants) {
    // A refusal may rest on any number.
    const auto& places = candidate.code ? candidate.code->depends_on : arguments.numbers();
    if (bytes_at(arguments, places) == candidate.depended_bytes) return &candidate;
  }
  return nullptr;
}

/// Compiles behind the program's back. Under the mutex.
void compile_later(cache& known, const std::string& key, member_arguments&& arguments, const fusion_options& options) {
  known.compiling.insert(key);
  auto own = std::make_shared<member_arguments>(std::move(arguments));
  own->own_blocks();
  auto uses = std::make_shared<std::list<sinter::image_use>>();
  for (const sinter::abi::kernel_descriptor* kernel : own->kernels()) uses->emplace_back(*kernel);
  sinter::run_in_background([&known, key, own, uses, options] {
    variant made = compile(*own, options);
    std::lock_guard lock(known.mutex);
    known.variants[key].push_back(std::move(made));
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
  key += options.no_barriers ? 'n' : 'b';
  key += options.automatic ? 'a' : 'e';
  cache& known = cache::instance();
  std::lock_guard lock(known.mutex);
  std::list<variant>& variants = known.variants[key];
  if (const variant* found = find(variants, arguments)) return why = found->why, found->code.get();
  if (!options.automatic) {
    variants.push_back(compile(arguments, options));
    why = variants.back().why;
    return variants.back().code.get();
  }
  // A sequence that is never seen again is not worth compiling.
  why = "not compiled yet";
  if (known.seen.insert(key).second || known.compiling.contains(key)) return nullptr;
  if (variants.size() < most_variants) compile_later(known, key, std::move(arguments), options);
  return nullptr;
}

} // namespace sycl::detail
