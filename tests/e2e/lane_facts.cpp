/// Facts that are true only for some lanes or only for one iteration: stores by known lanes, `restrict` in loops,
/// guarded operations.
#include "check.hpp"
#include "same_check.hpp"

#include <algorithm>

namespace {

constexpr std::size_t room = 2048;

template <class T>
std::vector<T> random_numbers(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> numbers(room);
  for (T& each : numbers) each = static_cast<T>(random());
  return numbers;
}

template <class T>
T* shared_copy(const std::vector<T>& values, sycl::queue& queue) {
  T* copy = sycl::malloc_shared<T>(values.size(), queue);
  std::copy(values.begin(), values.end(), copy);
  return copy;
}

/// Runs `kernel(item, value)` on random numbers of type From, converts the results to To, and stores those
/// for which `stores(item)` is true. No other bytes may change, neither between the stored elements nor
/// behind the last one.
template <class To, class From, class Kernel, class Stores>
void store_some(Kernel kernel, Stores stores, std::size_t local) {
  sycl::queue queue = e2e::make_queue();
  const std::vector<From> numbers = random_numbers<From>(static_cast<unsigned>(local));
  const std::vector<To> before = random_numbers<To>(7);
  for (const std::size_t groups : {0, 1, 3}) {
    From* in = shared_copy(numbers, queue);
    To* out = shared_copy(before, queue);
    queue.parallel_for(sycl::nd_range<1>(groups * local, local), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_global_id(0);
      const From value = kernel(item, in[i]);
      if (stores(item)) out[i] = static_cast<To>(value >> 5);
    }).wait();
    std::vector<To> expected = before;
    for (std::size_t i = 0; i < groups * local; ++i) {
      if (local % 16 != 0 || i % 16 == 3) expected[i] = static_cast<To>(numbers[i] >> 5);
    }
    CHECK_ALL_EQUAL(std::vector<To>(out, out + room), expected);
    sycl::free(in, queue);
    sycl::free(out, queue);
  }
}

/// Only lane 3 of each vector stores its result.
template <class To, class From>
void store_lane_3() {
  store_some<To, From>([](sycl::nd_item<1>, From value) { return value; },
                       [](sycl::nd_item<1> item) { return item.get_local_id(0) % 16 == 3; }, 64);
}

/// Groups have 16 * k + 1 work-items, so the last work-item is alone in its vector.
template <class To, class From>
void store_last_alone() {
  store_some<To, From>(
      [](sycl::nd_item<1> item, From value) {
        return value + (sycl::any_of_group(item.get_sub_group(), value == From(12345)) ? From(1) : From(0));
      },
      [](sycl::nd_item<1>) { return true; }, 17);
}

/// In each call, the two pointers refer to different memory.
void step(float* __restrict to, const float* __restrict from, float factor, float more) { *to = *from * factor + more; }

float next(float x, int k) { return x * (0.5f + 0.25f * static_cast<float>(k % 3)) + 1.0f; }

} // namespace

TEST("one known lane stores no more than its element") {
  store_lane_3<std::uint8_t, std::uint32_t>();
  store_lane_3<std::uint16_t, std::uint32_t>();
  store_lane_3<std::uint32_t, std::uint64_t>();
}

TEST("the last work-item of a group stores no more than its element") {
  store_last_alone<std::uint8_t, std::uint32_t>();
  store_last_alone<std::uint16_t, std::uint32_t>();
  store_last_alone<std::uint32_t, std::uint64_t>();
}

TEST("restrict holds for one call, not for the next iteration") {
  constexpr std::size_t items = 256;
  sycl::queue queue = e2e::make_queue();
  for (const int rounds : {0, 1, 16}) {
    std::vector<float> expected(2 * items);
    for (std::size_t i = 0; i < 2 * items; ++i) expected[i] = static_cast<float>(i % 97);
    float* data = shared_copy(expected, queue);
    // `first` and `second` are equal, but the compiler does not know it.
    const std::size_t first = items, second = items + static_cast<std::size_t>(rounds) / 100;
    queue.parallel_for(sycl::nd_range<1>(items, 32), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_global_id(0);
      for (int k = 0; k < rounds; ++k) {
        const std::size_t odd = k & 1;
        float* to = &data[odd * second + i];
        const float* from = &data[(1 - odd) * first + i];
        step(to, from, 0.5f + 0.25f * static_cast<float>(k % 3), 1.0f);
      }
    }).wait();
    for (int k = 0; k < rounds; ++k) {
      const std::size_t to = k & 1 ? items : 0, from = items - to;
      for (std::size_t i = 0; i < items; ++i) expected[to + i] = next(expected[from + i], k);
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 2 * items; ++i) {
      wrong += std::fabs(data[i] - expected[i]) > 1e-5f * std::fabs(expected[i]);
    }
    CHECK_EQUAL(wrong, std::size_t(0));
    sycl::free(data, queue);
  }
}

