/// Devices with small limits: no sub-groups, groups of one work-item or of seven, hardly any local memory, few bytes of
/// arguments, compilers that refuse kernels (tests/devices/opencl_layer.cpp sets the limits). Kernels that fit the
/// limits give right results. Other kernels get an error, and the queue can still be used.
#include "check.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace {

/// The value of an environment variable that configures the layer, or "" if the variable is not set.
std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::size_t most_items(const sycl::queue& queue) {
  const sycl::device device = queue.get_device();
  return std::min(device.get_info<sycl::info::device::max_work_group_size>(),
                  device.get_info<sycl::info::device::max_work_item_sizes<1>>()[0]);
}

std::vector<int> some_numbers(std::size_t count) {
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * 7 % 13);
  return values;
}

/// Returns the message of the error with which a launch is refused. The message must name the kernel and the device.
/// The queue must still be usable after the error.
template <class Submit>
std::string refusal(sycl::queue& queue, sycl::errc code, const char* kernel, const Submit& submit) {
  std::string why;
  try {
    submit();
    queue.wait_and_throw();
  } catch (const sycl::exception& error) {
    CHECK(error.code() == code);
    why = error.what();
  }
  CHECK(why.find(kernel) != std::string::npos);
  CHECK(why.find(queue.get_device().get_info<sycl::info::device::name>()) != std::string::npos);
  int answer = 0;
  {
    sycl::buffer<int> buffer(&answer, 1);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(buffer, handler, sycl::write_only);
      handler.single_task<class still_works>([=] { out[0] = 42; });
    });
  }
  CHECK_EQUAL(answer, 42);
  return why;
}

/// A queue whose wait_and_throw throws the errors of its commands.
sycl::queue strict_queue() {
  return sycl::queue(sycl::default_selector_v, [](sycl::exception_list list) {
    for (const std::exception_ptr& each : list) std::rethrow_exception(each);
  });
}

}  // namespace

TEST("the layer is at work") {
  const sycl::device device = e2e::make_queue().get_device();
  if (!setting("TEST_CL_GROUP").empty()) {
    CHECK_EQUAL(device.get_info<sycl::info::device::max_work_group_size>(), std::stoul(setting("TEST_CL_GROUP")));
  }
  if (!setting("TEST_CL_GROUP_Z").empty()) {
    CHECK_EQUAL(device.get_info<sycl::info::device::max_work_item_sizes<3>>()[0],
                std::stoul(setting("TEST_CL_GROUP_Z")));
  }
  if (!setting("TEST_CL_LOCAL_BYTES").empty()) {
    CHECK_EQUAL(device.get_info<sycl::info::device::local_mem_size>(), std::stoul(setting("TEST_CL_LOCAL_BYTES")));
  }
  if (setting("TEST_CL_SPIRV") == "0") {
    CHECK(!device.has(sycl::aspect::queue_profiling));
    try {
      const sycl::queue timed(device, sycl::property::queue::enable_profiling());
      CHECK(!"a queue measures what the device can't");
    } catch (const sycl::exception& error) {
      CHECK(error.code() == sycl::errc::feature_not_supported);
    }
  }
  if (setting("TEST_CL_SUB_GROUPS") == "none" || setting("TEST_CL_SPIRV") == "0") {
    CHECK(device.get_info<sycl::info::device::sub_group_sizes>() == std::vector<std::size_t>{1});
  }
}

TEST("sub-groups are of a size that the device offers, and their functions agree with it") {
  sycl::queue queue = e2e::make_queue();
  const auto sizes = queue.get_device().get_info<sycl::info::device::sub_group_sizes>();
  const std::size_t group = std::min<std::size_t>(most_items(queue), 48), count = 5 * group;
  struct seen {
    std::uint32_t size, range, local, sum, ballot, from_last;
    std::int64_t wide;
  };
  std::vector<seen> all(count);
  {
    sycl::buffer<seen> buffer(all.data(), count);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(buffer, handler, sycl::write_only);
      handler.parallel_for(sycl::nd_range<1>(count, group), [=](sycl::nd_item<1> item) {
        const sycl::sub_group mine = item.get_sub_group();
        const auto id = static_cast<std::uint32_t>(item.get_local_id(0));
        const auto last = mine.get_local_linear_range() - 1;
        sycl::group_barrier(mine);
        out[item.get_global_id()] = {static_cast<std::uint32_t>(mine.get_max_local_range()[0]),
                                     mine.get_local_linear_range(),
                                     mine.get_local_linear_id(),
                                     sycl::inclusive_scan_over_group(mine, id, sycl::plus<std::uint32_t>()),
                                     sycl::any_of_group(mine, id == 0),
                                     sycl::select_from_group(mine, id, last),
                                     sycl::group_broadcast(mine, std::int64_t{-5} * id, 0)};
      });
    });
  }
  for (std::size_t i = 0; i < count; ++i) {
    const seen& its = all[i];
    const std::uint32_t id = static_cast<std::uint32_t>(i % group), first = id - its.local;
    CHECK(std::find(sizes.begin(), sizes.end(), its.size) != sizes.end());
    CHECK(its.range >= 1 && its.range <= its.size && its.local < its.range);
    std::uint32_t sum = 0;
    for (std::uint32_t each = first; each <= id; ++each) sum += each;
    CHECK_EQUAL(its.sum, sum);
    CHECK_EQUAL(its.ballot, std::uint32_t{first == 0});
    CHECK_EQUAL(its.from_last, first + its.range - 1);
    CHECK_EQUAL(its.wide, std::int64_t{-5} * first);
  }
}

