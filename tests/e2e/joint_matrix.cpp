/// Compares sycl_ext_oneapi_matrix with plain loops: each combination of types that devices list, sub-groups of 8, 16
/// and 32 work-items, layouts of a, b and c, strides larger than matrices, global and local memory, several matrices at
/// the same time. Integer results must be exact. Floating-point results may have the rounding error of a sum in any
/// order.
#include <algorithm>

#include <sycl/ext/intel/experimental/matrix.hpp>
#include <sycl/ext/oneapi/matrix/matrix.hpp>
#include <sycl/ext/sinter/trust_accesses.hpp>

#include "check.hpp"

namespace {

namespace matrix = sycl::ext::oneapi::experimental::matrix;
using matrix::joint_matrix;
using matrix::layout;
using matrix::use;
using sycl::half;
using sycl::sub_group;
using sycl::access::address_space;
using sycl::ext::oneapi::bfloat16;
using tf32 = matrix::precision::tf32;

template <class T>
using stored = std::conditional_t<std::is_same_v<T, tf32>, float, T>;

template <class T>
auto global(T* pointer) {
  return sycl::address_space_cast<address_space::global_space, sycl::access::decorated::no>(pointer);
}

template <class T>
double number(T value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(value);
  else
    return static_cast<double>(static_cast<float>(value));
}

/// The rounding error of 1: half a unit in its last place.
template <class T>
constexpr double rounding = 0;
template <>
constexpr double rounding<half> = 1.0 / 2048;
template <>
constexpr double rounding<bfloat16> = 1.0 / 256;
template <>
constexpr double rounding<float> = 1.0 / (1 << 24);
template <>
constexpr double rounding<double> = 1.0 / (1ull << 53);

template <class T>
void fill(stored<T>* values, std::size_t count) {
  std::uniform_real_distribution<float> real(-2, 2);
  std::uniform_int_distribution<int> whole(-128, 255);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>)
      values[i] = static_cast<T>(whole(e2e::random()));
    else if constexpr (std::is_same_v<T, tf32>)
      values[i] = matrix::round_to_tf32(real(e2e::random()));
    else
      values[i] = static_cast<T>(real(e2e::random()));
  }
}

bool has(matrix::matrix_type a, matrix::matrix_type b, matrix::matrix_type c, matrix::matrix_type d, std::size_t m,
         std::size_t n, std::size_t k) {
  const auto list =
      e2e::make_queue().get_device().get_info<sycl::ext::oneapi::experimental::info::device::matrix_combinations>();
  return std::any_of(list.begin(), list.end(), [&](const matrix::combination& each) {
    const bool fits = each.max_msize != 0 ? m <= each.max_msize && n <= each.max_nsize && k <= each.max_ksize
                                          : m == each.msize && n == each.nsize && k == each.ksize;
    return fits && each.atype == a && each.btype == b && each.ctype == c && each.dtype == d;
  });
}

bool has_sub_groups(std::size_t size) {
#ifdef SINTER_E2E_LIBRARY_MODE
  // Without the plugin, the runtime does not know which sub-group size a kernel requires.
  if (size != e2e::make_queue().get_device().get_info<sycl::info::device::native_vector_width_float>()) return false;
#endif
  const sycl::device device = e2e::make_queue().get_device();
  // OpenCL drivers take a second to compile each kernel, so only one size is tested with these drivers.
  if (device.get_backend() == sycl::backend::opencl && size != 16) return false;
  const auto sizes = device.get_info<sycl::info::device::sub_group_sizes>();
  return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
}

/// The index of element (row, column).
std::size_t at(layout how, std::size_t row, std::size_t column, std::size_t stride, std::size_t pack = 1) {
  if (how == layout::col_major) return column * stride + row;
  if (how == layout::ext_intel_packed) return row / pack * stride + column * pack + row % pack;
  return row * stride + column;
}

