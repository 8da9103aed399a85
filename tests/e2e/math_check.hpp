#pragma once
/// Runs one function on the device, for scalars and for one kind of vector, and compares the results with a scalar
/// reference on the host.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>

#include "check.hpp"

namespace e2e {

/// Returns the distance of `got` from the exact value, in units of the last place of the exact value rounded to Value.
/// Zeros of different signs are far apart.
template <class Value>
double ulps(Value got, long double exact) {
  if constexpr (std::is_integral_v<Value>) {
    return static_cast<long double>(got) == exact ? 0 : 1e9;
  } else {
    const auto rounded = static_cast<Value>(exact);
    const long double near = static_cast<long double>(rounded);
    long double value = static_cast<long double>(got);
    if (std::isnan(near)) return std::isnan(value) ? 0 : 1e9;
    if (std::isinf(near)) return near == value ? 0 : 1e9;
    if (near == 0 && value == 0 && std::signbit(near) != std::signbit(value)) return 1e9;
    // Infinity counts as the number after the largest finite number.
    if (std::isinf(value)) {
      value = std::copysign(std::ldexp(1.0L, std::numeric_limits<Value>::max_exponent), value);
    }
    int exponent = 0;
    std::frexp(near, &exponent);
    const int least = std::numeric_limits<Value>::min_exponent;
    const long double unit = std::ldexp(1.0L, std::max(exponent, least) - std::numeric_limits<Value>::digits);
    return static_cast<double>(std::abs(value - exact) / unit);
  }
}

inline constexpr std::size_t math_count = 1024;

/// Returns random values between `least` and `most`, after some special values.
template <class T>
std::vector<T> math_values(double least, double most, bool specials = true) {
  using limits = std::numeric_limits<T>;
  std::vector<T> values(math_count);
  std::uniform_real_distribution<double> real(least, most);
  for (T& value : values) value = static_cast<T>(real(random()));
  if (!specials) return values;
  const T list[] = {T(0.0),
                    T(-0.0),
                    T(1.0),
                    T(-1.0),
                    T(0.5),
                    T(-0.5),
                    T(2.5),
                    T(3.0),
                    T(-3.0),
                    limits::infinity(),
                    static_cast<T>(-limits::infinity()),
                    limits::quiet_NaN(),
                    limits::min(),
                    limits::max(),
                    limits::lowest(),
                    limits::denorm_min(),
                    limits::epsilon(),
                    T(1.5)};
  // Each list repeats its special values with another stride, so that each pair of special values occurs.
  static std::size_t step = 0;
  step = step % 5 + 1;
  std::size_t at = 0;
  for (int round = 0; round < 20; ++round) {
    for (const T& value : list) values[(at += step) % math_count] = value;
  }
  return values;
}

template <class T>
std::vector<T> random_integers() {
  std::vector<T> values(math_count);
  const T list[] = {T(0), T(1), static_cast<T>(-1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), T(2)};
  for (std::size_t i = 0; i < math_count; ++i) {
    const std::uint64_t bits = (std::uint64_t{random()()} << 32) | random()();
    values[i] = random()() % 4 == 0 ? list[bits % 6] : static_cast<T>(bits);
  }
  return values;
}

template <class T>
struct device_values {
  explicit device_values(sycl::queue& queue) : queue(queue), data(sycl::malloc_shared<T>(math_count, queue)) {}
  device_values(sycl::queue& queue, const std::vector<T>& values) : device_values(queue) {
    std::copy(values.begin(), values.end(), data);
  }
  ~device_values() { sycl::free(data, queue); }
  device_values(const device_values&) = delete;
  sycl::queue& queue;
  T* data;
};

template <class T>
sycl::vec<T, 4> load_vec(const T* data, std::size_t i) {
  sycl::vec<T, 4> result;
  result.load(i, data);
  return result;
}
template <class T>
sycl::marray<T, 4> load_marray(const T* data, std::size_t i) {
  return {data[4 * i], data[4 * i + 1], data[4 * i + 2], data[4 * i + 3]};
}

/// Launches the function on scalars and on one kind of vector: swizzles of float and integers, marrays of double, vecs
/// of half.
template <class Function, class Result, class First, class... More>
void launch(sycl::queue& queue, Function function, Result* scalars, Result* vectors, const First* first,
            const More*... more) {
  queue
      .parallel_for(sycl::range<1>(math_count / 4),
                    [=](sycl::id<1> id) {
                      const std::size_t i = id[0];
                      for (std::size_t k = 4 * i; k < 4 * i + 4; ++k) scalars[k] = function(first[k], more[k]...);
                      if constexpr (std::is_same_v<First, double>) {
                        const auto four = function(load_marray(first, i), load_marray(more, i)...);
                        for (int k = 0; k < 4; ++k) vectors[4 * i + k] = static_cast<Result>(four[k]);
                      } else if constexpr (std::is_same_v<First, sycl::half>) {
                        const auto four = function(load_vec(first, i), load_vec(more, i)...);
                        for (int k = 0; k < 4; ++k) vectors[4 * i + k] = static_cast<Result>(four[k]);
                      } else {
                        const auto four = function(load_vec(first, i).template swizzle<3, 2, 1, 0>(),
                                                   load_vec(more, i).template swizzle<3, 2, 1, 0>()...);
                        for (int k = 0; k < 4; ++k) vectors[4 * i + k] = static_cast<Result>(four[3 - k]);
                      }
                    })
      .wait();
}

/// Converts values to text for messages. Their type is erased, so that thousands of checks share one function.
struct printed_values {
  template <class T>
  printed_values(const T* values) : data(values), bytes(sizeof(T)), text([](const void* all, std::size_t i) {
      return std::to_string(static_cast<const T*>(all)[i]);
    }) {}
  std::string operator[](std::size_t i) const { return text(data, i); }

