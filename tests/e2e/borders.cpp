/// Kernels that handle the borders of a picture separately. A condition that is true for most vectors of work-items is
/// false at a border.
#include "check.hpp"

namespace {

std::vector<float> random_image(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> image(count);
  for (float& each : image) each = static_cast<float>(static_cast<int>(random() % 64) - 20);
  return image;
}

struct picture {
  int height, width;
  std::size_t size() const { return static_cast<std::size_t>(height) * static_cast<std::size_t>(width); }
};

/// Pictures whose widths are near the lengths of vectors, and pictures so small that every row touches a border.
const std::vector<picture>& pictures() {
  static const std::vector<picture> list = {{0, 5}, {5, 0}, {1, 1},  {1, 40}, {40, 1}, {2, 7},  {3, 8},
                                            {4, 9}, {5, 15}, {6, 16}, {7, 17}, {3, 33}, {9, 67}, {20, 131}};
  return list;
}

/// Runs `kernel(in, out, height, width, y, x)` on the device and, as plain loops, on the host, and compares results.
template <class Kernel>
void compare(Kernel kernel) {
  sycl::queue queue = e2e::make_queue();
  for (const auto [height, width] : pictures()) {
    const std::size_t count = picture{height, width}.size();
    const std::vector<float> image = random_image(count, static_cast<unsigned>(height * 1000 + width));
    std::vector<float> expected(count, -1.0f), result(count, -1.0f);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) kernel(image.data(), expected.data(), height, width, y, x);
    }
    float* in = sycl::malloc_shared<float>(count + 1, queue);
    float* out = sycl::malloc_shared<float>(count + 1, queue);
    std::copy(image.begin(), image.end(), in);
    std::fill(out, out + count, -1.0f);
    const sycl::range<2> size(static_cast<std::size_t>(height), static_cast<std::size_t>(width));
    queue.parallel_for(size, [=, height = height, width = width](sycl::id<2> at) {
      kernel(in, out, height, width, static_cast<int>(at[0]), static_cast<int>(at[1]));
    }).wait();
    std::copy(out, out + count, result.begin());
    CHECK_ALL_EQUAL(result, expected);
    sycl::free(in, queue);
    sycl::free(out, queue);
  }
}

} // namespace

TEST("neighbours that exist") {
  compare([](const float* in, float* out, int height, int width, int y, int x) {
    float sum = 0;
    int count = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -2; dx <= 2; ++dx) {
        const int row = y + dy, column = x + dx;
        if (row < 0 || row >= height || column < 0 || column >= width) continue;
        sum += in[row * width + column] * static_cast<float>(dx + 3);
        ++count;
      }
    }
    out[y * width + x] = sum * 16 + static_cast<float>(count);
  });
}

TEST("clamped neighbours") {
  compare([](const float* in, float* out, int height, int width, int y, int x) {
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -3; dx <= 3; dx += 3) {
        const int row = sycl::clamp(y + dy, 0, height - 1), column = sycl::clamp(x + dx, 0, width - 1);
        sum += in[row * width + column] * static_cast<float>(dx + 4 + dy);
      }
    }
    out[y * width + x] = sum;
  });
}

/// Sums a window of `radius` elements around each element. The loop counts from the window's end down to its start.
template <class Counter>
void check_counting_down() {
  for (const int radius : {0, 1, 2, 3, 5, 8, 13}) {
    compare([=](const float* in, float* out, int height, int width, int y, int x) {
      const Counter reach = static_cast<Counter>(radius), place = static_cast<Counter>(y * width + x);
      const Counter last = static_cast<Counter>(height * width - 1);
      unsigned near = 0, far = 0, fifths = 0;
      for (Counter d = reach; d >= -reach; --d) {
        near = near * 3u + static_cast<unsigned>(in[sycl::clamp<Counter>(place + d, 0, last)] + 20);
      }
      for (Counter d = 9; d > -(reach * place % 7); d -= 2) {
        far = far * 3u + static_cast<unsigned>(in[sycl::clamp<Counter>(place + d, 0, last)] + 20);
      }
      for (Counter d = -reach; d <= reach; d += 5) fifths = fifths * 3u + static_cast<unsigned>(d);
      out[place] = static_cast<float>((near ^ far ^ fifths) & 0xffffffu);
    });
  }
}

TEST("windows that are counted down") {
  check_counting_down<int>();
  check_counting_down<long>();
}

TEST("periodic neighbours, and mirrored rows") {
  compare([](const float* in, float* out, int height, int width, int y, int x) {
    const int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    const float* row = in + (height - 1 - y) * width;
    out[y * width + x] = row[left] * 2 + row[x] * 3 + row[right] * 5;
  });
}

