#pragma once
// Defines a function that no work-item calls, so that a source without launches links without libsinter.
#include <abi/device_abi.hpp>
inline std::size_t no_position(std::uint32_t) noexcept { return 0; }
extern "C" __attribute__((weak)) std::size_t __sinter_global_id(std::uint32_t dim) noexcept { return no_position(dim); }
