#pragma once
/// Protects host code of shared libraries: closing a library waits for commands that use its code, just like for
/// kernels with images.

#include "compiled_core.hpp"
#include "export.hpp"

namespace sycl::inline _V1::detail {

/// The destructor of a guard runs when the library that contains the guard is closed.
class library_guard {
public:
  SINTER_EXPORT library_guard();
  SINTER_EXPORT ~library_guard();
  library_guard(const library_guard&) = delete;
  library_guard& operator=(const library_guard&) = delete;
  library_count* count() const noexcept { return m_count; }

private:
  library_count* m_count;  ///< null if the library stays until the program ends
};

/// The count of the library that contains this code. Each library has its own copy of this function.
[[gnu::visibility("hidden")]] inline library_count* own_library() {
  static library_guard guard;
  return guard.count();
}

/// The count of the library for a kernel. Null if the kernel has an image, because the image counts its own commands.
[[gnu::visibility("hidden")]] inline library_count* library_of(const sinter::abi::kernel_descriptor& kernel) {
  return kernel.image ? nullptr : own_library();
}

}  // namespace sycl::detail
