#pragma once
/// The kinds of promotion that a program may request for memory that only fused kernels use.

#include <cstdint>

namespace sinter::abi {

enum class promotion : std::uint8_t { none = 0, private_memory = 1, local_memory = 2 };

}  // namespace sinter::abi
