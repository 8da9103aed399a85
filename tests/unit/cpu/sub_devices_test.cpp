/// Sub-devices (SYCL 2020 4.6.4.3). In library mode, a kernel can ask which thread runs it.

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "collecting_queue.hpp"

using sycl::info::partition_property;
using test::thrown_by;

namespace {

constexpr auto equally = partition_property::partition_equally;
constexpr auto by_counts = partition_property::partition_by_counts;

std::size_t units_of(const sycl::device& device) { return device.get_info<sycl::info::device::max_compute_units>(); }

/// Runs a reduction on the device. The reduction takes some time. Returns the threads that ran work-items.
std::set<int> threads_used(const sycl::device& device) {
  sycl::queue queue(device);
  constexpr std::size_t count = 20'000;
  std::vector<int> threads(count);
  std::vector<std::uint32_t> sums(count);
  {
    sycl::buffer<int> thread(threads.data(), count);
    sycl::buffer<std::uint32_t> sum(sums.data(), count);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to_thread(thread, handler, sycl::write_only, sycl::no_init);
      sycl::accessor to_sum(sum, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
        std::uint32_t value = static_cast<std::uint32_t>(i[0]);
        for (int step = 0; step < 200; ++step) value = value * 1664525u + 1013904223u;
        to_sum[i] = value;
        to_thread[i] = static_cast<int>(gettid());
      });
    });
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t value = static_cast<std::uint32_t>(i);
    for (int step = 0; step < 200; ++step) value = value * 1664525u + 1013904223u;
    REQUIRE(sums[i] == value);
  }
  return {threads.begin(), threads.end()};
}

}  // namespace

TEST_CASE("a kernel runs on no more threads than its sub-device has compute units") {
  const sycl::device whole;
  const std::size_t units = units_of(whole);
  if (units < 2) return;
  for (std::size_t part = 1; part < units; ++part) {
    const std::vector<sycl::device> parts = whole.create_sub_devices<equally>(part);
    REQUIRE(parts.size() == units / part);
    for (const sycl::device& each : parts) {
      CHECK(units_of(each) == part);
      for (int attempt = 0; attempt < 5; ++attempt) CHECK(threads_used(each).size() <= part);
    }
  }
  CHECK(!threads_used(whole).empty());
}

TEST_CASE("SINTER_THREADS is the number of compute units") {
  if (const char* threads = std::getenv("SINTER_THREADS")) CHECK(std::to_string(units_of(sycl::device())) == threads);
}

TEST_CASE("a few work-items that take long are dealt out, and each is run once") {
  sycl::queue queue;
  const bool has_others = units_of(sycl::device()) > 1;
  for (int round = 0; round < 5; ++round) {
    for (const std::size_t count : {33, 64, 255}) {
      std::vector<int> runs(count);
      int* run = runs.data();
      std::atomic<int> first = 0;
      std::atomic<bool> met = false, missed = false;
      std::atomic<int>* one = &first;
      std::atomic<bool>*two = &met, *out = &missed;
      // In long ranges, work-items wait until a second thread runs work-items, even if the machine is very busy.
      const bool waits = has_others && count > 200;
      queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
             std::uint32_t value = 1;
             for (int step = 0; step < 20'000; ++step) value = value * 1664525u + 1013904223u;
             run[i] += value == 0 ? 2 : 1;
             int nobody = 0;
             if (!one->compare_exchange_strong(nobody, static_cast<int>(gettid())) &&
                 nobody != static_cast<int>(gettid()))
               *two = true;
             if (waits && i[0] >= 64 && !test::holds_soon([=] { return two->load(); })) *out = true;
           })
          .wait();
      CHECK(std::accumulate(runs.begin(), runs.end(), 0) == static_cast<int>(count));
      REQUIRE(!missed.load());
    }
  }
}

