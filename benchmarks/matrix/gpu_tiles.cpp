/// Products of matrices by joint_matrix on GPUs with matrix units of sub-groups of 32: four sub-groups have 128 x 128
/// results, each 4 x 4 tiles of 16 x 16. While they multiply from one pair of tiles in local memory, 64 elements deep,
/// 16 bytes at a time are copied to the other pair. Prints the time of a launch, the fastest of four runs of ten.
///
/// usage: matrix_gpu_tiles [N], default 4096; N is rounded up to a multiple of 128

#include <sycl/ext/oneapi/matrix/matrix.hpp>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

namespace matrix = sycl::ext::oneapi::experimental::matrix;
using matrix::layout;
using matrix::use;
using sycl::sub_group;
using sycl::access::address_space;

template <address_space Space, class T>
auto in(T* pointer) {
  return sycl::address_space_cast<Space, sycl::access::decorated::no>(pointer);
}

constexpr unsigned edge = 16, each = 4, block = 2 * each * edge, depth = 64, warp = 32, items = 4 * warp;
/// Rows of tiles are 16 bytes longer: eight rows that are read together lie in different banks then.
constexpr unsigned stride_a = depth + 8, stride_b = block + 8;
constexpr unsigned piece = 8;  // elements of 16 bytes

template <class T>
void multiply(sycl::queue& queue, const T* a, const T* b, float* c, std::size_t n) {
  queue.submit([&](sycl::handler& handler) {
    constexpr unsigned size_a = block * stride_a / piece, size_b = depth * stride_b / piece;
    sycl::local_accessor<sycl::uint4> tiles_a(2 * size_a, handler), tiles_b(2 * size_b, handler);
    handler.parallel_for(
        sycl::nd_range<2>({n / block, n / block * items}, {1, items}),
        [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(warp), sycl::reqd_work_group_size(1, items)]] {
          const sub_group group = item.get_sub_group();
          const std::size_t row = item.get_group(0) * block, column = item.get_group(1) * block;
          const unsigned own = item.get_local_id(1);
          const unsigned own_row = own / warp / 2 * each * edge, own_column = own / warp % 2 * each * edge;
          const auto *all_a = reinterpret_cast<const sycl::uint4*>(a), *all_b = reinterpret_cast<const sycl::uint4*>(b);
          const auto copy = [&](std::size_t start, unsigned buffer) {
            constexpr unsigned in_row_a = depth / piece, in_row_b = block / piece;
            for (unsigned i = own; i < block * in_row_a; i += items) {
              const unsigned r = i / in_row_a, at = i % in_row_a;
              tiles_a[buffer * size_a + r * (stride_a / piece) + at] = all_a[((row + r) * n + start) / piece + at];
            }
            for (unsigned i = own; i < depth * in_row_b; i += items) {
              const unsigned r = i / in_row_b, at = i % in_row_b;
              tiles_b[buffer * size_b + r * (stride_b / piece) + at] = all_b[((start + r) * n + column) / piece + at];
            }
          };
          matrix::joint_matrix<sub_group, float, use::accumulator, edge, edge> sums[each][each];
          for (auto& sums_of_row : sums)
            for (auto& sum : sums_of_row) joint_matrix_fill(group, sum, 0.0f);
          copy(0, 0);
          unsigned buffer = 0;
          for (std::size_t start = 0; start < n; start += depth, buffer ^= 1) {
            sycl::group_barrier(item.get_group());
            if (start + depth < n) copy(start + depth, buffer ^ 1);
            T* const from_a = reinterpret_cast<T*>(&tiles_a[buffer * size_a]) + own_row * stride_a;
            T* const from_b = reinterpret_cast<T*>(&tiles_b[buffer * size_b]) + own_column;
#pragma unroll
            for (unsigned k = 0; k < depth; k += edge) {
              matrix::joint_matrix<sub_group, T, use::a, edge, edge, layout::row_major> left[each];
              matrix::joint_matrix<sub_group, T, use::b, edge, edge, layout::row_major> right[each];
              for (unsigned i = 0; i < each; ++i) {
                T* const there = from_a + i * edge * stride_a + k;
                joint_matrix_load(group, left[i], in<address_space::local_space>(there), stride_a);
              }
              for (unsigned j = 0; j < each; ++j) {
                T* const there = from_b + k * stride_b + j * edge;
                joint_matrix_load(group, right[j], in<address_space::local_space>(there), stride_b);
              }
              for (unsigned i = 0; i < each; ++i)
                for (unsigned j = 0; j < each; ++j) joint_matrix_mad(group, sums[i][j], left[i], right[j], sums[i][j]);
            }
          }
          for (unsigned i = 0; i < each; ++i) {
            for (unsigned j = 0; j < each; ++j) {
              float* const there = c + (row + own_row + i * edge) * n + column + own_column + j * edge;
              joint_matrix_store(group, sums[i][j], in<address_space::global_space>(there), n, layout::row_major);
            }
          }
        });
  });
}

