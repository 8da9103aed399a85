/// Products of matrices in sub-groups of 16 work-items are compared with plain loops. The kernels have fills, sums that
/// live through loops and branches, tiles in local memory, layouts that are known only when the kernel runs, and
/// functions of one and two elements. On OpenCL devices with matrix units, the units compute the products. On other
/// devices, sub-groups compute the products.
#include <algorithm>

#include <sycl/ext/intel/experimental/matrix.hpp>
#include <sycl/ext/oneapi/matrix/matrix.hpp>

#include "check.hpp"

namespace {

namespace matrix = sycl::ext::oneapi::experimental::matrix;
using matrix::joint_matrix;
using matrix::layout;
using matrix::use;
using std::int8_t, std::uint8_t, std::int32_t;
using sycl::half;
using sycl::sub_group;
using sycl::access::address_space;

constexpr int size = 16;

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

/// Numbers whose products and sums are exact in all types.
template <class T>
void fill(T* values, std::size_t count) {
  std::uniform_int_distribution<int> whole(std::is_unsigned_v<T> ? 0 : -3, 3);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(whole(e2e::random()));
}

bool has_sub_groups(std::size_t wanted = size) {
  const sycl::device device = e2e::make_queue().get_device();
#ifdef SINTER_E2E_LIBRARY_MODE
  // Without capture, the runtime does not know which sub-group size a kernel requires.
  if (device.get_info<sycl::info::device::native_vector_width_float>() != wanted) return false;
#endif
  const auto sizes = device.get_info<sycl::info::device::sub_group_sizes>();
  return std::find(sizes.begin(), sizes.end(), wanted) != sizes.end();
}

std::size_t at(layout how, std::size_t row, std::size_t column, std::size_t stride) {
  return how == layout::col_major ? column * stride + row : row * stride + column;
}

/// Computes D = f(1 + A * B), f(x) = 3 * x - 2. Each sub-group computes two rows of two matrices. The inner dimension
/// has `turns` matrices. If `halves` is set, only every second of these matrices is added. A comes from local memory.
template <class T, class S, int M, int N, int K, layout LayoutA, layout LayoutB, int Size = size>
void multiply(std::size_t turns, bool halves, layout of_d) {
  if (!has_sub_groups(Size)) return;
  const std::size_t rows = 2 * M, columns = 2 * N, inner = turns * K, gap = 16;
  const std::size_t stride_a = (LayoutA == layout::row_major ? inner : rows) + gap,
                    stride_b = (LayoutB == layout::row_major ? columns : inner) + gap,
                    stride_d = (of_d == layout::row_major ? columns : rows) + gap;
  const std::size_t count_a = (rows + inner) * stride_a, count_b = (columns + inner) * stride_b,
                    count_d = (rows + columns) * stride_d;
  sycl::queue queue = e2e::make_queue();
  auto* a = sycl::malloc_shared<T>(count_a, queue);
  auto* b = sycl::malloc_shared<T>(count_b, queue);
  auto* d = sycl::malloc_shared<S>(count_d, queue);
  fill(a, count_a);
  fill(b, count_b);
  std::fill_n(d, count_d, S(77));
  queue
      .submit([&](sycl::handler& handler) {
        sycl::local_accessor<T> tile(2 * M * K, handler);
        handler.parallel_for(
            sycl::nd_range<1>(Size, Size), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
              const sub_group group = item.get_sub_group();
              joint_matrix<sub_group, S, use::accumulator, M, N> sums[2][2];
              for (auto& row : sums) {
                for (auto& each : row) joint_matrix_fill(group, each, S(1));
              }
              for (std::size_t turn = 0; turn < turns; ++turn) {
                const std::size_t k = turn * K;
                if (halves && turn % 2 == 1) continue;
                sycl::group_barrier(item.get_group());
                for (std::size_t i = item.get_local_id(0); i < 2 * M * K; i += Size) {
                  // The tile holds both matrices of A, one behind the other. Both matrices are stored in LayoutA.
                  const std::size_t which = i / (M * K), row = i % (M * K) / K, column = i % K;
                  tile[which * M * K + at(LayoutA, row, column, LayoutA == layout::row_major ? K : M)] =
                      a[at(LayoutA, which * M + row, k + column, stride_a)];
                }
                sycl::group_barrier(item.get_group());
                joint_matrix<sub_group, T, use::a, M, K, LayoutA> left[2];
                joint_matrix<sub_group, T, use::b, K, N, LayoutB> right[2];
                for (int i = 0; i < 2; ++i) {
                  joint_matrix_load(group, left[i],
                                    tile.template get_multi_ptr<sycl::access::decorated::no>() + i * M * K,
                                    LayoutA == layout::row_major ? K : M);
                  joint_matrix_load(group, right[i], global(b) + at(LayoutB, k, i * N, stride_b), stride_b);
                }
                for (int i = 0; i < 2; ++i) {
                  for (int j = 0; j < 2; ++j) joint_matrix_mad(group, sums[i][j], left[i], right[j], sums[i][j]);
                }
              }
              for (int i = 0; i < 2; ++i) {
                for (int j = 0; j < 2; ++j) {
                  joint_matrix_apply(group, sums[i][j], [](S& x) { x = static_cast<S>(x * S(3) - S(2)); });
                  joint_matrix_store(group, sums[i][j], global(d) + at(of_d, i * M, j * N, stride_d), stride_d, of_d);
                }
              }
            });
      })
      .wait();
  int wrong = 0;
  std::vector<bool> written(count_d);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      double sum = 1;
      for (std::size_t k = 0; k < inner; ++k) {
        if (halves && k / K % 2 == 1) continue;
        sum += number(a[at(LayoutA, row, k, stride_a)]) * number(b[at(LayoutB, k, column, stride_b)]);
      }
      const std::size_t place = at(of_d, row, column, stride_d);
      written[place] = true;
      wrong += number(d[place]) != 3 * sum - 2;
    }
  }
  for (std::size_t i = 0; i < count_d; ++i) wrong += !written[i] && d[i] != S(77);
  CHECK_EQUAL(wrong, 0);
  sycl::free(a, queue);
  sycl::free(b, queue);
  sycl::free(d, queue);
}

