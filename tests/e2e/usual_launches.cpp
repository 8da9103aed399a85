/// Indices of 32 bits that wrap around or do not, and linear ids that kernels divide by the range's width or by
/// other numbers. The JIT makes fast code for usual launches, and the results have to be right in all other
/// launches, too. The results are compared with those of plain loops.
#include <array>

#include "check.hpp"

namespace {

using indices = std::array<std::size_t, 3>;
constexpr int outside = -77;

/// The ids of a work-item, as kernels of all shapes see them.
struct place {
  indices global, local, group, linear_of;  ///< linear ids of the global and of the local range
};

/// Runs kernel(place, in, out) for all work-items of a range with an offset, on the device by `submit(queue,
/// body)`, and in plain loops. `in` and `out` point to the middle of `size` elements.
template <class Kernel>
class comparison {
public:
  comparison(std::size_t size, Kernel kernel) : m_size(size), m_kernel(kernel), m_queue(e2e::make_queue()) {
    std::mt19937 random(static_cast<unsigned>(size));
    m_in = sycl::malloc_shared<int>(size, m_queue);
    m_out = sycl::malloc_shared<int>(size, m_queue);
    for (std::size_t k = 0; k < size; ++k) m_in[k] = static_cast<int>(random() % 1000);
  }
  ~comparison() {
    sycl::free(m_in, m_queue);
    sycl::free(m_out, m_queue);
  }
  comparison(const comparison&) = delete;
  comparison& operator=(const comparison&) = delete;

  void ranges(const sycl::range<2>& range, const sycl::id<2>& offset = {0, 0}) {
    expect({1, range[0], range[1]}, {0, offset[0], offset[1]}, {1, 1, 1}, false);
    const int* in = m_in + m_size / 2;
    int* out = m_out + m_size / 2;
    m_queue.submit([&](sycl::handler& handler) {
      const auto body = [=, kernel = m_kernel](sycl::item<2> item) {
        kernel(place{{0, item.get_id(0), item.get_id(1)}, {}, {}, {item.get_linear_id(), 0, 0}}, in, out);
      };
      handler.parallel_for(range, offset, body);
    });
    check();
  }

  void spaces(const sycl::range<3>& range) {
    expect({range[0], range[1], range[2]}, {0, 0, 0}, {1, 1, 1}, false);
    const int* in = m_in + m_size / 2;
    int* out = m_out + m_size / 2;
    m_queue.parallel_for(range, [=, kernel = m_kernel](sycl::item<3> item) {
      kernel(place{{item[0], item[1], item[2]}, {}, {}, {item.get_linear_id(), 0, 0}}, in, out);
    });
    check();
  }

  void groups(const sycl::range<2>& range, const sycl::range<2>& local) {
    expect({1, range[0], range[1]}, {0, 0, 0}, {1, local[0], local[1]}, true);
    const int* in = m_in + m_size / 2;
    int* out = m_out + m_size / 2;
    m_queue.parallel_for(sycl::nd_range<2>(range, local), [=, kernel = m_kernel](sycl::nd_item<2> item) {
      kernel(place{{0, item.get_global_id(0), item.get_global_id(1)},
                   {0, item.get_local_id(0), item.get_local_id(1)},
                   {0, item.get_group(0), item.get_group(1)},
                   {item.get_global_linear_id(), item.get_local_linear_id(), 0}},
             in, out);
    });
    check();
  }

private:
  void expect(const indices& range, const indices& offset, const indices& local, bool grouped) {
    m_expected.assign(m_size, outside);
    std::fill_n(m_out, m_size, outside);
    for (std::size_t x = 0; x < range[0]; ++x) {
      for (std::size_t y = 0; y < range[1]; ++y) {
        for (std::size_t z = 0; z < range[2]; ++z) {
          place at{{x + offset[0], y + offset[1], z + offset[2]}, {}, {}, {(x * range[1] + y) * range[2] + z, 0, 0}};
          if (grouped) {
            at.local = {0, y % local[1], z % local[2]};
            at.group = {0, y / local[1], z / local[2]};
            at.linear_of[1] = at.local[1] * local[2] + at.local[2];
          }
          m_kernel(at, m_in + m_size / 2, m_expected.data() + m_size / 2);
        }
      }
    }
  }

  void check() {
    m_queue.wait();
    const std::vector<int> result(m_out, m_out + m_size);
    CHECK_ALL_EQUAL(result, m_expected);
  }

  std::size_t m_size;
  Kernel m_kernel;
  sycl::queue m_queue;
  int *m_in = nullptr, *m_out = nullptr;
  std::vector<int> m_expected;
};

const std::vector<sycl::range<2>> ranges = {{1, 1}, {3, 17}, {16, 16}, {31, 33}, {2, 1000}, {0, 5}};

}  // namespace

