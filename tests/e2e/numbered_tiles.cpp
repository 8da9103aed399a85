/// The work-items of a group give numbers to the elements of a tile, and compute rows and columns from these numbers.
/// The tests have tiles and groups of all dimensions and many sizes, all integer types, and loops whose results depend
/// on the work-item and on the order of iterations.
#include "check.hpp"

#include <algorithm>

namespace {

template <class T>
class shared_numbers {
public:
  shared_numbers(sycl::queue& queue, std::size_t count, unsigned seed)
      : m_queue(queue), m_count(count), m_data(sycl::malloc_shared<T>(std::max<std::size_t>(count, 1), queue)) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < count; ++i) m_data[i] = static_cast<T>(random() % 1000);
  }
  shared_numbers(const shared_numbers&) = delete;
  ~shared_numbers() { sycl::free(m_data, m_queue); }
  T* get() const { return m_data; }
  std::vector<T> copy() const { return {m_data, m_data + m_count}; }

private:
  sycl::queue& m_queue;
  std::size_t m_count;
  T* m_data;
};

/// Loads tiles of `Height` x `Width` elements with a border, in rows of `Pitch` elements. Each group stores its tile in
/// reverse order.
template <class Index, int Width, int Height, int Pitch, int Dimensions>
void load_tiles(sycl::range<Dimensions> local, std::size_t groups, Index end) {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t width_of_all = 70, rows_of_all = 40;
  const std::size_t count = Height * Pitch, members = local.size();
  shared_numbers<float> in(queue, width_of_all * rows_of_all, Width), out(queue, groups * count, 3);
  std::vector<float> expected = out.copy();
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(end); ++i) {
      const std::size_t y = g * 5 + i / Width, x = g * 7 + i % Width;
      expected[g * count + i / Width * Pitch + i % Width] =
          y < rows_of_all && x < width_of_all ? in.get()[y * width_of_all + x] * 2 : -1.0f;
    }
  }
  sycl::range<Dimensions> global = local;
  global[0] *= groups;
  queue.submit([&](sycl::handler& handler) {
    const sycl::local_accessor<float, 1> near(count, handler);
    const sycl::nd_range<Dimensions> range(global, local);
    handler.parallel_for(
        range, [=, from = in.get(), to = out.get()](sycl::nd_item<Dimensions> item) {
          const auto y0 = static_cast<Index>(item.get_group(0) * 5), x0 = static_cast<Index>(item.get_group(0) * 7);
          const auto own = static_cast<Index>(item.get_local_linear_id());
          for (Index i = own; i < end; i += static_cast<Index>(members)) {
            const Index y = y0 + i / Width, x = x0 + i % Width;
            near[i / Width * Pitch + i % Width] =
                y < Index(rows_of_all) && x < Index(width_of_all) ? from[y * Index(width_of_all) + x] * 2 : -1.0f;
          }
          sycl::group_barrier(item.get_group());
          const std::size_t all = static_cast<std::size_t>(end);
          for (std::size_t k = members - 1 - own; k < all; k += members) {
            const std::size_t place = k / Width * Pitch + k % Width;
            to[item.get_group(0) * count + place] = near[place];
          }
        });
  });
  queue.wait();
  CHECK_ALL_EQUAL(out.copy(), expected);
}

template <class Index>
void load_all_tiles() {
  for (const std::size_t groups : {0, 1, 3}) {
    load_tiles<Index, 18, 18, 18>(sycl::range(16, 16), groups, Index(324));
    load_tiles<Index, 18, 18, 19>(sycl::range(16, 16), groups, Index(324));
    load_tiles<Index, 18, 18, 18>(sycl::range(64), groups, Index(301));
    load_tiles<Index, 34, 10, 34>(sycl::range(8, 32), groups, Index(340));
    load_tiles<Index, 10, 6, 10>(sycl::range(3, 1, 17), groups, Index(60));
    load_tiles<Index, 17, 3, 20>(sycl::range(2, 2, 13), groups, Index(1));
    load_tiles<Index, 100, 3, 100>(sycl::range(24), groups, Index(299));
    load_tiles<Index, 18, 18, 18>(sycl::range(16, 16), groups, Index(0));
  }
}

/// A tile of three dimensions.
template <class Index>
void load_blocks(std::size_t members) {
  constexpr Index width = 6, height = 5, depth = 7, count = width * height * depth;
  sycl::queue queue = e2e::make_queue();
  shared_numbers<int> in(queue, 4 * count, 5), out(queue, count, 6);
  std::vector<int> expected(count);
  for (Index i = 0; i < count; ++i) {
    const Index z = i / (width * height), y = i / width % height, x = i % (width * height) % width;
    expected[count - 1 - i] = in.get()[(z * 2 * height + y) * 2 * width + x];
  }
  queue.submit([&](sycl::handler& handler) {
    const sycl::local_accessor<int, 1> near(count, handler);
    handler.parallel_for(sycl::nd_range<1>(members, members),
                         [=, from = in.get(), to = out.get()](sycl::nd_item<1> item) {
                           const auto own = static_cast<Index>(item.get_local_id(0));
                           for (Index i = own; i < count; i += static_cast<Index>(members)) {
                             const Index z = i / (width * height), rest = i % (width * height);
                             const Index y = rest / width, x = i % width;
                             near[i] = from[(z * 2 * height + y) * 2 * width + x];
                           }
                           sycl::group_barrier(item.get_group());
                           for (Index k = own; k < count; k += static_cast<Index>(members)) to[k] = near[count - 1 - k];
                         });
  });
  queue.wait();
  CHECK_ALL_EQUAL(out.copy(), expected);
}

