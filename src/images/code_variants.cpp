#include "code_variants.hpp"

#include <base/race_notes.hpp>
#include <algorithm>
#include <map>
#include <set>

namespace sinter {
namespace {

/// Returns the variant that has no code and points to the variants for constants that are set.
code_variant* find_anchor(const abi::kernel_descriptor& kernel) {
  const code_variant* each = newest_variant(kernel);
  while (each && each->made_for.target) each = each->next.load(std::memory_order_acquire);
  return const_cast<code_variant*>(each);
}

/// Returns the beginning of the list to which a variant with this key belongs: the list for constants that are set, or
/// the list for launches that set none.
const code_variant* first_like(const abi::kernel_descriptor& kernel, const variant_key& key) {
  return key.constants.empty() ? newest_variant(kernel) : newest_specialized(kernel);
}

/// Returns whether the two keys have the same target and class of launches, and whether both of them or none have
/// constants that are set. The limit on the number of sets is for all such variants together.
bool is_like(const variant_key& a, const variant_key& b) {
  return a.target == b.target && a.launches == b.launches && a.constants.empty() == b.constants.empty();
}

/// Returns whether code with this key can be used with many sets of values, not only with one.
bool is_for_many(const variant_key& key) {
  return key.constants == any_constants || key.constants.starts_with(named_constants);
}

}  // namespace

const code_variant* newest_specialized(const abi::kernel_descriptor& kernel) noexcept {
  const code_variant* anchor = find_anchor(kernel);
  return anchor ? anchor->specialized.load(std::memory_order_acquire) : nullptr;
}

const code_variant* find_variant(const abi::kernel_descriptor& kernel, const variant_key& key) noexcept {
  const code_variant* each = first_like(kernel, key);
  while (each && each->made_for != key) each = each->next.load(std::memory_order_acquire);
  return each;
}

std::size_t specialized_sets(const abi::kernel_descriptor& kernel, const variant_key& key) {
  std::size_t count = 0;
  for (const code_variant* each = newest_specialized(kernel); each; each = each->next.load(std::memory_order_acquire)) {
    if (is_like(each->made_for, key) && !is_for_many(each->made_for)) ++count;
  }
  return count;
}

variant_key within_limits(const abi::kernel_descriptor& kernel, variant_key wanted) {
  std::set<group_layout> layouts;
  for (const code_variant* each = first_like(kernel, wanted); each; each = each->next.load(std::memory_order_acquire)) {
    if (is_like(each->made_for, wanted) && !each->made_for.layout.is_any()) layouts.insert(each->made_for.layout);
  }
  if (!layouts.contains(wanted.layout) && layouts.size() >= most_group_layouts) wanted.layout = {};
  if (wanted.constants.empty() || specialized_sets(kernel, wanted) < most_specialized) return wanted;
  if (find_variant(kernel, wanted)) return wanted;
  wanted.layout = {};
  wanted.constants = any_constants;
  return wanted;
}

namespace {

struct retired_variants {
  std::mutex mutex;
  std::map<const abi::kernel_descriptor*, std::vector<std::unique_ptr<code_variant>>> of_kernel;
};
retired_variants& retired() {
  static auto* all = new (sinter::lasting) retired_variants;
  return *all;
}

std::uint64_t latest_lookup(const abi::kernel_descriptor& kernel) {
  std::uint64_t latest = 0;
  for (const code_variant* each = newest_specialized(kernel); each; each = each->next.load()) {
    latest = std::max(latest, each->last_lookup.load(std::memory_order_relaxed));
  }
  return latest;
}

}  // namespace

const code_variant* find_variant(const abi::kernel_descriptor& kernel, const code_target& target,
                                 launch_class launches, const abi::local_range& local_range, const void* block,
                                 const std::string& raw_values) noexcept {
  const code_variant* any = nullptr;
  for (const code_variant* each = newest_specialized(kernel); each; each = each->next.load(std::memory_order_acquire)) {
    const variant_key& key = each->made_for;
    if (each->raw_values != raw_values || key.launches != launches || key.target != &target) continue;
    if (key.layout.is_any()) {
      any = each;
    } else if (key.layout.fits(local_range, block)) {
      return each;
    }
  }
  return any;
}

void note_lookup(const abi::kernel_descriptor& kernel, const code_variant& found) {
  // If several lookups happen at the same time, they may count as one.
  found.last_lookup.store(latest_lookup(kernel) + 1, std::memory_order_relaxed);
}

bool make_room(abi::kernel_descriptor& kernel, const variant_key& wanted, bool at_once) {
  code_variant* idlest = nullptr;
  code_variant* before = nullptr;  // the variant before `idlest` in the list
  code_variant* last = nullptr;
  const auto* first = newest_specialized(kernel);
  for (auto* each = const_cast<code_variant*>(first); each; last = each, each = each->next.load()) {
    if (!is_like(each->made_for, wanted) || is_for_many(each->made_for)) continue;
    if (idlest && each->last_lookup >= idlest->last_lookup) continue;
    idlest = each;
    before = last;
  }
  if (!idlest || (!at_once && latest_lookup(kernel) - idlest->last_lookup < idle_lookups)) return false;
  std::lock_guard lock(retired().mutex);
  auto& out = retired().of_kernel[&kernel];
  if (out.size() >= most_specialized) return false;
  // The removed variant keeps its `next`, so a thread that is reading it still finds the next variant.
  code_variant* after = idlest->next.load();
  if (before) {
    before->next.store(after, std::memory_order_release);
  } else {
    find_anchor(kernel)->specialized.store(after, std::memory_order_release);
  }
  out.emplace_back(idlest);
  return true;
}

std::vector<std::unique_ptr<code_variant>> take_retired(const abi::kernel_descriptor& kernel) {
  std::lock_guard lock(retired().mutex);
  const auto found = retired().of_kernel.find(&kernel);
  if (found == retired().of_kernel.end()) return {};
  std::vector<std::unique_ptr<code_variant>> taken = std::move(found->second);
  retired().of_kernel.erase(found);
  return taken;
}

std::mutex& variants_mutex(const abi::kernel_descriptor& kernel) {
  static auto* mutexes = new (sinter::lasting) std::mutex[64];
  return mutexes[(reinterpret_cast<std::uintptr_t>(&kernel) / sizeof(kernel)) % 64];
}

const code_variant& add_variant(abi::kernel_descriptor& kernel, std::unique_ptr<code_variant> made) {
  const auto add_first = [&](std::unique_ptr<code_variant> fresh) {
    fresh->next.store(const_cast<code_variant*>(newest_variant(kernel)), std::memory_order_relaxed);
    __atomic_store_n(&kernel.variants, static_cast<void*>(fresh.get()), __ATOMIC_RELEASE);
    return fresh.release();
  };
  if (made->made_for.constants.empty()) return *add_first(std::move(made));
  code_variant* anchor = find_anchor(kernel);
  if (!anchor) anchor = add_first(std::make_unique<code_variant>());
  made->next.store(anchor->specialized.load(), std::memory_order_relaxed);
  anchor->specialized.store(made.get(), std::memory_order_release);
  return *made.release();
}

std::vector<std::unique_ptr<code_variant>> take_variants(abi::kernel_descriptor& kernel) {
  std::vector<std::unique_ptr<code_variant>> taken;
  const auto take = [&](code_variant* first) {
    for (code_variant* each = first; each; each = each->next.load()) {
      if (each->made_for.target) taken.emplace_back(each);
    }
  };
  const std::unique_ptr<code_variant> anchor(find_anchor(kernel));
  take(static_cast<code_variant*>(__atomic_exchange_n(&kernel.variants, nullptr, __ATOMIC_ACQ_REL)));
  if (anchor) take(anchor->specialized.load());
  return taken;
}

}  // namespace sinter
