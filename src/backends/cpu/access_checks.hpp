#pragma once
/// Checks each access of memory that a kernel makes (SINTER_CHECK=memory, races). The first wrong access ends
/// the program with a message that names kernel, argument, index, work-item and line.

#include <base/environment.hpp>
#include <cstddef>
#include <cstdint>

#include "backends/stream.hpp"

namespace sinter {

/// Notes memory that kernels may reach by plain pointers until it is freed. std::free must be able to free it.
void note_allocation(const void* memory, std::size_t bytes);
void free_allocation(void* memory) noexcept;

/// The functions that checked kernels call.
extern const abi::access_check_functions access_checks;

/// While an object of this class exists, the calling thread runs the launch. The object does nothing if no accesses are
/// checked.
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

/// Warns once that a kernel runs as host code, whose accesses are not checked.
void note_unchecked(const kernel_launch& launch);

} // namespace sinter
