#pragma once
/// sycl_ext_oneapi_properties: lists of properties whose values are known at compile time. There are also lists for
/// build(), whose values are known at run time (kernel_compiler.hpp).

#include <type_traits>

#include "../../../detail/kernel_properties.hpp"

#define SYCL_EXT_ONEAPI_PROPERTIES 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// The header of each property specialises this template.
template <class Key>
struct is_property_key : std::false_type {};
template <class Key>
inline constexpr bool is_property_key_v = is_property_key<Key>::value;

/// A property with a key, whose values are types.
template <class Key, class... Values>
struct property_value {
  using key_t = Key;
};
template <class First, class... A, class Second, class... B>
constexpr bool operator==(const property_value<First, A...>&, const property_value<Second, B...>&) noexcept {
  return std::is_same_v<property_value<First, A...>, property_value<Second, B...>>;
}
template <class First, class... A, class Second, class... B>
constexpr bool operator!=(const property_value<First, A...>& a, const property_value<Second, B...>& b) noexcept {
  return !(a == b);
}

template <class>
struct is_property_value : std::false_type {};
template <class Key, class... Values>
struct is_property_value<property_value<Key, Values...>> : is_property_key<Key> {};
template <class T>
inline constexpr bool is_property_value_v = is_property_value<std::remove_cv_t<T>>::value;

template <class... Properties>
class properties : private Properties... {
  static_assert((is_property_value_v<Properties> && ...), "a property list takes properties, and nothing else");
  static_assert((detail::only_one_of<typename Properties::key_t, typename Properties::key_t...> && ...),
                "a property stands twice in the list");

public:
  constexpr properties(const Properties&... each)
    requires(sizeof...(Properties) > 0)
      : Properties(each)... {}
  constexpr properties() noexcept = default;

  template <class Key>
  static constexpr bool has_property() noexcept {
    return (std::is_same_v<typename Properties::key_t, Key> || ...);
  }
  template <class Key>
    requires(properties::has_property<Key>())
  static constexpr auto get_property() noexcept {
    return typename detail::property_of<Key, Properties...>::type();
  }

private:
  friend struct detail::property_access;
};
template <class... Properties>
properties(Properties...) -> properties<Properties...>;
properties() -> properties<>;

using empty_properties_t = properties<>;

template <class>
struct is_property_list : std::false_type {};
template <class... Properties>
struct is_property_list<properties<Properties...>> : std::true_type {};
template <class T>
inline constexpr bool is_property_list_v = is_property_list<std::remove_cv_t<T>>::value;

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1::detail {

/// Returns the value of the property in the list, or `otherwise` if the list lacks the property.
template <class Properties, class Key, class Value>
constexpr Value value_of_property(Value otherwise) noexcept {
  if constexpr (Properties::template has_property<Key>()) {
    return decltype(Properties::template get_property<Key>())::value;
  } else {
    return otherwise;
  }
}

}  // namespace sycl::detail
