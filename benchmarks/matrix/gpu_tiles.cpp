/// Products of matrices by joint_matrix, for GPUs with matrix units and sub-groups of 32. Each sub-group computes 64 x
/// 64 results in 4 x 4 tiles. While the sub-groups of a group multiply one pair of tiles in local memory, they copy
/// data for the next iterations to the other pairs, 16 bytes at a time. The groups have several sizes and numbers of
/// tiles. For each of them, prints the time of a launch: ten launches are measured four times, and the fastest of the
/// four counts.
///
/// usage: matrix_gpu_tiles [N], default 4096; N is rounded up to a multiple of 256

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "names.hpp"

namespace {

using local_pieces = sycl::local_accessor<sycl::uint4>;

constexpr unsigned edge = 16, each = 4, own_edge = each * edge, warp = 32;
constexpr unsigned piece = 8;  // number of elements in 16 bytes

/// A group has Down x Across sub-groups and Stages pairs of tiles. Each tile is Depth elements deep.
template <unsigned Down, unsigned Across, unsigned Depth, unsigned Stages>
struct shape {
  static constexpr unsigned rows = Down * own_edge, columns = Across * own_edge, items = Down * Across * warp;
  static constexpr unsigned depth = Depth, stages = Stages, across = Across;
  /// Rows of tiles are 16 bytes longer than their data, so that eight rows that are read together are in different
  /// banks.
  static constexpr unsigned stride_a = depth + piece, stride_b = columns + piece;
};

/// Groups that run at the same time compute neighbouring blocks of results in both dimensions, so they share rows and
/// columns in the cache.
constexpr unsigned panel = 8;

template <class Shape, class T, std::size_t... Stage>
void multiply(sycl::queue& queue, const T* a, const T* b, float* c, unsigned n, std::index_sequence<Stage...>) {
  queue.submit([&](sycl::handler& handler) {
    constexpr unsigned rows = Shape::rows, columns = Shape::columns, depth = Shape::depth, stages = Shape::stages;
    constexpr unsigned stride_a = Shape::stride_a, stride_b = Shape::stride_b, items = Shape::items;
    constexpr unsigned size_a = rows * stride_a / piece, size_b = depth * stride_b / piece;
    // Each tile has an accessor of its own. The JIT knows that accessors do not overlap, so work-items wait only for
    // the tile that they read next.
    const std::array<local_pieces, stages> tiles_a{(static_cast<void>(Stage), local_pieces(size_a, handler))...};
    const std::array<local_pieces, stages> tiles_b{(static_cast<void>(Stage), local_pieces(size_b, handler))...};
    handler.parallel_for(
        sycl::nd_range<1>(std::size_t{n / rows} * (n / columns) * items, items),
        [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(warp), sycl::reqd_work_group_size(items)]] {
          const sub_group group = item.get_sub_group();
          const unsigned number = static_cast<unsigned>(item.get_group(0)), in_panel = panel * (n / rows);
          const unsigned first = number / in_panel * panel, width = sycl::min(panel, n / columns - first);
          const unsigned row = number % in_panel / width * rows;
          const unsigned column = (first + number % in_panel % width) * columns;
          const unsigned own = static_cast<unsigned>(item.get_local_id(0));
          const unsigned own_row = own / warp / Shape::across * own_edge;
          const unsigned own_column = own / warp % Shape::across * own_edge;
          // This work-item copies 16-byte pieces of the next tiles. These are the addresses of the pieces, and the
          // distances between the pieces.
          constexpr unsigned in_row_a = depth / piece, in_row_b = columns / piece;
          const std::size_t row_length = n / piece;
          const auto* next_a =
              reinterpret_cast<const sycl::uint4*>(a) + (row + own / in_row_a) * row_length + own % in_row_a;
          const auto* next_b = reinterpret_cast<const sycl::uint4*>(b) + own / in_row_b * row_length + column / piece +
                               own % in_row_b;
          const unsigned place_a = own / in_row_a * (stride_a / piece) + own % in_row_a;
          const unsigned place_b = own / in_row_b * (stride_b / piece) + own % in_row_b;
          const auto copy = [&](const local_pieces& tile_a, const local_pieces& tile_b) {
            constexpr unsigned rows_a = items / in_row_a, rows_b = items / in_row_b;
            for (unsigned i = 0; i < rows / rows_a; ++i)
              tile_a[place_a + i * rows_a * (stride_a / piece)] = next_a[i * rows_a * row_length];
            for (unsigned i = 0; i < depth / rows_b; ++i)
              tile_b[place_b + i * rows_b * (stride_b / piece)] = next_b[i * rows_b * row_length];
            next_a += in_row_a;
            next_b += depth * row_length;
          };
          matrix::joint_matrix<sub_group, float, use::accumulator, edge, edge> sums[each][each];
          for (auto& sums_of_row : sums)
            for (auto& sum : sums_of_row) joint_matrix_fill(group, sum, 0.0f);
          for (unsigned stage = 0; stage + 1 < stages; ++stage) copy(tiles_a[stage], tiles_b[stage]);

          // Registers hold two parts of tiles: while one part is multiplied, the next part is loaded.
          matrix::joint_matrix<sub_group, T, use::a, edge, edge, layout::row_major> left[2][each];
          matrix::joint_matrix<sub_group, T, use::b, edge, edge, layout::row_major> right[2][each];
          const auto load = [&](const local_pieces& tile_a, const local_pieces& tile_b, unsigned k, unsigned part) {
            T* const from_a = reinterpret_cast<T*>(&tile_a[0]) + own_row * stride_a + k;
            T* const from_b = reinterpret_cast<T*>(&tile_b[0]) + k * stride_b + own_column;
            for (unsigned i = 0; i < each; ++i) {
              T *const there_a = from_a + i * edge * stride_a, *const there_b = from_b + i * edge;
              joint_matrix_load(group, left[part][i], in<address_space::local_space>(there_a), stride_a);
              joint_matrix_load(group, right[part][i], in<address_space::local_space>(there_b), stride_b);
            }
          };
          sycl::group_barrier(item.get_group());
          load(tiles_a[0], tiles_b[0], 0, 0);
          const auto turn = [&](const local_pieces& tile_a, const local_pieces& tile_b, const local_pieces& then_a,
                                const local_pieces& then_b, const local_pieces& ahead_a, const local_pieces& ahead_b,
                                unsigned start) {
            if (start + (stages - 1) * depth < n) copy(ahead_a, ahead_b);
#pragma unroll
            for (unsigned k = 0; k < depth; k += edge) {
              const unsigned part = k / edge % 2;
              if (k + edge < depth) {
                load(tile_a, tile_b, k + edge, 1 - part);
              } else {
                sycl::group_barrier(item.get_group());
                load(then_a, then_b, 0, 1 - part);
              }
              for (unsigned i = 0; i < each; ++i)
                for (unsigned j = 0; j < each; ++j)
                  joint_matrix_mad(group, sums[i][j], left[part][i], right[part][j], sums[i][j]);
            }
            return true;
          };
          // The loop is unrolled over the tiles, so that each copy of the body names the accessors of one tile.
          unsigned start = 0;
          while (((start + Stage * depth < n &&
                   turn(tiles_a[Stage], tiles_b[Stage], tiles_a[(Stage + 1) % stages], tiles_b[(Stage + 1) % stages],
                        tiles_a[(Stage + stages - 1) % stages], tiles_b[(Stage + stages - 1) % stages],
                        start + Stage * depth)) &&
                  ...))
            start += stages * depth;
          // The barrier is needed: copies may still be running, and the stores of sums might overwrite the memory that
          // these copies read.
          sycl::group_barrier(item.get_group());
          for (unsigned i = 0; i < each; ++i) {
            for (unsigned j = 0; j < each; ++j) {
              float* const there = c + std::size_t{row + own_row + i * edge} * n + column + own_column + j * edge;
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

/// Measures matrix products with work-groups of this shape, and prints the time.
template <class Shape, class T>
bool measure(sycl::queue& queue, const char* name, const std::vector<T>& host_a, const std::vector<T>& host_b,
             std::size_t n) {
  std::vector<float> host_c(n * n);
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
    for (int i = 0; i < launches; ++i)
      multiply<Shape>(queue, a, b, c, static_cast<unsigned>(n), std::make_index_sequence<Shape::stages>());
    queue.wait_and_throw();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count() / launches);
  }
  queue.copy(c, host_c.data(), n * n).wait_and_throw();
  for (void* memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c)}) sycl::free(memory, queue);
  const bool right = is_right(host_a, host_b, host_c, n);
  const double operations = 2e-9 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  std::printf("%-10s%4u x%4u, %u tiles of depth %2u%10.4f ms%10.1f TFLOP/s%s\n", name, Shape::rows, Shape::columns,
              Shape::stages, Shape::depth, least, operations / least, right ? "" : ", WRONG");
  return right;
}

template <class T>
bool measure_shapes(sycl::queue& queue, const char* name, std::size_t n) {
  std::vector<T> a(n * n), b(n * n);
  std::uint32_t state = 1;
  for (auto* values : {&a, &b}) {
    for (T& value : *values) {
      state = state * 1664525 + 1013904223;
      value = static_cast<T>(static_cast<float>(state >> 24) / 16 - 8);
    }
  }
  bool right = measure<shape<2, 2, 64, 2>>(queue, name, a, b, n);
  right &= measure<shape<2, 2, 32, 4>>(queue, name, a, b, n);
  right &= measure<shape<2, 4, 32, 3>>(queue, name, a, b, n);
  right &= measure<shape<2, 4, 32, 4>>(queue, name, a, b, n);
  right &= measure<shape<2, 4, 64, 3>>(queue, name, a, b, n);
  return right;
}

}  // namespace

int main(int argument_count, char** arguments) try {
  constexpr std::size_t multiple = 256;
  const std::size_t asked = argument_count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 4096;
  const std::size_t n = std::clamp<std::size_t>((asked + multiple - 1) / multiple * multiple, multiple, 16384);
  sycl::queue queue(sycl::gpu_selector_v, sycl::property::queue::in_order());
  bool right = measure_shapes<sycl::half>(queue, "half", n);
  right &= measure_shapes<sycl::ext::oneapi::bfloat16>(queue, "bfloat16", n);
  return right ? 0 : 1;
} catch (const sycl::exception& error) {
  return std::fprintf(stderr, "matrix_gpu_tiles: %s\n", error.what()), 1;
}
