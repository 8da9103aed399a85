#!/usr/bin/env python3
"""Programs that end in unusual places: in host tasks, in kernels, in handlers, and with unfinished commands."""
import signal

import common

FOLDER = common.Folder()
BUILT = {}

PROGRAM = r"""
#include <pthread.h>
#include <sycl/sycl.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

std::atomic<int> others{0};

// The buffer's destructor waits for the commands that use the buffer, but one of these commands never ends.
struct last_object {
  sycl::buffer<int> memory{sycl::range<1>(64)};
  ~last_object() {
    std::printf("static objects end, others %d\n", others.load());
    std::fflush(stdout);
  }
} last;

[[noreturn]] void end(const std::string& how) {
  if (how == "exit") std::exit(7);
  if (how == "quick_exit") std::quick_exit(7);
  if (how == "abort") std::abort();
  if (how == "pthread_exit") pthread_exit(nullptr);
  if (how == "throw") throw std::runtime_error("thrown");
  // Otherwise a host task calls exit() inside another host task.
  sycl::queue inner;
  inner.submit([&](sycl::handler& handler) { handler.host_task([] { std::exit(7); }); }).wait();
  std::abort();
}

int main(int, char** words) {
  const std::string how = words[1], order = words[2], wait = words[3];
  const auto handler = [](sycl::exception_list list) {
    std::printf("handler %zu\n", list.size());
    std::exit(8);
  };
  sycl::queue queue = order == "in_order"
                          ? sycl::queue{sycl::default_selector_v, handler, {sycl::property::queue::in_order{}}}
                          : sycl::queue{sycl::default_selector_v, handler};
  sycl::queue other;
  for (int i = 0; i < 20; ++i) other.submit([&](sycl::handler& group) { group.host_task([] { ++others; }); });
  if (how == "kernel") {
    queue.parallel_for(sycl::range<1>(10000), [=](sycl::id<1> i) {
      if (i == 5000) std::exit(7);
    });
  } else {
    queue.submit([&](sycl::handler& group) {
      sycl::accessor used(last.memory, group, sycl::read_write);
      group.host_task([=] {
        (void)used;
        end(how);
      });
    });
  }
  sycl::event behind = queue.submit([&](sycl::handler& group) {
    sycl::accessor used(last.memory, group, sycl::read_write);
    group.host_task([=] { (void)used; });
  });
  if (wait == "waits") queue.wait_and_throw();
  std::puts("main ends");
}
"""


def program(library_mode):
    if library_mode not in BUILT:
        source = FOLDER.write("ends.cpp", PROGRAM)
        output = FOLDER / ("library" if library_mode else "ends")
        if library_mode:
            words = [*common.sanitizer_flags(), *common.pkg_config("sinter-library", "--cflags")]
            common.run([common.CLANGXX, "-std=c++20", source, "-o", output, *words, *common.link_flags()]).expect()
        else:
            common.compile_program(source, output, "-O1").expect()
        BUILT[library_mode] = output
    return BUILT[library_mode]


def runs(how, library_mode=False):
    for order in ("in_order", "any_order"):
        for wait in ("waits", "goes"):
            # A program that does not end fails by the timeout.
            yield common.run([program(library_mode), how, order, wait], timeout=120, SINTER_CACHE="0"), wait


def test_exit_in_a_host_task():
    """exit() in a host task ends the program: other commands run, static objects end, commands that wait for the
    task do not run"""
    for how in ("exit", "nested"):
        for result, _ in runs(how):
            result.expect(code=7, contains=["static objects end, others 20"])


def test_exit_in_a_kernel():
    """exit() in a kernel that runs as host code ends the program, on any thread"""
    for result, _ in runs("kernel", library_mode=True):
        result.expect(code=7, contains=["static objects end, others 20"])


def test_other_ends():
    """quick_exit and abort end the program at once. pthread_exit in a kernel ends the program with a message"""
    for result, _ in runs("quick_exit"):
        result.expect(code=7, lacks=["static objects end"])
    for result, _ in runs("abort"):
        result.expect(code=-signal.SIGABRT, lacks=["static objects end"])
    for result, _ in runs("pthread_exit"):
        result.expect(code=-signal.SIGABRT, contains=["host_task ends its thread", "return from it instead"])


def test_exit_in_a_handler():
    """exit() in the handler of asynchronous errors waits for all commands"""
    for result, wait in runs("throw"):
        result.expect(code=8 if wait == "waits" else 0, contains=["static objects end, others 20"])


common.main(globals())