TEST("groups of two and three dimensions with sub-groups are right") {
  sycl::queue queue = e2e::make_queue();
  const auto most = queue.get_device().get_info<sycl::info::device::max_work_item_sizes<3>>();
  const std::size_t items = most_items(queue);
  for (const sycl::range<3> local : {sycl::range<3>(1, 1, 1), sycl::range<3>(1, 2, 3), sycl::range<3>(2, 3, 4)}) {
    if (local.size() > items || local[0] > most[0] || local[1] > most[1] || local[2] > most[2]) continue;
    const sycl::range<3> global(2 * local[0], 3 * local[1], 2 * local[2]);
    std::vector<std::uint32_t> sums(12), wrong(1);
    {
      sycl::buffer<std::uint32_t> of_sums(sums.data(), sums.size()), of_wrong(wrong.data(), 1);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor out(of_sums, handler, sycl::write_only);
        sycl::accessor bad(of_wrong, handler, sycl::read_write);
        handler.parallel_for(sycl::nd_range<3>(global, local), [=](sycl::nd_item<3> item) {
          const auto id = static_cast<std::uint32_t>(item.get_local_linear_id());
          const sycl::sub_group mine = item.get_sub_group();
          const auto of_first = sycl::group_broadcast(mine, id, 0);
          if (id != of_first + mine.get_local_linear_id()) bad[0] = 1;
          const auto sum = sycl::reduce_over_group(item.get_group(), id + 1, sycl::plus<std::uint32_t>());
          if (item.get_group().leader()) out[item.get_group_linear_id()] = sum;
        });
      });
    }
    CHECK_EQUAL(wrong[0], 0u);
    const auto size = static_cast<std::uint32_t>(local.size());
    CHECK(sums == std::vector<std::uint32_t>(12, size * (size + 1) / 2));
  }
}

TEST("group functions and local memory work in groups of any size") {
  sycl::queue queue = e2e::make_queue();
  std::vector<std::size_t> groups{1, 2, 5, 7, 16, 33};
  std::erase_if(groups, [&](std::size_t size) { return size > most_items(queue); });
  for (const std::size_t group : groups) {
    const std::size_t count = 6 * group;
    std::vector<int> values = some_numbers(count), turned(count), sums(count);
    {
      sycl::buffer<int> in_buffer(values.data(), count), of_turned(turned.data(), count), of_sums(sums.data(), count);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor in(in_buffer, handler, sycl::read_only);
        sycl::accessor out(of_turned, handler, sycl::write_only), sum(of_sums, handler, sycl::write_only);
        sycl::local_accessor<int> own(group, handler);
        handler.parallel_for(sycl::nd_range<1>(count, group), [=](sycl::nd_item<1> item) {
          const std::size_t i = item.get_global_id(0), local = item.get_local_id(0);
          own[group - 1 - local] = in[i];
          sycl::group_barrier(item.get_group());
          out[i] = own[local];
          sum[i] = sycl::inclusive_scan_over_group(item.get_group(), in[i], sycl::plus<int>());
        });
      });
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first = i / group * group;
      CHECK_EQUAL(turned[i], values[first + group - 1 - (i - first)]);
      CHECK_EQUAL(sums[i], std::accumulate(values.begin() + first, values.begin() + i + 1, 0));
    }
  }
}

TEST("reductions choose groups that the device has") {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t count : {1, 7, 1000, 70000}) {
    std::vector<int> values = some_numbers(count);
    long sum = 5;
    int most = -1;
    double halves = 0;
    {
      sycl::buffer<int> buffer(values.data(), count), of_most(&most, 1);
      sycl::buffer<long> of_sum(&sum, 1);
      sycl::buffer<double> of_halves(&halves, 1);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor in(buffer, handler, sycl::read_only);
        handler.parallel_for(sycl::range<1>(count), sycl::reduction(of_sum, handler, sycl::plus<long>()),
                             sycl::reduction(of_most, handler, sycl::maximum<int>()),
                             sycl::reduction(of_halves, handler, sycl::plus<double>()),
                             [=](sycl::id<1> i, auto& add, auto& raise, auto& add_half) {
                               add += in[i];
                               raise.combine(in[i]);
                               add_half += 0.5 * in[i];
                             });
      });
    }
    const long all = std::accumulate(values.begin(), values.end(), 0L);
    CHECK_EQUAL(sum, 5 + all);
    CHECK_EQUAL(most, *std::max_element(values.begin(), values.end()));
    CHECK_EQUAL(halves, 0.5 * static_cast<double>(all));
  }
}

