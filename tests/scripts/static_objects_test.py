#!/usr/bin/env python3
"""Programs that use Sinter after main: in destructors of static objects, in atexit functions, and in threads for which
nothing waits."""
import os

import common

FOLDER = common.Folder()
BUILT = {}

PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

constexpr int count = 1001;
std::string order;
bool computes = true;  // kernels of the fake driver do nothing

// These static objects are made before main and destroyed last. The buffer writes to `host`, and then `look` checks it.
std::vector<int> host(count, 1);
struct last_look {
  ~last_look() {
    for (int each : host) {
      if (each != 8) {
        std::printf("buffer WRONG: %d\n", each);
        std::fflush(stdout);
        std::_Exit(3);
      }
    }
    std::puts("buffer right");
  }
} look;
std::optional<sycl::buffer<int>> written;
// These objects are never destroyed, because commands use them until the process ends.
sycl::queue* queue = nullptr;
sycl::buffer<int>* memory = nullptr;

template <class Command>
void check(const char* what, int wanted, bool by_kernel, const Command& command) {
  try {
    queue->submit(command);
    queue->wait_and_throw();
    sycl::host_accessor seen(*memory, sycl::read_only);
    for (int each : seen) {
      if (each == wanted || (by_kernel && !computes)) continue;
      std::printf("%s WRONG: %d instead of %d\n", what, each, wanted);
      std::fflush(stdout);
      std::_Exit(3);
    }
    std::printf("%s right\n", what);
  } catch (const sycl::exception& refused) {
    std::printf("%s refused: %s\n", what, refused.what());
  }
  std::fflush(stdout);
}

const auto launch_known = [](sycl::handler& handler) {
  sycl::accessor out(*memory, handler, sycl::write_only, sycl::no_init);
  handler.parallel_for(sycl::range(count), [=](sycl::id<1> i) { out[i] = 7; });
};

void act() {
  if (!queue) return;
  check("copy", 5, false, [](sycl::handler& handler) {
    sycl::accessor out(*memory, handler, sycl::write_only, sycl::no_init);
    handler.fill(out, 5);
  });
  check("launch", 7, true, launch_known);
  check("compile", 9, true, [](sycl::handler& handler) {
    sycl::accessor out(*memory, handler, sycl::write_only, sycl::no_init);
    handler.parallel_for(sycl::range(count), [=](sycl::id<1> i) { out[i] = 9; });
  });
}

struct actor {
  const char* its_order;
  ~actor() {
    if (order == its_order) act();
  }
};
actor of_file{"file"};

