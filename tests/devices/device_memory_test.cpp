/// Several threads share a device's memory. Each thread needs memory that commands of other threads still use.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <future>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/sinter/auto_fusion.hpp>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

#include "mock_device.hpp"

namespace {

namespace ex = sycl::ext::oneapi::experimental;
using namespace std::chrono_literals;

constexpr std::size_t memory_bytes = std::size_t{1} << 20;
// Three allocations of this size fill the device's memory.
constexpr std::size_t third = memory_bytes / 3 / 256 * 256;

test::mock_device& mock() {
  static test::mock_device* device = [] {
    test::add_mock_devices(memory_bytes, 300);
    return test::mock_devices().front();
  }();
  return *device;
}

sycl::queue make_queue(bool in_order = false) {
  mock();
  const auto mocks = sycl::device::get_devices(sycl::info::device_type::accelerator);
  return in_order ? sycl::queue(mocks.at(0), sycl::property::queue::in_order()) : sycl::queue(mocks.at(0));
}

sycl::buffer<int> third_of_memory() { return sycl::buffer<int>(sycl::range<1>(third / sizeof(int))); }

/// Submits a write to the buffer, and does not wait for it.
sycl::event write_to(sycl::queue& queue, sycl::buffer<int>& buffer, const std::vector<sycl::event>& before = {}) {
  return queue.submit([&](sycl::handler& group) {
    group.depends_on(before);
    sycl::accessor memory(buffer, group, sycl::write_only, sycl::no_init);
    group.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { memory[i] = 1; });
  });
}

/// Submits a command that holds a third of the memory and waits for `before`.
sycl::event hold_third(sycl::queue& queue, const std::vector<sycl::event>& before) {
  sycl::buffer<int> buffer = third_of_memory();
  return write_to(queue, buffer, before);
}

void* allocate_third(const sycl::queue& queue) { return sycl::malloc_device(third, queue); }

/// Runs `body(i)` in `count` threads. Returns the messages of all exceptions that the threads threw.
template <class Body>
std::string in_threads(int count, const Body& body) {
  std::vector<std::future<std::string>> threads;
  for (int i = 0; i < count; ++i) {
    threads.push_back(std::async(std::launch::async, [&, i]() -> std::string {
      try {
        body(i);
      } catch (const std::exception& error) {
        return error.what();
      }
      return {};
    }));
  }
  std::string all;
  for (auto& each : threads) all += each.get();
  return all;
}

/// Allocates all of the device's memory except this amount.
class little_memory {
public:
  little_memory(const sycl::queue& queue, std::size_t bytes)
      : m_queue(queue), m_taken(sycl::malloc_device(memory_bytes - bytes, queue)) {
    REQUIRE(m_taken);
  }
  ~little_memory() { sycl::free(m_taken, m_queue); }

private:
  sycl::queue m_queue;
  void* m_taken;
};

std::chrono::milliseconds time_of(const std::function<void()>& what) {
  const auto start = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
}

}  // namespace

TEST_CASE("threads with a buffer each, as many as the device has memory for") {
  for (int round = 0; round < 20; ++round) {
    CHECK(in_threads(3, [&](int thread) {
            sycl::queue queue = make_queue((round + thread) % 2 == 0);
            for (int i = 0; i < 20; ++i) {
              sycl::buffer<int> buffer = third_of_memory();
              write_to(queue, buffer);
              if (i % 5 == 4) write_to(queue, buffer);
            }
          }) == "");
  }
  CHECK(mock().memory().comes_to(0));
}

TEST_CASE("threads that allocate, free while commands run, and have buffers") {
  for (int round = 0; round < 20; ++round) {
    CHECK(in_threads(3, [&](int thread) {
            sycl::queue queue = make_queue((round + thread) % 2 == 0);
            for (int i = 0; i < 20; ++i) {
              if ((i + thread) % 2 == 0) {
                sycl::buffer<int> buffer = third_of_memory();
                write_to(queue, buffer);
                continue;
              }
              int* memory = static_cast<int*>(allocate_third(queue));
              if (!memory) throw std::runtime_error("malloc_device");
              queue.parallel_for(sycl::range<1>(64), [=](sycl::id<1> k) { memory[k] = 1; });
              sycl::free(memory, queue);
            }
          }) == "");
  }
  CHECK(mock().memory().comes_to(0));
}