/// Computes D = A * B + C in tiles of M x N. A work-group has two sub-groups, and each sub-group computes two
/// neighbouring tiles.
template <class Ta, class Tb, class Tc, class Td, int M, int N, int K, layout LayoutA, layout LayoutB, int Size>
void multiply(layout layout_c, std::size_t inner, std::size_t gap) {
  using sycl::detail::matrix_type_of;
  if (!has_sub_groups(Size) ||
      !has(matrix_type_of<Ta>(), matrix_type_of<Tb>(), matrix_type_of<Tc>(), matrix_type_of<Td>(), M, N, K)) {
    return;
  }
  constexpr std::size_t pack = sizeof(stored<Tb>) < 4 ? 4 / sizeof(stored<Tb>) : 1;
  const std::size_t rows = 2 * M, columns = 2 * N, k_all = inner * K;
  const std::size_t stride_a = (LayoutA == layout::row_major ? k_all : rows) + gap;
  const std::size_t row_of_b = LayoutB == layout::row_major   ? columns
                               : LayoutB == layout::col_major ? k_all
                                                              : columns * pack;
  const std::size_t stride_b = row_of_b + gap;
  const std::size_t stride_c = (layout_c == layout::row_major ? columns : rows) + gap;
  sycl::queue queue = e2e::make_queue();
  const std::size_t count_a = (rows + k_all) * stride_a, count_b = (k_all + columns) * stride_b,
                    count_c = (rows + columns) * stride_c;
  auto* a = sycl::malloc_shared<stored<Ta>>(count_a, queue);
  auto* b = sycl::malloc_shared<stored<Tb>>(count_b, queue);
  auto* c = sycl::malloc_shared<Tc>(count_c, queue);
  auto* d = sycl::malloc_shared<Td>(count_c, queue);
  fill<Ta>(a, count_a);
  fill<Tb>(b, count_b);
  fill<Tc>(c, count_c);
  std::fill(d, d + count_c, Td(77));
  queue
      .parallel_for(
          sycl::nd_range<2>({2, Size}, {2, Size}),
          [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(Size)]] {
            const sub_group group = item.get_sub_group();
            const std::size_t row = item.get_local_id(0) * M;
            joint_matrix<sub_group, Ta, use::a, M, K, LayoutA> left;
            joint_matrix<sub_group, Tb, use::b, K, N, LayoutB> right[2];
            joint_matrix<sub_group, Tc, use::accumulator, M, N> before[2];
            joint_matrix<sub_group, Td, use::accumulator, M, N> sum[2];
            for (int j = 0; j < 2; ++j) {
              joint_matrix_load(group, before[j], global(c) + at(layout_c, row, j * N, stride_c), stride_c, layout_c);
              if constexpr (std::is_same_v<Tc, Td>) joint_matrix_copy(group, before[j], sum[j]);
            }
            for (std::size_t k = 0; k < k_all; k += K) {
              joint_matrix_load(group, left, global(a) + at(LayoutA, row, k, stride_a), stride_a);
              for (int j = 0; j < 2; ++j) {
                joint_matrix_load(group, right[j], global(b) + at(LayoutB, k, j * N, stride_b, pack), stride_b);
                if constexpr (std::is_same_v<Tc, Td>)
                  joint_matrix_mad(group, sum[j], left, right[j], sum[j]);
                else
                  joint_matrix_mad(group, sum[j], left, right[j], before[j]);
              }
            }
            for (int j = 0; j < 2; ++j)
              joint_matrix_store(group, sum[j], global(d) + at(layout_c, row, j * N, stride_c), stride_c, layout_c);
          })
      .wait();
  int wrong = 0;
  std::vector<bool> written(count_c);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t place = at(layout_c, row, column, stride_c);
      double sum = number(c[place]), size = std::abs(sum);
      for (std::size_t k = 0; k < k_all; ++k) {
        const double product =
            number(a[at(LayoutA, row, k, stride_a)]) * number(b[at(LayoutB, k, column, stride_b, pack)]);
        sum += product;
        size += std::abs(product);
      }
      written[place] = true;
      // Each iteration rounds to the type of the sum, and each product within an iteration rounds to float or double.
      const double turns = static_cast<double>(inner) + 1, terms = 2 * static_cast<double>(k_all) + 4;
      const double inside = std::is_same_v<Ta, double> ? rounding<double> : rounding<float>;
      const double allowed = std::is_integral_v<Td> ? 0 : size * (rounding<Td> * turns + inside * terms);
      if (!(std::abs(number(d[place]) - sum) <= allowed) && ++wrong == 1) {
        e2e::fail(__FILE__, __LINE__,
                  std::to_string(M) + "x" + std::to_string(N) + "x" + std::to_string(K) + ", sub-groups of " +
                      std::to_string(Size) + ", element " + std::to_string(row) + ", " + std::to_string(column) + ": " +
                      std::to_string(number(d[place])) + " instead of " + std::to_string(sum));
      }
    }
  }
  for (std::size_t i = 0; i < count_c; ++i) wrong += !written[i] && !(d[i] == Td(77));
  CHECK_EQUAL(wrong, 0);
  for (void* each : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c), static_cast<void*>(d)})
    sycl::free(each, queue);
}

