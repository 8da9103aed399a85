/// Kernels that begin with a guard on their ids, in all spellings. The JIT shortens rows so that only work-items
/// that pass the guard run. The results are compared with those of plain loops.
#include "check.hpp"

namespace {

constexpr int outside = -77;

/// Runs kernel(at, range, in, out) for all ids of a two-dimensional range, on the device and in a plain loop.
template <class Kernel>
void compare(std::size_t height, std::size_t width, Kernel kernel) {
  sycl::queue queue = e2e::make_queue();
  const std::size_t count = height * width;
  std::mt19937 random(static_cast<unsigned>(count));
  int* in = sycl::malloc_shared<int>(count + 1, queue);
  int* out = sycl::malloc_shared<int>(count + 1, queue);
  for (std::size_t k = 0; k < count; ++k) in[k] = static_cast<int>(random() % 1000);
  std::vector<int> expected(count, outside);
  for (std::size_t j = 0; j < height; ++j) {
    for (std::size_t i = 0; i < width; ++i) kernel(j, i, in, expected.data());
  }
  std::fill(out, out + count + 1, outside);
  queue.parallel_for(sycl::range<2>(height, width), [=](sycl::id<2> at) { kernel(at[0], at[1], in, out); }).wait();
  const std::vector<int> result(out, out + count);
  CHECK_ALL_EQUAL(result, expected);
  CHECK_EQUAL(out[count], outside);
  sycl::free(in, queue);
  sycl::free(out, queue);
}

const std::vector<std::pair<std::size_t, std::size_t>> sizes = {{0, 5}, {1, 1},   {2, 3},    {3, 17},  {5, 16},
                                                                {7, 64}, {4, 515}, {3, 1537}, {2, 4096}};

}  // namespace

TEST("borders by int, unsigned and size_t") {
  for (auto [height, width] : sizes) {
    const int x = static_cast<int>(width), y = static_cast<int>(height);
    compare(height, width, [=](std::size_t row, std::size_t column, const int* in, int* out) {
      const int i = static_cast<int>(column), j = static_cast<int>(row);
      if (i > 0 && j > 0 && i < x - 1 && j < y - 1) out[j * x + i] = in[j * x + i - 1] + in[j * x + i + 1];
    });
    compare(height, width, [=](std::size_t row, std::size_t column, const int* in, int* out) {
      const auto i = static_cast<unsigned>(column), j = static_cast<unsigned>(row), w = static_cast<unsigned>(x);
      if (i == 0 || j == 0 || i >= w - 1 || j > static_cast<unsigned>(y) - 2) return;
      out[j * w + i] = 3 * in[j * w + i + 1];
    });
    compare(height, width, [=](std::size_t j, std::size_t i, const int* in, int* out) {
      if (i >= 2 && i <= width - 3 && width > 3) out[j * width + i] = in[j * width + i - 2];
    });
  }
}

TEST("bounds below 0, above all ids, at the ends of their types, and the wrong way round") {
  const std::vector<int> bounds = {-2147483647 - 1, -2147483647, -5, -1, 0,          1,         3,
                                   16,              17,          40, 100, 2147483646, 2147483647};
  for (int low : bounds) {
    for (int high : bounds) {
      compare(2, 37, [=](std::size_t row, std::size_t column, const int* in, int* out) {
        const int i = static_cast<int>(column);
        if (i > low && i < high) out[row * 37 + column] = in[row * 37 + column];
      });
      compare(2, 37, [=](std::size_t row, std::size_t column, const int* in, int* out) {
        const int i = static_cast<int>(column);
        if (i >= low && i <= high) out[row * 37 + column] = in[row * 37 + column];
      });
      compare(2, 37, [=](std::size_t row, std::size_t column, const int* in, int* out) {
        const auto i = static_cast<std::ptrdiff_t>(column);
        if (low > i || i >= high) return;
        out[row * 37 + column] = in[row * 37 + column];
      });
      compare(2, 37, [=](std::size_t row, std::size_t i, const int* in, int* out) {
        const auto from = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(low)),
                   to = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(high));
        if (i > from && i <= to) out[row * 37 + i] = in[row * 37 + i];
      });
    }
  }
}

TEST("guards that ask for another id, for elements, and after work-items did something") {
  for (auto [height, width] : sizes) {
    const int x = static_cast<int>(width);
    // The work-items that pass the guard are a triangle.
    compare(height, width, [=](std::size_t row, std::size_t column, const int* in, int* out) {
      if (column <= row) out[row * width + column] = in[row * width + column];
    });
    compare(height, width, [=](std::size_t row, std::size_t column, const int* in, int* out) {
      const int i = static_cast<int>(column);
      if (i < x - 3 && in[row * width + column] % 3 != 0 && i > 1) out[row * width + column] = in[row * width];
    });
    compare(height, width, [=](std::size_t row, std::size_t column, const int* in, int* out) {
      out[row * width + column] = 5;
      if (column < 20) return;
      out[row * width + column] = in[row * width + column];
    });
    compare(height, width, [=](std::size_t row, std::size_t column, const int* in, int* out) {
      if (column < 20) {
        out[row * width + column] = in[row * width + column];
      } else {
        out[row * width + column] = -1;
      }
    });
    compare(height, width, [=](std::size_t row, std::size_t column, const int* in, int* out) {
      const int i = static_cast<int>(column);
      if (i != 0 && i != 5 && i - 1 < x - 2) {
        int sum = 0;
        for (int k = 0; k < in[row * width] % 7; ++k) sum += in[row * width + column] * k;
        out[row * width + column] = sum;
      }
    });
  }
}

TEST("one and three dimensions, offsets, and ranges past the caches") {
  sycl::queue queue = e2e::make_queue();
  const int count = 9'000'001;
  int* data = sycl::malloc_shared<int>(count, queue);
  queue.fill(data, outside, count).wait();
  const int from = 3, to = count - 5;
  queue
      .parallel_for(sycl::range<1>(count),
                    [=](sycl::id<1> id) {
                      const int i = static_cast<int>(id[0]);
                      if (i >= from && i < to) data[i] = i;
                    })
      .wait();
  std::vector<int> wrong;
  for (int i = 0; i < count; ++i) {
    if (data[i] != (i >= from && i < to ? i : outside)) wrong.push_back(i);
  }
  CHECK_EQUAL(wrong.size(), 0u);

  std::fill(data, data + 4096, outside);
  queue.submit([&](sycl::handler& handler) {
    handler.parallel_for(sycl::range<3>(3, 4, 50), [=](sycl::item<3> item) {
      if (item[2] > 1 && item[1] < 3 && item[0] != 1 && item[2] < 49)
        data[item.get_linear_id()] = static_cast<int>(item[2]);
    });
  });
  queue.wait();
  for (int k = 0; k < 600; ++k) {
    const int i = k % 50, j = k / 50 % 4, l = k / 200;
    CHECK_EQUAL(data[k], i > 1 && j < 3 && l != 1 && i < 49 ? i : outside);
  }

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  std::fill(data, data + 4096, outside);
  queue.submit([&](sycl::handler& handler) {
    handler.parallel_for(sycl::range<1>(1000), sycl::id<1>(100), [=](sycl::item<1> item) {
      const int place = static_cast<int>(item.get_linear_id()), i = static_cast<int>(item.get_id(0));
      if (place > 7 && i < 1090) data[i] = place;
    });
  });
  queue.wait();
#pragma clang diagnostic pop
  for (int i = 0; i < 1200; ++i) CHECK_EQUAL(data[i], i > 107 && i < 1090 ? i - 100 : outside);
  sycl::free(data, queue);
}

E2E_MAIN
