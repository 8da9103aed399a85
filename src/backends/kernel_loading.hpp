#pragma once
/// Loads kernels, for all drivers. The first thread that needs a kernel on a device loads it there.

#include <atomic>
#include <images/code_variant.hpp>
#include <images/kernel_name.hpp>
#include <memory>
#include <mutex>
#include <string>

namespace sinter {

/// Returns the loaded kernel that `place` points to. If `place` is null, calls `make` under `mutex` to load the kernel.
/// The kernel stays loaded until `place` is reset.
template <class Loaded, class Make>
Loaded& load_once(std::atomic<void*>& place, std::mutex& mutex, const Make& make) {
  if (void* known = place.load(std::memory_order_acquire)) return *static_cast<Loaded*>(known);
  std::lock_guard lock(mutex);
  if (void* known = place.load(std::memory_order_acquire)) return *static_cast<Loaded*>(known);
  std::unique_ptr<Loaded> loaded = make();
  place.store(loaded.get(), std::memory_order_release);
  return *loaded.release();
}

/// Returns the kernel's name for messages.
inline std::string loaded_name(const code_variant& code, const abi::kernel_descriptor& kernel) {
  return code.name.empty() ? kernel_display_name(kernel) : code.name;
}

/// Returns the words for a message about a driver's binary that can't be loaded. The words say whether the binary comes
/// from the cache, because a file of the cache may be broken.
inline std::string loading_words(const std::string& kernel, const code_variant& code) {
  const bool is_kept = code.origin == code_origin::cache;
  return "loading kernel '" + kernel + "'" +
         (is_kept ? " from the cache, whose folder can be removed (SINTER_CACHE_DIR), or left out by SINTER_CACHE=0,"
                  : "");
}

}  // namespace sinter
