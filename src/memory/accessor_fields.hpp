#pragma once
/// Reads accessors out of argument blocks.

#include <abi/accessor_layout.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sycl/detail/compiled_core.hpp>

namespace sycl::inline _V1::detail {

template <class T>
T read_field(const void* block, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(block) + offset, sizeof(value));
  return value;
}

/// The fields of an accessor of any type (abi/accessor_layout.hpp).
struct accessor_fields {
  const char* data;
  std::uint64_t elements = 1;
  buffer_record* record;
  bool placeholder;
  promotion promoted;

  accessor_fields(const void* block, std::size_t offset, unsigned dimensions) {
    const sinter::abi::accessor_layout layout(dimensions);
    data = read_field<const char*>(block, offset + layout.data);
    for (unsigned d = 0; d < layout.rank; ++d) {
      elements *= read_field<std::size_t>(block, offset + layout.range() + layout.word * d);
    }
    record = read_field<buffer_record*>(block, offset + layout.record());
    placeholder = read_field<bool>(block, offset + layout.placeholder());
    promoted = read_field<promotion>(block, offset + layout.promotion());
  }
};

}  // namespace sycl::detail
