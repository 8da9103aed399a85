#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "collecting_queue.hpp"

using test::holds_soon;

TEST_CASE("submit returns before the command has run") {
  sycl::queue queue;
  std::atomic<bool> go = false, passed = false;
  std::atomic<bool>*wait_for = &go, *out = &passed;
  const sycl::event done = queue.single_task([=] { *out = holds_soon([=] { return wait_for->load(); }); });
  CHECK(done.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete);
  CHECK_FALSE(queue.khr_empty());
  go = true;
  queue.wait();
  CHECK(passed.load());
  CHECK(queue.khr_empty());
  CHECK(done.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete);
}

TEST_CASE("commands that poll what a later command of another queue writes meet it") {
  sycl::queue first, second;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> flag = 0;
    std::atomic<bool> met = false;
    std::atomic<int>* shared = &flag;
    std::atomic<bool>* out = &met;
    // Threads of the previous round may be about to become idle. Even in this case, the second command must not wait
    // for the first command.
    first.single_task([=] { *out = holds_soon([=] { return shared->load() == 1; }); });
    second.single_task([=] { *shared = 1; });
    const auto start = std::chrono::steady_clock::now();
    first.wait();
    second.wait();
    CAPTURE(round);
    CAPTURE(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    REQUIRE(met.load());
  }
}

TEST_CASE("two queues overlap") {
  sycl::queue first, second;
  std::atomic<int> arrived = 0, together = 0;
  std::atomic<int>*here = &arrived, *out = &together;
  const auto meet = [=] {
    ++*here;
    if (holds_soon([=] { return here->load() == 2; })) ++*out;
  };
  first.single_task(meet);
  second.single_task(meet);
  first.wait();
  second.wait();
  CHECK(together.load() == 2);
}

TEST_CASE("commands that wait for each other all get a thread, however many were idle before") {
  sycl::queue queue;
  for (int count = 2; count <= 12; ++count) {
    std::atomic<int> arrived = 0, together = 0;
    std::atomic<int>*here = &arrived, *out = &together;
    // Submits commands as quickly as possible, while threads of the previous round become idle.
    for (int i = 0; i < count; ++i) {
      queue.single_task([=] {
        ++*here;
        if (holds_soon([=] { return here->load() == count; })) ++*out;
      });
    }
    queue.wait();
    CAPTURE(count);
    REQUIRE(together.load() == count);
  }
}

