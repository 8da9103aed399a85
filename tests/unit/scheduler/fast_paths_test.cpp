/// Commands of in-order queues with USM memory need no allocation, and are still asynchronous.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <unordered_set>

#include "../cpu/collecting_queue.hpp"
#include "allocation_counter.hpp"

using test::holds_soon;

namespace {

sycl::queue in_order_queue() { return sycl::queue{sycl::property::queue::in_order()}; }

}  // namespace

TEST_CASE("commands of an in-order queue on USM memory allocate nothing") {
  if (!test::counts_allocations()) return;
  sycl::queue queue = in_order_queue();
  constexpr std::size_t count = 64;
  int* data = sycl::malloc_shared<int>(2 * count, queue);
  auto submit_all = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      sycl::event done = queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> k) { data[k] += 1; });
      queue.single_task(done, [=] { data[1] += data[0]; });
      queue.submit([&](sycl::handler& group) {
        group.parallel_for(sycl::range<2>(8, 8), [=](sycl::item<2> k) { data[k.get_linear_id()] *= 3; });
      });
      queue.memcpy(data + count, data, count * sizeof(int));
      queue.fill(data, 7, count);
      queue.memset(data, 0, count * sizeof(int));
      queue.prefetch(data, count * sizeof(int));
      if (i % 16 == 0) done.wait();
      if (i % 50 == 0) queue.wait();
    }
    queue.wait();
  };
  // The first command waits, so that the following commands accumulate. These commands allocate memory, and later parts
  // of the test reuse this memory.
  std::atomic<bool> go = false;
  std::atomic<bool>* flag = &go;
  queue.single_task([=] { holds_soon([=] { return flag->load(); }); });
  for (int i = 0; i < 4000; ++i) queue.single_task([=] { data[0] += 1; });
  go = true;
  queue.wait();
  submit_all(200);
  const std::size_t before = test::allocations();
  submit_all(1000);
  // The test has submitted seven thousand commands. Worker threads that start during the test make some allocations of
  // their own.
  CHECK(test::allocations() - before < 700);
  sycl::free(data, queue);
}

TEST_CASE("submit returns while its command runs, whatever the command did before") {
  sycl::queue queue = in_order_queue();
  std::atomic<bool> go = true, passed = true;
  std::atomic<bool>*flag = &go, *out = &passed;
  auto poll = [=] {
    if (!holds_soon([=] { return flag->load(); })) *out = false;
  };
  // After these launches, the runtime knows that the kernel is short.
  for (int i = 0; i < 100; ++i) queue.single_task(poll);
  queue.wait();
  for (int round = 0; round < 50; ++round) {
    go = false;
    const sycl::event done = queue.single_task(poll);
    CHECK(done.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete);
    CHECK_FALSE(queue.khr_empty());
    go = true;
    if (round % 2 == 0) queue.wait();
  }
  queue.wait();
  CHECK(passed.load());
  CHECK(queue.khr_empty());
}

TEST_CASE("commands begin without anybody waiting for them") {
  for (const bool in_order : {true, false}) {
    sycl::queue queue = in_order ? in_order_queue() : sycl::queue();
    std::atomic<int> ran = 0;
    std::atomic<int>* out = &ran;
    auto count = [=] { ++*out; };
    for (int round = 1; round <= 50; ++round) {
      queue.single_task(count);
      CHECK(holds_soon([=] { return out->load() == round; }));
    }
    queue.wait();
  }
}

TEST_CASE("short kernels of several in-order queues overlap when they need each other") {
  constexpr int queues = 4;
  std::vector<sycl::queue> all;
  for (int i = 0; i < queues; ++i) all.push_back(in_order_queue());
  std::atomic<int> arrived = 0, together = 0;
  std::atomic<int>*here = &arrived, *out = &together;
  for (int round = 1; round <= 30; ++round) {
    for (sycl::queue& each : all) {
      each.single_task([=] {
        ++*here;
        if (holds_soon([=] { return here->load() >= round * queues; })) ++*out;
      });
    }
    for (sycl::queue& each : all) each.wait();
    REQUIRE(together.load() == round * queues);
  }
}

