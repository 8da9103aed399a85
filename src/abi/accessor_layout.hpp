#pragma once
/// The offsets of accessors' fields in argument blocks. include/sycl/accessor.hpp and local_accessor.hpp declare the
/// fields in this order, and src/memory/accessor_fields.cpp asserts the offsets.

#include <cstddef>

namespace sinter::abi {

/// An accessor of 0 dimensions has the layout of an accessor of 1 dimension.
struct accessor_layout {
  static constexpr std::size_t word = sizeof(void*);
  std::size_t rank;
  constexpr explicit accessor_layout(unsigned dimensions) : rank(dimensions == 0 ? 1 : dimensions) {}

  static constexpr std::size_t data = 0;  ///< pointer to the first element that the accessor can access
  static constexpr std::size_t memory_range = word;
  constexpr std::size_t range() const { return word * (1 + rank); }
  constexpr std::size_t offset() const { return word * (1 + 2 * rank); }
  constexpr std::size_t record() const { return word * (1 + 3 * rank); }
  constexpr std::size_t placeholder() const { return word * (2 + 3 * rank) + 1; }
  constexpr std::size_t promotion() const { return word * (2 + 3 * rank) + 2; }
};

/// The offsets of a sycl::stream's fields. include/sycl/stream.hpp declares the fields behind the stream's properties.
struct stream_layout {
  static constexpr std::size_t memory = sizeof(void*);
};

struct local_accessor_layout {
  static constexpr std::size_t local_offset = 0;  ///< offset in bytes in the group's local memory
  static constexpr std::size_t range = sizeof(void*);
};

}  // namespace sinter::abi
