#pragma once
/// Property lists of kernels (ext/oneapi/kernel_properties). This header wraps a user's function object in the
/// properties of the launch, and declares the launches that take property lists.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../aspects.hpp"
#include "../nd_range.hpp"
#include "../range.hpp"
#include "export.hpp"
#include "kernel_entry.hpp"
#include "launch_mistakes.hpp"

namespace sycl::inline _V1::ext::oneapi::experimental {

template <class Key, class... Values>
struct property_value;
template <class... Properties>
class properties;
struct properties_tag;
struct work_group_size_key;
struct sub_group_size_key;
struct device_has_key;
struct max_work_group_size_key;
struct max_linear_work_group_size_key;
struct work_group_scratch_size;

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1::detail {

namespace oneapi = ext::oneapi::experimental;
class handler_impl;

template <class>
inline constexpr bool is_properties = false;
template <class... Properties>
inline constexpr bool is_properties<oneapi::properties<Properties...>> = true;

template <class Key, class... Keys>
inline constexpr bool only_one_of = (std::size_t(std::is_same_v<Key, Keys>) + ... + 0) == 1;

/// Reads the value of a property, if the value is known only at run time.
struct property_access {
  template <class Property, class... Properties>
  static const Property& of(const oneapi::properties<Properties...>& list) noexcept {
    return list;
  }
};

/// The list's property with this key, or void if the list has no such property.
template <class Key, class... Properties>
struct property_of {
  using type = void;
};
template <class Key, class First, class... Rest>
struct property_of<Key, First, Rest...>
    : std::conditional_t<std::is_same_v<typename First::key_t, Key>, std::type_identity<First>,
                         property_of<Key, Rest...>> {};

#if defined(__clang__)
#define SINTER_KERNEL_ATTRIBUTE(name, values) __attribute__((annotate("sycl_" name, values...)))
#else
#define SINTER_KERNEL_ATTRIBUTE(name, values)
#endif

/// A function object that calls the user's function object. The capture plugin first reads the attributes of
/// sinter_attributes, then the attributes of the user's function object.
#define SINTER_WITH_ATTRIBUTE(kind, type, attribute)                                                     \
  template <class Function, type... Values>                                                              \
  struct kind {                                                                                          \
    using sinter_user_function = Function;                                                               \
    Function function;                                                                                   \
    SINTER_KERNEL_ATTRIBUTE(attribute, Values) void sinter_attributes() const;                           \
    template <class... Arguments>                                                                        \
      requires(callable<const Function&, Arguments...>)                                                  \
    SINTER_DEVICE_INLINE void operator()(Arguments&&... arguments) const {                               \
      function(static_cast<Arguments&&>(arguments)...);                                                  \
    }                                                                                                    \
  };
SINTER_WITH_ATTRIBUTE(kernel_with_group_size, std::size_t, "reqd_work_group_size")
SINTER_WITH_ATTRIBUTE(kernel_with_sub_group_size, std::uint32_t, "reqd_sub_group_size")
SINTER_WITH_ATTRIBUTE(kernel_with_aspects, aspect, "device_has")
#undef SINTER_WITH_ATTRIBUTE
#undef SINTER_KERNEL_ATTRIBUTE

template <class Function, std::size_t... Sizes>
auto with_property(
    const oneapi::property_value<oneapi::work_group_size_key, std::integral_constant<std::size_t, Sizes>...>&,
    const Function& function) {
  return kernel_with_group_size<Function, Sizes...>{function};
}
template <class Function, std::uint32_t Size>
auto with_property(
    const oneapi::property_value<oneapi::sub_group_size_key, std::integral_constant<std::uint32_t, Size>>&,
    const Function& function) {
  return kernel_with_sub_group_size<Function, Size>{function};
}
template <class Function, aspect... Aspects>
auto with_property(const oneapi::property_value<oneapi::device_has_key, std::integral_constant<aspect, Aspects>...>&,
                   const Function& function) {
  return kernel_with_aspects<Function, Aspects...>{function};
}

/// A guarantee of progress that a property demands for threads of one scope, relative to the others of a wider scope
/// (forward_progress.hpp). The numbers are those of its enumerations.
struct progress_demand {
  int scope, guarantee, among;
};
template <class Property>
concept demands_progress = requires { Property::progress; };
/// Whether all work-groups of the launch have to run at the same time.
template <class Property>
concept demands_groups_together = demands_progress<Property> && Property::needs_groups_together;
/// A function object that first waits for all work-items of the launch, which is therefore refused unless all its
/// work-groups run at the same time.
template <class Function>
struct kernel_with_groups_together {
  using sinter_user_function = Function;
  Function function;
  template <class Item, class... Rest>
    requires(callable<const Function&, Item, Rest...>)
  SINTER_DEVICE_INLINE void operator()(Item&& item, Rest&&... rest) const {
    if constexpr (requires { item.get_local_linear_id(); }) {  // other kernels don't compile (respect_progress)
      constexpr auto all = static_cast<std::uint32_t>(sinter::abi::scope::device);
      __sinter_barrier(all, all);
    }
    function(static_cast<Item&&>(item), static_cast<Rest&&>(rest)...);
  }
  SINTER_DEVICE_INLINE void operator()() const
    requires(callable<const Function&>)
  {
    function();
  }
};
template <demands_groups_together Property, class Function>
auto with_property(const Property&, const Function& function) {
  return kernel_with_groups_together<Function>{function};
}
/// Properties that are only hints, or that are checked when the kernel is launched, don't wrap the function object.
template <class Property, class Function>
const Function& with_property(const Property&, const Function& function) {
  return function;
}

template <class Function>
const Function& with_each(std::type_identity<oneapi::properties<>>, const Function& function) {
  return function;
}
template <class First, class... Rest, class Function>
auto with_each(std::type_identity<oneapi::properties<First, Rest...>>, const Function& function) {
  if constexpr (std::is_default_constructible_v<First>) {
    return with_property(First(), with_each(std::type_identity<oneapi::properties<Rest...>>(), function));
  } else {  // the property's value is known only at run time, so it does not change the code
    return with_each(std::type_identity<oneapi::properties<Rest...>>(), function);
  }
}
template <class Properties, class Function>
decltype(auto) with_properties(const Properties&, const Function& function) {
  return with_each(std::type_identity<Properties>(), function);
}

inline constexpr char scratch_key = 0;
/// Returns the address of a variable in local memory. This variable contains the offset of the launch's scratch memory
/// from the start of the group's local memory (work_group_scratch_memory.hpp).
SINTER_DEVICE_INLINE std::size_t* scratch_offset() noexcept {
  return static_cast<std::size_t*>(
      __sinter_group_variable(&scratch_key, sizeof(std::size_t), alignof(std::size_t)));
}
/// A function object that first tells all work-items of a group where the scratch memory is. To avoid a data race, only
/// the first work-item of the group stores the offset.
template <class Function>
struct kernel_with_scratch {
  using sinter_user_function = Function;
  Function function;
  std::size_t offset;
  template <int Dimensions, class... Rest>
    requires(callable<const Function&, const nd_item<Dimensions>&, Rest...>)
  SINTER_DEVICE_INLINE void operator()(const nd_item<Dimensions>& item, Rest&&... rest) const {
    if (item.get_local_linear_id() == 0) *scratch_offset() = offset;
    group_barrier(item.get_group());
    function(item, static_cast<Rest&&>(rest)...);
  }
};

/// Returns the value of work_group_scratch_size in the list, or -1 if the list lacks the property.
template <class... Properties>
constexpr std::size_t scratch_bytes(const oneapi::properties<Properties...>& list) noexcept {
  using found = typename property_of<oneapi::work_group_scratch_size, Properties...>::type;
  if constexpr (std::is_void_v<found>) {
    return std::size_t(-1);
  } else {
    return property_access::of<found>(list).value;
  }
}
template <class Properties>
inline constexpr bool has_scratch = false;
template <class... Properties>
inline constexpr bool has_scratch<oneapi::properties<Properties...>> =
    !std::is_void_v<typename property_of<oneapi::work_group_scratch_size, Properties...>::type>;

/// The largest work-group sizes that a property list allows with max_work_group_size and max_linear_work_group_size. 0
/// means any size.
struct group_limits {
  int dimensions = 0;
  std::size_t sizes[3] = {}, linear = 0;
};
/// Throws errc::nd_range if the local range exceeds the limits, or if it has another number of dimensions. All sizes
/// are in the order of SYCL's ranges.
SINTER_EXPORT void check_group_limits(const char* kernel_type, int dimensions, const std::size_t* local,
                                      const group_limits& limits);
template <class... Properties>
constexpr group_limits group_limits_of(std::type_identity<oneapi::properties<Properties...>>) noexcept {
  group_limits result;
  using sizes = typename property_of<oneapi::max_work_group_size_key, Properties...>::type;
  using linear = typename property_of<oneapi::max_linear_work_group_size_key, Properties...>::type;
  if constexpr (!std::is_void_v<sizes>) {
    result.dimensions = sizes::dimensions;
    for (int d = 0; d < sizes::dimensions; ++d) result.sizes[d] = sizes()[d];
  }
  if constexpr (!std::is_void_v<linear>) result.linear = linear::value;
  return result;
}
/// Checks the work-group size of a launch against the properties of the launch and of the function object.
template <class KernelName, class Properties, int Dimensions>
void respect_limits(const range<Dimensions>& local) {
  constexpr group_limits limits = group_limits_of(std::type_identity<Properties>());
  if constexpr (limits.dimensions != 0 || limits.linear != 0) {
    static_assert(limits.dimensions == 0 || limits.dimensions == Dimensions,
                  "max_work_group_size takes as many sizes as the nd_range of the launch has dimensions");
    if (local[0] == sinter::abi::automatic_local_range) {
      throw_invalid("a kernel whose properties limit the size of work-groups does not take auto_range()");
    }
    std::size_t sizes[Dimensions];
    for (int d = 0; d < Dimensions; ++d) sizes[d] = local[d];
    check_group_limits(kernel_type_name<KernelName>(), Dimensions, sizes, limits);
  }
}

/// Throws errc::feature_not_supported if the handler's device does not give kernels the guarantee.
SINTER_EXPORT void require_progress(const handler_impl& handler, const char* kernel_type,
                                    const progress_demand& demand);
/// `HasGroups` is false for launches over a range, whose work-groups Sinter chooses.
template <class KernelName, bool HasGroups, class... Properties>
void respect_progress(const handler_impl& handler, std::type_identity<oneapi::properties<Properties...>>) {
  static_assert(HasGroups || !(demands_groups_together<Properties> || ...),
                "a guarantee of concurrent progress in root_group is for launches over an nd_range");
  const auto respect = [&]<class Property>(std::type_identity<Property>) {
    if constexpr (demands_progress<Property>) {
      require_progress(handler, kernel_type_name<KernelName>(), Property::progress);
    }
  };
  (respect(std::type_identity<Properties>()), ...);
}

/// Whether the properties that occur in both lists have equal values.
template <class One, class Other>
inline constexpr bool agree = true;
template <class... A, class... B>
inline constexpr bool agree<oneapi::properties<A...>, oneapi::properties<B...>> =
    ((std::is_void_v<typename property_of<typename A::key_t, B...>::type> ||
      std::is_same_v<typename property_of<typename A::key_t, B...>::type, A>) &&
     ...);

/// The type that the function object's `get(properties_tag)` returns; void if the function object has no such function.
template <class Function>
auto embedded_properties_of() {
  if constexpr (requires(Function& function) { function.get(std::declval<oneapi::properties_tag>()); }) {
    using found = std::remove_cvref_t<decltype(std::declval<Function&>().get(std::declval<oneapi::properties_tag>()))>;
    if constexpr (is_properties<found>) return std::type_identity<found>();
  }
}
template <class Function>
concept has_embedded_properties = !std::is_void_v<decltype(embedded_properties_of<Function>())>;

/// Wraps the function object in the properties that its `get` returns. Returns the function object unchanged if it has
/// no such properties.
template <class Function>
decltype(auto) with_embedded_properties(const Function& function) {
  if constexpr (has_embedded_properties<Function>) {
    return with_properties(typename decltype(embedded_properties_of<Function>())::type(), function);
  } else {
    return (function);
  }
}
/// Wraps the function object in the properties of the launch and in the properties that the function object has itself.
template <class Properties, class Function>
auto with_all_properties(const Properties& properties, const Function& function) {
  if constexpr (has_embedded_properties<Function>) {
    static_assert(agree<Properties, typename decltype(embedded_properties_of<Function>())::type>,
                  "the launch and get(properties_tag) of the kernel function give a property different values");
  }
  return with_properties(properties, with_embedded_properties(function));
}

/// The last argument is the kernel function. Wraps the kernel function in `properties` and in the properties that it
/// has itself. Then calls call(arguments...).
template <class Properties, class Call, class First, class... Rest>
void with_last(const Properties& properties, const Call& call, const First& first, const Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    call(with_all_properties(properties, first));
  } else {
    with_last(properties, [&](const auto&... more) { call(first, more...); }, rest...);
  }
}

/// The base class of handler with the functions that take a property list, before the reductions and the kernel
/// function.
template <class Handler>
class property_launches {
public:
  template <class KernelName = void, class Properties, class Function>
    requires(is_properties<Properties>)
  void single_task(const Properties& properties, const Function& function) {
    static_assert(!has_scratch<Properties>, "work_group_scratch_size is for launches over an nd_range");
    respect_progress<kernel_name_t<KernelName, Function>, true>(implementation(self()),
                                                                std::type_identity<Properties>());
    self().template single_task<kernel_name_t<KernelName, Function>>(with_all_properties(properties, function));
  }
  // Wraps the kernel function in the properties that change its code, and launches it like a kernel without a property
  // list.
  template <class KernelName = void, class Properties, class... Rest>
    requires(is_properties<Properties>)
  void parallel_for(range<1> size, const Properties& properties, const Rest&... rest) {
    if constexpr (is_launch<range_shape<1>, Rest...>) {
      launch_with<KernelName>(size, properties, rest...);
    } else {
      explain_launch<range_shape<1>, Rest...>();
    }
  }
  template <class KernelName = void, class Properties, class... Rest>
    requires(is_properties<Properties>)
  void parallel_for(range<2> size, const Properties& properties, const Rest&... rest) {
    if constexpr (is_launch<range_shape<2>, Rest...>) {
      launch_with<KernelName>(size, properties, rest...);
    } else {
      explain_launch<range_shape<2>, Rest...>();
    }
  }
  template <class KernelName = void, class Properties, class... Rest>
    requires(is_properties<Properties>)
  void parallel_for(range<3> size, const Properties& properties, const Rest&... rest) {
    if constexpr (is_launch<range_shape<3>, Rest...>) {
      launch_with<KernelName>(size, properties, rest...);
    } else {
      explain_launch<range_shape<3>, Rest...>();
    }
  }
  template <class KernelName = void, int Dimensions, class Properties, class... Rest>
    requires(is_properties<Properties>)
  void parallel_for(nd_range<Dimensions> size, const Properties& properties, const Rest&... rest) {
    if constexpr (is_launch<nd_range_shape<Dimensions>, Rest...>) {
      launch_with<KernelName>(size, properties, rest...);
    } else {
      explain_launch<nd_range_shape<Dimensions>, Rest...>();
    }
  }

private:
  template <class KernelName, class Size, class Properties, class... Rest>
  void launch_with(const Size& size, const Properties& properties, const Rest&... rest) {
    using function = typename last_of<Rest...>::type;
    using name = kernel_name_t<KernelName, function>;
    if constexpr (requires { size.get_local_range(); }) {
      respect_limits<name, Properties>(size.get_local_range());
    } else {
      static_assert(!has_scratch<Properties>, "work_group_scratch_size is for launches over an nd_range");
    }
    respect_progress<name, requires { size.get_local_range(); }>(implementation(self()),
                                                                 std::type_identity<Properties>());
    with_last(properties, [&](const auto&... arguments) { launch_last<name>(properties, size, arguments...); },
              rest...);
  }
  template <class Name, class Size, class Properties, class... Arguments>
  void launch_last(const Properties& properties, const Size& size, const Arguments&... arguments) {
    if constexpr (!has_scratch<Properties>) {
      self().template parallel_for<Name>(size, arguments...);
    } else if constexpr (sizeof...(Arguments) == 1) {
      const std::size_t offset = add_local_memory(implementation(self()), scratch_bytes(properties), 64);
      self().template parallel_for<Name>(size, kernel_with_scratch<Arguments...>{arguments..., offset});
    } else {
      static_assert(never<Size>, "kernels with reductions take no work_group_scratch_size");
    }
  }
  Handler& self() noexcept { return static_cast<Handler&>(*this); }
};

}  // namespace sycl::detail
