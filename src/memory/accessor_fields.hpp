#pragma once
/// Reads accessors out of argument blocks.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sycl/detail/core.hpp>

namespace sycl::detail {

template <class T>
T read_field(const void* block, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(block) + offset, sizeof(value));
  return value;
}

/// The fields of an accessor of any type, which include/sycl/accessor.hpp declares in this order. Zero-dimensional ones
/// keep the sizes of one dimension.
struct accessor_fields {
  const char* data;
  std::uint64_t elements = 1;
  buffer_record* record;
  bool placeholder;
  promotion promoted;

  accessor_fields(const void* block, std::size_t offset, unsigned dimensions) {
    const std::size_t word = sizeof(std::size_t), rank = dimensions == 0 ? 1 : dimensions;
    data = read_field<const char*>(block, offset);
    for (unsigned d = 0; d < rank; ++d) elements *= read_field<std::size_t>(block, offset + word * (1 + rank + d));
    record = read_field<buffer_record*>(block, offset + word * (1 + 3 * rank));
    placeholder = read_field<bool>(block, offset + word * (2 + 3 * rank) + sizeof(bool));
    promoted = read_field<promotion>(block, offset + word * (2 + 3 * rank) + 2 * sizeof(bool));
  }
};

}  // namespace sycl::detail