TEST("restrict holds for one call with a barrier in it") {
  constexpr std::size_t items = 64;
  sycl::queue queue = e2e::make_queue();
  for (const int rounds : {1, 8}) {
    const std::vector<unsigned> values = random_numbers<unsigned>(11);
    unsigned* data = shared_copy(values, queue);
    const std::size_t first = items, second = items + static_cast<std::size_t>(rounds) / 100;
    queue.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_local_id(0);
      const auto step = [&](unsigned* __restrict to, const unsigned* __restrict from) {
        to[i] = from[i] * 3 + 1;
        sycl::group_barrier(item.get_group());
        to[i] += from[(i + 1) % items];
        sycl::group_barrier(item.get_group());
      };
      for (int k = 0; k < rounds; ++k) {
        const std::size_t odd = k & 1;
        step(data + odd * second, data + (1 - odd) * first);
      }
    }).wait();
    std::vector<unsigned> expected(values.begin(), values.begin() + 2 * items);
    for (int k = 0; k < rounds; ++k) {
      const std::size_t to = k & 1 ? items : 0, from = items - to;
      for (std::size_t i = 0; i < items; ++i) {
        expected[to + i] = expected[from + i] * 3 + 1 + expected[from + (i + 1) % items];
      }
    }
    CHECK_ALL_EQUAL(std::vector<unsigned>(data, data + 2 * items), expected);
    sycl::free(data, queue);
  }
}

TEST("restrict holds up to a barrier of the sub-group") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t items = 64;
  std::vector<int> expected(items), values = random_numbers<int>(3);
  int* data = shared_copy(values, queue);
  int* out = sycl::malloc_shared<int>(items, queue);
  queue.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) {
    const auto group = item.get_sub_group();
    const std::size_t lane = group.get_local_id()[0], lanes = group.get_local_range()[0];
    const std::size_t i = item.get_global_id(0), other = i - lane + (lane + 1) % lanes;
    // Each work-item writes through one pointer. Through the other pointer it reads a value that another
    // work-item has written.
    const auto exchange = [&](int* __restrict mine, const int* __restrict theirs) {
      *mine = *mine + 1;
      sycl::group_barrier(group);
      return *theirs;
    };
    // In a sub-group of one work-item, both pointers would have the same address.
    out[i] = lanes > 1 ? exchange(data + i, data + other) : data[i] + 1;
  }).wait();
  std::vector<int> result(out, out + items);
  std::sort(result.begin(), result.end());
  for (std::size_t i = 0; i < items; ++i) expected[i] = static_cast<int>(static_cast<unsigned>(values[i]) + 1);
  std::sort(expected.begin(), expected.end());
  CHECK_ALL_EQUAL(result, expected);
  sycl::free(data, queue);
  sycl::free(out, queue);
}

TEST("shifts and divisions run behind their guards only") {
  constexpr std::size_t items = 256;
  sycl::queue queue = e2e::make_queue();
  const std::vector<unsigned> numbers = random_numbers<unsigned>(5);
  // Shifts by 40 and 77 exceed 32 bits, and 0 is no valid divisor.
  for (const unsigned shift : {0u, 3u, 7u, 31u, 40u, 77u}) {
    for (const unsigned divisor : {0u, 1u, 7u}) {
      unsigned* in = shared_copy(numbers, queue);
      unsigned* out = sycl::malloc_shared<unsigned>(items, queue);
      const auto run = [=](unsigned i) {
        unsigned result = in[i];
        if (shift < 32) {
          const unsigned mask = (1u << shift) - 1;
          if (i > (3u << shift)) result += in[i & mask];
          result ^= in[(i & mask) % 256];
        }
        if (divisor != 0) result += in[i / divisor] / divisor + in[i] % divisor;
        const unsigned own = in[i] % 64;
        if (own < 32) result += (1u << own) / (own == 0 ? 1 : own);
        if (own != 0 && (i & 1) != 0) result -= i / own;
        return result;
      };
      queue.parallel_for(sycl::nd_range<1>(items, 32), [=](sycl::nd_item<1> item) {
        const auto i = static_cast<unsigned>(item.get_global_id(0));
        out[i] = run(i);
      }).wait();
      std::vector<unsigned> expected(items);
      for (unsigned i = 0; i < items; ++i) expected[i] = run(i);
      CHECK_ALL_EQUAL(std::vector<unsigned>(out, out + items), expected);
      sycl::free(in, queue);
      sycl::free(out, queue);
    }
  }
}

