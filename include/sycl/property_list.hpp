#pragma once
/// Properties (SYCL 2020 4.5.4): a set of optional facts handed to constructors.

#include <type_traits>
#include <utility>
#include <vector>

#include "detail/standard.hpp"
#include "exception.hpp"

namespace sycl {

namespace detail {
struct property_base {};

/// Identity of a property type. A number, because libsinter.so and its users may each hide their own types and
/// variables, so that an address would not be the same on both sides.
enum class property_kind { in_order, enable_profiling, no_init, use_host_ptr, context_bound };
template <property_kind Kind>
struct property_of_kind : property_base {
  static constexpr property_kind kind = Kind;
};
} // namespace detail

template <class Property>
struct is_property : std::is_base_of<detail::property_base, Property> {};
template <class Property>
inline constexpr bool is_property_v = is_property<Property>::value;
template <class Property, class SyclObject>
struct is_property_of : is_property<Property> {};
template <class Property, class SyclObject>
inline constexpr bool is_property_of_v = is_property_of<Property, SyclObject>::value;

class property_list {
public:
  template <class... Properties>
    requires(is_property_v<std::decay_t<Properties>> && ...)
  property_list(Properties... properties) {
    if constexpr (sizeof...(Properties) > 0) {
      (m_entries.push_back({std::decay_t<Properties>::kind,
                            std::make_shared<std::decay_t<Properties>>(std::move(properties))}),
       ...);
    }
  }

  template <class Property>
  bool has_property() const noexcept {
    return find(Property::kind) != nullptr;
  }
  /// errc::invalid when the list has none.
  template <class Property>
  Property get_property() const {
    const void* found = find(Property::kind);
    if (!found) throw exception(make_error_code(errc::invalid), "get_property: the object has no such property");
    return *static_cast<const Property*>(found);
  }

private:
  struct entry {
    detail::property_kind kind;
    std::shared_ptr<void> value;
  };
  const void* find(detail::property_kind kind) const noexcept {
    for (const entry& candidate : m_entries) {
      if (candidate.kind == kind) return candidate.value.get();
    }
    return nullptr;
  }
  std::vector<entry> m_entries;
};

namespace property::queue {
/// Commands run in the order of their submission.
struct in_order : detail::property_of_kind<detail::property_kind::in_order> {};
/// Events keep times (event::get_profiling_info).
struct enable_profiling : detail::property_of_kind<detail::property_kind::enable_profiling> {};
} // namespace property::queue

/// The old contents of the accessed elements are not needed.
namespace property {
struct no_init : detail::property_of_kind<detail::property_kind::no_init> {};
} // namespace property
inline constexpr property::no_init no_init{};

} // namespace sycl
