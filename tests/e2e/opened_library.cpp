/// The program opens, uses and closes a shared library with kernels several times, while a second library stays open.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "check.hpp"

namespace {

using library_function = void (*)(sycl::queue*, int*, std::size_t);
using submit_function = void (*)(sycl::queue*, sycl::event*, int*, std::size_t);
using submit_host_function = void (*)(sycl::queue*, sycl::event*, int*);

struct opened {
  void* handle;
  library_function run = nullptr;
  submit_function submit = nullptr;
  submit_host_function submit_host = nullptr;
  explicit opened(const char* variable) : handle(nullptr) {
    const char* path = std::getenv(variable);
    if (path) handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle) run = reinterpret_cast<library_function>(dlsym(handle, "library_run"));
    if (handle) submit = reinterpret_cast<submit_function>(dlsym(handle, "library_submit"));
    if (handle) submit_host = reinterpret_cast<submit_host_function>(dlsym(handle, "library_submit_host"));
    if (!run || !submit || !submit_host)
      e2e::fail(__FILE__, __LINE__, path ? dlerror() : std::string(variable) + " is not set");
  }
  ~opened() {
    if (handle) dlclose(handle);
  }
  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;
};

void check_run(sycl::queue& queue, const opened& library, int amount) {
  if (!library.run) return;
  int* data = sycl::malloc_shared<int>(61, queue);
  for (int i = 0; i < 61; ++i) data[i] = i;
  library.run(&queue, data, 61);
  for (int i = 0; i < 61; ++i) CHECK_EQUAL(data[i], (i + amount) / 2);
  sycl::free(data, queue);
}

} // namespace

// This test comes first. oneTBB opens libraries when threads share long work for the first time. Here, this happens
// while the program closes a library.
TEST("closing a library waits for long kernels, the first of the program") {
  constexpr std::size_t count = 1 << 24;
  sycl::queue queue = e2e::make_queue();
  int* data = sycl::malloc_shared<int>(count, queue);
  std::fill(data, data + count, 1);
  std::atomic<bool> closing = false;
  sycl::event before = queue.submit([&](sycl::handler& handler) {
    handler.host_task([&] {
      while (!closing) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
  });
  {
    opened library("E2E_LIBRARY_A");
    if (!library.submit) return;
    library.submit(&queue, &before, data, count);
    closing = true;
  }
  CHECK(data[0] == 7 && data[count / 2] == 7 && data[count - 1] == 7);
  queue.wait();
  sycl::free(data, queue);
}

TEST("a library may be opened, used and closed again and again") {
  sycl::queue queue = e2e::make_queue();
  for (int round = 0; round < 5; ++round) {
    opened first("E2E_LIBRARY_A");
    check_run(queue, first, 100);
    if (round % 2 == 0) {
      opened second("E2E_LIBRARY_B");
      check_run(queue, second, 7000);
      check_run(queue, first, 100);
    }
  }
}

TEST("closing a library waits for its commands: queued, running and being compiled") {
  constexpr std::size_t count = 1000;
  for (int round = 0; round < 12; ++round) {
    const bool in_order = round % 2 != 0, gated = round % 4 < 2;
    sycl::queue queue = in_order ? e2e::make_queue({sycl::property::queue::in_order{}}) : e2e::make_queue();
    int* data = sycl::malloc_shared<int>(count, queue);
    std::fill(data, data + count, round);
    std::atomic<bool> closing = false;
    sycl::event before;
    if (gated) {
      // The kernel takes so long that it still runs when the program closes the library.
      before = queue.submit([&](sycl::handler& handler) {
        handler.host_task([&] {
          while (!closing) std::this_thread::yield();
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        });
      });
    }
    {
      opened library(round % 3 == 0 ? "E2E_LIBRARY_B" : "E2E_LIBRARY_A");
      if (!library.submit) return;
      library.submit(&queue, &before, data, count);
      closing = true;
    }
    // No wait is needed here, because closing the library has waited for the commands.
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], round + 6);
    queue.wait();
    sycl::free(data, queue);
  }
}

TEST("closing a library waits for its host tasks") {
  for (int round = 0; round < 8; ++round) {
    sycl::queue queue = e2e::make_queue();
    int* data = sycl::malloc_shared<int>(1, queue);
    data[0] = 0;
    std::atomic<bool> closing = false;
    sycl::event before = queue.submit([&](sycl::handler& handler) {
      handler.host_task([&] {
        while (!closing) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      });
    });
    {
      opened library(round % 2 == 0 ? "E2E_LIBRARY_B" : "E2E_LIBRARY_A");
      if (!library.submit_host) return;
      library.submit_host(&queue, &before, data);
      closing = true;
    }
    CHECK_EQUAL(data[0], 3);
    queue.wait();
    sycl::free(data, queue);
  }
}

TEST("kernels of the program still run after libraries were closed") {
  sycl::queue queue = e2e::make_queue();
  int* data = sycl::malloc_shared<int>(10, queue);
  queue.parallel_for(sycl::range<1>(10), [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]) * 9; }).wait();
  for (int i = 0; i < 10; ++i) CHECK_EQUAL(data[i], i * 9);
  sycl::free(data, queue);
}

E2E_MAIN