TEST("hierarchical kernels and plain ranges work") {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> groups(8 * 5), plane(31 * 17);
  {
    sycl::buffer<int> of_groups(groups.data(), groups.size());
    sycl::buffer<int, 2> of_plane(plane.data(), {31, 17});
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(of_groups, handler, sycl::write_only);
      handler.parallel_for_work_group(sycl::range<1>(8), sycl::range<1>(5), [=](sycl::group<1> group) {
        int first = static_cast<int>(group.get_group_id(0)) * 100;
        group.parallel_for_work_item([&](sycl::h_item<1> item) {
          out[item.get_global_id()] = first + static_cast<int>(item.get_local_id(0));
        });
      });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(of_plane, handler, sycl::write_only);
      handler.parallel_for(of_plane.get_range(), [=](sycl::id<2> i) { out[i] = static_cast<int>(i[0] * 17 + i[1]); });
    });
  }
  for (int i = 0; i < 40; ++i) CHECK_EQUAL(groups[i], i / 5 * 100 + i % 5);
  for (int i = 0; i < 31 * 17; ++i) CHECK_EQUAL(plane[i], i);
}

TEST("groups that are too large are refused, and the queue goes on") {
  sycl::queue queue = strict_queue();
  const std::size_t most = queue.get_device().get_info<sycl::info::device::max_work_group_size>();
  sycl::buffer<int> buffer{sycl::range<1>(2 * (most + 1))};
  const std::string why = refusal(queue, sycl::errc::nd_range, "too_large", [&] {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(buffer, handler, sycl::write_only);
      handler.parallel_for<class too_large>(sycl::nd_range<1>(2 * (most + 1), most + 1),
                                            [=](sycl::nd_item<1> item) { out[item.get_global_id()] = 1; });
    });
  });
  CHECK(why.find("info::device::max_work_group_size") != std::string::npos);
  const auto sizes = queue.get_device().get_info<sycl::info::device::max_work_item_sizes<3>>();
  if (sizes[0] >= most) return;
  const sycl::range<3> tall(sizes[0] + 1, 1, 1);
  const std::string why_tall = refusal(queue, sycl::errc::nd_range, "too_tall", [&] {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(buffer, handler, sycl::write_only);
      handler.parallel_for<class too_tall>(sycl::nd_range<3>(tall, tall),
                                           [=](sycl::nd_item<3> item) { out[item.get_global_id(0)] = 1; });
    });
  });
  CHECK(why_tall.find("info::device::max_work_item_sizes") != std::string::npos);
}

TEST("more local memory than there is is refused, and the queue goes on") {
  sycl::queue queue = strict_queue();
  const std::size_t bytes = queue.get_device().get_info<sycl::info::device::local_mem_size>();
  sycl::buffer<char> buffer{sycl::range<1>(1)};
  const std::string why = refusal(queue, sycl::errc::memory_allocation, "too_much_local", [&] {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(buffer, handler, sycl::write_only);
      sycl::local_accessor<char> own(bytes + 1, handler);
      handler.parallel_for<class too_much_local>(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
        own[0] = 1;
        out[0] = own[0];
      });
    });
  });
  CHECK(why.find("make local accessors smaller") != std::string::npos);
}

TEST("sub-groups of a size that the device lacks are refused, and the queue goes on") {
  sycl::queue queue = strict_queue();
  const auto sizes = queue.get_device().get_info<sycl::info::device::sub_group_sizes>();
  if (std::find(sizes.begin(), sizes.end(), 8) != sizes.end()) return;
  sycl::buffer<int> buffer{sycl::range<1>(1)};
  const std::string why = refusal(queue, sycl::errc::kernel_not_supported, "in_eights", [&] {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(buffer, handler, sycl::write_only);
      handler.parallel_for<class in_eights>(
          sycl::nd_range<1>(1, 1),
          [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(8)]] { out[item.get_global_id()] = 1; });
    });
  });
  CHECK(why.find("info::device::sub_group_sizes") != std::string::npos);
}

TEST("arguments of many bytes arrive") {
  sycl::queue queue = e2e::make_queue();
  struct table {
    int values[300];
  };
  table numbers{};
  std::iota(std::begin(numbers.values), std::end(numbers.values), -7);
  std::vector<int> out(300);
  {
    sycl::buffer<int> buffer(out.data(), out.size());
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(buffer, handler, sycl::write_only);
      handler.parallel_for(buffer.get_range(), [=](sycl::id<1> i) { to[i] = numbers.values[i]; });
    });
  }
  CHECK(std::equal(out.begin(), out.end(), numbers.values));
}

TEST("a kernel that the driver can't build is told with the driver's log, each time, and the queue goes on") {
  if (setting("TEST_CL_REFUSED") != "unloved") return;
  sycl::queue queue = strict_queue();
  sycl::buffer<int> buffer{sycl::range<1>(4)};
  for (int i = 0; i < 2; ++i) {
    const std::string why = refusal(queue, sycl::errc::build, "unloved", [&] {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor out(buffer, handler, sycl::write_only);
        handler.parallel_for<class unloved>(buffer.get_range(), [=](sycl::id<1> j) { out[j] = i; });
      });
    });
    CHECK(why.find("error: no registers left for this kernel") != std::string::npos);
  }
}

E2E_MAIN
