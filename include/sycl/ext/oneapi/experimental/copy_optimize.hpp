#pragma once
/// sycl_ext_oneapi_copy_optimize: hints that the program will often copy a range of its own memory to devices. Sinter
/// ignores these hints.

#include <cstddef>

#include "../../../queue.hpp"

#define SYCL_EXT_ONEAPI_COPY_OPTIMIZE 1

namespace sycl::inline _V1::ext::oneapi::experimental {

inline void prepare_for_device_copy(const void*, std::size_t, const context&) noexcept {}
inline void prepare_for_device_copy(const void*, std::size_t, const queue&) noexcept {}
inline void release_from_device_copy(const void*, const context&) noexcept {}
inline void release_from_device_copy(const void*, const queue&) noexcept {}

}  // namespace sycl::ext::oneapi::experimental
