/// Reductions over nd_ranges of so many groups that each block of a GPU runs several groups in turns. In each turn, all
/// queries give the results of that turn's group.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <sycl/ext/oneapi/free_function_queries.hpp>

#include "check.hpp"

namespace {

/// Numbers of groups near the limit above which a block runs several groups, and near multiples of a GPU's
/// number of blocks.
constexpr std::size_t group_counts[] = {1, 4097, 16383, 16384, 16385, 40961};

template <int Dimensions>
std::size_t linear(const sycl::id<Dimensions>& at, const sycl::range<Dimensions>& size) {
  std::size_t result = 0;
  for (int d = 0; d < Dimensions; ++d) result = result * size[d] + at[d];
  return result;
}

/// Each work-item contributes all ids of its nd_item, each multiplied by another weight.
template <int Dimensions>
std::uint32_t mix(const sycl::id<Dimensions>& global, const sycl::id<Dimensions>& group,
                  const sycl::id<Dimensions>& local, const sycl::range<Dimensions>& size,
                  const sycl::range<Dimensions>& groups) {
  std::uint32_t result = 1;
  for (int d = 0; d < Dimensions; ++d) {
    for (const std::size_t each : {global[d], group[d], local[d], size[d], groups[d]}) {
      result = result * 31 + static_cast<std::uint32_t>(each);
    }
  }
  return result;
}

template <int Dimensions>
void check_positions(const sycl::range<Dimensions>& groups, const sycl::range<Dimensions>& local,
                     const sycl::id<Dimensions>& offset = {}) {
  sycl::queue queue = e2e::make_queue();
  const sycl::range<Dimensions> size = groups * local;
  const std::size_t items = size.size();
  auto* sum = sycl::malloc_shared<std::uint32_t>(2, queue);
  auto* visits = sycl::malloc_shared<std::uint32_t>(items, queue);
  std::fill(visits, visits + items, 0u);
  sum[0] = sum[1] = 5;
  queue
      .parallel_for(sycl::nd_range<Dimensions>(size, local, offset), sycl::reduction(sum, sycl::plus<std::uint32_t>()),
                    sycl::reduction(sum + 1, sycl::bit_xor<std::uint32_t>()),
                    [=](const sycl::nd_item<Dimensions>& item, auto& total, auto& parity) {
                      const std::uint32_t value =
                          mix(item.get_global_id(), item.get_group().get_group_id(), item.get_local_id(),
                              item.get_global_range(), item.get_group_range());
                      total += value + static_cast<std::uint32_t>(item.get_group_linear_id());
                      parity ^= value;
                      visits[item.get_global_linear_id()] += 1;
                    })
      .wait();
  std::uint32_t expected_sum = 5, expected_parity = 5;
  sycl::id<Dimensions> at;
  for (std::size_t i = 0; i < items; ++i) {
    std::size_t rest = i;
    for (int d = Dimensions - 1; d >= 0; rest /= size[d], --d) at[d] = rest % size[d];
    const std::uint32_t value = mix(at + offset, at / local, at % local, size, groups);
    expected_sum += value + static_cast<std::uint32_t>(linear(sycl::id<Dimensions>(at / local), groups));
    expected_parity ^= value;
  }
  CHECK_EQUAL(sum[0], expected_sum);
  CHECK_EQUAL(sum[1], expected_parity);
  CHECK(std::all_of(visits, visits + items, [](std::uint32_t each) { return each == 1; }));
  sycl::free(visits, queue);
  sycl::free(sum, queue);
}

}  // namespace

TEST("each group has its turn once, and knows its place") {
  for (const std::size_t groups : group_counts) {
    check_positions<1>(groups, 1);
    check_positions<1>(groups, 4);
    check_positions<1>(groups, 3, sycl::id<1>(7));
  }
  check_positions<1>(16401, 64);
  check_positions<2>({130, 127}, {2, 3});
  check_positions<2>({130, 127}, {2, 3}, {5, 11});
  check_positions<3>({16, 33, 32}, {1, 2, 2});
  check_positions<3>({16, 33, 32}, {1, 2, 2}, {1, 2, 3});
}

