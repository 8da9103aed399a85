/// Measures kernels whose constants become known only when the program runs. These kernels are compared with kernels
/// whose constants are in the source, and with kernels that get the values as ordinary arguments. The kernels are a
/// tiled matrix product and a convolution. Three other kernels run on a queue that finds constants itself.
///
/// usage: specialization [PAIRS]; with 0 pairs, the program only verifies the results. Prints one line of JSON for each
/// case and pair, with the milliseconds of each side.

#include <sycl/sycl.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t product_size = 512, tile_size = 16;
constexpr std::size_t line_size = 1 << 20;
constexpr std::size_t image_size = 512, filter_width = 9;
using filter_type = std::array<int, filter_width * filter_width>;

constexpr sycl::specialization_id<std::size_t> tile(4);
constexpr sycl::specialization_id<filter_type> filter{};

struct side {
  std::string name;
  std::function<void()> run;
};

double milliseconds(int runs, const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / runs;
}

/// Takes interleaved samples of all sides, whose results in `out` have to be equal.
void compare(const char* name, int pairs, const std::vector<side>& sides, float* out, std::size_t count) {
  std::vector<float> expected;
  double shortest = 1e9;
  for (const side& each : sides) {
    std::fill_n(out, count, NAN);
    for (int i = 0; i < 40; ++i) each.run();
    // This thread waits, because code for repeated numbers is compiled in the background.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    each.run();
    if (expected.empty()) expected.assign(out, out + count);
    for (std::size_t i = 0; i < count; ++i) {
      if (std::abs(out[i] - expected[i]) <= 1e-3f * (1 + std::abs(expected[i]))) continue;
      std::fprintf(stderr, "%s: '%s' computes a wrong result: %g instead of %g\n", name, each.name.c_str(),
                   static_cast<double>(out[i]), static_cast<double>(expected[i]));
      std::exit(1);
    }
    shortest = std::min(shortest, milliseconds(3, each.run));
  }
  const int runs = static_cast<int>(std::max(1.0, std::min(1000.0, 10.0 / shortest)));
  for (int pair = 0; pair < pairs; ++pair) {
    std::vector<double> times(sides.size());
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const std::size_t k = (i + static_cast<std::size_t>(pair)) % sides.size();
      times[k] = milliseconds(runs, sides[k].run);
    }
    std::printf("{\"name\": \"%s\"", name);
    for (std::size_t k = 0; k < sides.size(); ++k) std::printf(", \"%s\": %.6f", sides[k].name.c_str(), times[k]);
    std::printf("}\n");
    std::fflush(stdout);
  }
}

/// The kernel that computes a matrix product in tiles. `Tile` returns the size of a tile. This size is known when the
/// source is compiled, or only at the launch.
template <class Tile>
struct multiply {
  const float *a, *b;
  float* c;
  sycl::local_accessor<float, 1> tile_a, tile_b;
  Tile tile;

  void operator()(sycl::nd_item<2> item, sycl::kernel_handler values) const {
    const std::size_t size = tile.get(values);
    const std::size_t row = item.get_global_id(0), column = item.get_global_id(1);
    const std::size_t i = item.get_local_id(0), j = item.get_local_id(1);
    float sum = 0;
    for (std::size_t start = 0; start < product_size; start += size) {
      tile_a[i * size + j] = a[row * product_size + start + j];
      tile_b[i * size + j] = b[(start + i) * product_size + column];
      sycl::group_barrier(item.get_group());
      for (std::size_t k = 0; k < size; ++k) sum += tile_a[i * size + k] * tile_b[k * size + j];
      sycl::group_barrier(item.get_group());
    }
    c[row * product_size + column] = sum;
  }
};
template <std::size_t Size>
struct template_tile {
  std::size_t get(sycl::kernel_handler) const { return Size; }
};
struct constant_tile {
  std::size_t get(sycl::kernel_handler values) const { return values.get_specialization_constant<tile>(); }
};
struct argument_tile {
  std::size_t size;
  std::size_t get(sycl::kernel_handler) const { return size; }
};

template <class Tile>
void run_product(sycl::queue& queue, const float* a, const float* b, float* c, Tile its_tile) {
  queue
      .submit([&](sycl::handler& handler) {
        if constexpr (std::is_same_v<Tile, constant_tile>) handler.set_specialization_constant<tile>(tile_size);
        sycl::local_accessor<float, 1> tile_a(tile_size * tile_size, handler), tile_b(tile_size * tile_size, handler);
        handler.parallel_for(sycl::nd_range<2>({product_size, product_size}, {tile_size, tile_size}),
                             multiply<Tile>{a, b, c, tile_a, tile_b, its_tile});
      })
      .wait();
}

