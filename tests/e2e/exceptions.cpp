/// Failures in a user's program become a sycl::exception with the right code and a helpful message.
#include <stdexcept>

#include "check.hpp"

class unlucky_kernel;

namespace {

/// The exception that `action` throws must have `code`, and its message must contain each of `words`.
template <class Action>
void check_throws(sycl::errc code, std::initializer_list<const char*> words, Action action) {
  try {
    action();
    e2e::fail(__FILE__, __LINE__, "nothing was thrown");
  } catch (const sycl::exception& error) {
    CHECK(error.code() == code);
    CHECK(error.category() == sycl::sycl_category());
    for (const char* word : words) {
      if (!std::strstr(error.what(), word)) {
        e2e::fail(__FILE__, __LINE__, std::string("the message lacks \"") + word + "\": " + error.what());
      }
    }
  }
}

} // namespace

TEST("a local range that does not divide the global one is refused, naming the kernel") {
  sycl::queue queue = e2e::make_queue();
  check_throws(sycl::errc::nd_range, {"unlucky_kernel"}, [&] {
    queue.parallel_for<unlucky_kernel>(sycl::nd_range<1>(100, 33), [=](sycl::nd_item<1>) {}).wait_and_throw();
  });
}

TEST("a work-group larger than the device allows is refused") {
  sycl::queue queue = e2e::make_queue();
  const std::size_t most = queue.get_device().get_info<sycl::info::device::max_work_group_size>();
  check_throws(sycl::errc::nd_range, {}, [&] {
    queue.parallel_for(sycl::nd_range<1>(most * 4, most * 2), [=](sycl::nd_item<1>) {}).wait_and_throw();
  });
}

TEST("more local memory than the device has is refused") {
  sycl::queue queue = e2e::make_queue();
  const std::size_t most = queue.get_device().get_info<sycl::info::device::local_mem_size>();
  bool thrown = false;
  try {
    queue
        .submit([&](sycl::handler& handler) {
          sycl::local_accessor<char, 1> local(sycl::range<1>(most + 1), handler);
          handler.parallel_for(sycl::nd_range<1>(8, 8),
                               [=](sycl::nd_item<1> item) { local[item.get_local_id(0)] = 1; });
        })
        .wait_and_throw();
  } catch (const sycl::exception&) {
    thrown = true;
  }
  CHECK(thrown);
}

TEST("an exception of a host task reaches the asynchronous handler") {
  int handled = 0;
  sycl::queue queue(sycl::default_selector_v, [&](sycl::exception_list list) {
    for (const std::exception_ptr& error : list) {
      try {
        std::rethrow_exception(error);
      } catch (const std::runtime_error& e) {
        handled += std::string(e.what()) == "from the host task";
      }
    }
  });
  queue.submit(
      [&](sycl::handler& handler) { handler.host_task([] { throw std::runtime_error("from the host task"); }); });
  queue.wait_and_throw();
  CHECK_EQUAL(handled, 1);
}

TEST("an exception thrown by a command group leaves the queue usable") {
  sycl::queue queue = e2e::make_queue();
  bool caught = false;
  try {
    queue.submit([&](sycl::handler&) { throw std::logic_error("changed my mind"); });
  } catch (const std::logic_error&) {
    caught = true;
  }
  CHECK(caught);
  int* data = sycl::malloc_shared<int>(1, queue);
  queue.single_task([=] { *data = 3; }).wait();
  CHECK_EQUAL(*data, 3);
  sycl::free(data, queue);
}

TEST("two actions in one command group are refused") {
  sycl::queue queue = e2e::make_queue();
  check_throws(sycl::errc::invalid, {}, [&] {
    queue.submit([&](sycl::handler& handler) {
      handler.single_task([] {});
      handler.single_task([] {});
    });
  });
}

TEST("a selector that no device satisfies says so") {
  check_throws(sycl::errc::runtime, {}, [] { sycl::queue queue([](const sycl::device&) { return -1; }); });
}

TEST("profiling information of a queue without profiling is refused") {
  sycl::queue queue = e2e::make_queue();
  sycl::event event = queue.single_task([] {});
  event.wait();
  check_throws(sycl::errc::invalid, {},
               [&] { (void)event.get_profiling_info<sycl::info::event_profiling::command_start>(); });
}

E2E_MAIN
