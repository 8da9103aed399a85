// Functions that are launched as kernels (sycl_ext_oneapi_free_function_kernels), and complex numbers
// (sycl_ext_oneapi_complex).
#include <sycl/ext/oneapi/experimental/complex/complex.hpp>
#include <sycl/ext/oneapi/experimental/free_function_kernels.hpp>
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>

#include "check.hpp"

#include <complex>
#include <sstream>

namespace x = sycl::ext::oneapi::experimental;
namespace here = sycl::ext::oneapi::this_work_item;

namespace functions {

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((x::nd_range_kernel<1>))
void numbers(float start, float* to) {
  const std::size_t i = here::get_nd_item<1>().get_global_id(0);
  to[i] = start + static_cast<float>(i);
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((x::nd_range_kernel<2>))
void reversed(const float* from, float* to, x::work_group_memory<float[12]> row) {
  const sycl::nd_item<2> item = here::get_nd_item<2>();
  float(&shared)[12] = row;
  shared[item.get_local_id(1)] = from[item.get_global_linear_id()];
  sycl::group_barrier(item.get_group());
  to[item.get_global_linear_id()] = shared[item.get_local_range(1) - 1 - item.get_local_id(1)];
}

struct holder {
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((x::single_task_kernel))
  static void sum(const float* from, int count, double* to) {
    for (int i = 0; i < count; ++i) *to += from[i];
  }
};

}  // namespace functions

TEST("functions are kernels, with values converted to their parameters") {
  sycl::queue queue = e2e::make_queue({sycl::property::queue::in_order()});
  float* const data = sycl::malloc_shared<float>(48, queue);
  float* const other = sycl::malloc_shared<float>(48, queue);
  double* const sum = sycl::malloc_shared<double>(1, queue);
  *sum = 1;
  x::nd_launch(queue, sycl::nd_range<1>(48, 8), x::kernel_function<functions::numbers>, 5, data);
  const x::launch_config size(sycl::nd_range<2>({4, 12}, {1, 12}), x::properties{x::max_work_group_size<1, 12>});
  queue.submit([&](sycl::handler& group) {
    const x::work_group_memory<float[12]> row(group);
    x::nd_launch(group, size, x::kernel_function<functions::reversed>, data, other, row);
  });
  x::single_task(queue, x::kernel_function<functions::holder::sum>, other, 24L, sum);
  queue.wait();
  double expected = 1;
  for (int i = 0; i < 48; ++i) {
    CHECK_EQUAL(data[i], 5.0f + static_cast<float>(i));
    CHECK_EQUAL(other[i], 5.0f + static_cast<float>(i / 12 * 12 + 11 - i % 12));
    if (i < 24) expected += other[i];
  }
  CHECK_EQUAL(*sum, expected);
  functions::holder::sum(data, 1, sum);
  CHECK_EQUAL(*sum, expected + 5);
  static_assert(x::nd_range_kernel<2>.dimensions == 2);
  sycl::free(data, queue), sycl::free(other, queue), sycl::free(sum, queue);
}

namespace {

template <class T>
bool near(const x::complex<T>& found, const std::complex<double>& expected, double error) {
  const std::complex<double> difference(double(found.real()) - expected.real(), double(found.imag()) - expected.imag());
  return std::abs(difference) <= error * (1 + std::abs(expected));
}

template <class T>
void check_complex(double error) {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t count = 60, results = 16;
  const auto in = e2e::random_values<float>(2 * count, -2, 2);
  x::complex<T>* const from = sycl::malloc_shared<x::complex<T>>(count, queue);
  x::complex<T>* const to = sycl::malloc_shared<x::complex<T>>(results * count, queue);
  for (std::size_t i = 0; i < count; ++i) from[i] = x::complex<T>(T(in[2 * i]), T(in[2 * i + 1]));
  queue.parallel_for(count, [=](sycl::id<1> i) {
    const x::complex<T> a = from[i], b = from[(i + 1) % count];
    x::complex<T>* out = to + i * results;
    *out++ = a + b, *out++ = a - b, *out++ = a * b, *out++ = a / b;
    *out++ = a * T(2) + T(1), *out++ = T(1) / a, *out++ = conj(a), *out++ = -a;
    *out++ = exp(a), *out++ = sqrt(a), *out++ = sin(a), *out++ = log(a);
    *out++ = x::complex<T>(abs(a), arg(a)), *out++ = x::polar(abs(a), arg(a)), *out++ = tanh(a);
    x::complex<T> sum = a;
    sum += b;
    sum *= T(3);
    *out = sum;
  }).wait();
  for (std::size_t i = 0; i < count; ++i) {
    using exact = std::complex<double>;
    const exact a(double(from[i].real()), double(from[i].imag()));
    const exact b(double(from[(i + 1) % count].real()), double(from[(i + 1) % count].imag()));
    const exact expected[results] = {a + b, a - b, a * b, a / b, a * 2.0 + 1.0, 1.0 / a, std::conj(a), -a, std::exp(a),
                                     std::sqrt(a), std::sin(a), std::log(a), {std::abs(a), std::arg(a)}, a,
                                     std::tanh(a), (a + b) * 3.0};
    for (std::size_t j = 0; j < results; ++j) CHECK(near(to[i * results + j], expected[j], error));
  }
  sycl::free(from, queue), sycl::free(to, queue);
}

}  // namespace

TEST("complex numbers are computed as std::complex is") {
  check_complex<float>(2e-5);
  if (sycl::device().has(sycl::aspect::fp64)) check_complex<double>(1e-12);
  check_complex<sycl::half>(2e-2);
  x::complex<float> value(1, 2);
  value.imag(-4);
  std::ostringstream text;
  text << value;
  CHECK(text.str() == "(1,-4)" && value == x::complex<float>(std::complex<double>(1, -4)) && value != 1.0f);
  static_assert(x::is_gencomplex_v<x::complex<double>> && !x::is_gencomplex_v<double>);
  static_assert(std::is_trivially_copyable_v<x::complex<sycl::half>>);
}

E2E_MAIN