TEST("borders of their own kind, from both ends") {
  compare([](const float* in, float* out, int height, int width, int y, int x) {
    const int at = y * width + x, from_end = width - 1 - x;
    float value = in[at];
    if (x == 9) value += 1000;
    if (from_end < 2) value = value * 2 + 1;
    if (from_end > 4 && y > 0) value -= in[at - width + 5];
    if (static_cast<unsigned>(x - 3) < static_cast<unsigned>(width - 6)) value += in[at - 3] + in[at + 3];
    if (height > 3 && y != height - 1 && x >= 17) value *= 3;
    out[at] = value;
  });
}

// A negative radius gives an empty window, and the largest radius gives windows that are wider than the picture.
constexpr int radii[] = {0, 1, 3, 8, 50, -1};

TEST("windows whose radius the program chooses, clamped") {
  for (const int radius : radii) {
    compare([radius](const float* in, float* out, int height, int width, int y, int x) {
      float sum = 0;
      for (int dx = -radius; dx <= radius; ++dx) sum += in[y * width + sycl::clamp(x + dx, 0, width - 1)];
      for (int dy = radius; dy > -radius; --dy) sum += 2 * in[sycl::clamp(y + dy, 0, height - 1) * width + x];
      out[y * width + x] = sum;
    });
    compare([radius](const float* in, float* out, int height, int width, int y, int x) {
      float sum = 0;
      for (long k = 0; k < 2 * radius + 1; k += 2)
        sum += in[y * long{width} + std::min(std::max(x + k - radius, 0l), width - 1l)];
      const auto last = static_cast<unsigned>(width - 1);
      for (unsigned k = 0; k <= static_cast<unsigned>(radius + 1); ++k)
        sum += 3 * in[y * width + static_cast<int>(std::min(static_cast<unsigned>(x) + k, last))];
      out[y * width + x] = sum + static_cast<float>(height);
    });
  }
}

TEST("windows that leave out what is not there") {
  for (const int radius : radii) {
    compare([radius](const float* in, float* out, int height, int width, int y, int x) {
      float sum = 0;
      for (int dy = -radius; dy <= radius; ++dy) {
        for (int dx = -radius; dx <= radius; ++dx) {
          const int row = y + dy, column = x + dx;
          if (row < 0 || row >= height || column < 0 || column >= width) continue;
          sum += in[row * width + column] * static_cast<float>(dx - dy + 1);
        }
      }
      out[y * width + x] = sum;
    });
    compare([radius](const float* in, float* out, int height, int width, int y, int x) {
      float sum = static_cast<float>(height);
      // A column before the row's start becomes a large unsigned number. The last loop stops at the end of the row.
      for (int dx = -radius; dx < radius; dx += 3) {
        const unsigned column = static_cast<unsigned>(x + dx);
        if (column < static_cast<unsigned>(width)) sum += in[y * width + static_cast<int>(column)];
        if (x + dx == 7) sum += 100;
      }
      for (int column = x; column < width && column <= x + radius; ++column) sum += 4 * in[y * width + column];
      out[y * width + x] = sum;
    });
  }
}

TEST("windows whose direction, ends and mirrors are chosen") {
  for (const int radius : radii) {
    for (const bool along : {false, true}) {
      compare([radius, along](const float* in, float* out, int height, int width, int y, int x) {
        float sum = 0;
        for (int d = -radius; d <= radius; ++d) {
          const int column = along ? sycl::clamp(x + d, 0, width - 1) : x;
          const int row = along ? y : sycl::clamp(y + d, 0, height - 1);
          sum += in[row * width + column];
          if (along) sum += in[y * width + (x + d < 0 ? 0 : x + d >= width ? width - 1 : x + d)];
        }
        out[y * width + x] = sum;
      });
      compare([radius, along](const float* in, float* out, int height, int width, int y, int x) {
        float sum = 0;
        for (int d = 0; d <= radius; ++d) {
          int column = along ? x + d : x - d;
          if (column < 0) column = std::min(-column, width - 1);
          if (column >= width) column = std::max(2 * width - 2 - column, 0);
          sum += in[y * width + column] + in[y * width + (x + d) % width] + static_cast<float>(height);
        }
        out[y * width + x] = sum;
      });
    }
  }
}

TEST("positions in 32 bits that overflow as the language allows") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::uint32_t count = 200;
  auto* out = sycl::malloc_shared<std::uint32_t>(count, queue);
  // With some shifts, `position` overflows within a vector.
  for (const std::uint32_t shift : {0u, 5u, 0x7fffffa0u, 0xffffffa3u, 0xffffffffu}) {
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
      const std::uint32_t position = static_cast<std::uint32_t>(i[0]) + shift;
      std::uint32_t value = position < 0x80000000u ? 1 : 2;
      if (position >= 7) value += 10;
      if (static_cast<std::int32_t>(position) > 3) value += 100;
      if (sycl::min(position, 90u) == 90u) value += 1000;
      if (position != 100) value += 10000;
      out[i] = value;
    }).wait();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t position = i + shift;
      std::uint32_t value = position < 0x80000000u ? 1 : 2;
      if (position >= 7) value += 10;
      if (static_cast<std::int32_t>(position) > 3) value += 100;
      if (std::min(position, 90u) == 90u) value += 1000;
      if (position != 100) value += 10000;
      CHECK_EQUAL(out[i], value);
    }
  }
  sycl::free(out, queue);
}

