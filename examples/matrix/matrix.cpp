/// Multiplies two square matrices of bfloat16 and sums up in float. Six steps lead from the obvious kernel to
/// joint_matrix, which uses tensor cores or vector instructions for products of small elements. The program prints what
/// each step gains on the device, and compares each result with plain scalar code.
///
/// usage: matrix [N [cpu|gpu]], default 512 and the default device; N is rounded up to a multiple of 128

#include <sycl/ext/oneapi/matrix/matrix.hpp>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

namespace matrix = sycl::ext::oneapi::experimental::matrix;
using sycl::ext::oneapi::bfloat16;

/// `tile` is the edge of tiles in local memory and of the matrices of sub-groups. `block` and `wide_block` are edges of
/// the blocks that groups compute.
constexpr std::size_t tile = 16, block = 64, wide_block = 128;

struct problem {
  const bfloat16 *a, *b;
  float* c;
  std::size_t n;
};

/// Step 1: each work-item reads a row and a column.
void by_elements(sycl::queue& queue, const problem& p) {
  queue.parallel_for(sycl::range<2>(p.n, p.n), [=](sycl::id<2> id) {
    float sum = 0;
    for (std::size_t k = 0; k < p.n; ++k) sum += float(p.a[id[0] * p.n + k]) * float(p.b[k * p.n + id[1]]);
    p.c[id[0] * p.n + id[1]] = sum;
  });
}

/// Step 2: the work-items of a group share what they read, tile by tile, in local memory.
void by_tiles(sycl::queue& queue, const problem& p) {
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<float, 2> a({tile, tile}, handler), b({tile, tile}, handler);
    handler.parallel_for(sycl::nd_range<2>({p.n, p.n}, {tile, tile}), [=](sycl::nd_item<2> item) {
      const std::size_t row = item.get_global_id(0), column = item.get_global_id(1);
      const std::size_t i = item.get_local_id(0), j = item.get_local_id(1);
      float sum = 0;
      for (std::size_t start = 0; start < p.n; start += tile) {
        a[i][j] = float(p.a[row * p.n + start + j]);
        b[i][j] = float(p.b[(start + i) * p.n + column]);
        sycl::group_barrier(item.get_group());
        for (std::size_t k = 0; k < tile; ++k) sum += a[i][k] * b[k][j];
        sycl::group_barrier(item.get_group());
      }
      p.c[row * p.n + column] = sum;
    });
  });
}

/// Step 3: each work-item computes 4 x 4 elements, so that each number read from local memory is used four times.
void by_blocks(sycl::queue& queue, const problem& p) {
  constexpr std::size_t each = block / tile;
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<float, 2> a({block, tile}, handler), b({tile, block}, handler);
    handler.parallel_for(sycl::nd_range<2>({p.n / each, p.n / each}, {tile, tile}), [=](sycl::nd_item<2> item) {
      const std::size_t row = item.get_group(0) * block, column = item.get_group(1) * block;
      const std::size_t i = item.get_local_id(0), j = item.get_local_id(1);
      float sums[each][each] = {};
      for (std::size_t start = 0; start < p.n; start += tile) {
        for (std::size_t r = 0; r < each; ++r) {
          a[r * tile + i][j] = float(p.a[(row + r * tile + i) * p.n + start + j]);
          b[i][r * tile + j] = float(p.b[(start + i) * p.n + column + r * tile + j]);
        }
        sycl::group_barrier(item.get_group());
        for (std::size_t k = 0; k < tile; ++k)
          for (std::size_t r = 0; r < each; ++r)
            for (std::size_t s = 0; s < each; ++s) sums[r][s] += a[r * tile + i][k] * b[k][s * tile + j];
        sycl::group_barrier(item.get_group());
      }
      for (std::size_t r = 0; r < each; ++r)
        for (std::size_t s = 0; s < each; ++s)
          p.c[(row + r * tile + i) * p.n + column + s * tile + j] = sums[r][s];
    });
  });
}

template <class T>
auto global(T* pointer) {
  return sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(pointer);
}

/// The part of a matrix that the work-items of a sub-group hold together.
template <matrix::use Use>
using part = matrix::joint_matrix<sycl::sub_group, bfloat16, Use, tile, tile, matrix::layout::row_major>;
using sums_part = matrix::joint_matrix<sycl::sub_group, float, matrix::use::accumulator, tile, tile>;

