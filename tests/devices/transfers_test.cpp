/// Contents of buffers are copied only when a command needs them.
#include <doctest/doctest.h>

#include <numeric>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/sinter/counters.hpp>
#include <sycl/sycl.hpp>
#include <vector>

#include "mock_device.hpp"

namespace {

using sycl::ext::sinter::transfer_counters;

struct devices {
  sycl::device first, second;
  static const devices& get() {
    static const devices* all = [] {
      test::add_mock_devices(std::size_t{1} << 20, 0);
      std::vector<sycl::device> mocks = sycl::device::get_devices(sycl::info::device_type::accelerator);
      return new devices{mocks.at(0), mocks.at(1)};
    }();
    return *all;
  }
};

/// Counts the transfers during its lifetime.
struct travelled {
  sycl::ext::sinter::transfer_counts before = transfer_counters();
  std::uint64_t to_devices() const { return transfer_counters().to_devices - before.to_devices; }
  std::uint64_t to_host() const { return transfer_counters().to_host - before.to_host; }
  std::uint64_t between() const { return transfer_counters().between_devices - before.between_devices; }
  std::uint64_t bytes() const { return transfer_counters().bytes - before.bytes; }
};

void add_one(sycl::queue& queue, sycl::buffer<int>& buffer) {
  queue.submit([&](sycl::handler& group) {
    sycl::accessor memory(buffer, group, sycl::read_write);
    group.parallel_for(buffer.get_range(), [=](sycl::id<1> i) { memory[i] += 1; });
  });
}

}  // namespace

TEST_CASE("a buffer that stays on a device travels there once, and back once") {
  sycl::queue queue(devices::get().first);
  std::vector<int> host(100);
  std::iota(host.begin(), host.end(), 0);
  const travelled so_far;
  {
    sycl::buffer<int> buffer(host);
    for (int i = 0; i < 10; ++i) add_one(queue, buffer);
    CHECK(so_far.to_devices() == 1);
    CHECK(so_far.to_host() == 0);
  }
  CHECK(so_far.to_devices() == 1);
  CHECK(so_far.to_host() == 1);
  CHECK(so_far.bytes() == 2 * 400);
  for (int i = 0; i < 100; ++i) CHECK(host[static_cast<std::size_t>(i)] == i + 10);
}

TEST_CASE("what is written as a whole, or was never written, does not travel") {
  sycl::queue queue(devices::get().first);
  sycl::buffer<int> buffer{sycl::range<1>(64)}, fresh{sycl::range<1>(64)};
  const travelled so_far;
  queue.submit([&](sycl::handler& group) {
    sycl::accessor out(buffer, group, sycl::write_only, sycl::no_init);
    sycl::accessor in(fresh, group, sycl::read_only);
    group.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { out[i] = static_cast<int>(i[0]) + 0 * in[i]; });
  });
  CHECK(so_far.to_devices() == 0);
  {
    sycl::host_accessor result(buffer, sycl::read_only);
    CHECK(result[63] == 63);
  }
  CHECK(so_far.to_host() == 1);
  // Host and device both have the current contents, so reading needs no transfer.
  {
    sycl::host_accessor again(buffer, sycl::read_only);
    CHECK(again[1] == 1);
  }
  CHECK(so_far.to_host() == 1);
  {
    sycl::host_accessor anew(buffer, sycl::write_only, sycl::no_init);
    for (int i = 0; i < 64; ++i) anew[i] = 1;
  }
  add_one(queue, buffer);
  CHECK(so_far.to_devices() == 1);
  sycl::host_accessor last(buffer, sycl::read_only);
  CHECK(last[5] == 2);
}

TEST_CASE("parts travel as parts") {
  sycl::queue queue(devices::get().first);
  std::vector<int> host(1000, 1);
  const travelled so_far;
  {
    sycl::buffer<int> buffer(host);
    sycl::buffer<int> middle(buffer, sycl::id<1>(400), sycl::range<1>(100));
    add_one(queue, middle);
    CHECK(so_far.bytes() == 400);
    sycl::host_accessor front(buffer, sycl::range<1>(400), sycl::read_write);
    front[0] = 7;
    CHECK(so_far.bytes() == 400);
  }
  CHECK(so_far.bytes() == 800);
  CHECK(host[0] == 7);
  CHECK(host[399] == 1);
  CHECK(host[400] == 2);
  CHECK(host[499] == 2);
  CHECK(host[500] == 1);
}

