// Commands of extensions: copies and fills of two-dimensional memory (sycl_ext_oneapi_memcpy2d), AdaptiveCpp's
// custom operations, and properties of command groups.
#include "check.hpp"

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#if SYCL_EXT_ONEAPI_MEMCPY2D != 1 || !ACPP_EXT_ENQUEUE_CUSTOM_OPERATION || !ACPP_EXT_COARSE_GRAINED_EVENTS
#error "a feature-test macro is missing"
#endif

namespace {

/// Elements with padding, which a fill with one repeated byte can't produce.
struct pair {
  int a;
  short b;
  friend bool operator==(const pair& one, const pair& other) { return one.a == other.a && one.b == other.b; }
};

struct rectangle {
  std::size_t to_pitch, from_pitch, width, height;
};
constexpr rectangle rectangles[] = {{8, 8, 8, 3}, {9, 7, 5, 4}, {7, 9, 7, 1}, {3, 5, 1, 6}, {4, 4, 0, 3}, {4, 4, 3, 0}};

template <class Action>
bool throws_invalid(Action action) {
  try {
    action();
    return false;
  } catch (const sycl::exception& error) {
    return error.code() == sycl::errc::invalid;
  }
}

/// `action(to, from)` submits a command on device memory. `expected` does the same with vectors on the host.
template <class T, class Make, class Action, class Expected>
void check_rectangles(Make make, Action action, Expected expected) {
  sycl::queue queue = e2e::make_queue();
  for (const rectangle& each : rectangles) {
    const std::size_t count = std::max(each.to_pitch, each.from_pitch) * 7;
    std::vector<T> to(count), from(count);
    for (std::size_t i = 0; i < count; ++i) to[i] = make(i), from[i] = make(i + 1000);
    T* const device_to = sycl::malloc_device<T>(count, queue);
    T* const device_from = sycl::malloc_device<T>(count, queue);
    sycl::event before = queue.memcpy(device_to, to.data(), count * sizeof(T));
    queue.memcpy(device_from, from.data(), count * sizeof(T)).wait();
    sycl::event done = action(queue, device_to, device_from, each, before);
    std::vector<T> found(count);
    queue.memcpy(found.data(), device_to, count * sizeof(T), done).wait();
    expected(to, from, each);
    CHECK(found == to);
    sycl::free(device_to, queue), sycl::free(device_from, queue);
  }
}

int number(std::size_t i) { return static_cast<int>(i * 7919 % 1009); }
pair two(std::size_t i) { return {number(i), static_cast<short>(number(i + 5))}; }

}  // namespace

TEST("rectangles are copied, by bytes and by elements") {
  const auto copied = [](auto& to, const auto& from, const rectangle& each) {
    for (std::size_t y = 0; y < each.height; ++y) {
      for (std::size_t x = 0; x < each.width; ++x) to[y * each.to_pitch + x] = from[y * each.from_pitch + x];
    }
  };
  check_rectangles<int>(
      number,
      [](sycl::queue& queue, int* to, const int* from, const rectangle& each, const sycl::event& before) {
        return queue.ext_oneapi_memcpy2d(to, each.to_pitch * sizeof(int), from, each.from_pitch * sizeof(int),
                                         each.width * sizeof(int), each.height, before);
      },
      copied);
  check_rectangles<pair>(
      two,
      [](sycl::queue& queue, pair* to, const pair* from, const rectangle& each, const sycl::event& before) {
        return queue.ext_oneapi_copy2d(from, each.from_pitch, to, each.to_pitch, each.width, each.height,
                                       std::vector<sycl::event>{before});
      },
      copied);
}

