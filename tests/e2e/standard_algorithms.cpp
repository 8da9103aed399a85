// Algorithms of the C++ library with std::execution::par_unseq run as kernels. The tests compare them with the
// library's algorithms without a policy.
#include <sycl/ext/sinter/standard_algorithms.hpp>

#include "check.hpp"

#include <algorithm>
#include <execution>
#include <list>
#include <numeric>
#include <ranges>

namespace {

constexpr auto& policy = std::execution::par_unseq;
constexpr std::size_t sizes[] = {0, 1, 17, 4097, 40003};
/// On CPUs with few threads, each work-item scans four pieces of 1040 elements each. Some sizes end within a piece,
/// others at the end of a piece.
constexpr std::size_t scanned_sizes[] = {0, 1, 17, 1041, 2080, 4097, 4160, 40003};

/// Whether kernels can access ordinary host memory (system allocations). If they can't, algorithms on host memory
/// throw.
bool sees_vectors() {
  for (const sycl::device& device : sycl::device::get_devices())
    if (device.has(sycl::aspect::usm_system_allocations)) return true;
  const int none[1] = {};
  try {
    std::for_each(policy, none, none + 1, [](int) {});
  } catch (const sycl::exception& error) {
    CHECK(error.code() == sycl::errc::feature_not_supported);
    return false;
  }
  e2e::fail(__FILE__, __LINE__, "a device works on memory that it does not see");
  return false;
}

/// A function a * x + b. Composition of such functions is associative, but not commutative.
struct line {
  unsigned a, b;
  friend bool operator==(const line&, const line&) = default;
};
struct after {
  line operator()(const line& first, const line& second) const {
    return {first.a * second.a, first.b * second.a + second.b};
  }
};

template <class Vector>
void compare_all(const Vector& in) {
  const std::size_t count = in.size();
  Vector mine(count, 0, in.get_allocator()), theirs(count, 0, in.get_allocator());
  const auto twice = [](int x) { return 2 * x + 1; };

  CHECK(std::transform(policy, in.begin(), in.end(), mine.begin(), twice) == mine.end());
  std::transform(in.begin(), in.end(), theirs.begin(), twice);
  CHECK(mine == theirs);
  std::transform(policy, in.begin(), in.end(), mine.begin(), mine.begin(), [](int x, int y) { return x - y; });
  std::transform(in.begin(), in.end(), theirs.begin(), theirs.begin(), [](int x, int y) { return x - y; });
  CHECK(mine == theirs);
  std::for_each(policy, mine.begin(), mine.end(), [](int& x) { x ^= 5; });
  std::for_each(theirs.begin(), theirs.end(), [](int& x) { x ^= 5; });
  CHECK(mine == theirs);
  CHECK(std::for_each_n(policy, mine.begin(), count / 2, [](int& x) { ++x; }) == mine.begin() + count / 2);
  std::for_each_n(theirs.begin(), count / 2, [](int& x) { ++x; });
  CHECK(mine == theirs);
  std::fill(policy, mine.begin(), mine.end(), 7);
  CHECK_EQUAL(std::count(mine.begin(), mine.end(), 7), std::ptrdiff_t(count));
  CHECK(std::copy(policy, in.begin(), in.end(), mine.begin()) == mine.end());
  CHECK(mine == in);

  const auto odd = [](int x) { return x % 2 != 0; };
  CHECK_EQUAL(std::count_if(policy, in.begin(), in.end(), odd), std::count_if(in.begin(), in.end(), odd));
  CHECK_EQUAL(std::count(policy, in.begin(), in.end(), 3), std::count(in.begin(), in.end(), 3));
  CHECK_EQUAL(std::reduce(policy, in.begin(), in.end()), std::reduce(in.begin(), in.end()));
  CHECK_EQUAL(std::reduce(policy, in.begin(), in.end(), 5L), std::reduce(in.begin(), in.end(), 5L));
  const auto larger = [](int x, int y) { return x > y ? x : y; };
  CHECK_EQUAL(std::reduce(policy, in.begin(), in.end(), -9999, larger),
              std::reduce(in.begin(), in.end(), -9999, larger));
  CHECK_EQUAL(std::transform_reduce(policy, in.begin(), in.end(), mine.begin(), 1L),
              std::transform_reduce(in.begin(), in.end(), mine.begin(), 1L));
  CHECK_EQUAL(std::transform_reduce(policy, in.begin(), in.end(), 1L, std::plus<>(), twice),
              std::transform_reduce(in.begin(), in.end(), 1L, std::plus<>(), twice));

  CHECK(std::inclusive_scan(policy, in.begin(), in.end(), mine.begin()) == mine.end());
  std::inclusive_scan(in.begin(), in.end(), theirs.begin());
  CHECK(mine == theirs);
  mine = in, theirs = in;  // the next scans write to their input
  std::exclusive_scan(policy, mine.begin(), mine.end(), mine.begin(), 11);
  std::exclusive_scan(in.begin(), in.end(), theirs.begin(), 11);
  CHECK(mine == theirs);
  std::inclusive_scan(policy, in.begin(), in.end(), mine.begin(), larger, 2);
  std::inclusive_scan(in.begin(), in.end(), theirs.begin(), larger, 2);
  CHECK(mine == theirs);
  std::transform_inclusive_scan(policy, in.begin(), in.end(), mine.begin(), std::plus<>(), twice);
  std::transform_inclusive_scan(in.begin(), in.end(), theirs.begin(), std::plus<>(), twice);
  CHECK(mine == theirs);
  std::transform_exclusive_scan(policy, in.begin(), in.end(), mine.begin(), 4, std::plus<>(), twice);
  std::transform_exclusive_scan(in.begin(), in.end(), theirs.begin(), 4, std::plus<>(), twice);
  CHECK(mine == theirs);

  mine = in, theirs = in;
  std::sort(policy, mine.begin(), mine.end());
  std::sort(theirs.begin(), theirs.end());
  CHECK(mine == theirs);
  std::sort(policy, mine.begin(), mine.end(), std::greater<>());
  std::reverse(theirs.begin(), theirs.end());
  CHECK(mine == theirs);
}

} // namespace

