/// Compares kernels in SYCL with kernels in OpenCL C, on one driver, in one process and one context, on the same
/// memory, in turns. usage: opencl_beside [PAIRS [DIVIDE]]; with 0 pairs it only checks results; DIVIDE divides sizes.
/// Prints a line of JSON for each pair: {"name": case, "sinter": ms, "opencl": ms}; "us" is the unit for launches.

#include <sycl/backend.hpp>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "bare.hpp"
#include "kernels.hpp"

namespace {

struct side {
  const char* name;
  std::function<void()> run;   ///< submits the work
  std::function<void()> wait;  ///< waits for all submitted work
};

double milliseconds(const side& each, int runs) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) each.run();
  each.wait();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / runs;
}

/// The sizes have OpenCL's order, x first.
constexpr std::size_t tile[] = {16, 16}, sum_group[] = {256};
constexpr int sum_groups = 256;

float below(float x) {
  const float t = 1.0f / (1.0f + 0.2316419f * sycl::fabs(x));
  const float sum =
      t * (0.31938153f + t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
  const float tail = 0.39894228f * sycl::exp(-0.5f * x * x) * sum;
  return x < 0 ? tail : 1.0f - tail;
}

class comparison {
public:
  comparison(int pairs, std::size_t divide)
      : m_pairs(pairs),
        m_divide(divide),
        m_device(sycl::get_native<sycl::backend::opencl>(m_queue.get_device())),
        m_platform(sycl::get_native<sycl::backend::opencl>(m_queue.get_device().get_platform())),
        m_context(sycl::get_native<sycl::backend::opencl>(m_queue.get_context())),
        m_program(bare::build(m_context, m_device, bare::source)) {
    cl_int result = CL_SUCCESS;
    m_bare = clCreateCommandQueueWithProperties(m_context, m_device, nullptr, &result);
    bare::check(result, "clCreateCommandQueueWithProperties");
  }

  void run_all() {
    triad();
    matmul();
    nbody();
    black_scholes();
    sums();
    reduction();
    launches();
  }

private:
  bare::kernel kernel_of(const char* name) const { return {m_platform, m_program, name}; }
  std::size_t size(std::size_t usual) const { return std::max<std::size_t>(usual / m_divide, 256); }

  template <class T>
  T* numbers(std::size_t count) {
    T* memory = sycl::aligned_alloc_shared<T>(64, count, m_queue);
    auto* values = reinterpret_cast<float*>(memory);
    for (std::size_t i = 0; i < count * sizeof(T) / sizeof(float); ++i) {
      values[i] = 0.5f + 0.001f * static_cast<float>(i * 7919 % 1000);
    }
    return memory;
  }

  side of_sycl(std::function<void()> run) {
    return {"sinter", std::move(run), [this] { m_queue.wait(); }};
  }
  side of_opencl(std::function<void()> run) {
    return {"opencl", std::move(run), [this] { bare::check(clFinish(m_bare), "clFinish"); }};
  }

  /// `right` contains the expected results. Each side writes its results to `results`, and these may differ from
  /// `right` by rounding.
  void compare(const char* name, const side& ours, const side& theirs, float* results,
               const std::vector<float>& right) {
    for (const side* each : {&ours, &theirs}) {
      std::fill_n(results, right.size(), -1.0f);
      milliseconds(*each, 1);
      for (std::size_t i = 0; i < right.size(); ++i) {
        if (std::fabs(results[i] - right[i]) <= 2e-4f * (1 + std::fabs(right[i]))) continue;
        std::fprintf(stderr, "%s, %s: number %zu is %g instead of %g\n", name, each->name, i,
                     static_cast<double>(results[i]), static_cast<double>(right[i]));
        std::exit(1);
      }
    }
    if (m_pairs == 0) return void(std::printf("%s: right\n", name));
    const double shortest = std::min(milliseconds(ours, 2), milliseconds(theirs, 2));
    measure(name, ours, theirs, static_cast<int>(std::clamp(40 / shortest, 1.0, 10000.0)), 1);
  }

  void measure(const char* name, const side& ours, const side& theirs, int runs, double unit) {
    for (int pair = 0; pair < m_pairs; ++pair) {
      double times[2];
      for (const int k : {pair % 2, 1 - pair % 2}) times[k] = unit * milliseconds(k == 0 ? ours : theirs, runs);
      std::printf("{\"name\": \"%s\", \"sinter\": %.6f, \"opencl\": %.6f}\n", name, times[0], times[1]);
      std::fflush(stdout);
    }
  }

  void triad() {
    const std::size_t n = size(std::size_t{1} << 24);
    float *a = numbers<float>(n), *b = numbers<float>(n), *c = numbers<float>(n);
    const float scalar = 0.4f;
    std::vector<float> right(n);
    for (std::size_t i = 0; i < n; ++i) right[i] = b[i] + scalar * c[i];
    compare("triad", of_sycl([=, this] {
              m_queue.parallel_for(sycl::range(n), [=](sycl::id<1> i) { a[i] = b[i] + scalar * c[i]; });
            }),
            of_opencl([=, this, kernel = kernel_of("triad")] { kernel.set(a, b, c, scalar).launch(m_bare, {n}); }), a,
            right);
  }

  void matmul() {
    const int n = static_cast<int>(size(512) / 16 * 16);
    const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    float *a = numbers<float>(count), *b = numbers<float>(count), *c = numbers<float>(count);
    std::vector<float> right(count);
    for (int y = 0; y < n; ++y) {
      for (int k = 0; k < n; ++k) {
        for (int x = 0; x < n; ++x) right[y * n + x] += a[y * n + k] * b[k * n + x];
      }
    }
    const auto ours = [=, this] {
      m_queue.submit([&](sycl::handler& handler) {
        sycl::local_accessor<float, 2> tile_a({16, 16}, handler), tile_b({16, 16}, handler);
        const auto edge = static_cast<std::size_t>(n);
        handler.parallel_for(sycl::nd_range<2>({edge, edge}, {16, 16}), [=](sycl::nd_item<2> item) {
          const int row = static_cast<int>(item.get_local_id(0)), column = static_cast<int>(item.get_local_id(1));
          const int y = static_cast<int>(item.get_global_id(0)), x = static_cast<int>(item.get_global_id(1));
          float sum = 0;
          for (int k = 0; k < n; k += 16) {
            tile_a[row][column] = a[y * n + k + column];
            tile_b[row][column] = b[(k + row) * n + x];
            sycl::group_barrier(item.get_group());
            for (int j = 0; j < 16; ++j) sum += tile_a[row][j] * tile_b[j][column];
            sycl::group_barrier(item.get_group());
          }
          c[y * n + x] = sum;
        });
      });
    };
    compare("matmul", of_sycl(ours), of_opencl([=, this, kernel = kernel_of("matmul")] {
              kernel.set(a, b, c, n).launch(m_bare, {static_cast<std::size_t>(n), static_cast<std::size_t>(n)}, tile);
            }),
            c, right);
  }

  void nbody() {
    const std::size_t n = size(4096);
    const int count = static_cast<int>(n);
    auto *bodies = numbers<sycl::float4>(n), *forces = numbers<sycl::float4>(n);
    std::vector<float> right(4 * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        float d[3], square = 0.01f;
        for (int k = 0; k < 3; ++k) d[k] = bodies[j][k] - bodies[i][k], square += d[k] * d[k];
        const float inverse = 1 / std::sqrt(square);
        for (int k = 0; k < 3; ++k) right[4 * i + k] += d[k] * bodies[j][3] * inverse * inverse * inverse;
      }
    }
    const auto ours = [=, this] {
      m_queue.parallel_for(sycl::range(n), [=](sycl::id<1> i) {
        const sycl::float4 own = bodies[i];
        float x = 0, y = 0, z = 0;
        for (int j = 0; j < count; ++j) {
          const sycl::float4 other = bodies[j];
          const float dx = other.x() - own.x(), dy = other.y() - own.y(), dz = other.z() - own.z();
          const float inverse = sycl::rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
          const float pull = other.w() * inverse * inverse * inverse;
          x += dx * pull;
          y += dy * pull;
          z += dz * pull;
        }
        forces[i] = {x, y, z, 0};
      });
    };
    const auto theirs = [=, this, kernel = kernel_of("nbody")] {
      kernel.set(bodies, forces, count).launch(m_bare, {n});
    };
    compare("n-body", of_sycl(ours), of_opencl(theirs), reinterpret_cast<float*>(forces), right);
  }

  void black_scholes() {
    const std::size_t n = size(std::size_t{1} << 20);
    float *prices = numbers<float>(n), *strikes = numbers<float>(n), *years = numbers<float>(n);
    // The results of both sides are contiguous, so that one check reads them.
    float *calls = numbers<float>(2 * n), *puts = calls + n;
    std::reverse(strikes, strikes + n);
    std::vector<float> right(2 * n);
    constexpr float rate = 0.02f, volatility = 0.3f;
    const auto price_one = [=](std::size_t i, float& call, float& put) {
      const float price = prices[i], strike = strikes[i], time = years[i], root = sycl::sqrt(time);
      const float d1 =
          (sycl::log(price / strike) + (rate + 0.5f * volatility * volatility) * time) / (volatility * root);
      const float d2 = d1 - volatility * root, discounted = strike * sycl::exp(-rate * time);
      call = price * below(d1) - discounted * below(d2);
      put = discounted * below(-d2) - price * below(-d1);
    };
    for (std::size_t i = 0; i < n; ++i) price_one(i, right[i], right[n + i]);
    compare("Black-Scholes", of_sycl([=, this] {
              m_queue.parallel_for(sycl::range(n), [=](sycl::id<1> i) { price_one(i, calls[i], puts[i]); });
            }),
            of_opencl([=, this, kernel = kernel_of("black_scholes")] {
              kernel.set(prices, strikes, years, calls, puts).launch(m_bare, {n});
            }),
            calls, right);
  }

  void sums() {
    const int n = static_cast<int>(size(std::size_t{1} << 24) / sum_groups * sum_groups);
    float *in = numbers<float>(static_cast<std::size_t>(n)), *out = numbers<float>(sum_groups);
    constexpr std::size_t items = sum_groups * sum_group[0];
    std::vector<float> right(sum_groups);
    for (int i = 0; i < n; ++i) right[static_cast<std::size_t>(i / (n / sum_groups))] += in[i];
    const auto ours = [=, this] {
      m_queue.submit([&](sycl::handler& handler) {
        sycl::local_accessor<float> own(sum_group[0], handler);
        handler.parallel_for(sycl::nd_range<1>(items, sum_group[0]), [=](sycl::nd_item<1> item) {
          const int id = static_cast<int>(item.get_local_id(0));
          float sum = 0;
          const int each = n / static_cast<int>(item.get_group_range(0));
          const int first = each * static_cast<int>(item.get_group(0));
          for (int i = first + id; i < first + each; i += 256) sum += in[i];
          own[id] = sum;
          sycl::group_barrier(item.get_group());
          for (int step = 128; step > 0; step /= 2) {
            if (id < step) own[id] += own[id + step];
            sycl::group_barrier(item.get_group());
          }
          if (id == 0) out[item.get_group(0)] = own[0];
        });
      });
    };
    compare("sums of groups", of_sycl(ours), of_opencl([=, this, kernel = kernel_of("sums")] {
              kernel.set(in, out, n).launch(m_bare, {items}, sum_group);
            }),
            out, right);
  }

  /// Compares sycl::reduction with two launches of the kernel above.
  void reduction() {
    const std::size_t n = size(std::size_t{1} << 24) / sum_groups * sum_groups;
    const int count = static_cast<int>(n);
    float *in = numbers<float>(n), *out = numbers<float>(1), *partial = numbers<float>(sum_groups);
    const std::vector<float> right{static_cast<float>(std::accumulate(in, in + n, 0.0))};
    compare("sycl::reduction", of_sycl([=, this] {
              m_queue.parallel_for(sycl::range(n),
                                   sycl::reduction(out, sycl::plus<float>(),
                                                   sycl::property::reduction::initialize_to_identity()),
                                   [=](sycl::id<1> i, auto& sum) { sum += in[i]; });
            }),
            of_opencl([=, this, kernel = kernel_of("sums")] {
              kernel.set(in, partial, count).launch(m_bare, {sum_groups * sum_group[0]}, sum_group);
              kernel.set(partial, out, sum_groups).launch(m_bare, {sum_group[0]}, sum_group);
            }),
            out, right);
  }

  void launches() {
    int* out = sycl::malloc_shared<int>(1, m_queue);
    const bare::kernel kernel = kernel_of("number");
    int value = 0;
    const auto ours = of_sycl([&] { m_queue.single_task([=] { out[0] = value; }); });
    const auto theirs = of_opencl([&] { kernel.set(out, value).launch(m_bare, {1}); });
    const auto with_event = of_opencl([&] {
      cl_event event = nullptr;
      kernel.set(out, value).launch(m_bare, {1}, nullptr, &event);
      clFlush(m_bare);
      clReleaseEvent(event);
    });
    for (const side* each : {&ours, &theirs, &with_event}) {
      value += 7;
      milliseconds(*each, 3);
      if (out[0] != value) std::fprintf(stderr, "launch, %s: wrong\n", each->name), std::exit(1);
    }
    if (m_pairs == 0) return void(std::printf("launches: right\n"));
    constexpr double microseconds = 1000;
    measure("launch", ours, theirs, 2000, microseconds);
    measure("launch / with event and flush", ours, with_event, 2000, microseconds);
    const auto waits = [](const side& each) {
      return side{each.name, [&each] { each.run(), each.wait(); }, [] {}};
    };
    measure("launch and wait", waits(ours), waits(theirs), 1000, microseconds);
  }

  const int m_pairs;
  const std::size_t m_divide;
  sycl::queue m_queue{sycl::property::queue::in_order{}};
  cl_device_id m_device;
  cl_platform_id m_platform;
  cl_context m_context;
  cl_program m_program;
  cl_command_queue m_bare = nullptr;
};

}  // namespace

int main(int word_count, char** words) {
  if (sycl::device().get_backend() != sycl::backend::opencl) return std::puts("no OpenCL device"), 0;
  const int pairs = word_count > 1 ? std::atoi(words[1]) : 30;
  const auto divide = word_count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
  comparison(pairs, std::max<std::size_t>(divide, 1)).run_all();
}