TEST_CASE("short kernels run on the thread that waits for them, also behind one that a worker ran") {
  sycl::queue queue = in_order_queue();
  const std::thread::id self = std::this_thread::get_id();
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> elsewhere = false;
    std::atomic<bool>* flag = &elsewhere;
    queue.single_task([=] { *flag = true; });
    CHECK(holds_soon([=] { return flag->load(); }));
    // If the system interrupts this thread in between, a worker thread takes some of the commands.
    int mine = 0;
    int* out = &mine;
    CHECK(holds_soon([&] {
      queue.single_task([=] { *out += std::this_thread::get_id() == self ? 1 : 0; }).wait();
      return mine == 50;
    }));
  }
}

TEST_CASE("events of in-order queues order commands of other queues, contexts and kinds") {
  sycl::queue first = in_order_queue(), second = in_order_queue(), third;
  int value = 0;
  int* out = &value;
  for (int round = 0; round < 300; ++round) {
    value = 0;
    const sycl::event a = first.single_task([=] { *out = 1; });
    const sycl::event b = second.single_task(a, [=] { *out = *out * 2 + 1; });
    const sycl::event c = third.single_task(b, [=] { *out = *out * 2 + 1; });
    sycl::event d = first.submit([&](sycl::handler& group) {
      group.depends_on({a, c});
      group.host_task([=] { *out = *out * 2 + 1; });
    });
    const sycl::event e = first.single_task([=] { *out = *out * 2 + 1; });
    if (round % 3 == 0) d.wait();
    sycl::event::wait({e});
    REQUIRE(value == 31);
  }
}

TEST_CASE("events of one queue are different, and equal to their copies") {
  sycl::queue queue = in_order_queue();
  std::vector<sycl::event> events;
  for (int i = 0; i < 10; ++i) events.push_back(queue.single_task([=] {}));
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (std::size_t k = 0; k < events.size(); ++k) CHECK((events[i] == events[k]) == (i == k));
  }
  const sycl::event copy = events[3];
  CHECK(copy == events[3]);
  CHECK(std::hash<sycl::event>()(copy) == std::hash<sycl::event>()(events[3]));
  CHECK(std::unordered_set<sycl::event>(events.begin(), events.end()).size() == 10);
  queue.wait();
  for (const sycl::event& each : events) {
    CHECK(each.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete);
  }
}

TEST_CASE("function objects of any size and kind die with their command") {
  struct watched {
    std::shared_ptr<int> object;
    int* out;
    void operator()() const { *out += *object; }
  };
  struct large {
    int numbers[200];
    int* out;
    void operator()() const { *out += numbers[199]; }
  };
  struct alignas(64) aligned {
    int* out;
    void operator()() const { *out += reinterpret_cast<std::uintptr_t>(this) % 64 == 0 ? 1 : 1000; }
  };
  sycl::queue queue = in_order_queue();
  int sum = 0;
  auto object = std::make_shared<int>(5);
  const std::weak_ptr<int> watch = object;
  queue.submit([&](sycl::handler& group) { group.host_task(watched{std::move(object), &sum}); });
  large numbers{};
  numbers.numbers[199] = 30;
  numbers.out = &sum;
  queue.single_task(numbers);
  queue.single_task(aligned{&sum});
  queue.wait();
  CHECK(sum == 36);
  CHECK(watch.expired());
}

TEST_CASE("errors of an in-order queue arrive once and in order, and what follows runs") {
  test::error_log log;
  {
    sycl::queue queue(sycl::default_selector_v, log.handler(), {sycl::property::queue::in_order()});
    int ran = 0;
    int* out = &ran;
    for (int i = 0; i < 20; ++i) {
      queue.submit([&](sycl::handler& group) {
        group.host_task([=] {
          ++*out;
          if (i % 2 == 1) throw std::runtime_error(std::to_string(i));
        });
      });
    }
    queue.wait_and_throw();
    CHECK(ran == 20);
    queue.wait_and_throw();
  }
  REQUIRE(log.entries.size() == 10);
  for (std::size_t i = 0; i < 10; ++i) CHECK(log.entries[i].text == std::to_string(2 * i + 1));
  CHECK(log.calls == 1);
}

