#pragma once
/// Checks each memory access of a kernel (SINTER_CHECK=memory, races). The first wrong access ends the program with a
/// message that names kernel, argument, index, work-item and line.

#include <base/environment.hpp>
#include <cstddef>
#include <cstdint>

#include "backends/stream.hpp"

namespace sinter {

/// Registers memory that kernels may access through raw pointers. free_allocation ends the registration, and frees the
/// memory by std::free.
void note_allocation(const void* memory, std::size_t bytes);
void free_allocation(void* memory) noexcept;

/// The functions that checked kernels call.
extern const abi::access_check_functions access_checks;

/// An object of this class exists while the calling thread runs a part of a launch whose accesses are checked. The
/// object does nothing if no accesses are checked.
class checked_launch {
public:
  checked_launch(const kernel_launch& launch, const void* local_memory) noexcept
      : m_is_checked(environment().checks_accesses()) {
    if (m_is_checked) begin(launch, local_memory);
  }
  ~checked_launch() {
    if (m_is_checked) end();
  }
  checked_launch(const checked_launch&) = delete;

private:
  static void begin(const kernel_launch& launch, const void* local_memory) noexcept;
  static void end() noexcept;

  const bool m_is_checked;
};

/// Warns once that the kernel's accesses are not checked, because the kernel runs as host code.
void note_unchecked(const kernel_launch& launch);

} // namespace sinter
