#pragma once
/// Texts for numbers of bytes and work-items in messages. If a sum has saturated (abi/byte_count.hpp), the text says
/// so.

#include <abi/byte_count.hpp>
#include <cstdint>
#include <string>

namespace sinter {

inline std::string count_text(std::uint64_t count) {
  return count == abi::too_many_bytes ? "more than 2^64" : std::to_string(count);
}

}  // namespace sinter
