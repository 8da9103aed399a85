#pragma once
/// Protects host code of shared libraries: closing a library waits for commands that use its code, as it does for
/// kernels with images.

#include "compiled_core.hpp"
#include "export.hpp"

namespace sycl::inline _V1::detail {

/// Its destructor runs when the library that contains its constructor is closed.
class library_guard {
public:
  SINTER_EXPORT library_guard();
  SINTER_EXPORT ~library_guard();
  library_guard(const library_guard&) = delete;
  library_guard& operator=(const library_guard&) = delete;
  library_count* count() const noexcept { return m_count; }

private:
  library_count* m_count;  ///< null: it stays until the program ends
};

/// The count of the library that contains this code: each library has its own copy.
[[gnu::visibility("hidden")]] inline library_count* own_library() {
  static library_guard guard;
  return guard.count();
}

/// Kernels with an image are counted there.
[[gnu::visibility("hidden")]] inline library_count* library_of(const sinter::abi::kernel_descriptor& kernel) {
  return kernel.image ? nullptr : own_library();
}

}  // namespace sycl::detail