TEST_CASE("reductions and streams of several threads find memory of their own") {
  sycl::queue owner = make_queue();
  for (const bool of_host : {true, false}) {
    mock().has_host_memory = of_host;
    const little_memory rest(owner, std::size_t{64} << 10);
    std::vector<int*> sums;
    for (int i = 0; i < 3; ++i) {
      sums.push_back(sycl::malloc_shared<int>(200, owner));
      std::fill_n(sums.back(), 200, 0);
    }
    CHECK(in_threads(3, [&](int thread) {
            sycl::queue queue = make_queue(thread == 0);
            int* const sum = sums[static_cast<std::size_t>(thread)];
            for (int i = 0; i < 200; ++i) {
              queue.submit([&](sycl::handler& group) {
                const sycl::stream out(500, 80, group);
                group.parallel_for(sycl::nd_range<1>(1024, 4), sycl::reduction(sum + i, sycl::plus<int>()),
                                   [=](sycl::nd_item<1>, auto& all) {
                                     all += 1;
                                     (void)out;
                                   });
              });
            }
            queue.wait();
          }) == "");
    for (int* each : sums) {
      CHECK(std::count(each, each + 200, 1024) == 200);
      sycl::free(each, owner);
    }
  }
  mock().has_host_memory = true;
  CHECK(mock().memory().comes_to(0));
}

TEST_CASE("graphs whose buffers share memory wait for it") {
  sycl::queue queue = make_queue();
  constexpr std::size_t size = third / sizeof(int);
  for (int round = 0; round < 10; ++round) {
    ex::command_graph graph(queue, {ex::property::graph::assume_buffer_outlives_graph()});
    {
      std::vector<sycl::buffer<int>> all;
      for (int i = 0; i < 5; ++i) all.emplace_back(sycl::range<1>(size / 2));
      graph.add([&](sycl::handler& group) { group.fill(sycl::accessor(all[0], group, sycl::write_only), 5); });
      for (std::size_t step = 0; step < 4; ++step) {
        graph.add([&](sycl::handler& group) {
          sycl::accessor in(all[step], group, sycl::read_only);
          sycl::accessor out(all[step + 1], group, sycl::write_only, sycl::no_init);
          group.parallel_for(sycl::range<1>(size / 2), [=](sycl::id<1> i) { out[i] = in[i] + 1; });
        });
      }
    }
    // When this command is submitted, three other commands together hold the device's whole memory.
    sycl::event slow =
        queue.submit([](sycl::handler& group) { group.host_task([] { std::this_thread::sleep_for(5ms); }); });
    for (int i = 0; i < 3; ++i) hold_third(queue, {slow});
    std::string error;
    try {
      auto executable = graph.finalize();
      queue.ext_oneapi_graph(executable).wait();
    } catch (const sycl::exception& refused) {
      error = refused.what();
    }
    CHECK(error == "");
  }
  queue.wait();
  CHECK(mock().memory().comes_to(0));
}

TEST_CASE("what waits for a command of the host gives its memory back later, and nobody spins meanwhile") {
  sycl::queue queue = make_queue(), other = make_queue(true);
  sycl::event slow =
      other.submit([](sycl::handler& group) { group.host_task([] { std::this_thread::sleep_for(300ms); }); });
  for (int i = 0; i < 3; ++i) hold_third(queue, {slow});
  const auto busy = [] {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * 1000 + used.tv_nsec / 1000000;
  };
  const auto before = busy();
  void* memory = allocate_third(queue);
  CHECK(memory != nullptr);
  CHECK(busy() - before < 100);
  sycl::free(memory, queue);
  queue.wait();
}

TEST_CASE("commands that were fused, or may be, let go of their memory for others") {
  mock();
  const auto device = sycl::device::get_devices(sycl::info::device_type::accelerator).at(0);
  sycl::queue fusing(device, sycl::property_list{sycl::ext::codeplay::experimental::property::queue::enable_fusion()});
  sycl::queue queue = make_queue();
  for (int i = 0; i < 20; ++i) {
    {
      sycl::ext::codeplay::experimental::fusion_wrapper wrapper(fusing);
      wrapper.start_fusion();
      for (int k = 0; k < 3; ++k) hold_third(fusing, {});
      (void)wrapper.complete_fusion();
    }
    // The thread waits for the fused command.
    void* memory = allocate_third(queue);
    CHECK(memory != nullptr);
    sycl::free(memory, queue);
  }
  fusing.wait();
}

TEST_CASE("queues that fuse by themselves give away what they only collect") {
  mock();
  const auto device = sycl::device::get_devices(sycl::info::device_type::accelerator).at(0);
  CHECK(in_threads(3, [&](int thread) {
          sycl::queue queue =
              thread == 0 ? make_queue()
                          : sycl::queue(device, sycl::property_list{sycl::ext::sinter::property::queue::auto_fusion()});
          for (int i = 0; i < 50; ++i) {
            sycl::buffer<int> buffer = third_of_memory();
            for (int k = 0; k < 3; ++k) write_to(queue, buffer);
          }
        }) == "");
}