TEST("rectangles go between the host's memory and the device's") {
  sycl::queue queue = e2e::make_queue({sycl::property::queue::in_order()});
  std::vector<int> from(50), to(80, -1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = number(i);
  int* const there = sycl::malloc_device<int>(60, queue);
  queue.ext_oneapi_copy2d(from.data(), 10, there, 12, 9, 5);
  queue.ext_oneapi_copy2d(there, 12, to.data(), 16, 7, 5).wait();
  for (std::size_t i = 0; i < to.size(); ++i) {
    CHECK_EQUAL(to[i], i % 16 < 7 ? from[i / 16 * 10 + i % 16] : -1);
  }
  sycl::free(there, queue);
}

TEST("rectangles are filled with bytes and with patterns") {
  check_rectangles<unsigned char>(
      [](std::size_t i) { return static_cast<unsigned char>(i); },
      [](sycl::queue& queue, unsigned char* to, const unsigned char*, const rectangle& each,
         const sycl::event& before) {
        return queue.ext_oneapi_memset2d(to, each.to_pitch, 0x1ab, each.width, each.height, before);
      },
      [](auto& to, const auto&, const rectangle& each) {
        for (std::size_t i = 0; i < each.width * each.height; ++i) {
          to[i / each.width * each.to_pitch + i % each.width] = 0xab;
        }
      });
  check_rectangles<pair>(
      two,
      [](sycl::queue& queue, pair* to, const pair*, const rectangle& each, const sycl::event& before) {
        before.get_info<sycl::info::event::command_execution_status>();
        queue.wait();
        return queue.ext_oneapi_fill2d(to, each.to_pitch, pair{-7, 3}, each.width, each.height);
      },
      [](auto& to, const auto&, const rectangle& each) {
        for (std::size_t i = 0; i < each.width * each.height; ++i) {
          to[i / each.width * each.to_pitch + i % each.width] = {-7, 3};
        }
      });
}

namespace {
/// Two numbers that are copied member by member, so the class is not trivially copyable.
struct marked {
  int first = 0, second = 0;
  marked(int a, int b) : first(a), second(b) {}
  marked(const marked& other) : first(other.first), second(other.second) {}
  marked& operator=(const marked&) = default;
  bool operator==(const marked& other) const { return first == other.first && second == other.second; }
};

/// Fills all elements except for the first and the last one, and then rows with a gap of one element between them.
template <class T>
void check_pattern(const T& before, const T& pattern) {
  sycl::queue queue = e2e::make_queue();
  static_assert(!std::is_trivially_copyable_v<T> && sycl::is_device_copyable_v<T>);
  for (const std::size_t count : e2e::sizes()) {
    T* const all = static_cast<T*>(sycl::malloc_shared((count + 2) * sizeof(T), queue));
    for (std::size_t i = 0; i < count + 2; ++i) new (all + i) T(before);
    queue.fill(all + 1, pattern, count).wait();
    for (std::size_t i = 0; i < count + 2; ++i) CHECK(all[i] == (i == 0 || i == count + 1 ? before : pattern));
    const std::size_t rows = count / 4;
    queue.ext_oneapi_fill2d(all, 4, before, 3, rows).wait();
    for (std::size_t i = 0; i < rows * 4; ++i) CHECK(all[i] == (i % 4 < 3 || i == 0 ? before : pattern));
    sycl::free(all, queue);
  }
}
}  // namespace

template <>
struct sycl::is_device_copyable<marked> : std::true_type {};

TEST("patterns of fills are of any device copyable type, also if it is not trivially copyable") {
  check_pattern(std::pair<int, short>(1, 2), std::pair<int, short>(-3, 4));
  check_pattern(std::tuple<char, double, int>('a', 0.5, 7), std::tuple<char, double, int>('b', -0.25, 9));
  check_pattern(marked(5, 6), marked(7, 8));
}

TEST("a rectangle wider than what it lies in is refused") {
  sycl::queue queue = e2e::make_queue();
  char a[64] = {}, b[64] = {};
  CHECK(throws_invalid([&] { queue.ext_oneapi_memcpy2d(a, 7, b, 8, 8, 2); }));
  CHECK(throws_invalid([&] { queue.ext_oneapi_memcpy2d(a, 8, b, 7, 8, 2); }));
  CHECK(throws_invalid([&] { queue.ext_oneapi_copy2d(a, 7, b, 8, 8, 2); }));
  CHECK(throws_invalid([&] { queue.ext_oneapi_memset2d(a, 7, 1, 8, 2); }));
  CHECK(throws_invalid([&] { queue.ext_oneapi_fill2d(a, 7, 'x', 8, 2); }));
  CHECK(throws_invalid([&] { queue.ext_oneapi_memcpy2d(nullptr, 8, b, 8, 4, 2); }));
}

TEST("a custom operation runs once, in order with other commands") {
  sycl::queue queue = e2e::make_queue({sycl::property::queue::in_order()});
  int* const value = sycl::malloc_shared<int>(1, queue);
  *value = 0;
  int calls = 0;
  queue.single_task([=] { *value = 3; });
  // On GPUs, the custom operation may be called before the kernel has run, so it uses none of the kernel's results.
  queue.AdaptiveCpp_enqueue_custom_operation([&calls](sycl::interop_handle&) { ++calls; });
  const sycl::event last = queue.single_task([=] { *value *= 5; });
  queue.AdaptiveCpp_enqueue_custom_operation([&calls](sycl::interop_handle) { calls += 10; }, last);
  queue.submit([&](sycl::handler& group) {
    group.AdaptiveCpp_enqueue_custom_operation([&calls](sycl::interop_handle&) { calls += 100; });
  });
  queue.wait();
  CHECK_EQUAL(*value, 15);
  CHECK_EQUAL(calls, 111);
  sycl::free(value, queue);
}

TEST("queues and command groups take AdaptiveCpp's hints") {
  namespace hint = sycl::property::command_group;
  sycl::queue queue = e2e::make_queue(
      {sycl::property::queue::in_order(), sycl::property::queue::AdaptiveCpp_coarse_grained_events()});
  CHECK(queue.has_property<sycl::property::queue::AdaptiveCpp_coarse_grained_events>());
  int* const value = sycl::malloc_shared<int>(1, queue);
  const auto set = [&](sycl::handler& group) { group.single_task([=] { *value = 8; }); };
  sycl::event done = queue.submit(
      {hint::AdaptiveCpp_coarse_grained_events(), hint::AdaptiveCpp_prefer_execution_lane(1)}, set);
  done.wait();
  CHECK_EQUAL(*value, 8);
  const sycl::property_list several{hint::AdaptiveCpp_prefer_group_size<1>(sycl::range<1>(64))};
  queue.submit(several, [&](sycl::handler& group) { group.single_task([=] { *value += 1; }); }).wait();
  CHECK_EQUAL(*value, 9);
  sycl::free(value, queue);
}

E2E_MAIN
