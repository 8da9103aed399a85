// sycl_ext_oneapi_group_sort and sycl_ext_oneapi_user_defined_reductions: groups sort values, and combine values by
// operators that the program defines.
#include <sycl/ext/oneapi/experimental/group_sort.hpp>

#include "check.hpp"

#include <algorithm>
#include <numeric>

#if SYCL_EXT_ONEAPI_GROUP_SORT != 1 || SYCL_EXT_ONEAPI_USER_DEFINED_REDUCTIONS != 1
#error "a feature-test macro is missing"
#endif

namespace x = sycl::ext::oneapi::experimental;

namespace {

struct greater {
  bool operator()(int a, int b) const { return a > b; }
};
struct rational {
  long over, under;
  friend bool operator<(const rational& a, const rational& b) { return a.over * b.under < b.over * a.under; }
};

/// Launches `groups` groups of `local` work-items. Each work-item calls kernel(item, scratch memory of the group).
template <class Kernel>
void run(std::size_t groups, std::size_t local, std::size_t bytes, Kernel kernel) {
  sycl::queue queue = e2e::make_queue();
  queue
      .submit([&](sycl::handler& group) {
        sycl::local_accessor<std::byte> scratch(bytes, group);
        group.parallel_for(sycl::nd_range<1>(groups * local, local), [=](sycl::nd_item<1> item) {
          kernel(item, sycl::span<std::byte>(&scratch[0], bytes));
        });
      })
      .wait();
}

/// Returns three inputs. In the first, all elements are equal. In the second, the elements are in descending order. In
/// the third, the elements are random, and some are equal.
std::vector<std::vector<int>> inputs(std::size_t count) {
  std::vector<std::vector<int>> all(3, std::vector<int>(count, 3));
  for (std::size_t i = 0; i < count; ++i) all[1][i] = static_cast<int>(count - i);
  all[2] = e2e::random_values<int>(count, -50, 50);
  return all;
}

constexpr std::size_t locals[] = {1, 6, 32, 50};

}  // namespace

TEST("a group sorts a range, whatever its length") {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t local : locals) {
    for (const std::size_t count : {0u, 1u, 2u, 13u, 64u, 201u}) {
      for (const std::vector<int>& in : inputs(count)) {
        int* const data = sycl::malloc_shared<int>(2 * count + 1, queue);
        std::copy(in.begin(), in.end(), data), std::copy(in.begin(), in.end(), data + count);
        const std::size_t need =
            x::default_sorters::joint_sorter<>::memory_required<int>(sycl::memory_scope::work_group, count);
        run(1, local, need, [=](sycl::nd_item<1> item, sycl::span<std::byte> scratch) {
          x::joint_sort(x::group_with_scratchpad(item.get_group(), scratch), data, data + count);
          x::joint_sort(item.get_group(), data + count, data + 2 * count,
                        x::default_sorters::joint_sorter<greater>(scratch));
        });
        std::vector<int> expected = in;
        std::sort(expected.begin(), expected.end());
        CHECK(std::equal(expected.begin(), expected.end(), data));
        CHECK(std::equal(expected.rbegin(), expected.rend(), data + count));
        sycl::free(data, queue);
      }
    }
  }
}

TEST("a group sorts values of its work-items, and takes others along with keys") {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t local : locals) {
    const std::size_t count = 3 * local;
    for (const std::vector<int>& in : inputs(count)) {
      int* const data = sycl::malloc_shared<int>(7 * count, queue);
      std::copy(in.begin(), in.end(), data);
      const auto scope = sycl::memory_scope::work_group;
      const std::size_t need = x::default_sorters::group_key_value_sorter<int, long>::memory_required(scope, local);
      run(3, local, 2 * need + 64, [=](sycl::nd_item<1> item, sycl::span<std::byte> scratch) {
        const x::group_with_scratchpad helper(item.get_group(), scratch);
        const std::size_t i = item.get_global_id(0);
        data[count + i] = x::sort_over_group(helper, data[i]);
        data[2 * count + i] = x::sort_over_group(helper, data[i], greater());
        const auto [key, value] = x::sort_key_value_over_group(helper, data[i], static_cast<long>(i));
        data[3 * count + i] = key, data[4 * count + i] = static_cast<int>(value);
        int two[2] = {data[i], data[i] * 2};
        x::sort_over_group(helper, sycl::span<int, 2>(two));
        data[5 * count + 2 * i] = two[0], data[5 * count + 2 * i + 1] = two[1];
      });
      for (std::size_t group = 0; group < 3; ++group) {
        const std::size_t first = group * local;
        std::vector<int> sorted(in.begin() + static_cast<long>(first), in.begin() + static_cast<long>(first + local));
        std::vector<int> doubled = sorted;
        for (const int each : sorted) doubled.push_back(each * 2);
        std::sort(sorted.begin(), sorted.end()), std::sort(doubled.begin(), doubled.end());
        std::vector<int> taken;
        for (std::size_t i = 0; i < local; ++i) {
          CHECK_EQUAL(data[count + first + i], sorted[i]);
          CHECK_EQUAL(data[2 * count + first + i], sorted[local - 1 - i]);
          CHECK_EQUAL(data[3 * count + first + i], sorted[i]);
          const int place = data[4 * count + first + i];
          CHECK(place >= static_cast<int>(first) && place < static_cast<int>(first + local));
          CHECK_EQUAL(in[static_cast<std::size_t>(place)], sorted[i]);
          taken.push_back(place);
        }
        std::sort(taken.begin(), taken.end());
        CHECK(std::unique(taken.begin(), taken.end()) == taken.end());
        for (std::size_t i = 0; i < 2 * local; ++i) CHECK_EQUAL(data[5 * count + 2 * first + i], doubled[i]);
      }
      sycl::free(data, queue);
    }
  }
}

