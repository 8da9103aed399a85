#pragma once
/// Properties (SYCL 2020 4.5.4): optional arguments of constructors, passed as a set.

#include <type_traits>

#include "detail/export.hpp"
#include "detail/shared.hpp"

namespace sycl::inline _V1 {

namespace detail {
struct property_base {};

/// Identifies the type of a property. The identifier is a number instead of an address, because libsinter.so and its
/// users may hide their types and variables from each other, so that the addresses would differ.
enum class property_kind {
  in_order, enable_profiling, no_init, use_host_ptr, use_mutex, context_bound, initialize_to_identity,
  promote_private, promote_local, no_barriers, force_fusion, enable_fusion, auto_fusion, trust_accesses,
  priority_low, priority_normal, priority_high, discard_events, device_read_only, immediate_command_list,
  no_immediate_command_list, no_cycle_check, assume_buffer_outlives_graph, updatable, graph_profiling,
  depends_on_all_leaves, depends_on_nodes, fuse_graph, adaptive, native_recording,
  pool_initial_threshold, pool_maximum_size, pool_read_only, pool_zero_init,
  coarse_grained_events, group_coarse_grained_events, prefer_group_size, prefer_execution_lane
};
template <property_kind Kind>
struct property_of_kind : property_base {
  static constexpr property_kind kind = Kind;
};

/// An entry of a property list. Copies of the list share its entries.
struct property_entry : counted {
  property_entry(property_kind its_kind, shared<property_entry> rest)
      : kind(its_kind), next(static_cast<shared<property_entry>&&>(rest)) {}
  property_kind kind;
  shared<property_entry> next;
};
template <class Property>
struct property_value : property_entry {
  property_value(const Property& property, shared<property_entry> rest)
      : property_entry(Property::kind, static_cast<shared<property_entry>&&>(rest)), value(property) {}
  Property value;
};
[[noreturn]] SINTER_EXPORT void throw_no_property();
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
    (add(properties), ...);
  }

  template <class Property>
  bool has_property() const noexcept {
    return find(Property::kind) != nullptr;
  }
  bool has_kind(detail::property_kind kind) const noexcept { return find(kind) != nullptr; }
  /// Throws errc::invalid if the list has no such property.
  template <class Property>
  Property get_property() const {
    const detail::property_entry* found = find(Property::kind);
    if (!found) detail::throw_no_property();
    return static_cast<const detail::property_value<Property>*>(found)->value;
  }

private:
  template <class Property>
  void add(const Property& property) {
    m_first = detail::shared<detail::property_entry>(
        new detail::property_value<Property>(property, static_cast<detail::shared<detail::property_entry>&&>(m_first)));
  }
  const detail::property_entry* find(detail::property_kind kind) const noexcept {
    const detail::property_entry* entry = m_first.get();
    while (entry && entry->kind != kind) entry = entry->next.get();
    return entry;
  }
  detail::shared<detail::property_entry> m_first;
};

namespace detail {

/// The queries for properties, for all classes that have properties.
class with_properties {
public:
  template <class Property>
  bool has_property() const noexcept {
    return m_properties.has_property<Property>();
  }
  /// Throws errc::invalid if the object was made without the property.
  template <class Property>
  Property get_property() const {
    return m_properties.get_property<Property>();
  }

  with_properties() = default;

protected:
  explicit with_properties(const property_list& properties) noexcept : m_properties(properties) {}

private:
  property_list m_properties;
};

} // namespace detail

namespace property::queue {
/// Commands run in the order of their submission.
struct in_order : detail::property_of_kind<detail::property_kind::in_order> {};
/// Events record profiling times (event::get_profiling_info).
struct enable_profiling : detail::property_of_kind<detail::property_kind::enable_profiling> {};
/// A hint that AdaptiveCpp has. The hint has no effect: events work the same with and without the hint.
struct AdaptiveCpp_coarse_grained_events : detail::property_of_kind<detail::property_kind::coarse_grained_events> {};
} // namespace property::queue

/// Hints that AdaptiveCpp has for queue::submit. These hints have no effect.
namespace property::command_group {
struct AdaptiveCpp_coarse_grained_events
    : detail::property_of_kind<detail::property_kind::group_coarse_grained_events> {};
template <int Dimensions>
struct AdaptiveCpp_prefer_group_size : detail::property_of_kind<detail::property_kind::prefer_group_size> {
  template <class Range>
  AdaptiveCpp_prefer_group_size(const Range&) noexcept {}
};
struct AdaptiveCpp_prefer_execution_lane : detail::property_of_kind<detail::property_kind::prefer_execution_lane> {
  AdaptiveCpp_prefer_execution_lane(unsigned long) noexcept {}
};
} // namespace property::command_group

/// Says that commands don't need the old contents of the accessed elements.
namespace property {
struct no_init : detail::property_of_kind<detail::property_kind::no_init> {};
} // namespace property
inline constexpr property::no_init no_init{};

} // namespace sycl