TEST_CASE("a queue that goes takes nothing with it that has not run") {
  int sum = 0;
  int* out = &sum;
  for (int round = 0; round < 50; ++round) {
    sycl::event last;
    {
      sycl::queue queue = in_order_queue();
      for (int i = 0; i < 20; ++i) last = queue.single_task([=] { *out += 1; });
    }
    last.wait();
  }
  CHECK(sum == 1000);
}

TEST_CASE("several threads submit to one in-order queue and wait for it") {
  sycl::queue queue = in_order_queue();
  int sum = 0;  // need not be atomic, because the queue is in order
  int* out = &sum;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        const sycl::event done = queue.single_task([=] { *out += 1; });
        if (i % 7 == 0) sycl::event(done).wait();
        if (i % 50 == 0) queue.wait();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  queue.wait();
  CHECK(sum == 2000);
}

TEST_CASE("an in-order queue keeps its order between commands with and without accessors") {
  sycl::queue queue = in_order_queue();
  std::vector<int> order;
  auto* out = &order;
  sycl::buffer<int> memory{sycl::range<1>(10)};
  for (int i = 0; i < 500; ++i) {
    if (i % 5 == 0) {
      queue.submit([&](sycl::handler& group) {
        sycl::accessor data(memory, group, sycl::write_only);
        group.single_task([=] {
          data[0] = i;
          out->push_back(i);
        });
      });
    } else {
      queue.single_task([=] { out->push_back(i); });
    }
    if (i % 90 == 0) queue.wait();
  }
  queue.wait();
  REQUIRE(order.size() == 500);
  for (int i = 0; i < 500; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("memory stays flat over many submissions") {
  if (!test::counts_allocations()) return;
  // The environment variable TEST_SUBMISSIONS can set ten million commands.
  const char* wish = std::getenv("TEST_SUBMISSIONS");
  const long submissions = wish ? std::atol(wish) : 20000;
  sycl::queue in_order = in_order_queue(), any_order;
  int* data = sycl::malloc_shared<int>(4, in_order);
  data[0] = data[1] = 0;
  sycl::buffer<int> memory{sycl::range<1>(4)};
  sycl::host_accessor(memory, sycl::write_only)[0] = 0;
  auto submit_all = [&](long count) {
    sycl::event last;
    for (long i = 0; i < count; ++i) {
      in_order.single_task([=] { data[0] += 1; });
      if (i % 4 == 0) last = any_order.single_task(last, [=] { data[1] += 1; });
      if (i % 4 == 1) any_order.single_task([=] {});
      if (i % 4 == 2) {
        any_order.submit([&](sycl::handler& group) {
          sycl::accessor all(memory, group, sycl::read_write);
          group.single_task([=] { all[0] += 1; });
        });
      }
      if (i % 4 == 3) {
        any_order.submit([&](sycl::handler& group) {
          sycl::accessor all(memory, group, sycl::read_only);
          group.single_task([=] { (void)all[0]; });
        });
      }
      // Waits regularly. Otherwise the number of incomplete commands, and the memory that is kept for them, would
      // depend on the machine's load.
      if (i % 1000 == 999) in_order.wait(), any_order.wait();
    }
    in_order.wait();
    any_order.wait();
  };
  // These commands accumulate behind a waiting command. Together they need as much memory as the test will ever need.
  std::atomic<bool> go = false;
  std::atomic<bool>* flag = &go;
  in_order.single_task([=] { holds_soon([=] { return flag->load(); }); });
  for (int i = 0; i < 20000; ++i) in_order.single_task([] {});
  go = true;
  in_order.wait();
  submit_all(submissions / 4);
  const std::size_t before = test::live_bytes();
  submit_all(submissions);
  const std::size_t after = test::live_bytes();
  CAPTURE(before);
  CAPTURE(after);
  CHECK(after < before + (std::size_t{4} << 20));
  CHECK(data[0] == static_cast<int>(submissions + submissions / 4));
  sycl::free(data, in_order);
}
