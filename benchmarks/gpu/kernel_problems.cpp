/// Inputs and expected results of the kernels in kernels.cpp and kernels.cu.

#include <algorithm>

#include "problem.hpp"

namespace {

template <void (*Launch)(const float*, const float*, float*, std::size_t)>
problem product(std::size_t size) {
  const std::size_t n = (size + 31) / 32 * 32;
  dice dice;
  const auto a = std::make_shared<std::vector<float>>(dice.floats(n * n, -1, 1));
  const auto b = std::make_shared<std::vector<float>>(dice.floats(n * n, -1, 1));
  const device_array<float> device_a(*a), device_b(*b), c(n * n);
  return {[=] { Launch(device_a.get(), device_b.get(), c.get(), n); }, [=] { c.spoil(); },
          [=] {
            // Adds up the product's rows with random signs. This must give the sum of the rows of `a` with the same
            // signs, multiplied by `b`. A single wrong element would change the sum.
            const auto sum_with_signs = [n](const float* row) {
              std::uint32_t bits = 1;
              double sum = 0;
              for (std::size_t j = 0; j < n; ++j) {
                bits = bits * 1664525u + 1013904223u;
                sum += (bits >> 31) != 0 ? static_cast<double>(row[j]) : -static_cast<double>(row[j]);
              }
              return sum;
            };
            const std::vector<float> found = c.values();
            std::vector<double> sums(n);
            for (std::size_t k = 0; k < n; ++k) sums[k] = sum_with_signs(b->data() + k * n);
            for (std::size_t i = 0; i < n; ++i) {
              double expected = 0;
              for (std::size_t k = 0; k < n; ++k) expected += static_cast<double>((*a)[i * n + k]) * sums[k];
              // A typical element has the size sqrt(n / 9). The error of a sum of n elements is far less.
              const double typical = std::sqrt(static_cast<double>(n));
              if (!(std::abs(sum_with_signs(found.data() + i * n) - expected) <= 1e-3 * typical)) {
                std::fprintf(stderr, "row %zu is wrong\n", i);
                return false;
              }
            }
            return true;
          },
          2e-9 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n), "GFLOP"};
}

problem gravitation(std::size_t size) {
  const std::size_t count = (size + 255) / 256 * 256;
  const float softening = 1e-3f;
  dice dice;
  std::vector<float> bodies = dice.floats(4 * count, -1, 1);
  for (std::size_t i = 0; i < count; ++i) bodies[4 * i + 3] = std::abs(bodies[4 * i + 3]) + 0.1f;
  const device_array<float> device_bodies(bodies), accelerations(4 * count);
  return {[=] { side::nbody(device_bodies.get(), accelerations.get(), count, softening); },
          [=] { accelerations.spoil(); },
          [=] {
            const std::vector<float> found = accelerations.values();
            // Compares 128 bodies; for the others, it checks only that they were written.
            const std::size_t step = std::max<std::size_t>(count / 128, 1);
            for (std::size_t i = 0; i < count; ++i) {
              if (!(std::abs(found[4 * i]) < 1e9f) || found[4 * i + 3] != 0) return false;
              if (i % step != 0) continue;
              double sum[3] = {};
              for (std::size_t j = 0; j < count; ++j) {
                double offset[3], square = static_cast<double>(softening);
                for (std::size_t k = 0; k < 3; ++k) {
                  offset[k] = static_cast<double>(bodies[4 * j + k]) - static_cast<double>(bodies[4 * i + k]);
                  square += offset[k] * offset[k];
                }
                const double scale = static_cast<double>(bodies[4 * j + 3]) / (square * std::sqrt(square));
                for (std::size_t k = 0; k < 3; ++k) sum[k] += offset[k] * scale;
              }
              for (std::size_t k = 0; k < 3; ++k) {
                const double typical = std::sqrt(static_cast<double>(count));
                if (!is_close(static_cast<double>(found[4 * i + k]), sum[k], 1e-3, typical, i)) return false;
              }
            }
            return true;
          },
          // A pair usually counts as 20 operations for this kernel.
          20e-9 * static_cast<double>(count) * static_cast<double>(count), "GFLOP"};
}

problem option_prices(std::size_t count) {
  constexpr std::size_t period = 100003;
  const float rate = 0.02f, volatility = 0.3f;
  dice dice;
  const std::vector<float> price = dice.floats(period, 5, 30), strike = dice.floats(period, 1, 100),
                           years = dice.floats(period, 0.25f, 10);
  const device_array<float> device_price(count, price), device_strike(count, strike), device_years(count, years);
  const device_array<float> call(count), put(count);
  const side::options all{
      device_price.get(), device_strike.get(), device_years.get(), call.get(), put.get(), count, rate, volatility};
  const auto is_right = [=] {
    // The reference uses doubles and the error function. The kernel's polynomial has an error of up to 7.5e-8.
    const auto distribution = [](double d) { return 0.5 * std::erfc(-d * 0.70710678118654752440); };
    const auto expected = [&](std::size_t i, bool is_call) {
      const auto s = static_cast<double>(price[i]), x = static_cast<double>(strike[i]),
                 t = static_cast<double>(years[i]);
      const auto r = static_cast<double>(rate), v = static_cast<double>(volatility);
      const double d1 = (std::log(s / x) + (r + 0.5 * v * v) * t) / (v * std::sqrt(t)), d2 = d1 - v * std::sqrt(t);
      const double discounted = x * std::exp(-r * t);
      return is_call ? s * distribution(d1) - discounted * distribution(d2)
                     : discounted * distribution(-d2) - s * distribution(-d1);
    };
    return repeats(call, period, 1e-5, 10, [&](std::size_t i) { return expected(i, true); }) &&
           repeats(put, period, 1e-5, 10, [&](std::size_t i) { return expected(i, false); });
  };
  return {[=] {
            (void)device_price, (void)device_strike, (void)device_years;  // kept
            side::black_scholes(all);
          },
          [=] { call.spoil(), put.spoil(); }, is_right, 20e-9 * static_cast<double>(count)};
}

