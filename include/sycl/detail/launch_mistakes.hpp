#pragma once
/// Decides which arguments after a range form a valid launch. For each mistake in the arguments, the compiler's error
/// message is one sentence.

#include <type_traits>
#include <vector>

#include "../nd_range.hpp"
#include "../range.hpp"
#include "kernel_entry.hpp"
#include "mistake.hpp"
#include "reduction_kernels.hpp"

#define SINTER_LAUNCH_ORDER \
  "parallel_for takes the range first, then events, reductions, and the kernel function last"

namespace sycl::inline _V1 {

class event;

namespace detail {

template <class>
inline constexpr bool is_size = false;
template <int Dimensions>
inline constexpr bool is_size<range<Dimensions>> = true;
template <int Dimensions>
inline constexpr bool is_size<nd_range<Dimensions>> = true;

template <class Type>
inline constexpr bool is_dependency = std::is_same_v<Type, event> || std::is_same_v<Type, std::vector<event>>;

/// Whether a value of this type may be the size, which is the first argument of a launch.
template <class Type>
inline constexpr bool becomes_size = is_size<Type> || std::is_arithmetic_v<Type> ||
                                     std::is_convertible_v<const Type&, range<1>> ||
                                     std::is_convertible_v<const Type&, range<2>> ||
                                     std::is_convertible_v<const Type&, range<3>>;

/// Whether the first argument of a parallel_for can't be a size, so that no overload accepts the call.
template <class... Arguments>
inline constexpr bool begins_without_size = true;
template <class First, class... Rest>
inline constexpr bool begins_without_size<First, Rest...> = !becomes_size<First>;

/// The type of position that kernels with reductions take.
template <class Shape>
using reducing_position = std::conditional_t<Shape::value == sinter::abi::kernel_shape::nd_range,
                                             nd_item<Shape::dimensions>, item<Shape::dimensions, true>>;

/// Also accepts function pointers. Capture reports an error later if the device can't call the function.
template <class Function>
inline constexpr bool is_function_object =
    std::is_class_v<Function> ||
    (std::is_pointer_v<Function> && std::is_function_v<std::remove_pointer_t<Function>>);

/// Whether the kernel function can be called. With `Changes`, the kernel function is called as a non-const object.
/// Otherwise it is called as a const object, because all work-items share it.
template <class Shape, bool Changes, class Function, class... Reducers>
constexpr bool is_launched_function() noexcept {
  using callee = std::conditional_t<Changes, Function&, const Function&>;
  if constexpr (!is_function_object<Function> || !std::is_copy_constructible_v<Function>) {
    return false;
  } else if constexpr (sizeof...(Reducers) == 0) {
    return is_kernel_function<Shape, callee>();
  } else {
    return reducing_function<callee, reducing_position<Shape>, Reducers...>;
  }
}

template <class... Reducers>
struct reducer_types;

template <class Shape, bool Changes, class Reducers, class... Arguments>
struct launch_arguments : std::false_type {};
template <class Shape, bool Changes, class... Reducers, class Function>
struct launch_arguments<Shape, Changes, reducer_types<Reducers...>, Function>
    : std::bool_constant<is_launched_function<Shape, Changes, Function, Reducers...>()> {};
template <class Shape, bool Changes, class... Reducers, class Reduction, class Second, class... Rest>
  requires(is_reduction<Reduction>)
struct launch_arguments<Shape, Changes, reducer_types<Reducers...>, Reduction, Second, Rest...>
    : launch_arguments<Shape, Changes, reducer_types<Reducers..., typename Reduction::reducer_type>, Second, Rest...> {
};
template <class Shape, bool Changes, int Dimensions, class Function>
  requires(Dimensions == Shape::dimensions && Shape::value == sinter::abi::kernel_shape::range)
struct launch_arguments<Shape, Changes, reducer_types<>, id<Dimensions>, Function>
    : launch_arguments<Shape, Changes, reducer_types<>, Function> {};

/// Whether the arguments after the size (for single_task: all arguments) are valid: reductions or the offset of a
/// range, if any, and then a function that this kernel can call.
template <class Shape, class... Arguments>
inline constexpr bool is_launch = launch_arguments<Shape, false, reducer_types<>, Arguments...>::value;

template <class First, class... Rest>
struct last_of : last_of<Rest...> {};
template <class Last>
struct last_of<Last> {
  using type = Last;
};

/// Reports arguments that don't form a valid launch. All tests are in one long function, because in an error message
/// compilers list each template that led to the failed test.
template <class Shape, class... Arguments>
void explain_launch() {
  if constexpr (sizeof...(Arguments) == 0) {
    static_assert(never<Shape>, "behind the range, parallel_for takes the kernel function");
  } else {
    using last = typename last_of<Arguments...>::type;
    using sinter::abi::kernel_shape;
    constexpr int reductions = (is_reduction<Arguments> + ... + 0), many = sizeof...(Arguments);
    if constexpr (((is_size<Arguments> || std::is_arithmetic_v<Arguments>) || ...) && many > 1) {
      static_assert(never<last>,
                    "parallel_for takes one range: sycl::range(8, 4) has two dimensions, sycl::nd_range<1>(8, 4) has "
                    "groups of 4");
    } else if constexpr ((is_dependency<Arguments> || ...)) {
      static_assert(never<last>,
                    "events stand right behind the range of a queue's parallel_for; in a command group, "
                    "handler.depends_on takes them");
    } else if constexpr (reductions == many) {
      static_assert(never<last>, "the kernel function comes behind the reductions");
    } else if constexpr (is_reduction<last>) {
      static_assert(never<last>, "parallel_for takes reductions before the kernel function, which comes last");
    } else if constexpr (reductions != many - 1) {
      static_assert(never<last>, SINTER_LAUNCH_ORDER);
    } else if constexpr (std::is_function_v<last>) {
      static_assert(never<last>, "a kernel is a lambda or function object, not a function: call it in a lambda");
    } else if constexpr (!is_function_object<last>) {
      static_assert(never<last>, "a launch ends with the kernel function, a lambda or function object: this is none");
    } else if constexpr (!std::is_copy_constructible_v<last>) {
      static_assert(
          never<last>,
          "the kernel function can't be copied to the device: something that it captures has no copy constructor");
    } else if constexpr (launch_arguments<Shape, true, reducer_types<>, Arguments...>::value) {
      static_assert(
          never<last>,
          "the kernel function may not change itself: all work-items share it. Remove 'mutable' from the lambda, "
          "or make operator() const; copy what a work-item changes into a variable of its own");
    } else if constexpr (reductions > 0) {
      static_assert(never<last>,
                    "the kernel function does not take what this kernel gives it: the item first (over a range an item "
                    "or id, over an nd_range an nd_item), then one reducer for each reduction, by reference (auto&)");
    } else if constexpr (Shape::value == kernel_shape::single_task) {
      static_assert(never<last>,
                    "the kernel function does not take what this kernel gives it: single_task gives nothing, or a "
                    "kernel_handler by value");
    } else if constexpr (Shape::value == kernel_shape::range) {
      static_assert(never<last>,
                    "the kernel function does not take what this kernel gives it: over a range an item or id of as "
                    "many dimensions (or an integer for one), by value or reference to const, then perhaps a "
                    "kernel_handler; an nd_item is for an nd_range");
    } else {
      static_assert(never<last>,
                    "the kernel function does not take what this kernel gives it: over an nd_range an nd_item of as "
                    "many dimensions, by value or reference to const, then perhaps a kernel_handler; integers are for "
                    "a range");
    }
  }
}

}  // namespace detail
}  // namespace sycl
