#pragma once
// Lets a source that launches nothing link without libsinter: no work-item ever calls it.
#include <abi/device_abi.hpp>
inline std::size_t no_position(std::uint32_t) noexcept { return 0; }
extern "C" __attribute__((weak)) std::size_t __sinter_global_id(std::uint32_t dim) noexcept { return no_position(dim); }
