#include <doctest/doctest.h>

#include <cstdlib>
#include <stdexcept>

#include "collecting_queue.hpp"

using test::contains;
using test::error_log;
using test::thrown_by;

TEST_CASE("an exception thrown in a kernel arrives at the queue's handler once") {
  error_log log;
  sycl::queue queue(log.handler());
  queue.parallel_for(sycl::range<1>(100000), [=](sycl::id<1> i) {
    if (i[0] % 1000 == 7) throw std::runtime_error("thrown by the kernel");
  });
  queue.wait();
  CHECK(log.calls == 0);
  queue.throw_asynchronous();
  queue.wait_and_throw();
  CHECK(log.calls == 1);
  REQUIRE(log.entries.size() == 1);
  CHECK(log.entries[0].text == "thrown by the kernel");
}

TEST_CASE("exceptions of several commands arrive together, each once") {
  error_log log;
  sycl::queue queue(log.handler(), sycl::property::queue::in_order());
  for (int i = 0; i < 3; ++i) {
    queue.single_task([=] { throw std::runtime_error("command " + std::to_string(i)); });
  }
  queue.submit([&](sycl::handler& group) { group.host_task([] { throw 5; }); });
  queue.wait_and_throw();
  CHECK(log.calls == 1);
  REQUIRE(log.entries.size() == 4);
  for (int i = 0; i < 3; ++i) CHECK(log.entries[static_cast<std::size_t>(i)].text == "command " + std::to_string(i));
  CHECK(log.entries[3].text == "something else");
}

TEST_CASE("an exception in a work-group with barriers arrives once and the others of the group end") {
  error_log log;
  sycl::queue queue(log.handler());
  queue.parallel_for(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> at) {
    sycl::group_barrier(at.get_group());
    if (at.get_local_id(0) == 3) throw std::runtime_error("after the barrier");
    sycl::group_barrier(at.get_group());
  });
  queue.wait_and_throw();
  REQUIRE(log.entries.size() == 1);
  CHECK(log.entries[0].text == "after the barrier");
}

TEST_CASE("without a handler of the queue the context's gets the errors; event::wait_and_throw delivers too") {
  error_log log;
  const sycl::device device;
  sycl::queue queue(sycl::context(device, log.handler()), device);
  queue.single_task([=] { throw std::runtime_error("for the context"); }).wait_and_throw();
  REQUIRE(log.entries.size() == 1);
  CHECK(log.entries[0].text == "for the context");
}

TEST_CASE("commands that depend on a failed one still run") {
  error_log log;
  sycl::queue queue(log.handler());
  int ran = 0;
  int* out = &ran;
  const sycl::event failed = queue.single_task([=] { throw std::runtime_error("first"); });
  queue.single_task(failed, [=] { *out = 1; }).wait();
  queue.throw_asynchronous();
  CHECK(ran == 1);
  CHECK(log.entries.size() == 1);
}

TEST_CASE("an exception in the command group function reaches the caller and nothing is submitted") {
  sycl::queue queue;
  bool ran = false;
  bool* out = &ran;
  const auto error = thrown_by([&] {
    queue.submit([&](sycl::handler& group) {
      group.single_task([=] { *out = true; });
      throw std::runtime_error("in the group");
    });
  });
  queue.wait();
  CHECK(error.text == "in the group");
  CHECK_FALSE(ran);
}

TEST_CASE("a local range that does not divide the global one is errc::nd_range and says what to do") {
  sycl::queue queue;
  const auto error = thrown_by([&] {
    queue.parallel_for<class not_divisible>(sycl::nd_range<1>(100, 16), [=](sycl::nd_item<1>) {});
  });
  CHECK(error.code == sycl::errc::nd_range);
  for (const char* part : {"not_divisible", "device '", "100", "16", "round"}) {
    CAPTURE(error.text);
    CHECK(contains(error.text, part));
  }
}

TEST_CASE("an empty or too large local range is errc::nd_range and names kernel and limit") {
  sycl::queue queue;
  const auto empty = thrown_by([&] {
    queue.parallel_for<class empty_group>(sycl::nd_range<1>(16, 0), [=](sycl::nd_item<1>) {});
  });
  CHECK(empty.code == sycl::errc::nd_range);
  CHECK(contains(empty.text, "empty_group"));
  const std::size_t most = queue.get_device().get_info<sycl::info::device::max_work_group_size>();
  const auto large = thrown_by([&] {
    queue.parallel_for<class large_group>(sycl::nd_range<1>(most * 2, most * 2), [=](sycl::nd_item<1>) {});
  });
  CHECK(large.code == sycl::errc::nd_range);
  for (const std::string& part :
       {std::string("large_group"), std::to_string(most), std::string("max_work_group_size")}) {
    CHECK(contains(large.text, part));
  }
}

