/// Computes products of matrices with joint_matrix, which loads the matrices from global memory. The elements are
/// floats, bfloat16 with sums in float, and signed bytes with sums of 32 bits. One sub-group of 16 computes 16 x 16
/// results. Small elements of b are packed in words, as the CPU's dot-product instructions need them.
///
/// usage: joint_matrix [PAIRS [N]]; N is rounded up to a multiple of 64.

#include <sycl/ext/oneapi/matrix/matrix.hpp>

#include "measure.hpp"

namespace {

namespace matrix = sycl::ext::oneapi::experimental::matrix;
using matrix::layout;
using matrix::use;
using sycl::sub_group;
using bfloat = sycl::ext::oneapi::bfloat16;

template <class T>
auto global(T* pointer) {
  return sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(pointer);
}

/// Computes c = a * b in tiles of 16 x 16, and reads 64 bytes of a row of `a` at a time.
template <class T, class Sum, layout Layout>
void multiply(sycl::queue& queue, const T* a, const T* b, Sum* c, std::size_t n) {
  constexpr std::size_t size = 16, depth = 64 / sizeof(T), pack = Layout == layout::row_major ? 1 : 4 / sizeof(T);
  queue
      .parallel_for(sycl::nd_range<2>({n / size, n}, {1, size}),
                    [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(size)]] {
                      const sub_group group = item.get_sub_group();
                      const std::size_t row = item.get_group(0) * size, column = item.get_group(1) * size;
                      matrix::joint_matrix<sub_group, T, use::a, size, depth, layout::row_major> left;
                      matrix::joint_matrix<sub_group, T, use::b, depth, size, Layout> right;
                      matrix::joint_matrix<sub_group, Sum, use::accumulator, size, size> sum;
                      joint_matrix_fill(group, sum, 0);
                      for (std::size_t k = 0; k < n; k += depth) {
                        joint_matrix_load(group, left, global(a + row * n + k), n);
                        joint_matrix_load(group, right, global(b + k * n + column * pack), n * pack);
                        joint_matrix_mad(group, sum, left, right, sum);
                      }
                      joint_matrix_store(group, sum, global(c + row * n + column), n, layout::row_major);
                    })
      .wait();
}

template <class T, class Sum, layout Layout>
void measure(bench::program& program, const char* name, std::size_t n,
             void (*plain)(const T*, const T*, Sum*, std::size_t),
             void (*blocked)(const T*, const T*, Sum*, std::size_t), double tolerance) {
  constexpr std::size_t pack = Layout == layout::row_major ? 1 : 4 / sizeof(T);
  T* a = program.allocate<T>(n * n);
  T* b = program.allocate<T>(n * n);
  Sum* c = program.allocate<Sum>(n * n);
  bench::dice dice;
  for (std::size_t i = 0; i < n * n; ++i) {
    const float scale = std::is_integral_v<T> ? 127.0f : 1.0f;
    a[i] = static_cast<T>(scale * dice.between(-1, 1));
    b[i] = static_cast<T>(scale * dice.between(-1, 1));
  }
  std::vector<Sum> expected(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const auto left = static_cast<Sum>(a[i * n + k]);
      const T* const from = b + k / pack * n * pack + k % pack;
      for (std::size_t j = 0; j < n; ++j) expected[i * n + j] += left * static_cast<Sum>(from[j * pack]);
    }
  }
  program.measure({
      .name = name,
      .sides = {{"sinter", [&] { multiply<T, Sum, Layout>(program.queue, a, b, c, n); }},
                {"openmp", [&] { plain(a, b, c, n); }},
                {"register-blocked", [&] { blocked(a, b, c, n); }}},
      .spoil = [&] { std::fill_n(c, n * n, Sum(12345)); },
      .is_right = [&] { return bench::are_close(c, expected.data(), n * n, tolerance); },
      .operations = 2.0 * static_cast<double>(n * n * n),
  });
}

// The references have no class for bfloat16, so they get the bits.
const std::uint16_t* bits(const bfloat* values) { return reinterpret_cast<const std::uint16_t*>(values); }

}  // namespace

int main(int word_count, char** words) {
  bench::program program(word_count, words, {1024});
  const std::size_t n = (program.size(0) + 63) / 64 * 64;
  measure<float, float, layout::row_major>(program, "joint-matrix, float", n, bench::joint_matrix_floats,
                                           bench::matmul_blocked, 1e-5);
  measure<bfloat, float, layout::ext_intel_packed>(
      program, "joint-matrix, bfloat16", n,
      [](const bfloat* a, const bfloat* b, float* c, std::size_t size) {
        bench::joint_matrix_bfloats(bits(a), bits(b), c, size);
      },
      [](const bfloat* a, const bfloat* b, float* c, std::size_t size) {
        bench::joint_matrix_bfloats_blocked(bits(a), bits(b), c, size);
      },
      1e-5);
  measure<std::int8_t, std::int32_t, layout::ext_intel_packed>(
      program, "joint-matrix, bytes", n, bench::joint_matrix_bytes, bench::joint_matrix_bytes_blocked, 0);
}