TEST_CASE("contents go from one device to the other, through the host where they have to") {
  sycl::queue first(devices::get().first), second(devices::get().second);
  std::vector<int> host(10, 0);
  const travelled so_far;
  {
    sycl::buffer<int> buffer(host);
    add_one(first, buffer);
    add_one(second, buffer);  // the second device can't access the first one's memory
    CHECK(so_far.between() == 0);
    CHECK(so_far.to_devices() == 2);
    CHECK(so_far.to_host() == 1);
    add_one(first, buffer);  // the first device can access the second one's memory
    CHECK(so_far.between() == 1);
    CHECK(so_far.to_devices() == 2);
    // Each device reads the buffer. No command writes, so both copies stay current.
    for (sycl::queue* each : {&second, &first, &second}) {
      each->submit([&](sycl::handler& group) {
        sycl::accessor in(buffer, group, sycl::read_only);
        group.single_task([=] { (void)in[0]; });
      });
    }
    CHECK(so_far.to_devices() == 3);
  }
  CHECK(host[9] == 3);
}

TEST_CASE("memory of a device goes back with its buffer") {
  {
    sycl::queue queue(devices::get().first);
    for (int i = 0; i < 100; ++i) {
      // The buffers of all iterations together need more memory than the device has.
      sycl::buffer<int> buffer{sycl::range<1>(50000)};
      add_one(queue, buffer);
      queue.wait();
    }
  }
  for (test::mock_device* each : test::mock_devices()) CHECK(each->memory().comes_to(0));
}

TEST_CASE("a buffer gets the memory that the one before it had, though nobody waited for the command that used it") {
  sycl::queue queue(devices::get().first);
  std::vector<int> host(150000, 0);
  for (int i = 0; i < 200; ++i) {
    // The buffer takes more than half of the device's memory.
    sycl::buffer<int> buffer(host);
    add_one(queue, buffer);
  }
  CHECK(host.front() == 200);
  CHECK(host.back() == 200);
  for (int i = 0; i < 200; ++i) {
    {
      sycl::buffer<int> buffer(host);
      add_one(queue, buffer);
    }
    void* memory = sycl::malloc_device(600000, queue);
    CHECK(memory != nullptr);
    sycl::free(memory, queue);
  }
}

TEST_CASE("buffers that only a graph sees share memory of the device, which has not enough for each of them") {
  namespace ex = sycl::ext::oneapi::experimental;
  constexpr std::size_t size = 50000, steps = 10;
  sycl::queue queue(devices::get().first);
  sycl::buffer<int> first{sycl::range<1>(size)}, last{sycl::range<1>(size)};
  ex::command_graph graph(queue, {ex::property::graph::assume_buffer_outlives_graph()});
  {
    std::vector<sycl::buffer<int>> all{first};
    while (all.size() < steps) all.emplace_back(sycl::range<1>(size));
    all.push_back(last);
    graph.add([&](sycl::handler& group) { group.fill(sycl::accessor(first, group, sycl::write_only), 5); });
    for (std::size_t step = 0; step < steps; ++step) {
      graph.add([&](sycl::handler& group) {
        sycl::accessor in(all[step], group, sycl::read_only);
        sycl::accessor out(all[step + 1], group, sycl::write_only, sycl::no_init);
        // Every third step is a copy.
        if (step % 3 == 2) return group.copy(in, out);
        group.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { out[i] = in[i] + 1; });
      });
    }
  }
  test::mock_memory& memory = test::mock_devices().front()->memory();
  {
    auto executable = graph.finalize();
    // The device holds three allocations: one for each of the two buffers that the program still has, and one that the
    // destroyed buffers share.
    CHECK(memory.comes_to(3));
    for (int run = 0; run < 3; ++run) queue.ext_oneapi_graph(executable);
    sycl::host_accessor result(last, sycl::read_only);
    CHECK(result[0] == 12);
    CHECK(result[size - 1] == 12);
  }
  CHECK(memory.comes_to(2));
  // An update may change which nodes access a buffer, so in an updatable graph no two buffers share memory.
  bool refused = false;
  try {
    (void)graph.finalize({ex::property::graph::updatable()});
  } catch (const sycl::exception& error) {
    refused = error.code() == sycl::errc::memory_allocation;
  }
  CHECK(refused);
}

