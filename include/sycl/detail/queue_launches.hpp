#pragma once
/// The functions parallel_for of queue (SYCL 2020 4.6.5.2); each call submits one command. The arguments are the size,
/// optional events, an optional property list, and the other arguments of handler::parallel_for.

#include <type_traits>
#include <vector>

#include "../event.hpp"
#include "../handler.hpp"
#include "../nd_range.hpp"
#include "../range.hpp"
#include "kernel_properties.hpp"
#include "launch_mistakes.hpp"
#include "mistake.hpp"

namespace sycl::inline _V1::detail {

template <class Shape, class... Arguments>
inline constexpr bool is_queue_launch = is_launch<Shape, Arguments...>;
template <class Shape, class... Properties, class... Arguments>
inline constexpr bool is_queue_launch<Shape, oneapi::properties<Properties...>, Arguments...> =
    is_launch<Shape, Arguments...>;

/// There is a class for each number of dimensions. If parallel_for were a template on this number, integers and brace
/// lists would not convert to a range (SYCL 2020 4.9.4.2.2). For this reason, overloads with events are separate
/// functions, too.
template <class Queue, int Dimensions>
class range_launches {
  using shape = range_shape<Dimensions>;

public:
  template <class KernelName = void, class... Arguments>
  event parallel_for(range<Dimensions> size, const Arguments&... arguments) {
    if constexpr (is_queue_launch<shape, Arguments...>) {
      return self().submit([&](handler& group) { group.parallel_for<KernelName>(size, arguments...); });
    } else {
      return explain_launch<shape, Arguments...>(), event();
    }
  }
  template <class KernelName = void, class... Arguments>
  event parallel_for(range<Dimensions> size, const event& dependency, const Arguments&... arguments) {
    if constexpr (is_queue_launch<shape, Arguments...>) {
      return self().submit([&](handler& group) {
        group.depends_on(dependency);
        group.parallel_for<KernelName>(size, arguments...);
      });
    } else {
      return explain_launch<shape, Arguments...>(), event();
    }
  }
  template <class KernelName = void, class... Arguments>
  event parallel_for(range<Dimensions> size, const std::vector<event>& dependencies, const Arguments&... arguments) {
    if constexpr (is_queue_launch<shape, Arguments...>) {
      return self().submit([&](handler& group) {
        group.depends_on(dependencies);
        group.parallel_for<KernelName>(size, arguments...);
      });
    } else {
      return explain_launch<shape, Arguments...>(), event();
    }
  }

private:
  Queue& self() noexcept { return static_cast<Queue&>(*this); }
};

template <class Queue>
class nd_range_launches {
public:
  template <class KernelName = void, int Dimensions, class... Arguments>
  event parallel_for(nd_range<Dimensions> size, const Arguments&... arguments) {
    if constexpr (is_queue_launch<nd_range_shape<Dimensions>, Arguments...>) {
      return self().submit([&](handler& group) { group.parallel_for<KernelName>(size, arguments...); });
    } else {
      return explain_launch<nd_range_shape<Dimensions>, Arguments...>(), event();
    }
  }
  template <class KernelName = void, int Dimensions, class... Arguments>
  event parallel_for(nd_range<Dimensions> size, const event& dependency, const Arguments&... arguments) {
    if constexpr (is_queue_launch<nd_range_shape<Dimensions>, Arguments...>) {
      return self().submit([&](handler& group) {
        group.depends_on(dependency);
        group.parallel_for<KernelName>(size, arguments...);
      });
    } else {
      return explain_launch<nd_range_shape<Dimensions>, Arguments...>(), event();
    }
  }
  template <class KernelName = void, int Dimensions, class... Arguments>
  event parallel_for(nd_range<Dimensions> size, const std::vector<event>& dependencies,
                     const Arguments&... arguments) {
    if constexpr (is_queue_launch<nd_range_shape<Dimensions>, Arguments...>) {
      return self().submit([&](handler& group) {
        group.depends_on(dependencies);
        group.parallel_for<KernelName>(size, arguments...);
      });
    } else {
      return explain_launch<nd_range_shape<Dimensions>, Arguments...>(), event();
    }
  }
  template <class KernelName = void, class... Arguments>
    requires(begins_without_size<Arguments...>)
  SINTER_MISTAKE(SINTER_LAUNCH_ORDER)
  event parallel_for(const Arguments&...) {
    return {};
  }

private:
  Queue& self() noexcept { return static_cast<Queue&>(*this); }
};

/// Whether queue::single_task does not accept these arguments.
template <class... Arguments>
inline constexpr bool is_no_single_task = true;
template <class Function>
inline constexpr bool is_no_single_task<Function> = false;
template <class First, class Function>
inline constexpr bool is_no_single_task<First, Function> =
    !(is_properties<First> || std::is_convertible_v<const First&, event> ||
      std::is_convertible_v<const First&, std::vector<event>>);
template <class First, class Second, class Function>
inline constexpr bool is_no_single_task<First, Second, Function> = !(is_dependency<First> && is_properties<Second>);

}  // namespace sycl::detail
