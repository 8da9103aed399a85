#pragma once
/// Compares element-wise operations of vec and marray on the device with scalar code.

#include "check.hpp"

namespace e2e {

inline constexpr std::size_t element_count = 257;

/// Comparing elements gives -1 or 0 in a vec, and 1 or 0 in an marray.
template <class Values>
constexpr int truth(bool value) {
  return std::is_same_v<typename decltype(Values{} == Values{})::value_type, bool> ? value : -int(value);
}

/// Lets a kernel return several values for each work-item.
template <class Value, int Count>
struct several {
  Value values[Count];
};

/// Runs `work(a, b)` for many pairs of vec or marray on the device. The results must equal those of `scalar` for each
/// element.
template <class Values, class Work, class Scalar>
void check_elements(const char* name, Work work, Scalar scalar, double least = -100, double most = 100) {
  using T = typename Values::value_type;
  using result = decltype(work(Values{}, Values{}));
  const std::size_t size = Values::size();
  sycl::queue queue = make_queue();
  auto a = random_values<T>(element_count * size, least, most), b = random_values<T>(element_count * size, least, most);
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b[i] == T(0)) b[i] = T(3);
    if (i % 5 == 0) a[i] = b[i];
  }
  T* in = sycl::malloc_shared<T>(2 * element_count * size, queue);
  std::copy(a.begin(), a.end(), in);
  std::copy(b.begin(), b.end(), in + element_count * size);
  result* out = sycl::malloc_shared<result>(element_count, queue);
  queue
      .parallel_for(sycl::range<1>(element_count),
                    [=](sycl::id<1> i) {
                      Values x, y;
                      for (std::size_t k = 0; k < Values::size(); ++k) {
                        x[k] = in[i * Values::size() + k];
                        y[k] = in[(element_count + i) * Values::size() + k];
                      }
                      out[i] = work(x, y);
                    })
      .wait();
  for (std::size_t i = 0; i < element_count * size; ++i) {
    const auto expected = scalar(a[i], b[i]);
    for (std::size_t form = 0; form < std::size(expected.values); ++form) {
      if (out[i / size].values[form][i % size] == expected.values[form]) continue;
      fail(__FILE__, __LINE__,
           std::string(name) + ", form " + std::to_string(form) + ", of " + std::to_string(size) + " elements of " +
               std::to_string(sizeof(T)) + " bytes differs at " + std::to_string(i));
      i = element_count * size - 1;
    }
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

}  // namespace e2e

// The macros below are for use in functions that define a type Values and its element type T. BINARY checks an operator
// between two values, as an assignment, and with a scalar on either side.
#define BINARY(op)                                                            \
  e2e::check_elements<Values>(                                                \
      #op,                                                                    \
      [](Values a, Values b) {                                                \
        Values c = a, d = a;                                                  \
        c op## = b;                                                           \
        d op## = T(3);                                                        \
        return e2e::several<Values, 5>{{a op b, c, d, a op T(3), T(3) op b}}; \
      },                                                                      \
      [](T a, T b) { return e2e::several<T, 5>{{T(a op b), T(a op b), T(a op T(3)), T(a op T(3)), T(T(3) op b)}}; })
#define COMPARE(op)                                                                                              \
  e2e::check_elements<Values>(                                                                                   \
      #op, [](Values a, Values b) { return e2e::several<decltype(a op b), 3>{{a op b, a op T(3), T(3) op b}}; }, \
      [](T a, T b) {                                                                                             \
        return e2e::several<int, 3>{                                                                             \
            {e2e::truth<Values>(a op b), e2e::truth<Values>(a op T(3)), e2e::truth<Values>(T(3) op b)}};         \
      })
