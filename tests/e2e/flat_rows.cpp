/// Kernels of one dimension divide their id by a captured number. If this number is the width of rows, the JIT
/// compiles the kernel for rows. The results are compared with those of the same code in a plain loop.
#include "check.hpp"

namespace {

constexpr int outside = -77;

/// Runs kernel(k, in, out) for each k below `count` on the device, and in a plain loop. `submit(queue, count, body)`
/// launches the kernel.
template <class Submit, class Kernel>
void compare(std::size_t count, Submit submit, Kernel kernel) {
  sycl::queue queue = e2e::make_queue();
  std::mt19937 random(static_cast<unsigned>(count));
  int* in = sycl::malloc_shared<int>(count + 1, queue);
  int* out = sycl::malloc_shared<int>(count + 1, queue);
  for (std::size_t k = 0; k < count; ++k) in[k] = static_cast<int>(random() % 1000);
  std::vector<int> expected(count, outside);
  for (std::size_t k = 0; k < count; ++k) kernel(k, in, expected.data());
  std::fill(out, out + count + 1, outside);
  submit(queue, count, [=](std::size_t k) { kernel(k, in, out); });
  queue.wait();
  const std::vector<int> result(out, out + count);
  CHECK_ALL_EQUAL(result, expected);
  CHECK_EQUAL(out[count], outside);
  sycl::free(in, queue);
  sycl::free(out, queue);
}

const auto by_range = [](sycl::queue& queue, std::size_t count, auto body) {
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> k) { body(k[0]); });
};

const auto by_groups = [](sycl::queue& queue, std::size_t count, auto body) {
  const std::size_t size = 32;
  queue.parallel_for(sycl::nd_range<1>((count + size - 1) / size * size, size), [=](sycl::nd_item<1> item) {
    const std::size_t k = item.get_global_id(0);
    if (k < count) body(k);
  });
};

const auto by_group_and_local_id = [](sycl::queue& queue, std::size_t count, auto body) {
  const std::size_t size = 48;
  queue.parallel_for(sycl::nd_range<1>((count + size - 1) / size * size, size), [=](sycl::nd_item<1> item) {
    const int k = static_cast<int>(item.get_group(0)) * static_cast<int>(item.get_local_range(0)) +
                  static_cast<int>(item.get_local_id(0));
    if (k < static_cast<int>(count)) body(static_cast<std::size_t>(k));
  });
};

const std::vector<std::size_t> counts = {0, 1, 15, 16, 17, 100, 1000, 3 * 1024 + 5};
const std::vector<int> widths = {1, 2, 15, 16, 17, 31, 33, 64, 100, 1000, 100000};

}  // namespace

TEST("rows of int widths, below and above the shortest, negative and none") {
  for (std::size_t count : counts) {
    for (int width : widths) {
      for (int x : {width, -width}) {
        compare(count, by_range, [=](std::size_t id, const int* in, int* out) {
          const int k = static_cast<int>(id);
          const int i = k % x, j = k / x;
          out[k] = 1000 * i + j + in[k];
        });
      }
    }
    compare(count, by_range, [=, x = 0](std::size_t id, const int* in, int* out) {
      const int k = static_cast<int>(id);
      out[k] = x != 0 ? in[k % x] : in[k] + k;
    });
  }
}

TEST("stencils on flat ids of all types") {
  for (int width : widths) {
    const int height = 3 + 2000 / width;
    const auto count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) + 7;
    const auto sweep = [=](auto k, auto x, auto y, const int* in, int* out) {
      const auto i = k % x, j = k / x;
      if (i > 0 && j > 0 && i < x - 1 && j < y - 1) {
        out[k] = in[k - 1] + 2 * in[k + 1] + 3 * in[k - x] + 5 * in[k + x] - in[j * x + i];
      }
    };
    compare(count, by_range,
            [=](std::size_t k, const int* in, int* out) { sweep(static_cast<int>(k), width, height, in, out); });
    compare(count, by_range,
            [=, x = static_cast<std::size_t>(width), y = static_cast<std::size_t>(height)](
                std::size_t k, const int* in, int* out) { sweep(k, x, y, in, out); });
    compare(count, by_range,
            [=, x = static_cast<unsigned>(width), y = static_cast<unsigned>(height)](
                std::size_t k, const int* in, int* out) { sweep(static_cast<unsigned>(k), x, y, in, out); });
    compare(count, by_range, [=, x = static_cast<short>(width)](std::size_t k, const int* in, int* out) {
      if (x > 0) sweep(static_cast<long>(k), static_cast<long>(x), static_cast<long>(height), in, out);
    });
    compare(count, by_range, [=](std::size_t k, const int* in, int* out) {
      // The kernel computes the width from a captured number. The kernel divides `k` once before the cast to int, and
      // once after the cast.
      const int i = static_cast<int>(k % (width + 2)), j = static_cast<int>(k) / (width + 2);
      out[k] = i - j + in[k];
    });
  }
}