TEST("sub-groups sort values of classes") {
  sycl::queue queue = e2e::make_queue();
  const auto in = e2e::random_values<long>(64, -30, 30);
  rational* const data = sycl::malloc_shared<rational>(64, queue);
  for (std::size_t i = 0; i < 64; ++i) data[i] = {in[i], static_cast<long>(i % 7 + 1)};
  std::uint32_t* const sub_groups = sycl::malloc_shared<std::uint32_t>(64, queue);
  const std::size_t need =
      x::default_sorters::group_sorter<rational>::memory_required(sycl::memory_scope::sub_group, 64);
  // On some devices, local memory has only 64 KiB. This is too little memory for 64 sub-groups. So the test requests
  // memory only for the largest number of sub-groups that 64 work-items can have.
  const auto sizes = queue.get_device().get_info<sycl::info::device::sub_group_sizes>();
  const std::size_t most_sub_groups = 64 / *std::min_element(sizes.begin(), sizes.end());
  run(1, 64, need * most_sub_groups, [=](sycl::nd_item<1> item, sycl::span<std::byte> scratch) {
    const sycl::sub_group group = item.get_sub_group();
    const std::size_t i = item.get_local_id(0);
    sub_groups[i] = group.get_group_linear_id();
    data[i] = x::sort_over_group(
        x::group_with_scratchpad(group, scratch.subspan(group.get_group_linear_id() * need, need)), data[i]);
  });
  for (std::size_t i = 1; i < 64; ++i) CHECK(sub_groups[i] != sub_groups[i - 1] || !(data[i] < data[i - 1]));
  sycl::free(data, queue), sycl::free(sub_groups, queue);
}

TEST("groups combine values by any operator") {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t local : locals) {
    const auto in = e2e::random_values<int>(local, -1000, 1000);
    int* const data = sycl::malloc_shared<int>(local + 4, queue);
    std::copy(in.begin(), in.end(), data);
    run(1, local, local * sizeof(int), [=](sycl::nd_item<1> item, sycl::span<std::byte> scratch) {
      const x::group_with_scratchpad helper(item.get_group(), scratch);
      const auto nearer = [](int a, int b) { return (a < 0 ? -a : a) < (b < 0 ? -b : b) ? a : b; };
      const std::size_t i = item.get_local_id(0);
      const int nearest = x::reduce_over_group(helper, data[i], nearer);
      const int with = x::reduce_over_group(helper, data[i], 3000, [](int a, int b) { return a + b; });
      const int joint = x::joint_reduce(helper, data, data + local, nearer);
      const int joint_with = x::joint_reduce(helper, data, data + local, 7, [](int a, int b) { return a + b; });
      if (i == 0) data[local] = nearest, data[local + 1] = with, data[local + 2] = joint, data[local + 3] = joint_with;
    });
    int least = 5000;
    for (const int each : in) least = std::min(least, std::abs(each));
    const int sum = std::accumulate(in.begin(), in.end(), 0);
    CHECK(std::abs(data[local]) == least && std::abs(data[local + 2]) == least);
    CHECK(data[local + 1] == sum + 3000 && data[local + 3] == sum + 7);
    sycl::free(data, queue);
  }
}

E2E_MAIN