TEST_CASE("a few work-items that take long are dealt out again, though they took next to no time before") {
  if (units_of(sycl::device()) < 2) return;
  sycl::queue queue;
  std::atomic<int> first = 0;
  std::atomic<bool> met = false;
  std::atomic<int>* one = &first;
  std::atomic<bool>* two = &met;
  const auto launch = [&](int steps) {
    queue.parallel_for(sycl::range<1>(128), [=](sycl::id<1>) {
           if (steps == 0) return;
           std::uint32_t value = 1;
           for (int step = 0; step < steps; ++step) value = value * 1664525u + 1013904223u;
           const int me = static_cast<int>(gettid());
           int nobody = value == 0 ? 1 : 0;
           if (!one->compare_exchange_strong(nobody, me) && nobody != me) *two = true;
         })
        .wait();
  };
  for (int round = 0; round < 1000; ++round) launch(0);
  for (int round = 0; round < 1000 && !met.load(); ++round) first = 0, launch(20'000);
  CHECK(met.load());
}

TEST_CASE("sub-devices know where they come from, and are no devices of the platform") {
  const sycl::device whole;
  const std::size_t units = units_of(whole);
  if (units < 2) return;
  const std::vector<sycl::device> parts = whole.create_sub_devices<by_counts>(std::vector<std::size_t>{1, units - 1});
  REQUIRE(parts.size() == 2);
  CHECK(parts[0] != parts[1]);
  CHECK(units_of(parts[0]) == 1);
  CHECK(units_of(parts[1]) == units - 1);
  CHECK(whole.get_info<sycl::info::device::partition_max_sub_devices>() == units);
  CHECK(whole.get_info<sycl::info::device::partition_type_property>() == partition_property::no_partition);
  for (const sycl::device& each : parts) {
    CHECK(each != whole);
    CHECK(each.get_info<sycl::info::device::parent_device>() == whole);
    CHECK(each.get_info<sycl::info::device::partition_type_property>() == by_counts);
    CHECK(each.is_cpu());
    CHECK(each.get_platform() == whole.get_platform());
    const auto roots = sycl::device::get_devices();
    CHECK(std::find(roots.begin(), roots.end(), each) == roots.end());
  }
  // A device with one compute unit can't be divided.
  CHECK(parts[0].get_info<sycl::info::device::partition_properties>().empty());
  CHECK(thrown_by([&] { (void)parts[0].create_sub_devices<equally>(1); }).code == sycl::errc::feature_not_supported);
}

TEST_CASE("a sub-device belongs to its parent's contexts, and memory is shared") {
  const sycl::device whole;
  if (units_of(whole) < 2) return;
  const std::vector<sycl::device> parts = whole.create_sub_devices<equally>(1);
  const sycl::context shared(whole);
  sycl::queue first(shared, parts[0]), second(shared, parts[1]);
  constexpr std::size_t count = 1001;
  int* data = sycl::malloc_shared<int>(count, parts[0], shared);
  const sycl::event filled =
      first.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]); });
  second.parallel_for(sycl::range<1>(count), filled, [=](sycl::id<1> i) { data[i] *= 3; }).wait();
  for (std::size_t i = 0; i < count; ++i) REQUIRE(data[i] == static_cast<int>(3 * i));
  CHECK(sycl::get_pointer_device(data, shared) == parts[0]);
  sycl::free(data, shared);
  // A context of a sub-device contains neither the whole device nor another sub-device.
  const sycl::context narrow(parts[0]);
  CHECK(thrown_by([&] { sycl::queue(narrow, whole); }).code == sycl::errc::invalid);
  CHECK(thrown_by([&] { sycl::queue(narrow, parts[1]); }).code == sycl::errc::invalid);
  }

TEST_CASE("partitions that do not fit are refused, with the number of compute units") {
  const sycl::device whole;
  const std::size_t units = units_of(whole);
  if (units < 2) return;
  auto refused = [&](auto partition) {
    CHECK(thrown_by(partition).code == sycl::errc::invalid);
    CHECK(test::contains(thrown_by(partition).text, std::to_string(units) + " compute units"));
  };
  refused([&] { (void)whole.create_sub_devices<equally>(0); });
  refused([&] { (void)whole.create_sub_devices<equally>(units + 1); });
  refused([&] { (void)whole.create_sub_devices<by_counts>(std::vector<std::size_t>{1, 0}); });
  refused([&] { (void)whole.create_sub_devices<by_counts>(std::vector<std::size_t>{units, 1}); });
  refused([&] { (void)whole.create_sub_devices<by_counts>(std::vector<std::size_t>(units + 1, 1)); });
  refused([&] { (void)whole.create_sub_devices<by_counts>(std::vector<std::size_t>{1, SIZE_MAX}); });
  CHECK(whole.create_sub_devices<by_counts>(std::vector<std::size_t>{}).empty());
}
