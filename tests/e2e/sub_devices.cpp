// Tests parts of a device (SYCL 2020 4.6.4.3). Each part is a device itself, and all parts share the memory of the
// whole device.
#include <algorithm>

#include "check.hpp"

#include <sycl/ext/oneapi/peer_access.hpp>

namespace {

constexpr auto by_counts = sycl::info::partition_property::partition_by_counts;
constexpr auto equally = sycl::info::partition_property::partition_equally;

std::uint32_t units_of(const sycl::device& device) { return device.get_info<sycl::info::device::max_compute_units>(); }

bool is_divisible(const sycl::device& device) {
  const auto ways = device.get_info<sycl::info::device::partition_properties>();
  return std::find(ways.begin(), ways.end(), by_counts) != ways.end();
}

void add_everywhere(const std::vector<sycl::queue>& queues, sycl::buffer<int>& buffer) {
  for (sycl::queue queue : queues) {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor both(buffer, handler, sycl::read_write);
      handler.parallel_for<class add_one>(buffer.get_range(), [=](sycl::id<1> i) { both[i] += 1; });
    });
  }
}

}  // namespace

// This test comes first, because a device must be unused when it is divided for the first time.
TEST("parts run kernels on memory of the whole") {
  const sycl::device whole;
  if (!is_divisible(whole)) return;
  const std::vector<sycl::device> parts = whole.create_sub_devices<by_counts>({1, 1});
  const std::vector<sycl::device> again = whole.create_sub_devices<equally>(1);
  CHECK_EQUAL(parts.size(), 2u);
  CHECK_EQUAL(again.size(), units_of(whole));
  std::vector<sycl::queue> queues{sycl::queue(whole)};
  for (const sycl::device& each : parts) {
    CHECK_EQUAL(units_of(each), 1u);
    CHECK(each.get_info<sycl::info::device::parent_device>() == whole);
    CHECK(each.get_info<sycl::info::device::partition_type_property>() == by_counts);
    CHECK(each.get_platform() == whole.get_platform());
    queues.emplace_back(sycl::context(whole), each);
  }
  queues.emplace_back(again.back());
  std::vector<int> values(1000);
  {
    sycl::buffer<int> buffer(values.data(), values.size());
    for (int round = 0; round < 3; ++round) add_everywhere(queues, buffer);
  }
  CHECK(values == std::vector<int>(1000, 12));
  if (!whole.has(sycl::aspect::usm_device_allocations)) return;
  int* const memory = sycl::malloc_device<int>(1000, queues[0]);
  queues[0].fill(memory, 5, 1000).wait();
  for (std::size_t i = 1; i < queues.size(); ++i) {
    queues[i].parallel_for<class add_two>(sycl::range<1>(1000), [=](sycl::id<1> j) { memory[j] += 2; }).wait();
  }
  queues[1].memcpy(values.data(), memory, 1000 * sizeof(int)).wait();
  CHECK(values == std::vector<int>(1000, 11));
  sycl::free(memory, queues[0]);
}

TEST("a device says whether it reaches another's memory") {
  const sycl::device whole;
  const bool one_process = whole.get_backend() == sycl::backend::sinter_cpu;
  CHECK(!whole.ext_oneapi_can_access_peer(whole));
  std::string refusal;
  try {
    whole.ext_oneapi_enable_peer_access(whole);
  } catch (const sycl::exception& error) {
    CHECK(error.code() == sycl::errc::invalid);
    refusal = error.what();
  }
  CHECK(refusal.find(whole.get_info<sycl::info::device::name>()) != std::string::npos);
  if (!one_process || !is_divisible(whole)) return;
  const std::vector<sycl::device> parts = whole.create_sub_devices<by_counts>({1, 1});
  CHECK(parts[0].ext_oneapi_can_access_peer(parts[1], sycl::ext::oneapi::peer_access::atomics_supported));
  parts[0].ext_oneapi_enable_peer_access(parts[1]);
  sycl::queue first(parts[0]), second(parts[1]);
  int* const memory = sycl::malloc_device<int>(100, second);
  first.parallel_for<class write_there>(sycl::range<1>(100), [=](sycl::id<1> i) { memory[i] = 3 * int(i[0]); }).wait();
  std::vector<int> values(100), expected(100);
  for (int i = 0; i < 100; ++i) expected[std::size_t(i)] = 3 * i;
  second.memcpy(values.data(), memory, 100 * sizeof(int)).wait();
  CHECK(values == expected);
  sycl::free(memory, second);
  parts[0].ext_oneapi_disable_peer_access(parts[1]);
}