/// Filters a pixel of an image whose rows have additional elements for the filter at their ends. The numbers are
/// integers, so the compiler may leave out products with zero.
int filtered(const int* image, sycl::id<2> at, const filter_type& weights) {
  int sum = 0;
  for (std::size_t y = 0; y < filter_width; ++y) {
    for (std::size_t x = 0; x < filter_width; ++x) {
      sum += weights[y * filter_width + x] * image[(at[0] + y) * image_size + at[1] + x];
    }
  }
  return sum;
}

}  // namespace

int main(int word_count, char** words) {
  const int pairs = word_count > 1 ? std::atoi(words[1]) : 30;
  sycl::queue queue{sycl::property::queue::in_order{}};
  sycl::queue adaptive{queue.get_context(),
                       queue.get_device(),
                       {sycl::property::queue::in_order{}, sycl::ext::sinter::property::queue::adaptive{}}};
  const std::size_t count = line_size;  // large enough for all kernels
  auto* a = sycl::malloc_shared<float>(count, queue);
  auto* b = sycl::malloc_shared<float>(count, queue);
  auto* c = sycl::malloc_shared<float>(count, queue);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = static_cast<float>(i * 7 % 101) / 101;
    b[i] = static_cast<float>(i * 11 % 103) / 103;
  }

  compare("tiled product", pairs,
          {{"constant", [&] { run_product(queue, a, b, c, constant_tile{}); }},
           {"template", [&] { run_product(queue, a, b, c, template_tile<tile_size>{}); }},
           {"argument", [&] { run_product(queue, a, b, c, argument_tile{tile_size}); }},
           {"adaptive", [&] { run_product(adaptive, a, b, c, argument_tile{tile_size}); }}},
          c, product_size * product_size);

  // The filter of the second step of an a-trous wavelet transform: a 5 x 5 spline with zeros between its weights, which
  // are multiplied by 256.
  constexpr int spline[] = {1, 4, 6, 4, 1};
  filter_type weights{};
  for (std::size_t y = 0; y < 5; ++y) {
    for (std::size_t x = 0; x < 5; ++x) weights[2 * y * filter_width + 2 * x] = spline[y] * spline[x];
  }
  auto* image = sycl::malloc_shared<int>(image_size * (image_size + filter_width), queue);
  for (std::size_t i = 0; i < image_size * (image_size + filter_width); ++i) image[i] = static_cast<int>(i * 7 % 251);
  const auto convolve = [&](sycl::queue& on) {
    on.parallel_for(sycl::range<2>(image_size, image_size), [=](sycl::id<2> at) {
        c[at[0] * image_size + at[1]] = static_cast<float>(filtered(image, at, weights));
      }).wait();
  };
  compare("convolution", pairs,
          {{"constant",
            [&] {
              queue
                  .submit([&](sycl::handler& handler) {
                    handler.set_specialization_constant<filter>(weights);
                    handler.parallel_for(
                        sycl::range<2>(image_size, image_size), [=](sycl::id<2> at, sycl::kernel_handler values) {
                          c[at[0] * image_size + at[1]] =
                              static_cast<float>(filtered(image, at, values.get_specialization_constant<filter>()));
                        });
                  })
                  .wait();
            }},
           {"run time", [&] { convolve(queue); }},
           {"adaptive", [&] { convolve(adaptive); }}},
          c, image_size * image_size);

  const auto power = [&](sycl::queue& on, int exponent) {
    on.parallel_for(sycl::range<1>(line_size), [=](sycl::id<1> i) {
        float product = 1;
        for (int k = 0; k < exponent; ++k) product *= a[i] + 0.5f;
        c[i] = product;
      }).wait();
  };
  compare("power", pairs, {{"run time", [&] { power(queue, 12); }}, {"adaptive", [&] { power(adaptive, 12); }}}, c,
          line_size);

  const auto gather = [&](sycl::queue& on, std::size_t stride, std::size_t columns) {
    on.parallel_for(sycl::range<1>(line_size / 4), [=](sycl::id<1> i) {
        c[i] = a[i * stride % line_size] + b[i % columns] + a[i / columns];
      }).wait();
  };
  compare("strides", pairs,
          {{"run time", [&] { gather(queue, 3, 96); }}, {"adaptive", [&] { gather(adaptive, 3, 96); }}}, c,
          line_size / 4);
}