TEST("groups that are pieces of rows") {
  for (int width : widths) {
    for (std::size_t count : counts) {
      const auto kernel = [=](std::size_t id, const int* in, int* out) {
        const int k = static_cast<int>(id), i = k % width, j = k / width;
        out[k] = i > 0 ? in[k - 1] + j : 5 * j;
      };
      compare(count, by_groups, kernel);
      compare(count, by_group_and_local_id, kernel);
    }
  }
  // The JIT makes groups from parts of rows. Nevertheless, work-items must see the local ids of the launch.
  compare(
      999,
      [](sycl::queue& queue, std::size_t count, auto body) {
        queue.parallel_for(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> item) {
          const std::size_t k = item.get_global_id(0);
          if (k < count && item.get_local_id(0) + 64 * item.get_group(0) == k) body(k);
        });
      },
      [=, x = 100](std::size_t k, const int* in, int* out) { out[k] = in[k] + static_cast<int>(k % x); });
}

TEST("three dimensions in one, by quotients, remainders and differences") {
  struct size {
    int x, y, z;
  };
  for (const auto [x, y, z] :
       {size{1, 1, 1}, {16, 3, 5}, {17, 4, 4}, {40, 1, 9}, {100, 7, 3}, {5, 5, 50}, {64, 64, 1}}) {
    const auto count = static_cast<std::size_t>(x * y * z);
    compare(count, by_range, [=](std::size_t id, const int* in, int* out) {
      const int k = static_cast<int>(id);
      const int a = k % x, b = (k / x) % y, c = k / (x * y);
      out[k] = (c * 100 + b) * 1000 + a + in[k];
    });
    compare(count, by_range, [=](std::size_t id, const int* in, int* out) {
      const int k = static_cast<int>(id), c = k / (y * x), left = k % (x * y);
      out[k] = (c * 100 + left / x) * 1000 + left % x - in[(c * y + left / x) * x + left % x];
    });
    compare(count, by_range, [=](std::size_t id, const int* in, int* out) {
      const int k = static_cast<int>(id), c = k / (x * y), left = k - c * x * y, b = left / x, a = left - b * x;
      out[k] = (c * 100 + b) * 1000 + a + (a > 0 ? in[k - 1] : 0);
    });
    compare(
        count, by_range,
        [=, X = static_cast<std::size_t>(x), Y = static_cast<std::size_t>(y)](std::size_t k, const int* in, int* out) {
          const std::size_t c = k / (X * Y), left = k - c * (X * Y), b = left / X, a = left % X;
          out[k] = static_cast<int>((c * 100 + b) * 1000 + a) + in[k];
        });
  }
}

TEST("planes that are not whole rows, and products that wrap around") {
  for (const auto [x, plane] : {std::pair{16, 50}, {16, 48}, {17, 16}, {20, 7}, {100, 1000}}) {
    compare(2000, by_range, [=, x = x, plane = plane](std::size_t id, const int* in, int* out) {
      const int k = static_cast<int>(id), left = k % plane;
      out[k] = (k / plane * 1000 + left / x) * 100 + left % x + k % x + in[k];
    });
  }
  compare(2000, by_range, [=, x = 70000u, y = 70000u](std::size_t id, const int* in, int* out) {
    const auto k = static_cast<unsigned>(id);
    out[k] = static_cast<int>(k / (x * y) + k % x + k % (x * y)) + in[k];
  });
  compare(2000, by_range, [=, x = std::size_t{1} << 33, y = std::size_t{17}](std::size_t k, const int* in, int* out) {
    out[k] = static_cast<int>(k % x + k / x + k % y) + in[k];
  });
  // In only some of these launches, one width is a multiple of the other width.
  for (int other : {32, 33, 64, 15, -64}) {
    compare(2000, by_range, [=, x = 32](std::size_t id, const int* in, int* out) {
      const int k = static_cast<int>(id);
      out[k] = k % x + 100 * (k / x) + 10000 * (k % other) + in[k];
    });
  }
}

