#pragma once
/// Properties of device globals (device_global.hpp).

#include <cstdint>
#include <type_traits>

#include "../properties/properties.hpp"

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Says which copies the host may make to and from the variable. Other copies do not compile.
enum class host_access_enum : std::uint16_t { read, write, read_write, none };
/// A property for FPGAs, which has no effect in Sinter.
enum class init_mode_enum : std::uint16_t { reprogram, reset };

/// Requests one variable per device image, instead of one per device. The property has no effect in Sinter.
struct device_image_scope_key {
  using value_t = property_value<device_image_scope_key>;
};
struct host_access_key {
  template <host_access_enum Access>
  using value_t = property_value<host_access_key, std::integral_constant<host_access_enum, Access>>;
};
struct init_mode_key {
  template <init_mode_enum Mode>
  using value_t = property_value<init_mode_key, std::integral_constant<init_mode_enum, Mode>>;
};
/// A property for FPGAs, which has no effect in Sinter.
struct implement_in_csr_key {
  template <bool Enable>
  using value_t = property_value<implement_in_csr_key, std::bool_constant<Enable>>;
};

template <host_access_enum Access>
struct property_value<host_access_key, std::integral_constant<host_access_enum, Access>> {
  using key_t = host_access_key;
  static constexpr host_access_enum value = Access;
};
template <init_mode_enum Mode>
struct property_value<init_mode_key, std::integral_constant<init_mode_enum, Mode>> {
  using key_t = init_mode_key;
  static constexpr init_mode_enum value = Mode;
};
template <bool Enable>
struct property_value<implement_in_csr_key, std::bool_constant<Enable>> {
  using key_t = implement_in_csr_key;
  static constexpr bool value = Enable;
};

inline constexpr device_image_scope_key::value_t device_image_scope;
template <host_access_enum Access>
inline constexpr host_access_key::value_t<Access> host_access;
inline constexpr host_access_key::value_t<host_access_enum::read> host_access_read;
inline constexpr host_access_key::value_t<host_access_enum::write> host_access_write;
inline constexpr host_access_key::value_t<host_access_enum::read_write> host_access_read_write;
inline constexpr host_access_key::value_t<host_access_enum::none> host_access_none;
template <init_mode_enum Mode>
inline constexpr init_mode_key::value_t<Mode> init_mode;
inline constexpr init_mode_key::value_t<init_mode_enum::reprogram> init_mode_reprogram;
inline constexpr init_mode_key::value_t<init_mode_enum::reset> init_mode_reset;
template <bool Enable>
inline constexpr implement_in_csr_key::value_t<Enable> implement_in_csr;
inline constexpr implement_in_csr_key::value_t<true> implement_in_csr_on;
inline constexpr implement_in_csr_key::value_t<false> implement_in_csr_off;

template <>
struct is_property_key<device_image_scope_key> : std::true_type {};
template <>
struct is_property_key<host_access_key> : std::true_type {};
template <>
struct is_property_key<init_mode_key> : std::true_type {};
template <>
struct is_property_key<implement_in_csr_key> : std::true_type {};

}  // namespace sycl::ext::oneapi::experimental
