#pragma once
/// The list of a kernel's code variants in this process. The kernel's descriptor points to the newest variant. A search
/// needs no lock, because only one thread at a time adds a variant, and variants stay in the list until the kernel's
/// image is unregistered. A second list has the variants for launches that set specialization constants. A variant
/// without code, in the first list, points to the second list. If the second list is full, variants that no lookup has
/// found for long are removed from it. The removed variants are freed when no other thread uses the image. So a thread
/// that searches the second list has to hold an image_use.

#include <abi/launch_abi.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "code_variant.hpp"

namespace sinter {

/// The number of layouts of groups for which the JIT compiles separate code per kernel. Most programs have one layout.
/// All further layouts share code that supports any layout.
inline constexpr std::size_t most_group_layouts = 1;
/// The number of sets of specialization constants for which the JIT compiles separate code per kernel. For a fusion
/// list, the same limit applies.
inline constexpr std::size_t most_specialized = 32;
/// On GPUs, each of the first sets of specialization constants gets code that contains the set's values. Further sets
/// share one module if the driver can set values in a module.
inline constexpr std::size_t most_folded = 4;
/// A variant may be replaced by a new variant only if at least this many successive lookups of the kernel have found
/// other variants. Without this minimum, a program that alternates between too many sets would compile new code for
/// each launch. With the minimum, the launches of such a program run code that reads the values at run time.
inline constexpr std::uint64_t idle_lookups = 256;

inline const code_variant* newest_variant(const abi::kernel_descriptor& kernel) noexcept {
  return static_cast<const code_variant*>(__atomic_load_n(&kernel.variants, __ATOMIC_ACQUIRE));
}

/// Returns the newest variant for constants that are set, or null if there is none.
const code_variant* newest_specialized(const abi::kernel_descriptor& kernel) noexcept;

/// Returns the code for launches that set no specialization constants, or null if there is none yet.
inline const code_variant* find_variant(const abi::kernel_descriptor& kernel, const code_target& target,
                                        launch_class launches, const abi::local_range& local_range,
                                        const void* block) noexcept {
  const code_variant* any = nullptr;
  for (const code_variant* each = newest_variant(kernel); each; each = each->next.load(std::memory_order_acquire)) {
    const variant_key& key = each->made_for;
    if (key.launches != launches || key.target != &target || !key.constants.empty()) continue;
    if (key.layout.is_any()) {
      any = each;
    } else if (key.layout.fits(local_range, block)) {
      return each;
    }
  }
  return any;
}
/// Finds the variant with exactly this key.
const code_variant* find_variant(const abi::kernel_descriptor& kernel, const variant_key& key) noexcept;

/// Returns the number of sets of values for which there is code. A variant counts only if it was made for the target
/// and the launches in `key`.
std::size_t specialized_sets(const abi::kernel_descriptor& kernel, const variant_key& key);

/// A launch needs code for `wanted`, and there is no such code yet. Returns the key for which the code has to be made.
/// If the kernel already has many variants, this key is more general than `wanted`.
variant_key within_limits(const abi::kernel_descriptor& kernel, variant_key wanted);

/// Finds the variant for a launch whose constants have these keys and values (raw_values).
const code_variant* find_variant(const abi::kernel_descriptor& kernel, const code_target& target,
                                 launch_class launches, const abi::local_range& local_range, const void* block,
                                 const std::string& raw_values) noexcept;

/// Counts a lookup of code for constants that are set, and records that the lookup found this variant.
void note_lookup(const abi::kernel_descriptor& kernel, const code_variant& found);
/// Considers the variants that share the limit on sets of constants with `wanted`. Removes the variant among them that
/// no lookup has found for the longest time. With `at_once`, removes it even if a lookup found it recently. Returns
/// false if there is no such variant, or if too many removed variants are not freed yet. The caller holds
/// variants_mutex. Other threads may still use the removed variant, so it is not freed here.
bool make_room(abi::kernel_descriptor& kernel, const variant_key& wanted, bool at_once);
/// Returns the removed variants. The caller frees them. At this time, no thread other than the caller may hold an
/// image_use.
std::vector<std::unique_ptr<code_variant>> take_retired(const abi::kernel_descriptor& kernel);

/// Returns the mutex to hold while a variant of the kernel is made and added. The mutex ensures that each variant is
/// made only once. Several kernels share a mutex, but threads of different kernels rarely wait for each other.
std::mutex& variants_mutex(const abi::kernel_descriptor& kernel);
const code_variant& add_variant(abi::kernel_descriptor& kernel, std::unique_ptr<code_variant> made);
/// Returns all variants, which no longer run. The caller frees them.
std::vector<std::unique_ptr<code_variant>> take_variants(abi::kernel_descriptor& kernel);

}  // namespace sinter
