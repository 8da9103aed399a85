/// Queues and events: order, dependencies, host tasks, profiling, status.
#include <atomic>
#include <thread>

#include "check.hpp"

TEST("an in-order queue runs commands one after the other") {
  sycl::queue queue = e2e::make_queue({sycl::property::queue::in_order{}});
  CHECK(queue.is_in_order());
  const std::size_t count = 1000;
  int* data = sycl::malloc_shared<int>(count, queue);
  queue.fill(data, 1, count);
  for (int step = 0; step < 20; ++step) {
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = data[i] * 3 % 1009 + step; });
  }
  queue.wait();
  int expected = 1;
  for (int step = 0; step < 20; ++step) expected = expected * 3 % 1009 + step;
  for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], expected);
  sycl::free(data, queue);
}

TEST("depends_on orders commands of an out-of-order queue and of two queues") {
  sycl::queue first = e2e::make_queue(), second = e2e::make_queue();
  CHECK(!first.is_in_order());
  const std::size_t count = 500;
  int* data = sycl::malloc_shared<int>(count, first);
  sycl::event last = first.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = 1; });
  int expected = 1;
  for (int step = 0; step < 30; ++step) {
    last = (step % 2 ? first : second).submit([&](sycl::handler& handler) {
      handler.depends_on(last);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = data[i] * 2 % 10007 + step; });
    });
    expected = expected * 2 % 10007 + step;
  }
  last.wait();
  CHECK(last.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete);
  for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], expected);
  sycl::free(data, first);
}

TEST("queues made without a context share one, which holds all devices") {
  const sycl::queue first, second{sycl::property::queue::in_order()};
  CHECK(first.get_context() == second.get_context());
  CHECK(first.get_context() != sycl::context());
  CHECK(first.get_context().get_devices() == sycl::platform().get_devices());
}

TEST("several events can be waited for together") {
  sycl::queue queue = e2e::make_queue();
  int* data = sycl::malloc_shared<int>(10, queue);
  std::fill(data, data + 10, 0);
  std::vector<sycl::event> events;
  for (int i = 0; i < 10; ++i) events.push_back(queue.single_task([=] { data[i] = i + 1; }));
  const sycl::event sum = queue.single_task(events, [=] {
    for (int i = 1; i < 10; ++i) data[0] += data[i];
  });
  sycl::event::wait({sum});
  CHECK_EQUAL(data[0], 55);
  sycl::event complete, other;  // default events are complete, and equal to their copies only
  complete.wait();
  CHECK(complete == sycl::event(complete) && complete != other);
  sycl::free(data, queue);
}

TEST("a host task runs on the host between kernels") {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> values(25, 1);
  std::atomic<int> seen = 0;
  {
    sycl::buffer<int, 1> memory(values.data(), sycl::range<1>(25));
    const auto twice = [&] {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor data(memory, handler, sycl::read_write);
        handler.parallel_for(sycl::range<1>(25), [=](sycl::id<1> i) { data[i] *= 2; });
      });
    };
    twice();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::host_task> data(memory, handler);
      handler.host_task([&seen, data] {
        for (std::size_t i = 0; i < 25; ++i) {
          seen += data[i];
          data[i] += 1;
        }
      });
    });
    twice();
  }
  CHECK_EQUAL(seen.load(), 50);
  for (int value : values) CHECK_EQUAL(value, 6);
}

TEST("profiling times are ordered") {
  sycl::queue queue = e2e::make_queue({sycl::property::queue::enable_profiling{}});
  float* data = sycl::malloc_shared<float>(100000, queue);
  const sycl::event event = queue.parallel_for(sycl::range<1>(100000), [=](sycl::id<1> i) { data[i] = 1; });
  const auto submit = event.get_profiling_info<sycl::info::event_profiling::command_submit>();
  const auto start = event.get_profiling_info<sycl::info::event_profiling::command_start>();
  const auto end = event.get_profiling_info<sycl::info::event_profiling::command_end>();
  CHECK(submit <= start);
  CHECK(start <= end);
  CHECK(end - submit < 60'000'000'000u);
  sycl::free(data, queue);
}

TEST("queues may be used from several threads and copied") {
  sycl::queue queue = e2e::make_queue();
  const sycl::queue copy = queue;
  CHECK(copy == queue);
  int* data = sycl::malloc_shared<int>(400, queue);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([=]() mutable {
      for (int round = 0; round < 10; ++round) {
        queue
            .parallel_for(sycl::range<1>(100),
                          [=](sycl::id<1> i) { data[thread * 100 + static_cast<int>(i[0])] = thread * 1000 + round; })
            .wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 400; ++i) CHECK_EQUAL(data[i], i / 100 * 1000 + 9);
  sycl::free(data, queue);
}

E2E_MAIN
