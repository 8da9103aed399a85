#pragma once
/// The variants of a kernel's code in this process. Each kernel has a list, newest first, which begins in its
/// descriptor. Variants are added one at a time and stay until the kernel's image is unregistered, so that a search
/// needs no lock. Variants for values of specialization constants are in a second list, to which a variant without code
/// leads. The variants of the second list make room for each other, and are freed when no other thread uses the image.
/// A thread that looks for such a variant holds an image_use.

#include <abi/launch_abi.hpp>
#include <memory>
#include <mutex>
#include <vector>

#include "code_variant.hpp"

namespace sinter {

/// The number of layouts of groups for which a kernel gets code. Most programs have one layout. All other layouts share
/// code for any layout.
inline constexpr std::size_t most_group_layouts = 1;
/// The number of sets of specialization constants for which a kernel gets code; a list of fused kernels has the same
/// limit.
inline constexpr std::size_t most_specialized = 32;
/// For so many sets, devices get code that contains the values. With more sets, drivers that can put values in make the
/// code of all of them from one module.
inline constexpr std::size_t most_folded = 4;
/// A variant makes room for another one if so many lookups did not ask for it. Programs that use many sets in turn
/// share code for any values instead of compiling again and again.
inline constexpr std::uint64_t idle_lookups = 256;

inline const code_variant* newest_variant(const abi::kernel_descriptor& kernel) noexcept {
  return static_cast<const code_variant*>(__atomic_load_n(&kernel.variants, __ATOMIC_ACQUIRE));
}

/// Returns the newest variant for set constants, or null if there is none.
const code_variant* newest_specialized(const abi::kernel_descriptor& kernel) noexcept;

/// Returns the code for launches without set specialization constants, or null if there is none yet.
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

/// Returns the number of sets of values for which there is code, for launches that differ only in their values.
std::size_t specialized_sets(const abi::kernel_descriptor& kernel, const variant_key& key);

/// Returns the key for which code is made if `wanted` is asked for. The result is less exact if the kernel has many
/// variants already.
variant_key within_limits(const abi::kernel_descriptor& kernel, variant_key wanted);

/// Finds the variant that was made for a launch with these keys and bytes of constants.
const code_variant* find_variant(const abi::kernel_descriptor& kernel, const code_target& target,
                                 launch_class launches, const abi::local_range& local_range, const void* block,
                                 const std::string& raw_values) noexcept;

/// Counts a lookup of code for set constants, which found this variant.
void note_lookup(const abi::kernel_descriptor& kernel, const code_variant& found);
/// Removes the variant that has been idle longest among the variants that are counted together with `wanted`. With
/// `at_once`, it may have been idle for a short time only. Returns false if there is no such variant, or too many
/// removed variants are still in use. Called under variants_mutex; only the caller may still have an image_use.
bool make_room(abi::kernel_descriptor& kernel, const variant_key& wanted, bool at_once);
/// Returns the removed variants, which the caller frees. The kernel does not run.
std::vector<std::unique_ptr<code_variant>> take_retired(const abi::kernel_descriptor& kernel);

/// Returns the mutex that is held while a variant of the kernel is made and added, so that each variant is made once.
/// Different kernels rarely wait for each other.
std::mutex& variants_mutex(const abi::kernel_descriptor& kernel);
const code_variant& add_variant(abi::kernel_descriptor& kernel, std::unique_ptr<code_variant> made);
/// Returns all variants, which no longer run. The caller frees them.
std::vector<std::unique_ptr<code_variant>> take_variants(abi::kernel_descriptor& kernel);

}  // namespace sinter