  const void* data;
  std::size_t bytes;
  std::string (*text)(const void* all, std::size_t i);
};

/// Reports the worst result. `values` has the scalar and the vector results, then the arguments.
[[gnu::noinline]] inline void report_worst(const std::string& name, const char* form, const std::vector<double>& errors,
                                           double allowed, std::initializer_list<printed_values> values) {
  std::size_t worst = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!(errors[i] <= errors[worst])) worst = i;
  }
  if (errors[worst] <= allowed) return;
  std::string text = name + " (" + form + "): off by " + std::to_string(errors[worst]) + " at ";
  const printed_values* const each = values.begin();
  for (std::size_t i = 2; i < values.size(); ++i) text += (i == 2 ? "" : ", ") + each[i][worst];
  fail(__FILE__, __LINE__,
       text + " of " + std::to_string(each[2].bytes) + " bytes: " + each[0][worst] + ", " + each[1][worst]);
}

/// `function` takes scalars, vec, swizzles and marray, and `reference` takes scalars. `verdict(result, expected)`
/// returns the error of a result, in any unit. The largest error is reported.
template <class Function, class Reference, class Verdict, class First, class... More>
void check_forms(const std::string& name, double allowed, Function function, Reference reference, Verdict verdict,
                 const std::vector<First>& first, const std::vector<More>&... more) {
  using result = decltype(function(First{}, More{}...));
  sycl::queue queue = make_queue();
  const device_values<First> a(queue, first);
  const device_values<result> scalars(queue), vectors(queue);
  [&](const device_values<More>&... rest) {
    launch(queue, function, scalars.data, vectors.data, a.data, rest.data...);
  }(device_values<More>(queue, more)...);
  std::vector<double> scalar_errors(math_count), vector_errors(math_count);
  for (std::size_t i = 0; i < math_count; ++i) {
    const auto expected = reference(first[i], more[i]...);
    scalar_errors[i] = verdict(scalars.data[i], expected);
    vector_errors[i] = verdict(vectors.data[i], expected);
  }
  const std::initializer_list<printed_values> values = {scalars.data, vectors.data, first.data(), more.data()...};
  report_worst(name, "scalar", scalar_errors, allowed, values);
  report_worst(name, "vector", vector_errors, allowed, values);
}

/// Compares floating-point functions with a reference in long double.
template <class Function, class Reference, class... Inputs>
void check_accuracy(const char* name, double allowed, Function function, Reference reference, const Inputs&... inputs) {
  check_forms(
      name, allowed, function, [=](auto... x) { return reference(static_cast<long double>(x)...); },
      [](auto got, long double exact) { return ulps(got, exact); }, inputs...);
}

/// Checks functions that choose a value. Their results must be exact. If a function may choose either of the two zeros,
/// both zeros are right.
template <class Function, class Reference, class... Inputs>
void check_choice(const char* name, Function function, Reference reference, const Inputs&... inputs) {
  check_forms(
      name, 0, function, [=](auto... x) { return reference(static_cast<long double>(x)...); },
      [](auto got, long double exact) {
        const long double value = static_cast<long double>(got);
        return value == exact || (std::isnan(value) && std::isnan(exact)) ? 0.0 : 1.0;
      },
      inputs...);
}

/// Checks functions whose results must be exact.
template <class Function, class Reference, class... Inputs>
void check_exact(const char* name, Function function, Reference reference, const Inputs&... inputs) {
  check_forms(
      name, 0, function, reference, [](auto got, auto expected) { return got == expected ? 0.0 : 1.0; }, inputs...);
}

} // namespace e2e