TEST_CASE("a device without memory for a buffer says so, and nothing is lost") {
  sycl::queue queue(devices::get().first);
  std::vector<int> host(100, 5);
  {
    sycl::buffer<int> buffer(host), large{sycl::range<1>(std::size_t{1} << 20)};
    add_one(queue, buffer);
    try {
      add_one(queue, large);
      FAIL("it was accepted");
    } catch (const sycl::exception& error) {
      CHECK((error.code() == sycl::errc::memory_allocation));
      CHECK(std::string(error.what()).find("Mock accelerator 1") != std::string::npos);
    }
    add_one(queue, buffer);
    queue.wait();
  }
  CHECK(host[99] == 7);
}

TEST_CASE("what fails on a device is heard by the queue's handler, and the device goes on") {
  int heard = 0;
  sycl::queue queue(devices::get().first,
                    [&](const sycl::exception_list& list) { heard += static_cast<int>(list.size()); });
  sycl::buffer<int> buffer{sycl::range<1>(10)};
  test::mock_devices().front()->failures = 1;
  add_one(queue, buffer);
  queue.wait_and_throw();
  CHECK(heard == 1);
  add_one(queue, buffer);
  queue.wait_and_throw();
  CHECK(heard == 1);
}

TEST_CASE("device memory is copied to and from, filled, and asked about") {
  for (const bool in_order : {true, false}) {
    const sycl::property_list properties =
        in_order ? sycl::property_list{sycl::property::queue::in_order()} : sycl::property_list{};
    sycl::queue queue(devices::get().first, properties);
    int* memory = sycl::malloc_device<int>(100, queue);
    REQUIRE(memory);
    CHECK(sycl::get_pointer_type(memory, queue.get_context()) == sycl::usm::alloc::device);
    CHECK(sycl::get_pointer_device(memory, queue.get_context()) == devices::get().first);
    std::vector<int> host(100);
    queue.fill(memory, 3, 100).wait();
    queue.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { memory[i] += static_cast<int>(i[0]); }).wait();
    queue.memcpy(host.data(), memory, 400).wait();
    for (int i = 0; i < 100; ++i) CHECK(host[static_cast<std::size_t>(i)] == 3 + i);
    sycl::free(memory, queue);
  }
}

TEST_CASE("an in-order queue of a device needs no memory for what needs no node") {
  sycl::queue queue(devices::get().first, sycl::property::queue::in_order());
  int* memory = sycl::malloc_device<int>(4, queue);
  sycl::event last;
  for (int i = 0; i < 5000; ++i) last = queue.single_task([=] { memory[0] = memory[0] * 3 + 1; });
  last.wait();
  CHECK(last.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete);
  sycl::free(memory, queue);
}

TEST_CASE("host tasks and kernels of other devices come behind a device's kernels") {
  sycl::queue device(devices::get().first, sycl::property::queue::in_order()), host(sycl::cpu_selector_v);
  int* shared = sycl::malloc_host<int>(1, device);
  for (int round = 0; round < 50; ++round) {
    *shared = 0;
    const sycl::event first = device.single_task([=] { *shared = 1; });
    const sycl::event second = host.submit([&](sycl::handler& group) {
      group.depends_on(first);
      group.single_task([=] { *shared = *shared * 10 + 2; });
    });
    const sycl::event third = device.submit([&](sycl::handler& group) {
      group.depends_on(second);
      group.host_task([=] { *shared = *shared * 10 + 3; });
    });
    device.single_task([=] { *shared = *shared * 10 + 4; }).wait();
    CHECK(*shared == 1234);
  }
  sycl::free(shared, device);
}

TEST_CASE("times of commands are those of the device") {
  sycl::queue queue(devices::get().first, sycl::property::queue::enable_profiling());
  int* memory = sycl::malloc_device<int>(1, queue);
  const sycl::event done = queue.single_task([=] { *memory = 1; });
  using namespace sycl::info::event_profiling;
  const auto submitted = done.get_profiling_info<command_submit>(), started = done.get_profiling_info<command_start>(),
             ended = done.get_profiling_info<command_end>();
  CHECK(submitted <= started);
  CHECK(started <= ended);
  CHECK(ended - submitted < 10'000'000'000u);
  sycl::free(memory, queue);
}