TEST_CASE("too much local memory is errc::memory_allocation and names the limit") {
  sycl::queue queue;
  const auto most = queue.get_device().get_info<sycl::info::device::local_mem_size>();
  const auto error = thrown_by([&] {
    queue.submit([&](sycl::handler& group) {
      sycl::local_accessor<char> memory(sycl::range<1>(most + 1), group);
      group.parallel_for<class greedy>(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { memory[0] = 1; });
    });
  });
  CHECK(error.code == sycl::errc::memory_allocation);
  CHECK(contains(error.text, "greedy"));
  CHECK(contains(error.text, "local_mem_size"));
}

TEST_CASE("an array of work-group memory whose values no number counts is errc::memory_allocation") {
  namespace oneapi = sycl::ext::oneapi::experimental;
  sycl::queue queue;
  const auto error = thrown_by([&] {
    queue.submit([&](sycl::handler& group) {
      // 2^63 pairs of ints have 2^66 bytes. In 64 bits, this number wraps around to 0.
      oneapi::work_group_memory<int[][2]> memory(std::size_t{1} << 63, group);
      group.parallel_for<class uncounted>(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { memory[0][0] = 1; });
    });
  });
  CHECK(error.code == sycl::errc::memory_allocation);
  CHECK(contains(error.text, "uncounted"));
}

TEST_CASE("a local accessor in a range kernel is errc::kernel_argument and says what to use") {
  sycl::queue queue;
  const auto error = thrown_by([&] {
    queue.submit([&](sycl::handler& group) {
      sycl::local_accessor<int> memory(sycl::range<1>(4), group);
      group.parallel_for<class local_in_range>(sycl::range<1>(4), [=](sycl::id<1> i) { memory[i[0]] = 1; });
    });
  });
  CHECK(error.code == sycl::errc::kernel_argument);
  CHECK(contains(error.text, "local_in_range"));
  CHECK(contains(error.text, "nd_range"));
}

TEST_CASE("two commands in one group are errc::invalid, naming both") {
  sycl::queue queue;
  int target = 0;
  int* out = &target;
  const auto error = thrown_by([&] {
    queue.submit([&](sycl::handler& group) {
      group.memset(out, 0, sizeof(int));
      group.fill(out, 1, 1);
    });
  });
  CHECK(error.code == sycl::errc::invalid);
  CHECK(contains(error.text, "memset"));
  CHECK(contains(error.text, "fill"));
  CHECK(contains(error.text, "second command group"));
}

TEST_CASE("no_init on a read-only accessor is errc::invalid") {
  sycl::queue queue;
  sycl::buffer<int> buffer(sycl::range<1>(4));
  const auto error = thrown_by([&] {
    queue.submit([&](sycl::handler& group) { sycl::accessor memory(buffer, group, sycl::read_only, sycl::no_init); });
  });
  CHECK(error.code == sycl::errc::invalid);
  CHECK(contains(error.text, "no_init"));
}

TEST_CASE("a ranged accessor outside its buffer is errc::invalid") {
  sycl::queue queue;
  sycl::buffer<int> buffer(sycl::range<1>(10));
  queue.submit([&](sycl::handler& group) {
    sycl::accessor(buffer, group, sycl::range<1>(10), sycl::id<1>(0));
    sycl::accessor(buffer, group, sycl::range<1>(0), sycl::id<1>(10));
    CHECK(thrown_by([&] { sycl::accessor(buffer, group, sycl::range<1>(11)); }).code == sycl::errc::invalid);
    CHECK(thrown_by([&] { sycl::accessor(buffer, group, sycl::range<1>(5), sycl::id<1>(6)); }).code ==
          sycl::errc::invalid);
  });
  queue.wait();
  CHECK(thrown_by([&] { sycl::host_accessor(buffer, sycl::range<1>(5), sycl::id<1>(6)); }).code == sycl::errc::invalid);
}