TEST("work-groups, offsets and math at borders") {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t groups : {1, 2, 5}) {
    for (const std::size_t local : {1, 4, 16, 33}) {
      const std::size_t count = groups * local;
      const int last = static_cast<int>(count) - 1;
      const std::vector<float> image = random_image(count, static_cast<unsigned>(count));
      float* in = sycl::malloc_shared<float>(count, queue);
      float* out = sycl::malloc_shared<float>(count, queue);
      std::copy(image.begin(), image.end(), in);
      queue.parallel_for(sycl::nd_range<1>(count, local), [=](sycl::nd_item<1> item) {
        const int i = static_cast<int>(item.get_global_id(0));
        float value = in[sycl::max(i - 1, 0)] + in[sycl::min(i + 1, last)];
        if (item.get_local_id(0) == 0) value += 100;
        if (i > 2) value += sycl::fabs(in[i - 3]);
        out[i] = sycl::exp2(sycl::floor(value / 64));
      }).wait();
      for (int i = 0; i <= last; ++i) {
        float value = image[static_cast<std::size_t>(std::max(i - 1, 0))] +
                      image[static_cast<std::size_t>(std::min(i + 1, last))];
        if (static_cast<std::size_t>(i) % local == 0) value += 100;
        if (i > 2) value += std::fabs(image[static_cast<std::size_t>(i - 3)]);
        CHECK(std::fabs(out[i] - std::exp2(std::floor(value / 64))) <= out[i] * 1e-6f);
      }
      sycl::free(in, queue);
      sycl::free(out, queue);
    }
  }
  // With an offset, ids do not begin at 0.
  int* data = sycl::malloc_shared<int>(300, queue);
  queue.submit([&](sycl::handler& handler) {
    handler.parallel_for(sycl::range<1>(250), sycl::id<1>(37), [=](sycl::id<1> i) {
      data[i] = i[0] < 50 ? 1 : i[0] >= 270 ? 2 : i[0] == 111 ? 3 : 4;
    });
  }).wait();
  for (int i = 37; i < 287; ++i) CHECK_EQUAL(data[i], i < 50 ? 1 : i >= 270 ? 2 : i == 111 ? 3 : 4);
  sycl::free(data, queue);
}

E2E_MAIN

TEST("borders of values that are kept across barriers") {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t local : {1u, 16u, 40u, 128u}) {
    const std::size_t block = 2 * local, groups = 3, count = groups * block;
    std::vector<int> numbers(count);
    std::mt19937 random(7);
    for (int& each : numbers) each = static_cast<int>(random() % 1000);
    // Each round sorts pairs of neighbours. Even rounds begin with the first element, odd rounds with the second one.
    // In odd rounds, the last work-item has no neighbour to its right.
    std::vector<int> expected = numbers;
    for (std::size_t start = 0; start < count; start += block) {
      for (std::size_t round = 0; round < 20; ++round) {
        for (std::size_t i = start + (round & 1); i + 1 < start + block; i += 2) {
          if (expected[i] > expected[i + 1]) std::swap(expected[i], expected[i + 1]);
        }
      }
    }
    int* data = sycl::malloc_shared<int>(count, queue);
    std::copy(numbers.begin(), numbers.end(), data);
    queue
        .submit([&](sycl::handler& handler) {
          sycl::local_accessor<int, 1> near(sycl::range<1>(block), handler);
          handler.parallel_for(sycl::nd_range<1>(groups * local, local), [=](sycl::nd_item<1> item) {
            const std::size_t l = item.get_local_id(0), start = item.get_group(0) * block;
            near[l] = data[start + l];
            near[l + local] = data[start + l + local];
            for (std::size_t round = 0; round < 20; ++round) {
              sycl::group_barrier(item.get_group());
              const std::size_t i = 2 * l + (round & 1);
              if (i + 1 >= block) continue;
              const int a = near[i], b = near[i + 1];
              if (a > b) {
                near[i] = b;
                near[i + 1] = a;
              }
            }
            sycl::group_barrier(item.get_group());
            data[start + l] = near[l];
            data[start + l + local] = near[l + local];
          });
        })
        .wait();
    const std::vector<int> result(data, data + count);
    CHECK_ALL_EQUAL(result, expected);
    sycl::free(data, queue);
  }
}