void prepare() {
  queue = new sycl::queue([](sycl::exception_list errors) { std::rethrow_exception(*errors.begin()); });
  memory = new sycl::buffer<int>{sycl::range(count)};
  queue->submit(launch_known);
  // Makes and destroys buffers with and without elements. The code at the program's end must not use them.
  for (std::size_t i = 0; i < 100; ++i) {
    sycl::buffer<int> gone{sycl::range(i % 2 * 10)};
    queue->submit([&](sycl::handler& handler) {
      sycl::accessor out(gone, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(sycl::range(1), [=](sycl::id<1>) {
        for (int& each : out) each = 1;
      });
    });
  }
  queue->wait();
  for (int i = 0; i < 100; ++i) std::free(std::memset(std::malloc(std::size_t{16} << i % 6), 1, 16));
  written.emplace(host.data(), sycl::range(count));
  for (int i = 0; i < 7; ++i) {
    queue->submit([](sycl::handler& handler) {
      sycl::accessor inout(*written, handler);
      handler.parallel_for(sycl::range(count), [=](sycl::id<1> at) { inout[at] += 1; });
    });
  }
  if (!computes) {
    queue->submit([](sycl::handler& handler) {
      sycl::accessor out(*written, handler, sycl::write_only, sycl::no_init);
      handler.fill(out, 8);
    });
  }
  if (order != "goes") queue->wait();
}

// Each group size needs separate code, so these launches make the runtime compile kernels.
std::atomic<int> rounds{0};
[[noreturn]] void go_on() {
  static sycl::buffer<int>& own = *new sycl::buffer<int>{sycl::range(1024)};
  for (int size = 1;; size = size % 16 + 1) {
    try {
      queue->submit([&](sycl::handler& handler) {
        sycl::accessor out(own, handler, sycl::write_only, sycl::no_init);
        handler.parallel_for(sycl::nd_range<1>(std::size_t(size) * 16, std::size_t(size)),
                             [=](sycl::nd_item<1> item) { out[item.get_global_id()] = int(item.get_local_range(0)); });
      });
      queue->wait_and_throw();
      ++rounds;
    } catch (const sycl::exception&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

// Submits commands without ever waiting.
[[noreturn]] void flood() {
  static sycl::buffer<int>& own = *new sycl::buffer<int>{sycl::range(1024)};
  for (;; ++rounds) {
    queue->submit([&](sycl::handler& handler) {
      sycl::accessor out(own, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(sycl::range(1024), [=](sycl::id<1> i) { out[i] = 1; });
    });
  }
}

int main(int, char** words) {
  order = words[1];
  computes = words[2][0] != 'f';
  static actor first{"first"};
  if (order == "atexit") std::atexit(act);
  prepare();
  static actor behind{"behind"};
  if (order == "late") std::atexit(act);
  if (order == "thread" || order == "flood") {
    std::thread(order == "flood" ? flood : go_on).detach();
    while (rounds < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (order == "exit") {
    std::thread([] { std::exit(0); }).detach();
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  std::puts("main ends");
  std::fflush(stdout);
}
"""

ORDERS = ("file", "first", "behind", "atexit", "late", "goes", "thread", "flood", "exit")
# In these orders, the program still uses the device after exit() has called functions that the driver may have
# registered.
ACTING = ("file", "first", "behind", "atexit", "late")


def program():
    if not BUILT:
        common.compile_program(FOLDER.write("objects.cpp", PROGRAM), FOLDER / "objects", "-O1").expect()
        BUILT["objects"] = FOLDER / "objects"
    return BUILT["objects"]


def check(order, kind, **environment):
    """Checks that the program neither crashes nor hangs. On devices other than the CPU, the driver may have ended, so
    commands may be refused."""
    result = common.run([program(), order, kind], timeout=60, **environment).expect(contains=["buffer right"],
                                                                                  lacks=["WRONG"])
    lines = [line for line in result.out.splitlines() if line.split()[0] in ("copy", "launch", "compile")]
    common.check(len(lines) == (3 if order in ACTING else 0), f"{order} on {kind}: {result.text}")
    for line in lines:
        refused = kind != "cpu" and ("has ended with the program" in line or "DEINITIALIZED" in line)
        common.check(line.endswith(" right") or refused, f"{order} on {kind}: {line}")


def cold_and_warm(kind, orders, **environment):
    for order in orders:
        with common.Folder() as cache:
            for _ in range(2):
                check(order, kind, SINTER_CACHE_DIR=cache / "cache", **environment)


def test_cpu():
    """the CPU runs all commands after main, with cached kernels and with new kernels"""
    cold_and_warm("cpu", ORDERS, SINTER_DEVICE="cpu")


def test_without_cache():
    """the CPU also runs commands after main without a cache, and as host code"""
    for order in ORDERS if common.LONG else ("first", "flood"):
        check(order, "cpu", SINTER_DEVICE="cpu", SINTER_CACHE="0")
        check(order, "cpu", SINTER_DEVICE="cpu", SINTER_HOST_ENTRY="1")


def test_opencl():
    """after OpenCL's driver has ended, the contents of buffers are in host memory, and commands are refused"""
    driver = os.path.join(common.BUILD, "opencl-driver")
    if common.SANITIZED or not os.path.exists(os.path.join(driver, "intel.icd")):
        raise common.Skip("no OpenCL driver")
    cold_and_warm("opencl", ORDERS, SINTER_DEVICE="opencl:0", OCL_ICD_VENDORS=driver, LD_LIBRARY_PATH=driver)


def test_cuda():
    """after CUDA's driver has ended (here a fake one), buffers' contents are on the host, and commands are refused"""
    driver = os.path.join(common.BUILD, "tests", "devices")
    if common.SANITIZED or not os.path.exists(os.path.join(driver, "libcuda.so.1")):
        raise common.Skip("no fake driver")
    cold_and_warm("fake", ORDERS, SINTER_DEVICE="gpu", LD_LIBRARY_PATH=driver)


OBJECTS = r"""
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <cstdio>
#include <optional>
namespace graphs = sycl::ext::oneapi::experimental;
struct last_word {
  ~last_word() { std::puts("all are gone"); }
} last;
std::optional<sycl::queue> queue;
std::optional<sycl::event> event;
std::optional<sycl::kernel_bundle<sycl::bundle_state::executable>> bundle;
std::optional<graphs::command_graph<graphs::graph_state::modifiable>> graph;
std::optional<graphs::command_graph<graphs::graph_state::executable>> made;
std::optional<sycl::buffer<int>> buffer;
std::optional<sycl::host_accessor<int, 1, sycl::access_mode::read_write>> access;
int *on_device = nullptr, *shared = nullptr, *on_host = nullptr;
template <class Function>
void attempt(const char* what, const Function& function) {
  try {
    function();
    std::printf("%s: done\n", what);
  } catch (const sycl::exception& refused) {
    std::printf("%s: %s\n", what, refused.what());
  }
}
struct user {
  ~user() {
    for (int* each : {on_device, shared, on_host}) sycl::free(each, *queue);
    attempt("free", [] {});
    attempt("times", [] { (void)event->get_profiling_info<sycl::info::event_profiling::command_end>(); });
    attempt("state", [] { (void)event->get_info<sycl::info::event::command_execution_status>(); });
    attempt("facts", [] { (void)queue->get_device().get_info<sycl::info::device::max_compute_units>(); });
    attempt("allocation", [] { sycl::free(sycl::malloc_device(100, *queue), *queue); });
    attempt("another queue", [] { sycl::queue(queue->get_device()).single_task([] {}).wait(); });
    attempt("graph", [] {
      queue->ext_oneapi_graph(*made).wait();
      queue->throw_asynchronous();
    });
  }
} uses;
int main() {
  queue.emplace([](sycl::exception_list errors) { std::rethrow_exception(*errors.begin()); },
                sycl::property_list{sycl::property::queue::enable_profiling{}});
  on_device = sycl::malloc_device<int>(100, *queue);
  shared = sycl::malloc_shared<int>(100, *queue);
  on_host = sycl::malloc_host<int>(100, *queue);
  buffer.emplace(sycl::range(100));
  queue->submit([&](sycl::handler& handler) {
    sycl::accessor out(*buffer, handler, sycl::write_only, sycl::no_init);
    handler.parallel_for(100, [=](sycl::id<1> i) { out[i] = 4; });
  });
  event = queue->parallel_for(100, [to = on_device](sycl::id<1> i) { to[i] = 3; });
  queue->wait();
  graph.emplace(queue->get_context(), queue->get_device());
  graph->add([&](sycl::handler& handler) {
    handler.parallel_for(100, [to = on_device](sycl::id<1> i) { to[i] += 3; });
  });
  made.emplace(graph->finalize());
  queue->ext_oneapi_graph(*made).wait();
  bundle.emplace(sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue->get_context()));
  access.emplace(*buffer);
}
"""


def test_objects_of_every_kind():
    """queues, events, graphs, bundles, accessors and memory of all kinds may be used and destroyed after main"""
    common.compile_program(FOLDER.write("kinds.cpp", OBJECTS), FOLDER / "kinds", "-O1").expect()
    devices = {"cpu": {"SINTER_DEVICE": "cpu"}}
    driver, fake = os.path.join(common.BUILD, "opencl-driver"), os.path.join(common.BUILD, "tests", "devices")
    if not common.SANITIZED and os.path.exists(os.path.join(driver, "intel.icd")):
        devices["opencl"] = {"SINTER_DEVICE": "opencl:0", "OCL_ICD_VENDORS": driver, "LD_LIBRARY_PATH": driver}
    if not common.SANITIZED and os.path.exists(os.path.join(fake, "libcuda.so.1")):
        devices["fake"] = {"SINTER_DEVICE": "gpu", "LD_LIBRARY_PATH": fake}
    for kind, variables in devices.items():
        result = common.run([FOLDER / "kinds"], timeout=60, **variables).expect(contains=["all are gone"])
        lines = result.out.splitlines()[:-1]
        common.check(len(lines) == 7, f"{kind}: {result.text}")
        for line in lines:
            refused = kind != "cpu" and ("has ended with the program" in line or "DEINITIALIZED" in line)
            common.check(line.endswith(": done") or refused, f"{kind}: {line}")


LLVM_FIRST = r"""
#include <dlfcn.h>
#include <sycl/sycl.hpp>
#include <cstdio>
// The program itself opens LLVM, so Sinter must not remove what LLVM has registered with exit().
struct actor {
  sycl::queue queue;
  ~actor() {
    int* value = sycl::malloc_shared<int>(1, queue);
    queue.single_task([=] { *value = 42; }).wait();
    std::printf("value %d\n", *value);
    sycl::free(value, queue);
  }
};
int main(int, char** words) {
  static actor last;
  if (!dlopen(words[1], RTLD_NOW)) return std::puts(dlerror()), 2;
  last.queue.single_task([] {}).wait();
}
"""


def test_llvm_of_the_program():
    """if a library has opened LLVM before, new kernels after main run as host code, and a line says so"""
    common.not_sanitized()
    common.compile_program(FOLDER.write("first.cpp", LLVM_FIRST), FOLDER / "first", "-O1").expect()
    ldd = common.run(["ldd", os.path.join(common.BUILD, "jitd", "libsinter-jit.so")]).expect().out
    library = next((line.split()[2] for line in ldd.splitlines() if "libLLVM" in line), None)
    if not library:
        raise common.Skip("LLVM is part of libsinter-jit.so")
    common.run([FOLDER / "first", library], SINTER_DEVICE="cpu", SINTER_CACHE="0").expect(
        contains=["value 42", "has ended with the program", "runs as host code"])


common.main(globals())
