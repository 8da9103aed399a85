/// Loops whose step is the size of the grid. The tests have all integer types, and numbers of elements that are no
/// multiples of the group size. Iterations read and write several addresses, so each work-item relies on the order of
/// its own accesses.
#include "check.hpp"

#include <algorithm>
#include <type_traits>

namespace {

constexpr std::size_t room = 1 << 17;

template <class T>
std::vector<T> random_values(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(room);
  for (T& each : values) each = static_cast<T>(random() % 200);
  return values;
}

/// Programs write the loop in several ways: with global ids; with group and local ids of the counter's type; with
/// products of these ids without casts; with constants that equal the sizes of the group and the grid only in some
/// launches.
struct by_ids {
  template <class Index, class Body>
  static void walk(const sycl::nd_item<1>& item, Index count, const Body& body) {
    for (auto i = static_cast<Index>(item.get_global_id(0)); i < count;
         i += static_cast<Index>(item.get_global_range(0)))
      body(i);
  }
};
struct by_parts {
  template <class Index, class Body>
  static void walk(const sycl::nd_item<1>& item, Index count, const Body& body) {
    const auto block = static_cast<Index>(item.get_group(0)), blocks = static_cast<Index>(item.get_group_range(0));
    const auto thread = static_cast<Index>(item.get_local_id(0)), size = static_cast<Index>(item.get_local_range(0));
    for (Index i = block * size + thread; count > i; i += size * blocks) body(i);
  }
};
struct by_products {
  template <class Index, class Body>
  static void walk(const sycl::nd_item<1>& item, Index count, const Body& body) {
    const std::size_t size = item.get_local_range(0);
    for (auto i = static_cast<Index>(item.get_group(0) * size + item.get_local_id(0)); i < count;
         i = static_cast<Index>(static_cast<std::size_t>(i) + size * item.get_group_range(0)))
      body(i);
  }
};
struct by_numbers {
  static constexpr std::size_t size = 256, step = 2048;
  template <class Index, class Body>
  static void walk(const sycl::nd_item<1>& item, Index count, const Body& body) {
    for (auto i = static_cast<Index>(static_cast<Index>(item.get_group(0)) * Index(size) +
                                     static_cast<Index>(item.get_local_id(0)));
         i < count; i = static_cast<Index>(static_cast<std::size_t>(i) + step))
      body(i);
  }
};

/// Runs `step(from, to, i)` for each i below `count`. `to` begins `shift` elements after `from`, or is separate memory
/// if `shift` is negative.
template <class Index, class From, class To, class Spelling = by_ids, class Step>
void by_grid(std::size_t groups, std::size_t local, Index count, const Step& step, int shift = -1) {
  sycl::queue queue = e2e::make_queue();
  const std::size_t all = groups * local;
  std::vector<From> source = random_values<From>(3);
  std::vector<To> expected = random_values<To>(4);
  From* from = sycl::malloc_shared<From>(room, queue);
  To* apart = sycl::malloc_shared<To>(room, queue);
  std::copy(source.begin(), source.end(), from);
  std::copy(expected.begin(), expected.end(), apart);
  To* to = shift < 0 ? apart : reinterpret_cast<To*>(from) + shift;
  To* reference = shift < 0 ? expected.data() : reinterpret_cast<To*>(source.data()) + shift;
  constexpr bool has_numbers = std::is_same_v<Spelling, by_numbers>;
  for (std::size_t own = 0; own < all; ++own) {
    const std::size_t first = has_numbers ? own / local * by_numbers::size + own % local : own;
    for (std::size_t i = first; count > Index(0) && i < static_cast<std::size_t>(count);
         i += has_numbers ? by_numbers::step : all)
      step(source.data(), reference, Index(i));
  }
  queue.parallel_for(sycl::nd_range<1>(all, local), [=](sycl::nd_item<1> item) {
    Spelling::walk(item, count, [&](Index i) { step(from, to, i); });
  }).wait();
  CHECK_ALL_EQUAL(std::vector<From>(from, from + room), source);
  CHECK_ALL_EQUAL(std::vector<To>(apart, apart + room), expected);
  sycl::free(from, queue);
  sycl::free(apart, queue);
}

template <class Index, class Spelling>
void all_sizes() {
  for (const std::size_t groups : {1, 3, 8}) {
    for (const std::size_t local : {1, 17, 256}) {
      for (const int count : {0, 1, 255, 1024, 3001, 5000}) {
        by_grid<Index, float, float, Spelling>(
            groups, local, Index(count), [](const float* from, float* to, Index i) { to[i] = from[i] * 2 + float(i); });
      }
    }
  }
}

}  // namespace

TEST("groups take all sizes in pieces") {
  all_sizes<int, by_ids>();
  all_sizes<unsigned, by_ids>();
  all_sizes<std::size_t, by_ids>();
}

TEST("ids and ranges are products") {
  all_sizes<int, by_parts>();
  all_sizes<unsigned, by_parts>();
  all_sizes<std::size_t, by_parts>();
  all_sizes<int, by_products>();
  all_sizes<unsigned, by_products>();
}

TEST("groups and steps are as long as a number in some launches only") {
  all_sizes<int, by_numbers>();
  all_sizes<unsigned, by_numbers>();
  all_sizes<long, by_numbers>();
}

TEST("no work-item has anything to do below zero") {
  by_grid<int, int, int>(2, 64, -5, [](const int* from, int* to, int i) { to[i] = from[i]; });
}

TEST("elements have several sizes") {
  by_grid<int, std::uint8_t, float>(3, 64, 2999, [](const std::uint8_t* from, float* to, int i) { to[i] = from[i]; });
  by_grid<long, double, std::uint8_t>(
      3, 64, 2999, [](const double* from, std::uint8_t* to, long i) { to[i] = static_cast<std::uint8_t>(from[i]); });
}

TEST("work-items keep their own order where memory overlaps") {
  const auto next = [](const int* from, int* to, int i) { to[i] = from[i] + i; };
  for (const int shift : {0, 256, 512, 1000, 3000}) {
    // Work-items that access each other's elements would race, unless the shift is a multiple of the grid's size.
    if (shift % 256 == 0 || shift >= 3000) by_grid<int, int, int>(1, 256, 3000, next, shift);
  }
  by_grid<std::size_t, float, float>(2, 256, 3000,
                                     [](const float* from, float* to, std::size_t i) { to[i] = from[i] * 2; }, 512);
  // The second group may run on another thread than the first one.
  by_grid<std::size_t, int, int>(8, 256, 120000,
                                 [](const int* from, int* to, std::size_t i) { to[i] = from[i] + 1; }, 2048);
}

E2E_MAIN
