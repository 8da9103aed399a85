#pragma once
/// sycl_ext_oneapi_raw_kernel_arg: a kernel argument that the program passes as bytes, without a type.

#include <cstddef>

#include "../../../kernel_settings.hpp"

#define SYCL_EXT_ONEAPI_RAW_KERNEL_ARG 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// A value for handler::set_arg of kernel objects, and for dynamic_parameter. handler::set_arg and dynamic_parameter
/// copy the bytes.
class raw_kernel_arg {
public:
  raw_kernel_arg(const void* bytes, std::size_t count) noexcept : m_bytes(bytes), m_count(count) {}

private:
  friend struct detail::argument_kind<raw_kernel_arg>;
  const void* m_bytes;
  std::size_t m_count;
};

}  // namespace sycl::ext::oneapi::experimental

template <>
struct sycl::detail::argument_kind<sycl::ext::oneapi::experimental::raw_kernel_arg> {
  static argument_value of(const ext::oneapi::experimental::raw_kernel_arg& value) noexcept {
    return {sinter::abi::leaf_kind::opaque_bytes, 0, 0, 0, value.m_bytes, value.m_count};
  }
};
