#include "code_variants.hpp"

#include <set>

namespace sinter {
namespace {

/// Whether both are for launches with set constants, or both for others.
bool is_like(const variant_key& a, const variant_key& b) {
  return a.target == b.target && a.ids == b.ids && a.constants.empty() == b.constants.empty();
}

}  // namespace

const code_variant* find_variant(const abi::kernel_descriptor& kernel, const variant_key& key) noexcept {
  const code_variant* each = newest_variant(kernel);
  while (each && each->made_for != key) each = each->next;
  return each;
}

variant_key within_limits(const abi::kernel_descriptor& kernel, variant_key wanted) {
  std::set<group_layout> layouts;
  std::size_t with_values = 0;
  for (const code_variant* each = newest_variant(kernel); each; each = each->next) {
    if (!is_like(each->made_for, wanted)) continue;
    if (each->made_for.constants != any_constants) ++with_values;
    if (!each->made_for.layout.is_any()) layouts.insert(each->made_for.layout);
  }
  if (!layouts.contains(wanted.layout) && layouts.size() >= most_group_layouts) wanted.layout = {};
  if (wanted.constants.empty() || with_values < most_specialized || find_variant(kernel, wanted)) return wanted;
  wanted.layout = {};
  wanted.constants = any_constants;
  return wanted;
}

std::mutex& variants_mutex(const abi::kernel_descriptor& kernel) {
  static auto* mutexes = new std::mutex[64];
  return mutexes[(reinterpret_cast<std::uintptr_t>(&kernel) / sizeof(kernel)) % 64];
}

const code_variant& add_variant(abi::kernel_descriptor& kernel, std::unique_ptr<code_variant> made) {
  made->next = static_cast<code_variant*>(__atomic_load_n(&kernel.variants, __ATOMIC_ACQUIRE));
  __atomic_store_n(&kernel.variants, static_cast<void*>(made.get()), __ATOMIC_RELEASE);
  return *made.release();
}

std::vector<std::unique_ptr<code_variant>> take_variants(abi::kernel_descriptor& kernel) {
  std::vector<std::unique_ptr<code_variant>> taken;
  auto* first = static_cast<code_variant*>(__atomic_exchange_n(&kernel.variants, nullptr, __ATOMIC_ACQ_REL));
  for (code_variant* each = first; each; each = each->next) taken.emplace_back(each);
  return taken;
}

}  // namespace sinter
