#pragma once
/// Protects host code of shared libraries: closing a library waits for running commands that use its code. Kernels with
/// images need no guard, because an image counts its own commands.

#include "compiled_core.hpp"
#include "export.hpp"

namespace sycl::inline _V1::detail {

/// A static object in each library. Its destructor runs when the dynamic linker closes the library.
class library_guard {
public:
  SINTER_EXPORT library_guard();
  SINTER_EXPORT ~library_guard();
  library_guard(const library_guard&) = delete;
  library_guard& operator=(const library_guard&) = delete;
  library_count* count() const noexcept { return m_count; }

private:
  library_count* m_count;  ///< null if the library stays loaded until the program ends
};

/// Returns the counter of the running commands that use code of the library which contains this function. Each library
/// has its own copy of this function and of its static guard.
[[gnu::visibility("hidden")]] inline library_count* own_library() {
  static library_guard guard;
  return guard.count();
}

/// Returns own_library(), or null if the kernel has an image, because an image counts its own commands.
[[gnu::visibility("hidden")]] inline library_count* library_of(const sinter::abi::kernel_descriptor& kernel) {
  return kernel.image ? nullptr : own_library();
}

}  // namespace sycl::detail