/// Step 4: each sub-group computes a tile by joint_matrix, which loads directly from global memory.
template <std::size_t SubGroup>
void by_matrices(sycl::queue& queue, const problem& p) {
  queue.parallel_for(sycl::nd_range<2>({p.n / tile, p.n / tile * SubGroup}, {1, SubGroup}),
                     [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(SubGroup)]] {
                       const sycl::sub_group group = item.get_sub_group();
                       const std::size_t row = item.get_group(0) * tile, column = item.get_group(1) * tile;
                       part<matrix::use::a> a;
                       part<matrix::use::b> b;
                       sums_part sum;
                       joint_matrix_fill(group, sum, 0.0f);
                       for (std::size_t k = 0; k < p.n; k += tile) {
                         joint_matrix_load(group, a, global(p.a + row * p.n + k), p.n);
                         joint_matrix_load(group, b, global(p.b + k * p.n + column), p.n);
                         joint_matrix_mad(group, sum, a, b, sum);
                       }
                       joint_matrix_store(group, sum, global(p.c + row * p.n + column), p.n,
                                          matrix::layout::row_major);
                     });
}

template <class T>
auto local(T* pointer) {
  return sycl::address_space_cast<sycl::access::address_space::local_space, sycl::access::decorated::no>(pointer);
}

/// Step 5: sixteen sub-groups together compute a block of 64 x 64. They copy 64 elements of each row and column at a
/// time to local memory, 16 bytes in each copy. All sixteen sub-groups read these elements.
template <std::size_t SubGroup>
void by_tiles_of_matrices(sycl::queue& queue, const problem& p) {
  constexpr std::size_t each = block / tile, items = each * each * SubGroup, depth = 64, piece = 8, row_pieces = 8;
  // Rows are 16 bytes longer, so that eight rows that are read together are in different banks of the memory.
  constexpr std::size_t stride = depth + piece, size = block * stride / piece;
  static_assert(block == depth && row_pieces * piece == depth, "both tiles have rows of one length");
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<sycl::uint4> local_a(size, handler), local_b(size, handler);
    const sycl::range<2> groups(p.n / block, p.n / block), range(1, items);
    handler.parallel_for(
        sycl::nd_range<2>(groups * range, range), [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(SubGroup)]] {
          const sycl::sub_group group = item.get_sub_group();
          const std::size_t row = item.get_group(0) * block, column = item.get_group(1) * block;
          const std::size_t number = group.get_group_linear_id();
          const std::size_t own_row = number / each * tile, own_column = number % each * tile;
          const auto* all_a = reinterpret_cast<const sycl::uint4*>(p.a);
          const auto* all_b = reinterpret_cast<const sycl::uint4*>(p.b);
          auto *from_a = reinterpret_cast<bfloat16*>(&local_a[0]), *from_b = reinterpret_cast<bfloat16*>(&local_b[0]);
          part<matrix::use::a> a;
          part<matrix::use::b> b;
          sums_part sum;
          joint_matrix_fill(group, sum, 0.0f);
          for (std::size_t start = 0; start < p.n; start += depth) {
            for (std::size_t i = item.get_local_id(1); i < block * row_pieces; i += items) {
              const std::size_t r = i / row_pieces, at = i % row_pieces, to = r * (stride / piece) + at;
              local_a[to] = all_a[((row + r) * p.n + start) / piece + at];
              local_b[to] = all_b[((start + r) * p.n + column) / piece + at];
            }
            sycl::group_barrier(item.get_group());
            for (std::size_t k = 0; k < depth; k += tile) {
              joint_matrix_load(group, a, local(from_a + own_row * stride + k), stride);
              joint_matrix_load(group, b, local(from_b + k * stride + own_column), stride);
              joint_matrix_mad(group, sum, a, b, sum);
            }
            sycl::group_barrier(item.get_group());
          }
          joint_matrix_store(group, sum, global(p.c + (row + own_row) * p.n + column + own_column), p.n,
                             matrix::layout::row_major);
        });
  });
}