/// Tests several launches: the loop has one iteration or more, and there are gaps between rows or none.
template <class Ta, class Tb, class Tc, class Td, int M, int N, int K, layout LayoutA = layout::row_major,
          layout LayoutB = layout::row_major, int Size = 32>
void check() {
  // The gap has at least 16 bytes, because tensor cores require strides that are multiples of 16 bytes.
  constexpr std::size_t gap = 16;
  multiply<Ta, Tb, Tc, Td, M, N, K, LayoutA, LayoutB, Size>(layout::row_major, 1, 0);
  if constexpr (std::is_same_v<Tc, Td>) {
    multiply<Ta, Tb, Tc, Td, M, N, K, LayoutA, LayoutB, Size>(layout::row_major, 0, gap);
    multiply<Ta, Tb, Tc, Td, M, N, K, LayoutA, LayoutB, Size>(layout::row_major, 5, gap);
    multiply<Ta, Tb, Tc, Td, M, N, K, LayoutA, LayoutB, Size>(layout::col_major, 2, gap);
  }
}

constexpr layout row = layout::row_major, column = layout::col_major, packed = layout::ext_intel_packed;
using std::int8_t, std::uint8_t, std::int32_t;

}  // namespace

TEST("elements have places: sums of rows, values by place, what lies outside of bounds") {
  NOT_ON_CUDA_OR_HIP;
  if (!has_sub_groups(16)) return;
  constexpr std::size_t rows = 12, columns = 16, height = 10, width = 13;
  sycl::queue queue = e2e::make_queue();
  auto* in = sycl::malloc_shared<bfloat16>(height * width, queue);
  auto* sums = sycl::malloc_shared<float>(rows, queue);
  auto* places = sycl::malloc_shared<float>(rows * columns, queue);
  auto* out = sycl::malloc_shared<bfloat16>(height * width, queue);
  auto* turned = sycl::malloc_shared<float>(rows * columns, queue);
  for (std::size_t i = 0; i < height * width; ++i) in[i] = static_cast<float>(i % 50), out[i] = -1.0f;
  queue
      .parallel_for(
          sycl::nd_range<1>(16, 16),
          [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(16)]] {
            namespace intel = sycl::ext::intel::experimental::matrix;
            const sub_group group = item.get_sub_group();
            joint_matrix<sub_group, bfloat16, use::a, rows, columns, layout::row_major> a;
            intel::joint_matrix_load_checked(group, a, global(in), width, height, width, 0, 1);
            float own[rows] = {};
            intel::joint_matrix_apply(group, a, [&](bfloat16& x, std::size_t r, std::size_t) { own[r] += x; });
            for (std::size_t r = 0; r < rows; ++r) {
              const float sum = sycl::reduce_over_group(group, own[r], sycl::plus<float>());
              if (group.leader()) sums[r] = sum;
            }
            joint_matrix_apply(group, a, [](bfloat16& x) { x = float(x) + 1; });
            intel::joint_matrix_store_checked(group, a, global(out), width, height, width, 0, 1);
            joint_matrix<sub_group, float, use::accumulator, rows, columns> c;
            intel::joint_matrix_fill_checked(group, c, 5, 11, 15, 0, 0);
            intel::joint_matrix_apply(group, c, [](float& x, std::size_t r, std::size_t k) { x += 100 * r + k; });
            joint_matrix_store(group, c, global(places), columns, layout::row_major);
            // Copies the accumulator to a matrix with use::a, and back to an accumulator with another element type.
            joint_matrix<sub_group, half, use::a, rows, columns, layout::row_major> left;
            joint_matrix<sub_group, float, use::accumulator, rows, columns> back;
            joint_matrix_copy(group, c, left);
            joint_matrix_copy(group, left, back);
            joint_matrix_apply(group, c, back, [](float& x, float& y) { y += x; });
            joint_matrix_store(group, back, global(turned), columns, layout::row_major);
          })
      .wait();
  for (std::size_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (std::size_t k = 0; k < columns; ++k) {
      if (r < height && k + 1 < width) {
        sum += in[r * width + k + 1];
        CHECK_EQUAL(number(out[r * width + k + 1]), number(in[r * width + k + 1]) + 1);
      }
      const float here = (r < 11 && k < 15 ? 5.0f : 0.0f) + static_cast<float>(100 * r + k);
      CHECK_EQUAL(places[r * columns + k], here);
      CHECK_EQUAL(turned[r * columns + k], 2 * here);
    }
    CHECK_EQUAL(sums[r], sum);
  }
  CHECK_EQUAL(number(out[0]), -1.0);
  for (void* each : {static_cast<void*>(in), static_cast<void*>(sums), static_cast<void*>(places),
                     static_cast<void*>(out), static_cast<void*>(turned)})
    sycl::free(each, queue);
}

