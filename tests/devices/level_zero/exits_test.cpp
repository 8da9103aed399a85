/// A driver whose compiler calls exit(), as Intel's does for some damaged modules, ends the program with its own code.
/// The exit must not wait for a lock, because the exiting thread holds locks of the driver and of Sinter.
///
/// exits_test: runs itself once for each way to submit, with a judge whose compiler ends the process (TEST_ZE_EXIT)

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sycl/sycl.hpp>

namespace {

constexpr int code = 10;
constexpr unsigned patience = 60;  // seconds

template <int Way>
void submit(sycl::queue& queue, int* data, const sycl::event& behind = {}) {
  queue.submit([&](sycl::handler& handler) {
    handler.depends_on(behind);
    handler.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { data[i] = Way; });
  });
}

void in_order() {
  sycl::queue queue{sycl::property::queue::in_order()};
  submit<0>(queue, sycl::malloc_device<int>(100, queue));
  queue.wait();
}
void behind_a_host_task() {
  sycl::queue queue;
  const sycl::event first = queue.submit([](sycl::handler& handler) { handler.host_task([] { usleep(20000); }); });
  submit<1>(queue, sycl::malloc_device<int>(100, queue), first);
  queue.wait();
}
void with_contents_on_the_device() {
  static sycl::buffer<int> contents{sycl::range<1>(100)};
  sycl::queue queue;
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(contents, handler, sycl::write_only, sycl::no_init);
    handler.fill(out, 7);
  });
  queue.wait();
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(contents, handler);
    handler.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { out[i] += 2; });
  });
  queue.wait();
}

constexpr struct {
  const char* name;
  void (*run)();
} ways[] = {{"in-order", in_order},
            {"behind-a-host-task", behind_a_host_task},
            {"with-contents-on-the-device", with_contents_on_the_device}};

}  // namespace

int main(int count, char** arguments) {
  if (count == 2) {
    alarm(patience);
    for (const auto& way : ways) {
      if (std::strcmp(way.name, arguments[1]) == 0) way.run();
    }
    return 0;
  }
  setenv("TEST_ZE_EXIT", std::to_string(code).c_str(), 1);
  // The cache is off, because kernels from the cache are not compiled.
  setenv("SINTER_CACHE", "0", 1);
  int wrong = 0;
  for (const auto& way : ways) {
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", arguments[0], way.name, nullptr);
      _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == code) continue;
    ++wrong;
    std::printf("%s: ", way.name);
    if (WIFSIGNALED(status)) std::printf(WTERMSIG(status) == SIGALRM ? "it hangs\n" : "it crashes\n");
    if (WIFEXITED(status)) std::printf("code %d instead of the driver's\n", WEXITSTATUS(status));
  }
  return wrong;
}
