#pragma once
/// The origin of the code that a launch ran.

#include <cstddef>
#include <cstdint>

namespace sinter {

enum class code_origin : std::uint32_t {
  host_entry,
  jit,
  cache,
  host_copy,   ///< the host entry of a kernel that the JIT has not compiled yet (SINTER_TIERED)
  taken_over,  ///< first the host entry, then the JIT's code
};
inline constexpr std::size_t code_origins = 5;

}  // namespace sinter