TEST("what can't be divided is refused") {
  const sycl::device whole;
  const auto code_of = [&](std::vector<std::size_t> counts) {
    try {
      (void)whole.create_sub_devices<by_counts>(counts);
    } catch (const sycl::exception& error) {
      return error.code();
    }
    return std::error_code();
  };
  if (!is_divisible(whole)) {
    CHECK(code_of({1}) == sycl::errc::feature_not_supported);
    return;
  }
  CHECK(code_of({units_of(whole) + std::size_t{1}}) == sycl::errc::invalid);
  CHECK(code_of({0}) == sycl::errc::invalid);
}

TEST("the tiles of a device are sub-devices, and only they are next to each other") {
  using domain = sycl::info::partition_affinity_domain;
  constexpr auto by_affinity = sycl::info::partition_property::partition_by_affinity_domain;
  const sycl::device whole;
  const auto domains = whole.get_info<sycl::info::device::partition_affinity_domains>();
  if (domains.empty()) {
    try {
      (void)whole.create_sub_devices<by_affinity>(domain::numa);
      CHECK(!"nothing was thrown");
    } catch (const sycl::exception& error) {
      CHECK(error.code() == sycl::errc::feature_not_supported);
    }
    return;
  }
  const std::vector<sycl::device> tiles = whole.create_sub_devices<by_affinity>(domain::next_partitionable);
  CHECK(tiles.size() > 1 && tiles.size() == whole.create_sub_devices<by_affinity>(domain::numa).size());
  std::vector<sycl::queue> queues{sycl::queue(whole)};
  for (const sycl::device& each : tiles) {
    CHECK(each.get_info<sycl::info::device::parent_device>() == whole);
    CHECK(each.get_info<sycl::info::device::partition_type_affinity_domain>() == domain::numa);
    queues.emplace_back(each);
  }
  std::vector<int> values(1000, 1);
  {
    sycl::buffer<int> buffer(values);
    add_everywhere(queues, buffer);
  }
  CHECK(values == std::vector<int>(1000, 1 + static_cast<int>(queues.size())));
}

TEST("a device in use is divided for buffers, and for USM where the parts have it") {
  const sycl::device whole;
  if (!is_divisible(whole)) return;
  const std::vector<sycl::device> parts = whole.create_sub_devices<by_counts>({2});
  // It is impossible to add devices to an OpenCL context after its creation.
  const bool late = whole.get_backend() == sycl::backend::opencl;
  CHECK_EQUAL(parts[0].has(sycl::aspect::usm_device_allocations),
              !late && whole.has(sycl::aspect::usm_device_allocations));
  CHECK(parts[0] != whole && units_of(parts[0]) == 2);
  std::vector<int> values(1000);
  {
    sycl::buffer<int> buffer(values.data(), values.size());
    const std::vector<sycl::queue> queues{sycl::queue(whole), sycl::queue(parts[0])};
    for (int round = 0; round < 3; ++round) add_everywhere(queues, buffer);
  }
  CHECK(values == std::vector<int>(1000, 6));
}

TEST("a kernel runs") {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> values(10);
  {
    sycl::buffer<int> buffer(values.data(), values.size());
    add_everywhere({queue}, buffer);
  }
  CHECK(values == std::vector<int>(10, 1));
}

E2E_MAIN