problem escape_counts(std::size_t n) {
  const side::view view{n, n, -2.0f, -1.25f, 2.5f / static_cast<float>(n), 1000};
  const device_array<int> counts(n * n);
  return {[=] { side::mandelbrot(view, counts.get()); }, [=] { counts.spoil(); },
          [=] {
            // Compares some rows. Points near the border may escape at other times if products are rounded once.
            std::size_t looked_at = 0, different = 0;
            const std::vector<int> found = counts.values();
            for (std::size_t row = 0; row < n; row += std::max<std::size_t>(n / 31, 1)) {
              for (std::size_t column = 0; column < n; ++column, ++looked_at) {
                const float real = view.left + view.step * static_cast<float>(column);
                const float imaginary = view.top + view.step * static_cast<float>(row);
                float x = 0, y = 0;
                int count = 0;
                while (x * x + y * y <= 4.0f && count < view.limit) {
                  const float next = x * x - y * y + real;
                  y = 2 * x * y + imaginary;
                  x = next;
                  ++count;
                }
                different += found[row * n + column] != count;
              }
            }
            if (different * 50 > looked_at) std::fprintf(stderr, "%zu of %zu differ\n", different, looked_at);
            return different * 50 <= looked_at && *std::min_element(found.begin(), found.end()) >= 0;
          },
          1e-6 * static_cast<double>(n) * static_cast<double>(n), "megapixels"};
}

problem turned(std::size_t size) {
  const std::size_t n = (size + 31) / 32 * 32;
  dice dice;
  const auto from = std::make_shared<std::vector<float>>(dice.floats(n * n, -1, 1));
  const device_array<float> device_from(*from), to(n * n);
  return {[=] { side::transpose(device_from.get(), to.get(), n); }, [=] { to.spoil(); },
          [=] { return all_are(to, 0, 0, [&](std::size_t i) { return (*from)[i % n * n + i / n]; }); },
          8e-9 * static_cast<double>(n * n)};
}

problem neighbours(std::size_t size) {
  const std::size_t n = std::max<std::size_t>(size, 3);
  dice dice;
  const auto from = std::make_shared<std::vector<float>>(dice.floats(n * n, 0, 1));
  const device_array<float> device_from(*from), to(n * n);
  return {[=] { side::stencil(device_from.get(), to.get(), n); }, [=] { side::fill(to.get(), 0, to.bytes()); },
          [=] {
            return all_are(to, 1e-6, 1, [&](std::size_t k) {
              const std::size_t i = k / n, j = k % n;
              if (i == 0 || j == 0 || i == n - 1 || j == n - 1) return 0.0f;  // outermost points are not written
              const float* at = from->data() + k;
              return 0.2f * (at[0] + *(at - n) + at[n] + *(at - 1) + at[1]);
            });
          },
          8e-9 * static_cast<double>(n * n)};
}

problem sparse_product(std::size_t rows) {
  dice dice;
  std::vector<std::uint32_t> starts(rows + 1);
  for (std::size_t i = 0; i < rows; ++i) starts[i + 1] = starts[i] + 8 + dice.next() % 17;
  const std::size_t elements = starts[rows];
  std::vector<std::uint32_t> columns(elements);
  const std::vector<float> values = dice.floats(elements, -1, 1), x = dice.floats(rows, -1, 1);
  const auto expected = std::make_shared<std::vector<double>>(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t low = i < 8192 ? 0 : i - 8192, high = std::min(rows, i + 8192);
    for (std::size_t k = starts[i]; k < starts[i + 1]; ++k) {
      columns[k] = static_cast<std::uint32_t>(low + dice.next() % (high - low));
      (*expected)[i] += static_cast<double>(values[k]) * static_cast<double>(x[columns[k]]);
    }
  }
  const device_array<std::uint32_t> device_starts(starts), device_columns(columns);
  const device_array<float> device_values(values), device_x(x), y(rows);
  return {[=] {
            side::spmv({device_starts.get(), device_columns.get(), device_values.get(), rows}, device_x.get(), y.get());
          },
          [=] { y.spoil(); }, [=] { return all_are(y, 1e-5, 1, [&](std::size_t i) { return (*expected)[i]; }); },
          8e-9 * static_cast<double>(elements)};
}

}  // namespace

std::vector<problem_row> kernel_problems() {
  return {{"matmul, tiles of 16", 4096, product<side::matmul_16>},
          {"matmul, tiles of 32", 4096, product<side::matmul_32>},
          {"n-body", 65536, gravitation},
          {"Black-Scholes", std::size_t{1} << 27, option_prices},
          {"Mandelbrot", 8192, escape_counts},
          {"transpose", 16384, turned},
          {"stencil", 16384, neighbours},
          {"CSR SpMV", std::size_t{1} << 22, sparse_product}};
}
