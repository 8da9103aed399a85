/// Kernels of one or two launches each, as they are usually written. kernels.cu contains the same kernels in CUDA C++.

#include "launches.hpp"
#include "queue.hpp"

namespace side {
namespace {

template <std::size_t Tile>
void matmul(const float* a, const float* b, float* c, std::size_t n) {
  queue().submit([&](sycl::handler& handler) {
    sycl::local_accessor<float, 2> tile_a(sycl::range<2>(Tile, Tile), handler);
    sycl::local_accessor<float, 2> tile_b(sycl::range<2>(Tile, Tile), handler);
    handler.parallel_for(sycl::nd_range<2>(sycl::range<2>(n, n), sycl::range<2>(Tile, Tile)),
                         [=](sycl::nd_item<2> item) {
                           const std::size_t row = item.get_global_id(0), column = item.get_global_id(1);
                           const std::size_t i = item.get_local_id(0), j = item.get_local_id(1);
                           float sum = 0;
                           for (std::size_t start = 0; start < n; start += Tile) {
                             tile_a[i][j] = a[row * n + start + j];
                             tile_b[i][j] = b[(start + i) * n + column];
                             sycl::group_barrier(item.get_group());
                             for (std::size_t k = 0; k < Tile; ++k) sum += tile_a[i][k] * tile_b[k][j];
                             sycl::group_barrier(item.get_group());
                           }
                           c[row * n + column] = sum;
                         });
  });
}

}  // namespace

void matmul_16(const float* a, const float* b, float* c, std::size_t n) { matmul<16>(a, b, c, n); }
void matmul_32(const float* a, const float* b, float* c, std::size_t n) { matmul<32>(a, b, c, n); }

void nbody(const float* body_values, float* acceleration_values, std::size_t count, float softening) {
  constexpr std::size_t tile = 256;
  const auto* bodies = reinterpret_cast<const sycl::float4*>(body_values);
  auto* accelerations = reinterpret_cast<sycl::float4*>(acceleration_values);
  queue().submit([&](sycl::handler& handler) {
    sycl::local_accessor<sycl::float4, 1> near(sycl::range<1>(tile), handler);
    handler.parallel_for(sycl::nd_range<1>(count, tile), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_global_id(0), l = item.get_local_id(0);
      const sycl::float4 mine = bodies[i];
      float ax = 0, ay = 0, az = 0;
      for (std::size_t start = 0; start < count; start += tile) {
        near[l] = bodies[start + l];
        sycl::group_barrier(item.get_group());
        for (std::size_t k = 0; k < tile; ++k) {
          const sycl::float4 other = near[k];
          const float x = other.x() - mine.x(), y = other.y() - mine.y(), z = other.z() - mine.z();
          const float inverse = sycl::rsqrt(x * x + y * y + z * z + softening);
          const float scale = other.w() * inverse * inverse * inverse;
          ax += x * scale;
          ay += y * scale;
          az += z * scale;
        }
        sycl::group_barrier(item.get_group());
      }
      accelerations[i] = sycl::float4(ax, ay, az, 0);
    });
  });
}

void black_scholes(const options& all) {
  queue().parallel_for(sycl::range<1>(all.count), [all](sycl::id<1> i) {
    const auto distribution = [](float d) {
      const float k = 1.0f / (1.0f + 0.2316419f * sycl::fabs(d));
      float tail = 1.330274429f;
      tail = tail * k - 1.821255978f;
      tail = tail * k + 1.781477937f;
      tail = tail * k - 0.356563782f;
      tail = tail * k + 0.31938153f;
      tail = 0.39894228040f * sycl::exp(-0.5f * d * d) * k * tail;
      return d > 0 ? 1.0f - tail : tail;
    };
    const float s = all.price[i], x = all.strike[i], t = all.years[i];
    const float root = sycl::sqrt(t);
    const float d1 =
        (sycl::log(s / x) + (all.rate + 0.5f * all.volatility * all.volatility) * t) / (all.volatility * root);
    const float d2 = d1 - all.volatility * root;
    const float below1 = distribution(d1), below2 = distribution(d2);
    const float discounted = x * sycl::exp(-all.rate * t);
    all.call[i] = s * below1 - discounted * below2;
    all.put[i] = discounted * (1.0f - below2) - s * (1.0f - below1);
  });
}

void mandelbrot(const view& view, int* counts) {
  queue().parallel_for(sycl::range<2>(view.height, view.width), [=](sycl::id<2> pixel) {
    const float real = view.left + view.step * static_cast<float>(pixel[1]);
    const float imaginary = view.top + view.step * static_cast<float>(pixel[0]);
    float x = 0, y = 0;
    int n = 0;
    while (x * x + y * y <= 4.0f && n < view.limit) {
      const float next = x * x - y * y + real;
      y = 2 * x * y + imaginary;
      x = next;
      ++n;
    }
    counts[pixel[0] * view.width + pixel[1]] = n;
  });
}

void transpose(const float* from, float* to, std::size_t n) {
  constexpr std::size_t tile = 32, rows = 8;
  queue().submit([&](sycl::handler& handler) {
    sycl::local_accessor<float, 2> near(sycl::range<2>(tile, tile + 1), handler);
    handler.parallel_for(sycl::nd_range<2>(sycl::range<2>(n / tile * rows, n), sycl::range<2>(rows, tile)),
                         [=](sycl::nd_item<2> item) {
                           const std::size_t i = item.get_local_id(0), j = item.get_local_id(1);
                           const std::size_t row = item.get_group(0) * tile, column = item.get_group(1) * tile;
                           for (std::size_t k = i; k < tile; k += rows) near[k][j] = from[(row + k) * n + column + j];
                           sycl::group_barrier(item.get_group());
                           for (std::size_t k = i; k < tile; k += rows) to[(column + k) * n + row + j] = near[j][k];
                         });
  });
}

void stencil(const float* from, float* to, std::size_t n) {
  queue().parallel_for(sycl::range<2>(n - 2, n - 2), [=](sycl::id<2> point) {
    const std::size_t i = point[0] + 1, j = point[1] + 1;
    to[i * n + j] = 0.2f * (from[i * n + j] + from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] +
                            from[i * n + j + 1]);
  });
}

void spmv(const matrix& matrix, const float* x, float* y) {
  queue().parallel_for(sycl::range<1>(matrix.rows), [=](sycl::id<1> row) {
    float sum = 0;
    for (std::uint32_t k = matrix.starts[row]; k < matrix.starts[row + 1]; ++k) {
      sum += matrix.values[k] * x[matrix.columns[k]];
    }
    y[row] = sum;
  });
}

}  // namespace side
