#include "fused_cache.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>
#include <runtime/environment.hpp>
#include <unordered_map>

namespace sycl::detail {
namespace {

/// Code, or the reason why there is none, for given bytes of the argument blocks.
struct variant {
  std::unique_ptr<sinter::fused_code> code;
  std::string why;
  std::string depended_bytes;
};

struct cache {
  std::mutex mutex;  // protects variants; held while compiling, so that a list is compiled once
  std::unordered_map<std::string, std::list<variant>> variants;
  std::unordered_map<std::string, member_arguments::outlook> outlooks;

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
  cache& known = cache::instance();
  std::lock_guard lock(known.mutex);
  std::list<variant>& variants = known.variants[key];
  for (const variant& candidate : variants) {
    if (!candidate.code) return why = candidate.why, nullptr;
    if (bytes_at(arguments, candidate.code->depends_on) == candidate.depended_bytes) return candidate.code.get();
  }
  arguments.name_pointers();
  sinter::abi::fusion_request request{};
  request.contract = sinter::abi::contract_version;
  request.flags = (arguments.narrow_ids() ? sinter::abi::jit_narrow_ids : 0u) |
                  (sinter::environment().check_barriers ? sinter::abi::jit_check_barriers : 0u);
  request.fusion = (options.no_barriers ? sinter::abi::fusion_no_barriers : 0u) |
                   (sinter::environment().strict ? sinter::abi::fusion_only_proved : 0u);
  request.member_count = static_cast<std::uint32_t>(arguments.members().size());
  request.members = arguments.members().data();
  request.pointer_count = static_cast<std::uint32_t>(arguments.pointers().size());
  request.pointers = arguments.pointers().data();
  variant made;
  made.code = sinter::compile_fusion(request, arguments.kernels(), made.why);
  if (made.code) made.depended_bytes = bytes_at(arguments, made.code->depends_on);
  why = made.why;
  variants.push_back(std::move(made));
  return variants.back().code.get();
}

} // namespace sycl::detail