/// The work-item with local id l loads element `l - by` of a row, if there is such an element. In lanes where l is less
/// than `by`, the difference wraps around.
template <class Index, class Value>
void load_behind() {
  sycl::queue queue = e2e::make_queue();
  const std::vector<Value> numbers = random_numbers<Value>(13);
  Value* in = shared_copy(numbers, queue);
  Value* out = sycl::malloc_shared<Value>(room, queue);
  for (const std::size_t local : {16, 64, 81}) {
    for (const unsigned by : {0u, 3u, 8u, 21u}) {
      for (const unsigned row : {0u, 1u, 3u}) {
        const auto run = [=](Index l) {
          Value result = 7;
          if (l >= Index(by)) result = static_cast<Value>(result ^ in[Index(row) * 128 + (l - Index(by))]);
          return result;
        };
        queue.parallel_for(sycl::nd_range<1>(2 * local, local), [=](sycl::nd_item<1> item) {
          out[item.get_global_id(0)] = run(static_cast<Index>(item.get_local_id(0)));
        }).wait();
        std::vector<Value> expected(2 * local);
        for (std::size_t i = 0; i < 2 * local; ++i) expected[i] = run(static_cast<Index>(i % local));
        CHECK_ALL_EQUAL(std::vector<Value>(out, out + 2 * local), expected);
      }
    }
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

TEST("loads begin at no lane that is off") {
  load_behind<unsigned, std::uint8_t>();
  load_behind<unsigned, std::int64_t>();
  load_behind<int, std::int64_t>();
  load_behind<std::uint16_t, unsigned>();
  load_behind<std::size_t, unsigned>();
  load_behind<std::size_t, std::int64_t>();
}

/// LLVM makes two loops of such a loop: an inner loop of the iterations that end early, and an outer loop.
TEST("iterations that end early in a loop that counts in its condition change nothing") {
  e2e::check_same<unsigned>([](std::uint64_t bits, std::size_t i) {
    unsigned result = 7;
    for (int k = 4; k-- > 0;) {
      if (i < 150) continue;
      if (bits & 1) {
        result *= 3;
      } else {
        result = result * 5 + static_cast<unsigned>(bits >> k);
      }
    }
    return result;
  });
  e2e::check_same<unsigned>([](std::uint64_t bits, std::size_t i) {
    unsigned result = 7, left = static_cast<unsigned>(i) % 9;
    while (left-- != 0) {
      if (bits >> left & 1) continue;
      result = result * 31 + left;
    }
    return result;
  });
}

TEST("lanes that stay in an inner loop do not follow lanes that come back to it from the outer loop") {
  e2e::check_same<unsigned>([](std::uint64_t bits, std::size_t i) {
    unsigned result = static_cast<unsigned>(i);
    int left = 20;
    for (;;) {
      do {
        if (--left < 0) return result;
      } while (bits >> left & 1);
      result = result * 31 + static_cast<unsigned>(left);
    }
  });
}

/// Only loops with one entry can be vectorized. LLVM changes loops with several entries into loops with one entry.
TEST("jumps into the middle of a loop, and a block that jumps to both entries") {
  e2e::check_same<unsigned>([](std::uint64_t bits, std::size_t i) {
    unsigned result = 7, left = 25;
    const bool again = i / 64 % 2 == 0;
    if (bits & 1) goto second;
  first:
    if (--left > 25) goto done;
    result += 3;
  middle:
    if (--left > 25) goto done;
    result = result * 31 + left;
    if (again) goto first;
  second:
    if (--left > 25) goto done;
    result ^= result << 5;
    if (bits & 2) goto middle;
  done:
    return result;
  });
}

/// Lanes that end an iteration early reach the loop's last block in a later iteration than other lanes.
TEST("iterations that end early in a loop that ends in its middle change nothing") {
  constexpr std::size_t count = 256, width = 8;
  sycl::queue queue = e2e::make_queue();
  std::vector<unsigned> last(count), marks(count * width);
  {
    sycl::buffer<unsigned> a(last.data(), count), b(marks.data(), count * width);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(a, handler, sycl::write_only);
      sycl::accessor each(b, handler, sycl::read_write);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
        unsigned k = 0;
        for (;; ++k) {
          if (k < 7 && (i[0] >> k & 1) != 0) continue;
          each[i[0] * width + k] = k + 1;
          if (k > 3) break;
        }
        to[i] = k;
      });
    });
  }
  for (std::size_t i = 0; i < count; ++i) {
    unsigned expected = 4;
    while (expected < 7 && (i >> expected & 1) != 0) ++expected;
    CHECK_EQUAL(last[i], expected);
    for (unsigned k = 0; k < width; ++k) {
      const bool is_marked = k <= expected && (k == 7 || (i >> k & 1) == 0);
      CHECK_EQUAL(marks[i * width + k], is_marked ? k + 1 : 0);
    }
  }
}

E2E_MAIN
