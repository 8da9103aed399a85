#pragma once
/// The origin of a launch's code.

#include <cstddef>
#include <cstdint>

namespace sinter {

enum class code_origin : std::uint32_t {
  host_entry,
  jit,
  cache,
  host_copy,   ///< the host entry of a kernel whose code the JIT has not made yet (SINTER_TIERED)
  taken_over,  ///< the host entry ran first, then the JIT's code
};
inline constexpr std::size_t code_origins = 5;

}  // namespace sinter
