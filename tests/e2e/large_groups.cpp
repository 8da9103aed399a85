/// Work-groups of the largest size that the device supports (the CPU: 8192 work-items): barriers, local memory, private
/// arrays across barriers, group algorithms and reductions, in one to three dimensions.
#include "check.hpp"

namespace {

std::size_t largest_group() {
  return e2e::make_queue().get_device().get_info<sycl::info::device::max_work_group_size>();
}

/// Results of group algorithms.
struct found {
  int sum, last, any, highest_lane;
};

/// In each of `rounds` rounds, a work-item passes its value on and takes part in sums of all values.
template <int Dimensions>
void check_groups(sycl::range<Dimensions> local, std::size_t groups) {
  const std::size_t items = local.size();
  if (items > largest_group()) return;
  sycl::range<Dimensions> global = local;
  global[0] *= groups;
  const std::vector<int> values = e2e::random_values<int>(global.size());
  constexpr int rounds = 3;

  sycl::queue queue = e2e::make_queue({sycl::property::queue::in_order()});
  int* in = sycl::malloc_shared<int>(global.size(), queue);
  int* passed = sycl::malloc_shared<int>(global.size(), queue);
  int* scanned = sycl::malloc_shared<int>(global.size(), queue);
  found* all = sycl::malloc_shared<found>(groups, queue);
  int* total = sycl::malloc_shared<int>(1, queue);
  std::copy(values.begin(), values.end(), in);
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<int> tile(items, handler);
    handler.parallel_for(sycl::nd_range<Dimensions>(global, local), [=](sycl::nd_item<Dimensions> item) {
      const sycl::group<Dimensions> group = item.get_group();
      const std::size_t me = item.get_local_linear_id(), at = item.get_group_linear_id() * items + me;
      int kept[4];
      for (int i = 0; i < 4; ++i) kept[i] = in[at] + i;
      tile[me] = in[at];
      sycl::group_barrier(group);
      const int opposite = tile[items - 1 - me];
      sycl::group_barrier(group);
      tile[me] = opposite + kept[me % 4];
      for (int round = 0; round < rounds; ++round) {
        sycl::group_barrier(group);
        const int next = tile[(me + 1) % items];
        sycl::group_barrier(group);
        tile[me] = next;
      }
      passed[at] = tile[me];
      scanned[at] = sycl::inclusive_scan_over_group(group, in[at], sycl::plus<int>());
      const found mine = {sycl::reduce_over_group(group, in[at], sycl::plus<int>()),
                          sycl::group_broadcast(group, in[at], items - 1), sycl::any_of_group(group, me == items - 1),
                          sycl::reduce_over_group(item.get_sub_group(), static_cast<int>(me), sycl::maximum<int>())};
      if (me == items - 1) all[item.get_group_linear_id()] = mine;
    });
  });
  const auto fresh = sycl::property::reduction::initialize_to_identity();
  queue.parallel_for(sycl::nd_range<Dimensions>(global, local), sycl::reduction(total, sycl::plus<int>(), fresh),
                     [=](sycl::nd_item<Dimensions> item, auto& sum) { sum += in[item.get_global_linear_id()]; });
  queue.wait();

  int sum_of_all = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const int* of_group = values.data() + group * items;
    std::vector<int> sums(items), expected(items);
    int sum = 0;
    for (std::size_t i = 0; i < items; ++i) {
      sums[i] = sum += of_group[i];
      const std::size_t from = (i + rounds) % items;
      expected[i] = of_group[items - 1 - from] + of_group[from] + static_cast<int>(from % 4);
    }
    sum_of_all += sum;
    CHECK_ALL_EQUAL(std::vector<int>(passed + group * items, passed + (group + 1) * items), expected);
    CHECK_ALL_EQUAL(std::vector<int>(scanned + group * items, scanned + (group + 1) * items), sums);
    CHECK_EQUAL(all[group].sum, sum);
    CHECK_EQUAL(all[group].last, of_group[items - 1]);
    CHECK_EQUAL(all[group].any, 1);
    CHECK_EQUAL(all[group].highest_lane, static_cast<int>(items - 1));
  }
  CHECK_EQUAL(*total, sum_of_all);
  for (int* memory : {in, passed, scanned, total}) sycl::free(memory, queue);
  sycl::free(all, queue);
}

}  // namespace

TEST("the CPU has groups of 8192 work-items, and refuses larger ones") {
  CPU_ONLY;
  CHECK_EQUAL(largest_group(), 8192u);
  sycl::queue queue = e2e::make_queue();
  try {
    queue.parallel_for(sycl::nd_range<1>(8193, 8193), [=](sycl::nd_item<1>) {});
    e2e::fail(__FILE__, __LINE__, "a group of 8193 work-items is not refused");
  } catch (const sycl::exception& error) {
    CHECK(error.code() == sycl::errc::nd_range && std::string(error.what()).find("8193") != std::string::npos);
  }
}

TEST("groups of one dimension, of the largest size and of one work-item more than half of it") {
  check_groups<1>({largest_group()}, 3);
  check_groups<1>({largest_group() / 2 + 1}, 3);
}

TEST("groups of two dimensions: squares, rows and columns") {
  check_groups<2>({64, 128}, 2);
  check_groups<2>({1, 8192}, 2);
  check_groups<2>({4097, 1}, 2);
  check_groups<2>({63, 65}, 2);
}

TEST("groups of three dimensions") {
  check_groups<3>({16, 16, 32}, 2);
  check_groups<3>({3, 5, 273}, 2);
}

TEST("a group keeps large private arrays across a barrier") {
  CPU_ONLY;
  constexpr std::size_t items = 8192, length = 64;
  sycl::queue queue = e2e::make_queue();
  int* out = sycl::malloc_shared<int>(items, queue);
  queue.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) {
    int own[length];
    const int me = static_cast<int>(item.get_local_id(0));
    for (std::size_t i = 0; i < length; ++i) own[i] = me * static_cast<int>(i);
    sycl::group_barrier(item.get_group());
    int sum = 0;
    for (std::size_t i = 0; i < length; ++i) sum += own[(i + item.get_local_id(0)) % length];
    out[me] = sum;
  }).wait();
  for (std::size_t i = 0; i < items; ++i) CHECK_EQUAL(out[i], static_cast<int>(i * length * (length - 1) / 2));
  sycl::free(out, queue);
}

E2E_MAIN