TEST("floats are rounded to tf32 with ties to even") {
  CHECK_EQUAL(matrix::round_to_tf32(1.0f), 1.0f);
  CHECK_EQUAL(matrix::round_to_tf32(1.0f + 1.0f / 2048), 1.0f);
  CHECK_EQUAL(matrix::round_to_tf32(1.0f + 3.0f / 2048), 1.0f + 2.0f / 1024);
  CHECK_EQUAL(matrix::round_to_tf32(-1.0f - 1.1f / 2048), -1.0f - 1.0f / 1024);
  CHECK(std::isinf(matrix::round_to_tf32(INFINITY)));
  CHECK(std::isnan(matrix::round_to_tf32(NAN)));
}

TEST("what devices have, and what programs ask for when they are compiled") {
  using sycl::ext::oneapi::experimental::architecture;
  using params = matrix::matrix_params<architecture::nvidia_gpu_sm_80, half, half, float>;
  static_assert(params::M == 16 && params::N == 16 && params::K == 16);
  using of_cpu = matrix::matrix_params<architecture::x86_64, int8_t, int8_t, int32_t, int32_t, 8>;
  static_assert(of_cpu::M == 8 && of_cpu::N == 16 && of_cpu::K == 64);
  static_assert(std::is_same_v<of_cpu::joint_matrix_a<sub_group, layout::row_major>,
                               joint_matrix<sub_group, int8_t, use::a, 8, 64, layout::row_major>>);
  CPU_ONLY;
  CHECK(has(matrix::matrix_type::bf16, matrix::matrix_type::bf16, matrix::matrix_type::fp32, matrix::matrix_type::fp32,
            16, 16, 32));
}

#ifndef SINTER_E2E_LIBRARY_MODE
TEST("sub-groups too small for a matrix are refused, with those that are not") {
  CPU_ONLY;
  std::string said;
  {
    // Kernels for the CPU are compiled after their submission, so errors are asynchronous.
    sycl::queue queue(sycl::cpu_selector_v, [&](sycl::exception_list errors) {
      for (const std::exception_ptr& each : errors) {
        try {
          std::rethrow_exception(each);
        } catch (const sycl::exception& error) {
          CHECK(error.code() == sycl::errc::kernel_not_supported);
          said = error.what();
        }
      }
    });
    auto* out = sycl::malloc_shared<float>(64, queue);
    queue.parallel_for(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(4)]] {
      joint_matrix<sub_group, float, use::accumulator, 8, 8> sum;
      joint_matrix_fill(item.get_sub_group(), sum, 1);
      joint_matrix_store(item.get_sub_group(), sum, global(out), 8, layout::row_major);
    });
    queue.wait_and_throw();
    sycl::free(out, queue);
  }
  CHECK(said.find("sub-groups of 8 to 64 work-items") != std::string::npos);
}
#endif