/// Checks that each work-item accesses its own elements in its own order, before, in and after the loop.
template <class Body>
void keep_order(const Body& body) {
  constexpr std::size_t members = 32, count = 18 * 10;
  sycl::queue queue = e2e::make_queue();
  shared_numbers<int> in(queue, count, 8), out(queue, count, 9);
  std::vector<int> expected(count), tile(count);
  const std::vector<int> source = in.copy();
  std::vector<int> work = source;
  for (std::size_t own = 0; own < members; ++own) body(own, members, tile.data(), work.data(), expected.data());
  queue.submit([&](sycl::handler& handler) {
    const sycl::local_accessor<int, 1> near(count, handler);
    handler.parallel_for(sycl::nd_range<1>(members, members), [=, from = in.get(), to = out.get()](
                                                                  sycl::nd_item<1> item) {
      const std::size_t own = item.get_local_id(0);
      for (std::size_t i = own; i < count; i += members) near[i] = 0, to[i] = 0;
      body(own, members, &near[0], from, to);
      sycl::group_barrier(item.get_group());
      if (near[own] == -12345) to[own] = 1;
    });
  });
  queue.wait();
  CHECK_ALL_EQUAL(out.copy(), expected);
  CHECK_ALL_EQUAL(in.copy(), work);
}

void keep_all_orders() {
  // The work-item that copies an element in the loop also changes this element before and after the loop.
  keep_order([](std::size_t own, std::size_t members, int* near, int* from, int* to) {
    from[own] += 7;
    for (std::size_t i = own; i < 180; i += members) near[i] = from[i / 18 * 18 + i % 18] + int(i % 18);
    for (std::size_t i = own; i < 180; i += members) to[i] = near[i] * 3;
    from[own] = 1;
  });
  // If several stores write to one address, the last one has to win.
  keep_order([](std::size_t own, std::size_t members, int* near, int* from, int* to) {
    for (std::size_t i = own; i < 180; i += members) near[i % 32] = from[i] + int(i / 18);
    to[own] = near[own];
  });
  // Each iteration stores two elements, and a later iteration overwrites one of them.
  keep_order([](std::size_t own, std::size_t members, int* near, int* from, int* to) {
    for (std::size_t i = own; i < 148; i += members) {
      near[i] = from[i] + int(i % 18);
      near[i + 32] = int(i / 18) - 5;
    }
    for (std::size_t i = own; i < 148; i += members) to[i] = near[i];
  });
  // Each iteration reads an element that a later iteration changes.
  keep_order([](std::size_t own, std::size_t members, int* near, int* from, int* to) {
    for (std::size_t i = own; i < 180; i += members) near[i] = from[i];
    for (std::size_t i = own; i < 148; i += members) near[i] = near[i + 32] + int(i / 18 + i % 18);
    for (std::size_t i = own; i < 180; i += members) to[i] = near[i];
  });
}

void load_in_turns() {
  // The next tile is loaded after all work-items have read the previous tile.
  constexpr int tiles = 5, width = 18, count = width * 9;
  sycl::queue queue = e2e::make_queue();
  shared_numbers<int> in(queue, tiles * count, 11), out(queue, 64, 12);
  std::vector<int> expected(64);
  for (int t = 0; t < tiles; ++t) {
    for (int own = 0; own < 64; ++own) expected[own] += (t + 1) * in.get()[t * count + own * 2];
  }
  queue.submit([&](sycl::handler& handler) {
    const sycl::local_accessor<int, 1> near(count, handler);
    const sycl::nd_range<2> range({4, 16}, {4, 16});
    handler.parallel_for(range, [=, from = in.get(), to = out.get()](sycl::nd_item<2> item) {
      const int own = static_cast<int>(item.get_local_linear_id());
      int sum = 0;
      for (int t = 0; t < tiles; ++t) {
        for (int i = own; i < count; i += 64) near[i] = from[t * count + i / width * width + i % width];
        sycl::group_barrier(item.get_group());
        sum += (t + 1) * near[own * 2];
        sycl::group_barrier(item.get_group());
      }
      to[own] = sum;
    });
  });
  queue.wait();
  CHECK_ALL_EQUAL(out.copy(), expected);
}

}  // namespace

TEST("groups number the elements of tiles through") {
  load_all_tiles<int>();
  load_all_tiles<unsigned>();
  load_all_tiles<std::size_t>();
}

TEST("tiles have three dimensions") {
  for (const std::size_t members : {1, 16, 40, 64}) load_blocks<int>(members), load_blocks<std::size_t>(members);
}

TEST("work-items keep the order of their own accesses") { keep_all_orders(); }

TEST("one tile is loaded after the other") { load_in_turns(); }

E2E_MAIN
