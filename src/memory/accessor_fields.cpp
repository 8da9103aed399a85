/// Asserts that accessors have the layout that the runtime and the JIT read from argument blocks.

#include "accessor_fields.hpp"

#include <abi/accessor_layout.hpp>
#include <cstddef>

#include <sycl/accessor.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/stream.hpp>

namespace sycl::inline _V1::detail {

struct accessor_layout_check {
  template <int Dimensions>
  static constexpr bool is_as_said() {
    using type = accessor<int, Dimensions>;
    using local_type = local_accessor<int, Dimensions>;
    constexpr sinter::abi::accessor_layout layout(Dimensions);
    static_assert(offsetof(type, m_data) == layout.data && offsetof(type, m_memory) == layout.memory_range &&
                  offsetof(type, m_range) == layout.range() && offsetof(type, m_offset) == layout.offset() &&
                  offsetof(type, m_record) == layout.record() &&
                  offsetof(type, m_placeholder) == layout.placeholder() &&
                  offsetof(type, m_promotion) == layout.promotion());
    static_assert(offsetof(local_type, m_offset) == sinter::abi::local_accessor_layout::local_offset &&
                  offsetof(local_type, m_range) == sinter::abi::local_accessor_layout::range);
    return true;
  }
  // The classes are not standard-layout, because their bases have members, too. clang and GCC lay out such classes
  // alike, so offsetof may be used.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  static constexpr bool is_as_said_of_streams() {
    return offsetof(stream, m_memory) == sinter::abi::stream_layout::memory;
  }
#pragma GCC diagnostic pop
};

static_assert(accessor_layout_check::is_as_said_of_streams());
static_assert(accessor_layout_check::is_as_said<0>() && accessor_layout_check::is_as_said<1>() &&
              accessor_layout_check::is_as_said<2>() && accessor_layout_check::is_as_said<3>());

}  // namespace sycl::detail