TEST("offsets, accessors of two dimensions, loops and atomics in rows") {
  sycl::queue queue = e2e::make_queue();
  for (int x : {10, 16, 37, 300}) {
    const std::size_t first = 23, count = 1500;
    std::vector<int> result(first + count, outside);
    {
      sycl::buffer<int> buffer(result.data(), sycl::range<1>(result.size()));
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor out(buffer, handler);
        handler.parallel_for(sycl::range<1>(count), sycl::id<1>(first), [=](sycl::item<1> item) {
          const int k = static_cast<int>(item.get_id(0)), from_0 = static_cast<int>(item.get_linear_id());
          out[item.get_id(0)] = k % x + 1000 * (k / x) + 100000 * (from_0 % x);
        });
      });
    }
    for (std::size_t k = 0; k < result.size(); ++k) {
      const int id = static_cast<int>(k), from_0 = id - static_cast<int>(first);
      CHECK_EQUAL(result[k], k < first ? outside : id % x + 1000 * (id / x) + 100000 * (from_0 % x));
    }

    const std::size_t width = static_cast<std::size_t>(x), height = 40;
    std::vector<int> plane(width * height);
    int sum = 0;
    {
      sycl::buffer<int, 2> buffer(plane.data(), sycl::range<2>(height, width));
      sycl::buffer<int> total(&sum, sycl::range<1>(1));
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor out(buffer, handler);
        sycl::accessor all(total, handler);
        handler.parallel_for(sycl::range<1>(width * height), [=](sycl::id<1> k) {
          const std::size_t columns = out.get_range()[1];
          const std::size_t i = k[0] % columns, j = k[0] / columns;
          int value = 0;
          for (std::size_t n = 0; n <= j % 5; ++n) value += static_cast<int>(i * n);
          out[j][i] = value;
          sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(all[0]) += value;
        });
      });
    }
    int expected = 0;
    for (std::size_t j = 0; j < height; ++j) {
      for (std::size_t i = 0; i < width; ++i) {
        int value = 0;
        for (std::size_t n = 0; n <= j % 5; ++n) value += static_cast<int>(i * n);
        CHECK_EQUAL(plane[j * width + i], value);
        expected += value;
      }
    }
    CHECK_EQUAL(sum, expected);
  }
}
TEST("reductions over flat ranges visit rows") {
  sycl::queue queue = e2e::make_queue();
  for (int x : {1, 7, 15, 16, 17, 48, 100, 5000}) {
    for (int count : {0, 1, 15, 100, 1000, 20000}) {
      int* data = sycl::malloc_shared<int>(static_cast<std::size_t>(count) + 1, queue);
      int* out = sycl::malloc_shared<int>(static_cast<std::size_t>(count) + 1, queue);
      int* results = sycl::malloc_shared<int>(3, queue);
      std::mt19937 random(static_cast<unsigned>(count * 31 + x));
      for (int k = 0; k < count; ++k) data[k] = static_cast<int>(random() % 100);
      std::fill(out, out + count + 1, outside);
      const auto again = sycl::property::reduction::initialize_to_identity();
      queue.parallel_for(
          sycl::range<1>(static_cast<std::size_t>(count)), sycl::reduction(&results[0], sycl::plus<int>(), again),
          sycl::reduction(&results[1], sycl::maximum<int>(), again), [=](sycl::item<1> item, auto& sum, auto& most) {
            const int k = static_cast<int>(item.get_linear_id()), i = k % x, j = k / x;
            if (i >= 2 && i < x - 2 && j > 0) {
              out[k] = data[k - 1] + i;
              sum += out[k] + j;
            }
            most.combine(data[k] * j - i);
          });
      // This operation's result depends on the order, so each work-item combines a contiguous part of the elements.
      const auto last = [](int a, int b) { return b == 0 ? a : b; };
      queue.parallel_for(sycl::range<1>(static_cast<std::size_t>(count)), sycl::reduction(&results[2], 0, last, again),
                         [=](sycl::id<1> id, auto& any) {
                           const std::size_t width = static_cast<std::size_t>(x);
                           any.combine(static_cast<int>(id[0] % width + 1000 * (id[0] / width)));
                         });
      queue.wait();
      int sum = 0, most = std::numeric_limits<int>::lowest(), any = 0;
      for (int k = 0; k < count; ++k) {
        const int i = k % x, j = k / x;
        const bool inside = i >= 2 && i < x - 2 && j > 0;
        CHECK_EQUAL(out[k], inside ? data[k - 1] + i : outside);
        if (inside) sum += out[k] + j;
        most = std::max(most, data[k] * j - i);
        any = last(any, i + 1000 * j);
      }
      CHECK_EQUAL(results[0], sum);
      CHECK_EQUAL(results[1], most);
      CHECK_EQUAL(results[2], any);
      sycl::free(data, queue);
      sycl::free(out, queue);
      sycl::free(results, queue);
    }
  }
}