/// Step 6, for matrix units: four sub-groups compute a block of 128 x 128, and each computes 4 x 4 tiles. While they
/// multiply one part of rows and columns, they copy the next part, 16 bytes at a time.
void by_tiles_ahead(sycl::queue& queue, const problem& p) {
  constexpr unsigned each = 4, size = wide_block, depth = 64, warp = 32, items = 4 * warp, piece = 8;
  // Rows are 16 bytes longer, so that eight rows that are read together are in different banks of the memory.
  constexpr unsigned stride_a = depth + piece, stride_b = size + piece;
  constexpr unsigned size_a = size * stride_a / piece, size_b = depth * stride_b / piece;
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<sycl::uint4> local_a(2 * size_a, handler), local_b(2 * size_b, handler);
    handler.parallel_for(
        sycl::nd_range<2>({p.n / size, p.n / size * items}, {1, items}),
        [=](sycl::nd_item<2> item) [[sycl::reqd_sub_group_size(warp), sycl::reqd_work_group_size(1, items)]] {
          const sycl::sub_group group = item.get_sub_group();
          const std::size_t row = item.get_group(0) * size, column = item.get_group(1) * size;
          const unsigned own = static_cast<unsigned>(item.get_local_id(1)), number = own / warp;
          const unsigned own_row = number / 2 * each * tile, own_column = number % 2 * each * tile;
          const auto* all_a = reinterpret_cast<const sycl::uint4*>(p.a);
          const auto* all_b = reinterpret_cast<const sycl::uint4*>(p.b);
          const auto copy = [&](std::size_t start, unsigned buffer) {
            constexpr unsigned row_a = depth / piece, row_b = size / piece;
            for (unsigned i = own; i < size * row_a; i += items)
              local_a[buffer * size_a + i / row_a * (stride_a / piece) + i % row_a] =
                  all_a[((row + i / row_a) * p.n + start) / piece + i % row_a];
            for (unsigned i = own; i < depth * row_b; i += items)
              local_b[buffer * size_b + i / row_b * (stride_b / piece) + i % row_b] =
                  all_b[((start + i / row_b) * p.n + column) / piece + i % row_b];
          };
          sums_part sums[each][each];
          for (auto& sums_of_row : sums)
            for (auto& sum : sums_of_row) joint_matrix_fill(group, sum, 0.0f);
          copy(0, 0);
          unsigned buffer = 0;
          for (std::size_t start = 0; start < p.n; start += depth, buffer ^= 1) {
            sycl::group_barrier(item.get_group());
            if (start + depth < p.n) copy(start + depth, buffer ^ 1);
            auto* from_a = reinterpret_cast<bfloat16*>(&local_a[buffer * size_a]) + own_row * stride_a;
            auto* from_b = reinterpret_cast<bfloat16*>(&local_b[buffer * size_b]) + own_column;
            for (unsigned k = 0; k < depth; k += tile) {
              part<matrix::use::a> a[each];
              part<matrix::use::b> b[each];
              for (unsigned i = 0; i < each; ++i) {
                joint_matrix_load(group, a[i], local(from_a + i * tile * stride_a + k), stride_a);
                joint_matrix_load(group, b[i], local(from_b + k * stride_b + i * tile), stride_b);
              }
              for (unsigned i = 0; i < each; ++i)
                for (unsigned j = 0; j < each; ++j) joint_matrix_mad(group, sums[i][j], a[i], b[j], sums[i][j]);
            }
          }
          for (unsigned i = 0; i < each; ++i)
            for (unsigned j = 0; j < each; ++j)
              joint_matrix_store(
                  group, sums[i][j],
                  global(p.c + (row + own_row + i * tile) * p.n + column + own_column + j * tile), p.n,
                  matrix::layout::row_major);
        });
  });
}

/// The milliseconds of the fastest of five runs. A run before these compiles the kernel.
template <class Step>
double fastest(sycl::queue& queue, const Step& step) {
  double least = 1e30;
  for (int run = 0; run < 6; ++run) {
    const auto start = std::chrono::steady_clock::now();
    step();
    queue.wait_and_throw();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    if (run > 0) least = std::min(least, taken.count());
  }
  return least;
}

/// Compares rows of c with plain scalar code: all rows of a small product, and as many rows of a large product as one
/// second allows.
bool is_right(const problem& p) {
  const std::size_t rows = std::clamp<std::size_t>((std::size_t{1} << 28) / (p.n * p.n), 8, p.n);
  std::vector<double> expected(p.n);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t row = r * p.n / rows;
    std::fill(expected.begin(), expected.end(), 0.0);
    for (std::size_t k = 0; k < p.n; ++k) {
      const auto left = static_cast<double>(float(p.a[row * p.n + k]));
      for (std::size_t j = 0; j < p.n; ++j) expected[j] += left * static_cast<double>(float(p.b[k * p.n + j]));
    }
    for (std::size_t j = 0; j < p.n; ++j) {
      // An element is the sum of n products of numbers from -1 to 1, and each sum is rounded to 24 bits.
      const double allowed = 1e-6 * static_cast<double>(p.n);
      if (!(std::fabs(static_cast<double>(p.c[row * p.n + j]) - expected[j]) <= allowed)) {
        std::fprintf(stderr, "element %zu, %zu is %g instead of %g\n", row, j,
                     static_cast<double>(p.c[row * p.n + j]), expected[j]);
        return false;
      }
    }
  }
  return true;
}

/// Whether the device has matrices of these sizes. If `fixed` is true, only units with fixed sizes count, such as
/// tensor cores.
bool has_matrices(const sycl::device& device, bool fixed) {
  const auto list = device.get_info<sycl::ext::oneapi::experimental::info::device::matrix_combinations>();
  return std::any_of(list.begin(), list.end(), [&](const matrix::combination& each) {
    if (fixed && each.max_msize != 0) return false;
    // An entry of the device's list names either one shape or the largest size. In the second case, all smaller sizes
    // are supported, too.
    const bool fits = each.max_msize != 0
                          ? tile <= each.max_msize && tile <= each.max_nsize && tile <= each.max_ksize
                          : tile == each.msize && tile == each.nsize && tile == each.ksize;
    return fits && each.atype == matrix::matrix_type::bf16 && each.btype == matrix::matrix_type::bf16 &&
           each.ctype == matrix::matrix_type::fp32 && each.dtype == matrix::matrix_type::fp32;
  });
}