TEST("unsigned indices, behind borders and in loops") {
  for (const sycl::range<2>& range : ranges) {
    const auto width = static_cast<unsigned>(range[1]), height = static_cast<unsigned>(range[0]);
    comparison stencil(2 * range.size() + 2, [=](const place& at, const int* in, int* out) {
      const auto i = static_cast<unsigned>(at.global[1]), j = static_cast<unsigned>(at.global[2]);
      if (i > 0 && j > 0 && i < height - 1 && j < width - 1) {
        out[i * width + j] = in[(i - 1) * width + j] + 2 * in[(i + 1) * width + j] + 3 * in[i * width + j - 1] +
                             5 * in[i * width + (j + 1)];
      }
    });
    stencil.ranges(range);
    comparison sums(2 * range.size() + 2, [=](const place& at, const int* in, int* out) {
      const auto i = static_cast<unsigned>(at.global[1]), j = static_cast<unsigned>(at.global[2]);
      int sum = 0;
      for (unsigned k = 0; k < height; ++k) sum += in[k * width + j];
      for (unsigned k = height; k-- > 0;) sum -= 3 * in[k * width + j];
      for (unsigned k = 1; k < width; k += 3) sum += 7 * in[i * width + k];
      out[(height - 1 - i) * width + j] = sum;
    });
    sums.ranges(range);
    if (range.size() > 0) sums.groups(range, {1, range[1]});
  }
}

TEST("unsigned indices that wrap on the way and come back") {
  for (const sycl::range<2>& range : ranges) {
    const auto width = static_cast<unsigned>(range[1]);
    for (const unsigned detour : {0U, 1U, 0x7fffffffU, 0x80000000U, 0xffffffffU, 0u - width}) {
      comparison there_and_back(2 * range.size() + 2, [=](const place& at, const int* in, int* out) {
        const auto i = static_cast<unsigned>(at.global[1]), j = static_cast<unsigned>(at.global[2]);
        const unsigned far = i * width + detour + j;
        out[far - detour] = in[far - detour] + static_cast<int>(far % 1000);
      });
      there_and_back.ranges(range);
      // The product is an even multiple of 2^31, which is 0 in 32 bits, so the index does not change.
      comparison around(2 * range.size() + 2, [=](const place& at, const int* in, int* out) {
        const auto i = static_cast<unsigned>(at.global[1]), j = static_cast<unsigned>(at.global[2]);
        const unsigned turns = 2 * i * detour;
        out[i * width + j] = in[(turns - i * (2 * detour) + i) * width + j];
      });
      around.ranges(range);
    }
  }
}

TEST("unsigned indices from 2^31 on") {
  const std::size_t width = 500;
  for (const unsigned begin : {0U, 0x7ffffff0U, 0x7fffff00U, 0x80000000U, 0xfffff000U}) {
    comparison behind(4 * width, [=](const place& at, const int* in, int* out) {
      // The index is so large that only an unsigned number can hold it. The memory holds the elements from `begin` on.
      const auto j = static_cast<unsigned>(at.global[2]);
      const std::uint64_t index = begin + j;
      out[index - begin] = in[index - begin] + static_cast<int>(index >> 16);
    });
    behind.ranges({1, width});
  }
}

TEST("signed indices behind offsets, negative ones too") {
  for (const sycl::range<2>& range : ranges) {
    const int width = static_cast<int>(range[1]);
    for (const int shift : {0, 1, -1, width, -width}) {
      comparison shifted(2 * (range.size() + 3 * range[1] + 3) + 4000, [=](const place& at, const int* in, int* out) {
        const int j = static_cast<int>(at.global[2] + static_cast<std::size_t>(shift));
        const auto i = static_cast<int>(at.global[1]);
        out[i * width + static_cast<int>(at.global[2])] = in[j] + in[i * width + j] - in[j - i];
      });
      shifted.ranges(range);
    }
  }
}

TEST("global ids made of groups and back") {
  for (const sycl::range<2>& local : {sycl::range<2>{16, 16}, {4, 32}, {1, 5}}) {
    const sycl::range<2> range(3 * local[0], 5 * local[1]);
    const int width = static_cast<int>(range[1]), wide = static_cast<int>(local[1]);
    comparison turned(2 * range.size() + 2, [=](const place& at, const int* in, int* out) {
      const int i = static_cast<int>(at.local[1]), j = static_cast<int>(at.local[2]);
      const int row = static_cast<int>(at.global[1]) - i, column = static_cast<int>(at.global[2]) - j;
      out[(row + i) * width + column + (wide - 1 - j)] = in[(row + i) * width + (column + j)];
    });
    turned.groups(range, local);
    comparison by_group(2 * range.size() + 2, [=](const place& at, const int* in, int* out) {
      const auto i = static_cast<unsigned>(at.local[1]), j = static_cast<unsigned>(at.local[2]);
      const auto column = static_cast<unsigned>(at.group[2]) * static_cast<unsigned>(wide);
      const auto row = static_cast<unsigned>(at.global[1]);
      out[row * static_cast<unsigned>(width) + column + j] =
          in[row * static_cast<unsigned>(width) + column + (i ^ i) + j];
    });
    by_group.groups(range, local);
  }
}

