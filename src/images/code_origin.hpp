#pragma once
/// Where the code of a launch came from.

#include <cstdint>

namespace sinter {

enum class code_origin : std::uint32_t { host_entry, jit, cache };

}  // namespace sinter
