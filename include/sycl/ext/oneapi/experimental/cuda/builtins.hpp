#pragma once
/// sycl_ext_oneapi_cuda_tex_cache_read: loads from memory that no kernel writes at the same time. In Sinter, these
/// functions are ordinary loads.

#include "../../../../detail/export.hpp"

#define SYCL_EXT_ONEAPI_CUDA_TEX_CACHE_READ 1

namespace sycl::inline _V1::ext::oneapi::experimental::cuda {

template <class T>
SINTER_DEVICE_INLINE T ldg(const T* pointer) noexcept {
  return *pointer;
}

}  // namespace sycl::ext::oneapi::experimental::cuda