TEST("algorithms over vectors have the library's results") {
  if (!sees_vectors()) return;
  for (const std::size_t count : sizes) compare_all(e2e::random_values<int>(count, -1000, 1000));
}

TEST("algorithms over USM memory have the library's results, on the device") {
  sycl::queue queue = e2e::make_queue();
  using allocator = sycl::usm_allocator<int, sycl::usm::alloc::shared>;
  for (const std::size_t count : {0u, 17u, 5000u}) {
    const std::vector<int> values = e2e::random_values<int>(count, -1000, 1000);
    compare_all(std::vector<int, allocator>(values.begin(), values.end(), allocator(queue)));
  }
}

TEST("scans keep the order of their elements, and equal elements stay in order when sorted") {
  if (!sees_vectors()) return;
  for (const std::size_t count : scanned_sizes) {
    const std::vector<unsigned> numbers = e2e::random_values<unsigned>(2 * count, 0, 1000);
    std::vector<line> in(count), mine(count), theirs(count);
    for (std::size_t i = 0; i < count; ++i) in[i] = {numbers[2 * i], numbers[2 * i + 1]};
    std::inclusive_scan(policy, in.begin(), in.end(), mine.begin(), after());
    std::inclusive_scan(in.begin(), in.end(), theirs.begin(), after());
    CHECK(mine == theirs);
    std::exclusive_scan(policy, in.begin(), in.end(), mine.begin(), line{3, 4}, after());
    std::exclusive_scan(in.begin(), in.end(), theirs.begin(), line{3, 4}, after());
    CHECK(mine == theirs);
    mine = in;
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    const auto less = [](const line& x, const line& y) { return x.a / 50 < y.a / 50; };
    std::stable_sort(policy, mine.begin(), mine.end(), less);
    std::ranges::sort(order, [&](std::size_t x, std::size_t y) {
      return less(in[x], in[y]) || (!less(in[y], in[x]) && x < y);
    });
    for (std::size_t i = 0; i < count; ++i) theirs[i] = in[order[i]];
    CHECK(mine == theirs);
  }
}

TEST("numbers that are computed, elements of vector<bool>, and lists that no device can walk") {
  if (!sees_vectors()) return;
  const auto numbers = std::views::iota(0, 1000);
  std::vector<int> squares(1000);
  int* const to = squares.data();
  std::for_each(policy, numbers.begin(), numbers.end(), [=](int i) { to[i] = i * i; });
  for (int i = 0; i < 1000; ++i) CHECK_EQUAL(squares[i], i * i);

  std::vector<bool> bits(500);
  for (std::size_t i = 0; i < bits.size(); i += 3) bits[i] = true;
  std::vector<int> ones(500);
  std::transform(policy, bits.begin(), bits.end(), ones.begin(), [](bool bit) { return bit ? 1 : 0; });
  CHECK_EQUAL(std::accumulate(ones.begin(), ones.end(), 0), 167);
  static_assert(!sycl::ext::sinter::algorithms::writable<std::vector<bool>::iterator>);
  static_assert(!sycl::ext::sinter::algorithms::readable<std::list<int>::iterator>);
  static_assert(!sycl::ext::sinter::algorithms::copyable<std::vector<int>>);
}

TEST("inside a kernel, algorithms go through their elements one by one") {
  if (!sees_vectors()) return;
  std::vector<int> rows(10 * 20), sums(10), largest(10);
  std::iota(rows.begin(), rows.end(), -77);
  const int* const row = rows.data();
  int* const sum = sums.data();
  int* const most = largest.data();
  const auto indices = std::views::iota(0, 10);
  std::for_each(policy, indices.begin(), indices.end(), [=](int y) {
    int own[20];
    std::transform(policy, row + 20 * y, row + 20 * (y + 1), own, [](int x) { return x * (x % 3 == 0 ? -1 : 1); });
    sum[y] = std::reduce(policy, own, own + 20, 0);
    std::sort(policy, own, own + 20);
    most[y] = own[19];
  });
  for (int y = 0; y < 10; ++y) {
    int expected = 0, last = -10000;
    for (int x = 0; x < 20; ++x) {
      const int value = rows[20 * y + x] * (rows[20 * y + x] % 3 == 0 ? -1 : 1);
      expected += value, last = std::max(last, value);
    }
    CHECK_EQUAL(sums[y], expected);
    CHECK_EQUAL(largest[y], last);
  }
}

E2E_MAIN