constexpr layout row = layout::row_major, column = layout::col_major;

}  // namespace

TEST("products of half, with sums of float") {
  NOT_ON_CUDA_OR_HIP;
  multiply<half, float, 8, 16, 16, row, row>(1, false, row);
  multiply<half, float, 8, 16, 16, row, column>(0, false, row);
  multiply<half, float, 8, 16, 16, column, row>(5, true, column);
  multiply<half, float, 16, 16, 16, column, column>(2, false, row);
}

TEST("products in sub-groups of 32, which tensor cores have, too") {
  using sycl::ext::oneapi::experimental::info::device::matrix_combinations;
  if (e2e::make_queue().get_device().get_info<matrix_combinations>().empty()) return;
  multiply<half, float, 16, 16, 16, row, column, 32>(3, true, row);
}

TEST("products of half, with sums of half") {
  NOT_ON_CUDA_OR_HIP;
  multiply<half, half, 8, 16, 16, row, column>(3, false, column);
}

TEST("products of bytes with a sign and without") {
  NOT_ON_CUDA_OR_HIP;
  multiply<int8_t, int32_t, 8, 16, 32, row, row>(3, true, row);
  multiply<uint8_t, int32_t, 8, 16, 32, row, column>(2, false, column);
}

TEST("products of floats") {
  NOT_ON_CUDA_OR_HIP;
  multiply<float, float, 8, 16, 8, row, column>(4, false, row);
}