TEST("linear ids by widths of the range and by others") {
  for (const sycl::range<2>& range : ranges) {
    for (const std::size_t width : {range[1], range[1] + 1, std::size_t{1}, range.size() + 1}) {
      if (width == 0) continue;
      const auto apart = [](auto k, auto n, const int* in, int* out) {
        const auto i = k / n, j = k % n;
        out[k] = in[i * n + j] + static_cast<int>(1000 * i + j) + (k < n ? 7 : 0);
      };
      comparison wide(2 * range.size() + 2,
                      [=](const place& at, const int* in, int* out) { apart(at.linear_of[0], width, in, out); });
      wide.ranges(range);
      wide.ranges(range, {3, 2});
      comparison narrow(2 * range.size() + 2,
                        [=, n = static_cast<int>(width)](const place& at, const int* in, int* out) {
                          apart(static_cast<int>(at.linear_of[0]), n, in, out);
                        });
      narrow.ranges(range);
      narrow.ranges(range, {1, 0});
      comparison without_sign(2 * range.size() + 2,
                              [=, n = static_cast<unsigned>(width)](const place& at, const int* in, int* out) {
                                apart(static_cast<unsigned>(at.linear_of[0]), n, in, out);
                              });
      without_sign.ranges(range);
    }
  }
}

TEST("linear ids of spaces and of groups") {
  for (const sycl::range<3>& range : {sycl::range<3>{3, 5, 17}, {2, 16, 32}, {1, 1, 7}}) {
    for (const std::size_t more : {0, 1}) {
      const int y = static_cast<int>(range[1] + more), z = static_cast<int>(range[2] + more);
      comparison space(2 * range.size() + 2, [=](const place& at, const int* in, int* out) {
        const int k = static_cast<int>(at.linear_of[0]);
        const int i = k / (y * z), j = k / z % y, l = k % z;
        out[k] = in[k] + 10000 * i + 100 * j + l;
      });
      space.spaces(range);
    }
  }
  for (const sycl::range<2>& local : {sycl::range<2>{16, 16}, {4, 32}, {1, 5}}) {
    const sycl::range<2> range(3 * local[0], 5 * local[1]);
    for (const unsigned width : {static_cast<unsigned>(local[1]), 7U}) {
      comparison group(2 * range.size() + 2, [=](const place& at, const int* in, int* out) {
        const auto k = static_cast<unsigned>(at.linear_of[1]);
        out[at.linear_of[0]] = in[at.linear_of[0]] + static_cast<int>(100 * (k / width) + k % width);
      });
      group.groups(range, local);
    }
  }
}
TEST("group functions where indices wrap") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t height = 16, width = 64;
  constexpr std::size_t group_height = 8, group_width = 16, group_size = group_height * group_width;
  int* data = sycl::malloc_shared<int>(height * width, queue);
  for (const unsigned turns : {0U, 1U}) {
    for (std::size_t k = 0; k < height * width; ++k) data[k] = static_cast<int>(k % 251);
    std::vector<int> expected(height * width);
    for (std::size_t k = 0; k < height * width; ++k) {
      const std::size_t top = k / width / group_height * group_height;
      const std::size_t left = k % width / group_width * group_width;
      int sum = 0;
      for (std::size_t l = 0; l < group_size; ++l)
        sum += data[(top + l / group_width) * width + left + l % group_width];
      const std::size_t chosen = (top + 5 / group_width) * width + left + 5 % group_width;
      expected[k] = 1000 * sum + data[chosen];
    }
    // The two numbers that the kernel adds to the index have a sum that is a multiple of 2^32.
    queue.submit([&](sycl::handler& handler) {
      const sycl::nd_range<2> range({height, width}, {group_height, group_width});
      handler.parallel_for(range, [=, once = turns, again = turns](sycl::nd_item<2> item) {
        const auto k = static_cast<unsigned>(item.get_global_linear_id());
        int& own = data[k + once * 0x40000000U + again * 0xc0000000U];
        const auto group = item.get_group();
        const auto byte = sycl::group_broadcast(group, static_cast<unsigned char>(own), 5);
        const int sum = sycl::reduce_over_group(group, own, sycl::plus<>());
        own = 1000 * sum + byte;
      });
    });
    queue.wait();
    const std::vector<int> result(data, data + height * width);
    CHECK_ALL_EQUAL(result, expected);
  }
  sycl::free(data, queue);
}

E2E_MAIN