TEST_CASE("sub-buffers outside, not contiguous, or of sub-buffers are errc::invalid") {
  sycl::buffer<int, 2> buffer(sycl::range<2>(4, 8));
  using part = sycl::buffer<int, 2>;
  CHECK(thrown_by([&] { part(buffer, {3, 0}, {2, 8}); }).code == sycl::errc::invalid);
  CHECK(thrown_by([&] { part(buffer, {0, 0}, {2, 4}); }).code == sycl::errc::invalid);
  part rows(buffer, {1, 0}, {2, 8});
  CHECK(thrown_by([&] { part(rows, {0, 0}, {1, 8}); }).code == sycl::errc::invalid);
  CHECK(thrown_by([&] { buffer.reinterpret<double, 1>(sycl::range<1>(3)); }).code == sycl::errc::invalid);
}

TEST_CASE("freeing a pointer that is no allocation is errc::invalid and names the call; null is fine") {
  sycl::queue queue;
  int on_stack = 0;
  CHECK(thrown_by([&] { sycl::free(&on_stack, queue); }).code == sycl::errc::invalid);
  int* memory = sycl::malloc_shared<int>(4, queue);
  CHECK(thrown_by([&] { sycl::free(memory + 1, queue); }).code == sycl::errc::invalid);
  sycl::free(memory, queue);
  const auto twice = thrown_by([&] { sycl::free(memory, queue); });
  CHECK(twice.code == sycl::errc::invalid);
  CHECK(contains(twice.text, "free"));
  CHECK(thrown_by([&] { sycl::free(nullptr, queue); }).text == "nothing was thrown");
}

TEST_CASE("queues made without a context are in the platform's default context") {
  const sycl::queue queue;
  CHECK(queue.get_context() == queue.get_device().get_platform().khr_get_default_context());
  CHECK(queue.get_context() != sycl::context(queue.get_device()));
  CHECK(queue.get_device().get_info<sycl::khr::info::device::max_work_group_range<2>>()[1] > 1);
  CHECK(queue.get_device().get_info<sycl::khr::info::device::max_work_group_range_size>() > 1);
}

TEST_CASE("a pointer keeps its place in the address space that its user names") {
  using sycl::access::address_space;
  int value = 3;
  CHECK(sycl::khr::static_addrspace_cast<address_space::global_space>(&value).get() == &value);
  const sycl::raw_generic_ptr<int> generic(&value);
  CHECK(*sycl::khr::static_addrspace_cast<address_space::private_space>(generic) == 3);
}

TEST_CASE("a context without devices is errc::invalid") {
  CHECK(thrown_by([] { sycl::context(std::vector<sycl::device>()); }).code == sycl::errc::invalid);
}

TEST_CASE("a selector no device satisfies is errc::runtime and names devices and remedy") {
  const auto error = thrown_by([] { sycl::queue queue([](const sycl::device&) { return -1; }); });
  CHECK(error.code == sycl::errc::runtime);
  CHECK(contains(error.text, sycl::device().get_info<sycl::info::device::name>()));
  CHECK(contains(error.text, "default_selector_v"));
}

TEST_CASE("null pointers to memory operations are errc::invalid and name the command, unless nothing is to be done") {
  sycl::queue queue;
  int value = 0;
  const auto copy = thrown_by([&] { queue.memcpy(nullptr, &value, 4); });
  CHECK(copy.code == sycl::errc::invalid);
  CHECK(contains(copy.text, "memcpy"));
  const auto set = thrown_by([&] { queue.memset(nullptr, 0, 4); });
  CHECK(set.code == sycl::errc::invalid);
  CHECK(contains(set.text, "memset"));
  CHECK(thrown_by([&] { queue.memcpy(nullptr, nullptr, 0).wait(); }).text == "nothing was thrown");
}

TEST_CASE("profiling without the property is errc::invalid and names the property") {
  sycl::queue queue;
  sycl::event done = queue.single_task([=] {});
  const auto error =
      thrown_by([&] { done.get_profiling_info<sycl::info::event_profiling::command_start>(); });
  CHECK(error.code == sycl::errc::invalid);
  CHECK(contains(error.text, "enable_profiling"));
}

TEST_CASE("an exception without message says what its code means, and without context says so") {
  const sycl::exception error(sycl::make_error_code(sycl::errc::nd_range));
  CHECK(std::string(error.what()) != "");
  CHECK(std::string(error.category().name()) == "sycl");
  CHECK_FALSE(error.has_context());
  CHECK(thrown_by([&] { error.get_context(); }).code == sycl::errc::invalid);
}
