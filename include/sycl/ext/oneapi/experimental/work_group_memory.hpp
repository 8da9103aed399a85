#pragma once
/// sycl_ext_oneapi_work_group_memory: an object or an array that the work-items of a group share. The program makes a
/// work_group_memory in the command group. A work_group_memory contains a local_accessor, but kernels use it like the
/// shared object or array itself.

#include <sinter/abi/byte_count.hpp>

#include <cstddef>
#include <type_traits>

#include "../../../local_accessor.hpp"
#include "../properties/properties.hpp"

#define SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Selects the constructor of an object without memory, to which the program must assign another object before it is
/// used.
struct indeterminate_t {};
inline constexpr indeterminate_t indeterminate;

/// `Data` is a type such as int or float[4], or an array without a length such as int[]. For int[], the constructor
/// takes the length. The memory is not initialised.
template <class Data, class Properties = empty_properties_t>
class work_group_memory {
  static_assert(std::is_same_v<Properties, empty_properties_t>, "no property applies to work_group_memory");
  static constexpr bool has_length = !std::is_unbounded_array_v<Data>;

public:
  using value_type = std::remove_all_extents_t<Data>;

  work_group_memory(const indeterminate_t&) noexcept {}
  work_group_memory(handler& group)
    requires(has_length)
      : m_memory(range<1>(sizeof(Data) / sizeof(value_type)), group) {}
  work_group_memory(std::size_t elements, handler& group)
    requires(!has_length)
      : m_memory(extent_of(elements), group) {}

  operator Data&() const noexcept { return *operator&(); }
  Data* operator&() const noexcept { return reinterpret_cast<Data*>(m_memory.get_pointer().get()); }
  const work_group_memory& operator=(const Data& value) const noexcept
    requires(!std::is_array_v<Data>)
  {
    *operator&() = value;
    return *this;
  }
  template <access::decorated Decorated = access::decorated::no>
  multi_ptr<value_type, access::address_space::local_space, Decorated> get_multi_ptr() const noexcept {
    return m_memory.template get_multi_ptr<Decorated>();
  }

  /// Returns the range of the accessor for an array without a length. If the size overflows, the result is larger than
  /// any memory.
  static range<1> extent_of(std::size_t elements) noexcept {
    return range<1>(::sinter::abi::multiply_bytes(elements, sizeof(std::remove_extent_t<Data>) / sizeof(value_type)));
  }

private:
  friend struct detail::dynamic_memory;
  local_accessor<value_type, 1> m_memory;
};

}  // namespace sycl::ext::oneapi::experimental
