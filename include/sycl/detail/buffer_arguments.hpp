#pragma once
/// Finds mistakes in the arguments of buffer constructors, so that the compiler's error message can describe them.

#include <type_traits>
#include <utility>

#include "element_access.hpp"
#include "standard.hpp"

namespace sycl::inline _V1::detail {

template <class Container>
concept contiguous_container = requires(Container& container) {
  container.data();
  container.size();
  requires std::is_pointer_v<decltype(container.data())>;
};
template <class Iterator>
concept input_iterator = requires {
  typename std::iterator_traits<Iterator>::iterator_category;
} && std::is_base_of_v<std::input_iterator_tag, typename std::iterator_traits<Iterator>::iterator_category>;

template <class Container>
concept iterated = requires(Container& container) {
  container.begin();
  container.end();
} && range_rank<std::remove_cv_t<Container>> == 0 && buffer_rank<std::remove_cv_t<Container>> == 0;

/// True if no buffer with elements T can be made from the arguments, which is a mistake of the program. First and Rest
/// are the types that forwarding references deduce.
template <class T, int Dimensions, class First, class... Rest>
constexpr bool mistakes_of_buffer() {
  using first = std::remove_reference_t<First>;
  constexpr int rank = range_rank<std::remove_cv_t<first>>;
  if constexpr (rank != 0) {
    return rank != Dimensions || (std::is_pointer_v<std::remove_cvref_t<Rest>> || ...);
  } else if constexpr (std::is_pointer_v<first>) {
    return sizeof...(Rest) == 0 ||
           ((range_rank<std::remove_cvref_t<Rest>> != 0 && range_rank<std::remove_cvref_t<Rest>> != Dimensions) || ...);
  } else if constexpr (!std::is_class_v<first>) {
    return false;
  } else if constexpr (!iterated<first>) {
    return false;
  } else if constexpr (Dimensions != 1 || !contiguous_container<first> ||
                       ((range_rank<std::remove_cvref_t<Rest>> != 0) || ...)) {
    return true;
  } else if constexpr (!std::is_lvalue_reference_v<First> && !std::is_const_v<first>) {
    return true;
  } else {
    return !std::is_convertible_v<std::remove_pointer_t<decltype(std::declval<first&>().data())> (*)[], const T (*)[]>;
  }
}

}  // namespace sycl::detail