TEST("functions of the elements of two matrices, of one type and of two, and copies") {
  NOT_ON_CUDA_OR_HIP;
  if (!has_sub_groups()) return;
  constexpr int M = 8, N = 16, groups = 2, all = groups * M * N;
  sycl::queue queue = e2e::make_queue();
  auto* x = sycl::malloc_shared<float>(all, queue);
  auto* y = sycl::malloc_shared<half>(all, queue);
  auto* sums = sycl::malloc_shared<float>(all, queue);
  auto* mixed = sycl::malloc_shared<float>(all, queue);
  fill(x, all);
  fill(y, all);
  const sycl::nd_range<2> range({groups, size}, {groups, size});
  queue
      .parallel_for(range,
                    [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(size)]] {
                      const sub_group group = item.get_sub_group();
                      const std::size_t first_of = item.get_local_id(0) * M * N;
                      joint_matrix<sub_group, float, use::accumulator, M, N> first, second, third;
                      joint_matrix_load(group, first, global(x) + first_of, N, layout::row_major);
                      joint_matrix_copy(group, first, second);
                      joint_matrix_apply(group, second, [](float& value) { value *= 2; });
                      joint_matrix_apply(group, first, second, [](const float& from, float& to) { to += from; });
                      joint_matrix_store(group, second, global(sums) + first_of, N, layout::row_major);
                      joint_matrix_fill(group, third, 4);
                      joint_matrix_apply(group, third, second, [](float& to, float& from) { to -= from; });
                      joint_matrix_store(group, third, global(x) + first_of, N, layout::row_major);
                    })
      .wait();
  queue
      .parallel_for(range,
                    [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(size)]] {
                      const sub_group group = item.get_sub_group();
                      const std::size_t first_of = item.get_local_id(0) * M * N;
                      joint_matrix<sub_group, half, use::accumulator, M, N> narrow;
                      joint_matrix<sub_group, float, use::accumulator, M, N> wide;
                      joint_matrix_load(group, narrow, global(y) + first_of, N, layout::row_major);
                      joint_matrix_load(group, wide, global(sums) + first_of, N, layout::row_major);
                      joint_matrix_apply(group, narrow, wide, [](half& from, float& to) { to += float(from); });
                      joint_matrix_store(group, wide, global(mixed) + first_of, N, layout::row_major);
                    })
      .wait();
  int wrong = 0;
  for (int i = 0; i < all; ++i) {
    // The first kernel has replaced x by 4 - 3 * x.
    const float before = (4 - x[i]) / 3;
    wrong += before != std::round(before) || sums[i] != 3 * before || mixed[i] != sums[i] + float(y[i]);
  }
  CHECK_EQUAL(wrong, 0);
  for (void* each : {static_cast<void*>(x), static_cast<void*>(y), static_cast<void*>(sums), static_cast<void*>(mixed)})
    sycl::free(each, queue);
}

TEST("a loop that leaves out the last element of each work-item fills the others only") {
  NOT_ON_CUDA_OR_HIP;
  if (!has_sub_groups()) return;
  constexpr int M = 8, N = 16;
  sycl::queue queue = e2e::make_queue();
  auto* x = sycl::malloc_shared<float>(M * N, queue);
  std::fill_n(x, M * N, 1.0f);
  queue
      .parallel_for(sycl::nd_range<1>(size, size),
                    [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(size)]] {
                      const sub_group group = item.get_sub_group();
                      joint_matrix<sub_group, float, use::accumulator, M, N> matrix;
                      joint_matrix_load(group, matrix, global(x), N, layout::row_major);
                      auto own = sycl::ext::intel::experimental::matrix::get_wi_data(group, matrix);
                      for (std::size_t i = 0; i + 1 < own.length(); ++i) own[i] = 7.0f;
                      joint_matrix_store(group, matrix, global(x), N, layout::row_major);
                    })
      .wait();
  CHECK_EQUAL(std::count(x, x + M * N, 1.0f), size);
  CHECK_EQUAL(std::count(x, x + M * N, 7.0f), M * N - size);
  sycl::free(x, queue);
}

E2E_MAIN