TEST_CASE("memory that is in use is refused at once") {
  sycl::queue queue = make_queue();
  std::vector<void*> all;
  for (int i = 0; i < 3; ++i) all.push_back(allocate_third(queue));
  CHECK(time_of([&] { CHECK(allocate_third(queue) == nullptr); }) < 2s);
  // Other threads continue to submit commands that need no memory.
  std::atomic<bool> over{false};
  auto busy = std::async(std::launch::async, [&] {
    sycl::queue other = make_queue(true);
    while (!over) other.single_task([] {}).wait();
  });
  CHECK(time_of([&] { CHECK(allocate_third(queue) == nullptr); }) < 5s);
  over = true;
  busy.get();
  for (void* each : all) sycl::free(each, queue);
}

TEST_CASE("a command does not wait for memory of those that wait for it") {
  sycl::queue queue = make_queue(), in_order = make_queue(true),
              host(sycl::cpu_selector_v, sycl::property::queue::in_order());
  for (sycl::queue* each : {&queue, &in_order, &host}) {
    std::promise<void> all_wait;
    std::atomic<int> refused{0};
    sycl::event task = each->submit([&](sycl::handler& group) {
      group.host_task([&] {
        all_wait.get_future().wait();
        if (!allocate_third(queue)) ++refused;
      });
    });
    for (int i = 0; i < 3; ++i) hold_third(queue, {task});
    CHECK(time_of([&] {
            all_wait.set_value();
            each->wait();
          }) < 5s);
    CHECK(refused == 1);
    queue.wait();
  }
}

TEST_CASE("two commands that look for memory do not wait for each other") {
  sycl::queue first = make_queue(), second = make_queue();
  std::atomic<int> refused{0};
  std::promise<void> all_wait;
  const auto ready = all_wait.get_future().share();
  std::vector<sycl::event> tasks;
  for (sycl::queue* each : {&first, &second}) {
    tasks.push_back(each->submit([&](sycl::handler& group) {
      group.host_task([&] {
        ready.wait();
        void* const memory = allocate_third(first);
        memory ? sycl::free(memory, first) : void(++refused);
      });
    }));
  }
  hold_third(first, {tasks[0]}), hold_third(second, {tasks[1]}), hold_third(first, {tasks[0], tasks[1]});
  CHECK(time_of([&] {
          all_wait.set_value();
          first.wait();
          second.wait();
        }) < 5s);
  // The command that could not allocate must have released its memory, so that the other command could allocate.
  CHECK(refused >= 1);
}

TEST_CASE("a command that waits for one that looks for memory does not keep it from saying that there is none") {
  sycl::queue queue = make_queue(), other = make_queue();
  std::promise<void> all_wait;
  std::atomic<int> refused{0};
  sycl::event looks = queue.submit([&](sycl::handler& group) {
    group.host_task([&] {
      all_wait.get_future().wait();
      std::this_thread::sleep_for(20ms);
      if (!allocate_third(queue)) ++refused;
    });
  });
  sycl::event waits = other.submit([&](sycl::handler& group) { group.host_task([looks]() mutable { looks.wait(); }); });
  for (int i = 0; i < 3; ++i) hold_third(queue, {waits});
  CHECK(time_of([&] {
          all_wait.set_value();
          queue.wait();
          other.wait();
        }) < 5s);
  CHECK(refused == 1);
}

TEST_CASE("a thread does not wait for commands that wait for its own host accessor") {
  sycl::queue queue = make_queue();
  sycl::buffer<int> buffer{sycl::range<1>(64)};
  {
    sycl::host_accessor mine(buffer);
    for (int i = 0; i < 3; ++i) {
      sycl::buffer<int> large = third_of_memory();
      queue.submit([&](sycl::handler& group) {
        sycl::accessor in(buffer, group, sycl::read_only, sycl::property_list{});
        sycl::accessor out(large, group, sycl::write_only, sycl::no_init);
        group.single_task([=] { out[0] = in[0]; });
      });
      if (i == 1) break;  // in the second round, the small buffer is on the device as well
    }
    void* rest = allocate_third(queue);
    CHECK(time_of([&] { CHECK(allocate_third(queue) == nullptr); }) < 5s);
    sycl::free(rest, queue);
  }
  queue.wait();
}

TEST_CASE("memory of buffers that are gone is there for the next ones, and for whoever needs it") {
  sycl::queue queue = make_queue(true);
  const std::size_t bytes = memory_bytes / 64;
  for (int round = 0; round < 20; ++round) {
    {
      std::vector<sycl::buffer<int>> buffers;
      for (int i = 0; i < 12; ++i) buffers.emplace_back(sycl::range<1>(bytes / sizeof(int)));
      for (sycl::buffer<int>& each : buffers) write_to(queue, each);
      CHECK(mock().memory().allocations() <= 12 + 4);
      queue.wait();
    }
    CHECK(time_of([&] { const little_memory all(queue, 0); }) < 5s);
  }
  CHECK(mock().memory().comes_to(0));
}