bool has_sub_groups_of(const sycl::device& device, std::size_t size) {
  const auto sizes = device.get_info<sycl::info::device::sub_group_sizes>();
  return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
}

/// Parses N. Returns false unless the text is a number from 1 to 16384.
bool parse_size(const char* text, std::size_t& n) {
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, n);
  return error == std::errc() && rest == end && n >= 1 && n <= 16384;
}

template <std::size_t SubGroup>
bool run(sycl::queue& queue, const problem& p) {
  const struct {
    const char* name;
    void (*multiply)(sycl::queue&, const problem&);
  } steps[] = {{"1. an element each", by_elements},
               {"2. tiles in local memory", by_tiles},
               {"3. 4 x 4 elements each", by_blocks},
               {"4. joint_matrix", by_matrices<SubGroup>},
               {"5. joint_matrix, local memory", by_tiles_of_matrices<SubGroup>},
               {"6. joint_matrix, copied ahead", by_tiles_ahead}};
  std::printf("%-32s%12s%12s%12s%12s\n", "step", "ms", "GFLOP/s", "gain", "in all");
  const double operations = 2e-6 * static_cast<double>(p.n) * static_cast<double>(p.n) * static_cast<double>(p.n);
  double first = 0, before = 0;
  for (const auto& step : steps) {
    if (step.multiply == by_tiles_ahead && !has_matrices(queue.get_device(), /*fixed=*/true)) break;
    std::fill_n(p.c, p.n * p.n, NAN);
    const double taken = fastest(queue, [&] { step.multiply(queue, p); });
    if (!is_right(p)) return std::fprintf(stderr, "matrix: step %s is wrong\n", step.name), false;
    if (first == 0) first = before = taken;
    std::printf("%-32s%12.3f%12.1f%12.2f%12.2f\n", step.name, taken, operations / taken, before / taken,
                first / taken);
    before = taken;
  }
  return true;
}

}  // namespace

int main(int argument_count, char** arguments) try {
  std::size_t n = 512;
  const std::string kind = argument_count > 2 ? arguments[2] : "";
  if (argument_count > 3 || (argument_count > 1 && !parse_size(arguments[1], n)) ||
      (!kind.empty() && kind != "cpu" && kind != "gpu")) {
    std::fputs("usage: matrix [N [cpu|gpu]], N from 1 to 16384\n", stderr);
    return 2;
  }
  n = (n + wide_block - 1) / wide_block * wide_block;

  // If there is no such device, sycl::device throws a sycl::exception.
  sycl::queue queue(kind == "cpu"   ? sycl::device(sycl::cpu_selector_v)
                    : kind == "gpu" ? sycl::device(sycl::gpu_selector_v)
                                    : sycl::device(sycl::default_selector_v),
                    sycl::property::queue::in_order());
  const sycl::device device = queue.get_device();
  const std::string name = device.get_info<sycl::info::device::name>();
  if (!has_matrices(device, /*fixed=*/false)) {
    std::fprintf(stderr, "matrix: %s has no joint_matrix of 16 x 16 x 16 for bfloat16 and float\n", name.c_str());
    return 1;
  }
  if (!device.has(sycl::aspect::usm_shared_allocations)) {
    std::fprintf(stderr, "matrix: %s has no shared memory\n", name.c_str());
    return 1;
  }

  auto* a = sycl::malloc_shared<bfloat16>(n * n, queue);
  auto* b = sycl::malloc_shared<bfloat16>(n * n, queue);
  auto* c = sycl::malloc_shared<float>(n * n, queue);
  std::uint32_t state = 12345;
  for (bfloat16* values : {a, b}) {
    for (std::size_t i = 0; i < n * n; ++i) {
      state = state * 1664525 + 1013904223;  // any numbers will do; these repeat from run to run
      values[i] = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
    }
  }

  std::printf("%zu x %zu, bfloat16 summed up in float, on %s\n", n, n, name.c_str());
  const problem p{a, b, c, n};
  // CPUs have sub-groups of 16 work-items, which fill a vector. NVIDIA's GPUs have sub-groups of 32.
  const bool right = has_sub_groups_of(device, 16) ? run<16>(queue, p) : run<32>(queue, p);
  for (void* memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c)}) sycl::free(memory, queue);
  return right ? 0 : 1;
} catch (const sycl::exception& error) {
  std::fprintf(stderr, "matrix: %s\n", error.what());
  return 1;
}