#ifndef SINTER_E2E_LIBRARY_MODE
TEST("a product and its epilogue fuse where the program promises that groups are apart, and else run one by one") {
  CPU_ONLY;
  namespace cx = sycl::ext::codeplay::experimental;
  constexpr std::size_t n = 16, groups = 3;
  for (const bool promised : {false, true}) {
    sycl::queue queue{sycl::cpu_selector_v, cx::property::queue::enable_fusion{}};
    auto* a = sycl::malloc_shared<float>(groups * n * n, queue);
    auto* c = sycl::malloc_shared<float>(groups * n * n, queue);
    auto* d = sycl::malloc_shared<float>(groups * n * n, queue);
    fill<float>(a, groups * n * n);
    std::fill_n(d, groups * n * n, -1.0f);
    cx::fusion_wrapper fusion(queue);
    fusion.start_fusion();
    const sycl::nd_range<1> range(groups * n, n);
    queue.parallel_for(range, [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(n)]] {
      const sub_group group = item.get_sub_group();
      const std::size_t first = item.get_group(0) * n * n;
      joint_matrix<sub_group, float, use::a, n, n, layout::row_major> left;
      joint_matrix<sub_group, float, use::b, n, n, layout::col_major> right;
      joint_matrix<sub_group, float, use::accumulator, n, n> sum;
      joint_matrix_load(group, left, global(a) + first, n);
      joint_matrix_load(group, right, global(a) + first, n);
      joint_matrix_fill(group, sum, 0);
      joint_matrix_mad(group, sum, left, right, sum);
      joint_matrix_store(group, sum, global(c) + first, n, layout::row_major);
    });
    queue.parallel_for(range, [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(n)]] {
      for (std::size_t i = item.get_local_id(0); i < n * n; i += n) {
        // Element `place` was stored by this sub-group, but perhaps by another work-item.
        const std::size_t place = item.get_group(0) * n * n + (i + n / 2) % (n * n);
        d[place] = sycl::fmax(c[place] - 3, 0.0f);
      }
    });
    fusion.complete_fusion(promised ? sycl::property_list{sycl::ext::sinter::property::fusion::trust_accesses{}}
                                    : sycl::property_list{});
    queue.wait();
    int wrong = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      for (std::size_t i = 0; i < n * n; ++i) {
        double sum = -3;
        for (std::size_t k = 0; k < n; ++k)
          sum += number(a[g * n * n + i / n * n + k]) * number(a[g * n * n + i % n * n + k]);
        wrong += !(std::abs(number(d[g * n * n + i]) - std::max(sum, 0.0)) <= 1e-4);
      }
    }
    CHECK_EQUAL(wrong, 0);
    for (float* each : {a, c, d}) sycl::free(each, queue);
  }
}
#endif

TEST("products of half") {
  check<half, half, float, float, 16, 16, 16, row, column>();
  check<half, half, half, half, 8, 32, 16, column, row>();
  check<half, half, float, half, 32, 8, 16, row, row>();
  check<half, half, half, float, 7, 12, 6, row, row, 8>();
}

TEST("products of bfloat16") {
  check<bfloat16, bfloat16, float, float, 16, 16, 16, row, row>();
  check<bfloat16, bfloat16, float, float, 32, 8, 16, column, column>();
  check<bfloat16, bfloat16, float, float, 8, 16, 32, row, packed, 16>();
  check<bfloat16, bfloat16, bfloat16, bfloat16, 1, 16, 8, column, row, 16>();
}

TEST("products of bytes") {
  check<int8_t, int8_t, int32_t, int32_t, 16, 16, 16, row, column>();
  check<uint8_t, uint8_t, int32_t, int32_t, 8, 32, 16, row, row>();
  check<int8_t, int8_t, int32_t, int32_t, 4, 16, 64, row, packed, 16>();
  check<uint8_t, int8_t, int32_t, int32_t, 8, 16, 8, row, packed, 8>();
  check<int8_t, uint8_t, int32_t, int32_t, 5, 9, 12, column, row, 16>();
}

TEST("products of floats and doubles") {
  check<tf32, tf32, float, float, 16, 16, 8, row, column>();
  check<float, float, float, float, 3, 5, 7, column, row, 8>();
  check<double, double, double, double, 8, 8, 4, row, row>();
}

E2E_MAIN
