#pragma once
/// sycl_ext_oneapi_free_function_kernels: ordinary functions as kernels, and functions that launch them. The properties
/// of such a function come before its first declaration.

#include <type_traits>
#include <utility>

#include "../../../detail/version.hpp"
#include "../../../queue.hpp"
#include "../kernel_properties/properties.hpp"
#include "enqueue_functions.hpp"

/// Marks a function that the program launches as a kernel. The macro precedes the function:
/// SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((nd_range_kernel<1>)). Another source file may define the function, like with
/// SYCL_EXTERNAL.
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(...) SYCL_EXTERNAL

namespace sycl::inline _V1::ext::oneapi::experimental {

struct nd_range_kernel_key {
  template <int Dimensions>
  using value_t = property_value<nd_range_kernel_key, std::integral_constant<int, Dimensions>>;
};
struct single_task_kernel_key {
  using value_t = property_value<single_task_kernel_key>;
};
template <int Dimensions>
struct property_value<nd_range_kernel_key, std::integral_constant<int, Dimensions>> {
  using key_t = nd_range_kernel_key;
  static constexpr int dimensions = Dimensions;
};
template <>
struct is_property_key<nd_range_kernel_key> : std::true_type {};
template <>
struct is_property_key<single_task_kernel_key> : std::true_type {};
template <int Dimensions>
inline constexpr nd_range_kernel_key::value_t<Dimensions> nd_range_kernel;
inline constexpr single_task_kernel_key::value_t single_task_kernel;

/// Passes a function to nd_launch or single_task.
template <auto* Function>
struct kernel_function_s {};
template <auto* Function>
inline constexpr kernel_function_s<Function> kernel_function;

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1::detail {

/// Returns a function object that calls Function with these values, converted to its parameter types.
template <auto* Function, class... Parameters>
auto bind_free_function(void (*)(Parameters...), std::remove_cvref_t<Parameters>... values) {
  return [values...] { Function(values...); };
}

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

// These functions convert each argument to the type of the function's parameter. They throw the same errors as the
// handler's launches.
template <auto* Function, class... Arguments>
  requires(std::is_invocable_v<decltype(Function), Arguments...>)
void single_task(handler& group, kernel_function_s<Function>, Arguments&&... arguments) {
  const auto bound = detail::bind_free_function<Function>(Function, std::forward<Arguments>(arguments)...);
  group.single_task([bound] { bound(); });
}
template <auto* Function, class... Arguments>
  requires(std::is_invocable_v<decltype(Function), Arguments...>)
void single_task(queue target, kernel_function_s<Function> function, Arguments&&... arguments) {
  target.submit([&](handler& group) { experimental::single_task(group, function, arguments...); });
}
template <auto* Function, int Dimensions, class... Arguments>
  requires(std::is_invocable_v<decltype(Function), Arguments...>)
void nd_launch(handler& group, nd_range<Dimensions> size, kernel_function_s<Function>, Arguments&&... arguments) {
  const auto bound = detail::bind_free_function<Function>(Function, std::forward<Arguments>(arguments)...);
  group.parallel_for(size, [bound](nd_item<Dimensions>) { bound(); });
}
template <auto* Function, int Dimensions, class... Arguments>
  requires(std::is_invocable_v<decltype(Function), Arguments...>)
void nd_launch(queue target, nd_range<Dimensions> size, kernel_function_s<Function> function,
               Arguments&&... arguments) {
  target.submit([&](handler& group) { experimental::nd_launch(group, size, function, arguments...); });
}
template <auto* Function, int Dimensions, class Properties, class... Arguments>
  requires(std::is_invocable_v<decltype(Function), Arguments...>)
void nd_launch(handler& group, launch_config<nd_range<Dimensions>, Properties> size, kernel_function_s<Function>,
               Arguments&&... arguments) {
  const auto bound = detail::bind_free_function<Function>(Function, std::forward<Arguments>(arguments)...);
  group.parallel_for(size.get_range(), size.get_properties(), [bound](nd_item<Dimensions>) { bound(); });
}
template <auto* Function, int Dimensions, class Properties, class... Arguments>
  requires(std::is_invocable_v<decltype(Function), Arguments...>)
void nd_launch(queue target, launch_config<nd_range<Dimensions>, Properties> size,
               kernel_function_s<Function> function, Arguments&&... arguments) {
  target.submit([&](handler& group) { experimental::nd_launch(group, size, function, arguments...); });
}

}  // namespace sycl::ext::oneapi::experimental
