#pragma once
/// sycl_ext_oneapi_device_global: global and static variables that kernels can use. Kernels read and write these
/// variables. The host uses the functions memcpy and copy of handler and queue to copy to and from the variables. The
/// CPU device uses the variable in the program's own memory, so host code may also access it, as long as no kernel
/// runs. Each other device has a variable of its own, whose initial value comes from the initialiser. Devices without
/// unified shared memory (aspect::usm_device_allocations) don't support device_global.

#include <cstddef>
#include <type_traits>

#include "../../../detail/device_global_copies.hpp"
#include "../../../detail/export.hpp"
#include "../../../multi_ptr.hpp"
#include "properties.hpp"

#define SYCL_EXT_ONEAPI_DEVICE_GLOBAL 1

namespace sycl::inline _V1::ext::oneapi::experimental {

template <class T, class Properties = empty_properties_t>
class device_global;

template <class T, class... Values>
class device_global<T, properties<Values...>> {
  static_assert(std::is_trivially_destructible_v<T>,
                "nobody destroys a device_global: its type needs a trivial destructor");
  using list = properties<Values...>;
  static constexpr host_access_enum access_of_host =
      detail::value_of_property<list, host_access_key>(host_access_enum::read_write);

public:
  using element_type = std::remove_extent_t<T>;

  /// The initial value is zero, or comes from the type's default constructor.
  constexpr device_global() : m_value{} {}
  template <class... Arguments>
    requires(sizeof...(Arguments) > 0)
  constexpr explicit device_global(Arguments&&... arguments) : m_value(static_cast<Arguments&&>(arguments)...) {}
  device_global(const device_global&) = delete;
  device_global& operator=(const device_global&) = delete;

  T& get() noexcept { return m_value; }
  const T& get() const noexcept { return m_value; }
  operator T&() noexcept { return m_value; }
  operator const T&() const noexcept { return m_value; }
  template <access::decorated Decorated>
  multi_ptr<T, access::address_space::global_space, Decorated> get_multi_ptr() noexcept {
    return address_space_cast<access::address_space::global_space, Decorated>(&m_value);
  }
  template <access::decorated Decorated>
  multi_ptr<const T, access::address_space::global_space, Decorated> get_multi_ptr() const noexcept {
    return address_space_cast<access::address_space::global_space, Decorated>(&m_value);
  }

  device_global& operator=(const T& value) noexcept
    requires(!std::is_array_v<T>)
  {
    m_value = value;
    return *this;
  }
  /// Available for arrays and for types that have operator[].
  decltype(auto) operator[](std::ptrdiff_t index) noexcept
    requires requires(T& value) { value[index]; }
  {
    return m_value[index];
  }
  decltype(auto) operator[](std::ptrdiff_t index) const noexcept
    requires requires(const T& value) { value[index]; }
  {
    return m_value[index];
  }
  /// Available for pointers and for types that have operator->.
  T& operator->() noexcept
    requires(std::is_pointer_v<T> || requires(T& value) { value.operator->(); })
  {
    return m_value;
  }
  const T& operator->() const noexcept
    requires(std::is_pointer_v<T> || requires(const T& value) { value.operator->(); })
  {
    return m_value;
  }

  template <class Key>
  static constexpr bool has_property() noexcept {
    return list::template has_property<Key>();
  }
  template <class Key>
  static constexpr auto get_property() noexcept {
    return list::template get_property<Key>();
  }

private:
  friend struct sycl::detail::device_global_access;
  template <class>
  friend class sycl::detail::device_global_copies;

  static constexpr void check_host_writes() {
    static_assert(access_of_host == host_access_enum::read_write || access_of_host == host_access_enum::write,
                  "the host does not write this device_global: its property host_access says so");
  }
  static constexpr void check_host_reads() {
    static_assert(access_of_host == host_access_enum::read_write || access_of_host == host_access_enum::read,
                  "the host does not read this device_global: its property host_access says so");
  }

  T m_value;
};

}  // namespace sycl::ext::oneapi::experimental