TEST_CASE("an in-order queue runs its commands in the order of their submission") {
  sycl::queue queue{sycl::property::queue::in_order()};
  CHECK(queue.is_in_order());
  std::vector<int> order;
  auto* out = &order;
  for (int i = 0; i < 500; ++i) {
    if (i % 3 == 0) {
      queue.submit([&](sycl::handler& group) { group.host_task([=] { out->push_back(i); }); });
    } else {
      queue.single_task([=] { out->push_back(i); });
    }
  }
  queue.wait();
  REQUIRE(order.size() == 500);
  for (int i = 0; i < 500; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("depends_on orders commands of one queue and of several") {
  sycl::queue first, second;
  for (int round = 0; round < 30; ++round) {
    std::vector<int> order;
    std::atomic<bool> go = false;
    auto* out = &order;
    std::atomic<bool>* wait_for = &go;
    const sycl::event a = first.single_task([=] {
      holds_soon([=] { return wait_for->load(); });
      out->push_back(1);
    });
    sycl::event b = second.single_task(a, [=] { out->push_back(2); });
    sycl::event c = second.submit([&](sycl::handler& group) {
      group.depends_on({a, b});
      group.host_task([=] { out->push_back(3); });
    });
    CHECK(b.get_wait_list() == std::vector{a});
    CHECK(c.get_wait_list() == std::vector{a, b});
    go = true;
    c.wait();
    CHECK(order == std::vector<int>{1, 2, 3});
  }
}

TEST_CASE("a diamond of dependencies joins both sides") {
  sycl::queue queue;
  for (int round = 0; round < 30; ++round) {
    int values[4] = {};
    int* v = values;
    const sycl::event top = queue.single_task([=] { v[0] = 1; });
    const sycl::event left = queue.single_task(top, [=] { v[1] = v[0] + 1; });
    const sycl::event right = queue.single_task(top, [=] { v[2] = v[0] + 2; });
    const std::vector<sycl::event> both = {left, right};
    queue.single_task(both, [=] { v[3] = v[1] * v[2]; }).wait();
    CHECK(values[3] == 6);
  }
}

TEST_CASE("a group without a command completes after its dependencies") {
  sycl::queue queue;
  std::atomic<bool> go = false, ran = false;
  std::atomic<bool>*wait_for = &go, *out = &ran;
  const sycl::event slow = queue.single_task([=] {
    holds_soon([=] { return wait_for->load(); });
    *out = true;
  });
  sycl::event empty = queue.submit([&](sycl::handler& group) { group.depends_on(slow); });
  CHECK(empty.get_wait_list() == std::vector{slow});
  go = true;
  empty.wait();
  CHECK(ran.load());
}

TEST_CASE("a default event is complete and waiting for many events waits for all") {
  sycl::event nothing;
  nothing.wait();
  CHECK(nothing.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete);
  CHECK(nothing.get_wait_list().empty());
  sycl::queue queue;
  std::atomic<int> count = 0;
  std::atomic<int>* out = &count;
  std::vector<sycl::event> events = {nothing};
  for (int i = 0; i < 100; ++i) events.push_back(queue.single_task([=] { ++*out; }));
  sycl::event::wait(events);
  CHECK(count.load() == 100);
}

TEST_CASE("the wait list of a waiting command names what it waits for") {
  sycl::queue queue;
  std::atomic<bool> go = false;
  std::atomic<bool>* wait_for = &go;
  const sycl::event first = queue.single_task([=] { holds_soon([=] { return wait_for->load(); }); });
  sycl::event second = queue.single_task(first, [=] {});
  const auto list = second.get_wait_list();
  go = true;
  queue.wait();
  REQUIRE(list.size() == 1);
  CHECK(list[0] == first);
}

TEST_CASE("profiling times follow each other") {
  sycl::queue queue{sycl::property_list{sycl::property::queue::enable_profiling(), sycl::property::queue::in_order()}};
  std::uint64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    const sycl::event done = queue.parallel_for(sycl::range<1>(1000), [=](sycl::id<1>) {});
    const auto submit = done.get_profiling_info<sycl::info::event_profiling::command_submit>();
    const auto start = done.get_profiling_info<sycl::info::event_profiling::command_start>();
    const auto end = done.get_profiling_info<sycl::info::event_profiling::command_end>();
    CHECK(submit > 0);
    CHECK(submit <= start);
    CHECK(start <= end);
    CHECK(before <= start);
    before = end;
  }
}

TEST_CASE("commands still run when their queue is gone, and objects they hold die with them") {
  std::atomic<bool> go = false;
  std::atomic<bool>* wait_for = &go;
  std::atomic<int> ran = 0;
  std::atomic<int>* out = &ran;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  sycl::event done;
  {
    sycl::queue queue;
    done = queue.submit([&](sycl::handler& group) {
      group.host_task([out, wait_for, keep = std::move(held)] {
        holds_soon([=] { return wait_for->load(); });
        *out = *keep;
      });
    });
  }
  go = true;
  done.wait();
  CHECK(ran.load() == 1);
  CHECK(watch.expired());
}

TEST_CASE("many threads submit to one in-order queue, and each sees its own order") {
  sycl::queue queue{sycl::property::queue::in_order()};
  constexpr int threads = 4, commands = 200;
  std::vector<int> next(threads, 0);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      int* mine = &next[static_cast<std::size_t>(t)];
      std::atomic<int>* errors = &wrong;
      for (int i = 0; i < commands; ++i) {
        queue.single_task([=] {
          if (*mine != i) ++*errors;
          *mine = i + 1;
        });
        if (i % 50 == 0) queue.wait();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  queue.wait();
  CHECK(wrong.load() == 0);
  CHECK(next == std::vector<int>(threads, commands));
}