/// The kernels of this test read neighbours, and compute their indices as int. LLVM turns the casts of these indices
/// into shifts.
TEST("reductions visit neighbours by narrow indices") {
  sycl::queue queue = e2e::make_queue();
  for (int x : {1, 15, 16, 17, 61, 128}) {
    for (int y : {1, 3, 40}) {
      const int count = x * y;
      const auto room = static_cast<std::size_t>(count) + 1;
      int* data = sycl::malloc_shared<int>(room, queue);
      int* out = sycl::malloc_shared<int>(room, queue);
      long* results = sycl::malloc_shared<long>(3, queue);
      for (int k = 0; k < count; ++k) data[k] = (k * 37 + 11) % 101;
      std::fill(out, out + room, outside);
      const auto again = sycl::property::reduction::initialize_to_identity();
      const sycl::range<1> size(static_cast<std::size_t>(count));
      queue.parallel_for(size, sycl::reduction(&results[0], sycl::plus<long>(), again), [=](sycl::id<1> id, auto& sum) {
        const auto i = id[0] % x, j = id[0] / x;
        if (i >= 1 && i < x - 1 && j >= 1 && j < y - 1) {
          const int k = static_cast<int>(id[0]);
          out[id[0]] = data[k + 1] + 2 * data[k - 1] + 3 * data[k + x] + 4 * data[k - x];
          sum += out[k];
        }
      });
      // The JIT must not find rows in these accesses, because their indices are unsigned sums that wrap around.
      const auto width = static_cast<unsigned>(x);
      const unsigned shift = 5, half = 0x7fffffffU - width, rest = 2U + 2U * width;
      queue.parallel_for(size, sycl::reduction(&results[1], sycl::plus<long>(), again), [=](sycl::id<1> id, auto& sum) {
        const unsigned k = static_cast<unsigned>(id[0]) - shift;
        if (k < static_cast<unsigned>(count)) sum += data[k] - data[static_cast<int>(id[0]) - 1];
      });
      queue.parallel_for(size, sycl::reduction(&results[2], sycl::plus<long>(), again), [=](sycl::id<1> id, auto& sum) {
        sum += 3 * data[static_cast<unsigned>(id[0]) + half + half + rest];
      });
      queue.wait();
      long sum = 0, shifted = 0, all = 0;
      for (int k = 0; k < count; ++k) {
        const int i = k % x, j = k / x;
        const bool inside = i >= 1 && i < x - 1 && j >= 1 && j < y - 1;
        const int here = inside ? data[k + 1] + 2 * data[k - 1] + 3 * data[k + x] + 4 * data[k - x] : outside;
        CHECK_EQUAL(out[k], here);
        if (inside) sum += here;
        if (k >= 5) shifted += data[k - 5] - data[k - 1];
        all += 3 * data[k];
      }
      CHECK_EQUAL(results[0], sum);
      CHECK_EQUAL(results[1], shifted);
      CHECK_EQUAL(results[2], all);
      sycl::free(data, queue);
      sycl::free(out, queue);
      sycl::free(results, queue);
    }
  }
}

E2E_MAIN