TEST("functions that ask for their group themselves, share memory or wait get groups of their own") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t groups = 20000, local = 8;
  auto* sum = sycl::malloc_shared<std::uint32_t>(1, queue);
  const auto sum_of = [&](auto&& kernel) {
    *sum = 0;
    queue.submit([&](sycl::handler& handler) { kernel(handler, sycl::reduction(sum, sycl::plus<std::uint32_t>())); });
    queue.wait();
    return *sum;
  };
  const sycl::nd_range<1> items(groups * local, local);
  std::uint32_t ids = 0, shared = 0;
  for (std::uint32_t i = 0; i < groups * local; ++i) {
    ids += i * 3 + i / local;
    shared += (i / local * local + (local - 1 - i % local)) * 5;
  }
  CHECK_EQUAL(sum_of([=](sycl::handler& handler, const auto& total) {
                handler.parallel_for(items, total, [=](sycl::nd_item<1>, auto& all) {
                  const auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
                  all += static_cast<std::uint32_t>(item.get_global_id(0) * 3 + item.get_group(0));
                });
              }),
              ids);
  CHECK_EQUAL(sum_of([=](sycl::handler& handler, const auto& total) {
                sycl::local_accessor<std::uint32_t> tile(local, handler);
                handler.parallel_for(items, total, [=](sycl::nd_item<1> item, auto& all) {
                  tile[item.get_local_id(0)] = static_cast<std::uint32_t>(item.get_global_id(0));
                  sycl::group_barrier(item.get_group());
                  all += tile[local - 1 - item.get_local_id(0)] * 5;
                });
              }),
              shared);
  CHECK_EQUAL(sum_of([=](sycl::handler& handler, const auto& total) {
                handler.parallel_for(items, total, [=](sycl::nd_item<1> item, auto& all) {
                  const auto mine = static_cast<std::uint32_t>(item.get_global_id(0));
                  all += sycl::reduce_over_group(item.get_group(), mine, sycl::plus<std::uint32_t>());
                });
              }),
              static_cast<std::uint32_t>(groups * local * (groups * local - 1) / 2 * local));
  sycl::free(sum, queue);
}

TEST("operators that nobody knows, arrays and work-items that return early") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t items = 30000 * 4;
  const auto values = e2e::random_values<int>(items, -1000, 1000);
  int* data = sycl::malloc_shared<int>(items, queue);
  std::copy(values.begin(), values.end(), data);
  int* results = sycl::malloc_shared<int>(6, queue);
  std::fill(results, results + 6, 0);
  // The result is the last number that is not 0. This operation is not commutative.
  const auto last = [](int a, int b) { return b == 0 ? a : b; };
  queue.parallel_for(sycl::nd_range<1>(items, 4), sycl::reduction(results, 0, last), [=](sycl::nd_item<1> item,
                                                                                         auto& one) {
    if (data[item.get_global_id(0)] % 7 == 0) one.combine(data[item.get_global_id(0)]);
  });
  queue.parallel_for(sycl::nd_range<1>(items, 4),
                     sycl::reduction(sycl::span<int, 5>(results + 1, 5), sycl::plus<int>()),
                     [=](sycl::nd_item<1> item, auto& counts) {
                       const int value = data[item.get_global_id(0)];
                       if (value < 0) return;
                       counts[static_cast<std::size_t>(value % 5)] += value;
                     });
  queue.wait();
  int expected_last = 0, expected[5] = {};
  for (const int value : values) {
    if (value % 7 == 0) expected_last = last(expected_last, value);
    if (value >= 0) expected[value % 5] += value;
  }
  CHECK_EQUAL(results[0], expected_last);
  for (int i = 0; i < 5; ++i) CHECK_EQUAL(results[1 + i], expected[i]);
  sycl::free(results, queue);
  sycl::free(data, queue);
}

E2E_MAIN