/// Compares some elements of 17 rows with sums in double precision.
template <class T>
bool is_right(const std::vector<T>& a, const std::vector<T>& b, const std::vector<float>& c, std::size_t n) {
  for (std::size_t i = 0; i < n; i += n / 16 - 1) {
    for (std::size_t j = 0; j < n; j += 7) {
      double expected = 0, magnitude = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double product = static_cast<double>(static_cast<float>(a[i * n + k])) *
                               static_cast<double>(static_cast<float>(b[k * n + j]));
        expected += product;
        magnitude += std::fabs(product);
      }
      if (!(std::fabs(expected - static_cast<double>(c[i * n + j])) <= 1e-5 * magnitude)) return false;
    }
  }
  return true;
}

template <class T>
bool measure(sycl::queue& queue, const char* name, std::size_t n) {
  std::vector<T> host_a(n * n), host_b(n * n);
  std::vector<float> host_c(n * n);
  std::uint32_t state = 1;
  for (auto* values : {&host_a, &host_b}) {
    for (T& value : *values) {
      state = state * 1664525 + 1013904223;
      value = static_cast<T>(static_cast<float>(state >> 24) / 16 - 8);
    }
  }
  T* const a = sycl::malloc_device<T>(n * n, queue);
  T* const b = sycl::malloc_device<T>(n * n, queue);
  float* const c = sycl::malloc_device<float>(n * n, queue);
  queue.copy(host_a.data(), a, n * n);
  queue.copy(host_b.data(), b, n * n);
  queue.wait_and_throw();
  double least = 1e30;
  for (int run = 0; run < 4; ++run) {
    constexpr int launches = 10;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i) multiply(queue, a, b, c, n);
    queue.wait_and_throw();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count() / launches);
  }
  queue.copy(c, host_c.data(), n * n).wait_and_throw();
  for (void* memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c)}) sycl::free(memory, queue);
  const bool right = is_right(host_a, host_b, host_c, n);
  const double operations = 2e-9 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  std::printf("%-12s%10.4f ms%10.1f TFLOP/s%s\n", name, least, operations / least, right ? "" : ", WRONG");
  return right;
}

}  // namespace

int main(int argument_count, char** arguments) try {
  const std::size_t asked = argument_count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 4096;
  const std::size_t n = std::clamp<std::size_t>((asked + block - 1) / block * block, block, 16384);
  sycl::queue queue(sycl::gpu_selector_v, sycl::property::queue::in_order());
  bool right = measure<sycl::half>(queue, "half", n);
  right &= measure<sycl::ext::oneapi::bfloat16>(queue, "bfloat16", n);
  return right ? 0 : 1;
} catch (const sycl::exception& error) {
  return std::fprintf(stderr, "matrix_gpu_tiles: %s\n", error.what()), 1;
}
