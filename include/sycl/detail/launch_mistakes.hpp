#pragma once
/// Arguments of parallel_for in a wrong order, and kernel functions that are none, for overloads that end in one
/// sentence instead of a list of candidates.

#include "../nd_range.hpp"
#include "../range.hpp"
#include "kernel_entry.hpp"
#include "reduction_kernels.hpp"

namespace sycl::detail {

template <class>
inline constexpr bool is_size = false;
template <int Dimensions>
inline constexpr bool is_size<range<Dimensions>> = true;
template <int Dimensions>
inline constexpr bool is_size<nd_range<Dimensions>> = true;

template <class... Types>
inline constexpr bool ends_with_reduction = false;
template <class Last>
inline constexpr bool ends_with_reduction<Last> = is_reduction<Last>;
template <class First, class Second, class... Rest>
inline constexpr bool ends_with_reduction<First, Second, Rest...> = ends_with_reduction<Second, Rest...>;

/// Of what stands behind the first argument.
template <class... Types>
concept misplaced_arguments = (is_size<Types> || ...) || ends_with_reduction<Types...>;

template <class... Types>
void explain_order() {
  static_assert(!(is_size<Types> || ...),
                "parallel_for takes the range first, then events, reductions, and the kernel function last");
  static_assert(!ends_with_reduction<Types...>,
                "parallel_for takes reductions before the kernel function, which comes last");
}

/// It is none for kernels of this shape.
template <class Shape, class Function>
void explain_kernel_function() {
  if constexpr (is_kernel_function<Shape, Function&>()) {
    static_assert(
        sizeof(Function) == 0,
        "the kernel function may not change itself: all work-items share it. Remove 'mutable' from the lambda, "
        "or make operator() const; copy what a work-item changes into a variable of its own");
  } else {
    static_assert(
        sizeof(Function) == 0,
        "the kernel function does not take what this kernel gives it: single_task gives nothing; parallel_for "
        "over a range an item or id of as many dimensions (or an integer for one); over an nd_range an nd_item; "
        "then reducers, if any, or a kernel_handler; each by value or reference to const, reducers by reference");
  }
}

}  // namespace sycl::detail
