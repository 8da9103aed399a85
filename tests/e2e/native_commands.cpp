/// Native commands (sycl_ext_codeplay_enqueue_native_command). On GPUs and on OpenCL and Level Zero devices, native
/// commands are work for the driver, in its queue or its graph. The CPU has no driver, so native commands are host
/// tasks there.
#include <dlfcn.h>
#include <sycl/ext/oneapi/backend/level_zero.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>

#include <atomic>
#include <cstdlib>

#include "check.hpp"
#include "sycl/backend.hpp"

namespace {

using namespace sycl;
namespace graphs = ext::oneapi::experimental;

constexpr backend of_opencl = backend::opencl, of_cuda = backend::ext_oneapi_cuda, of_hip = backend::ext_oneapi_hip;
constexpr backend of_level_zero = backend::ext_oneapi_level_zero;
constexpr std::size_t count = 1000;

static_assert(SYCL_EXT_ONEAPI_ENQUEUE_NATIVE_COMMAND == 2);
static_assert(std::is_same_v<backend_return_t<of_opencl, graphs::command_graph<graphs::graph_state::executable>>,
                             _cl_command_buffer_khr*>);

static_assert(std::is_same_v<backend_return_t<of_level_zero, graphs::command_graph<graphs::graph_state::executable>>,
                             _ze_command_list_handle_t*>);

/// Finds a function of OpenCL's loader (declared in <CL/cl.h>), of NVIDIA's driver (declared in <cuda.h>), or of Level
/// Zero's loader.
template <class Function>
Function* loader_function(const char* name, const char* of = "libOpenCL.so.1") {
  void* const library = dlopen(of, RTLD_NOW);
  const auto found = reinterpret_cast<Function*>(library ? dlsym(library, name) : nullptr);
  if (!found) std::printf("%s has no %s\n", of, name), std::abort();
  return found;
}

void enqueue_fill(CUstream_st* stream, int* memory, int value) {
  using fill = int(unsigned long long, unsigned, std::size_t, CUstream_st*);
  CHECK(loader_function<fill>("cuMemsetD32Async", "libcuda.so.1")(reinterpret_cast<unsigned long long>(memory),
                                                                  static_cast<unsigned>(value), count, stream) == 0);
}

void record_fill(CUgraph_st* graph, int* memory, int value) {
  struct parameters {
    unsigned long long memory;
    std::size_t pitch;
    unsigned value, element_bytes;
    std::size_t width, height;
  } const set{reinterpret_cast<unsigned long long>(memory), 0, static_cast<unsigned>(value), sizeof(int), count, 1};
  using find_context = int(CUctx_st**);
  using fill = int(void**, CUgraph_st*, void* const*, std::size_t, const parameters*, CUctx_st*);
  CUctx_st* context = nullptr;
  void* node = nullptr;
  CHECK(loader_function<find_context>("cuCtxGetCurrent", "libcuda.so.1")(&context) == 0);
  CHECK(loader_function<fill>("cuGraphAddMemsetNode", "libcuda.so.1")(&node, graph, nullptr, 0, &set, context) == 0);
}

void enqueue_fill(ihipStream_t* stream, int* memory, int value) {
  using fill = int(void*, int, std::size_t, ihipStream_t*);
  CHECK(loader_function<fill>("hipMemsetD32Async", "libamdhip64.so.7")(memory, value, count, stream) == 0);
}

void record_fill(ihipGraph* graph, int* memory, int value) {
  struct parameters {
    void* memory;
    unsigned element_bytes;
    std::size_t height, pitch;
    unsigned value;
    std::size_t width;
  } const set{memory, sizeof(int), 1, 0, static_cast<unsigned>(value), count};
  using fill = int(void**, ihipGraph*, void* const*, std::size_t, const parameters*);
  void* node = nullptr;
  CHECK(loader_function<fill>("hipGraphAddMemsetNode", "libamdhip64.so.7")(&node, graph, nullptr, 0, &set) == 0);
}

/// Enqueues a fill on the driver's queue. The fill runs after the queue's earlier commands.
void enqueue_fill(_cl_command_queue* queue, int* memory, int value) {
  using fill = int(_cl_command_queue*, void*, const void*, std::size_t, std::size_t, unsigned, void*, void*);
  CHECK(loader_function<fill>("clEnqueueSVMMemFill")(queue, memory, &value, sizeof(value), count * sizeof(int), 0,
                                                     nullptr, nullptr) == 0);
}

void enqueue_fill(_cl_command_queue* queue, _cl_mem* memory, int value) {
  using fill = int(_cl_command_queue*, _cl_mem*, const void*, std::size_t, std::size_t, std::size_t, unsigned, void*,
                   void*);
  CHECK(loader_function<fill>("clEnqueueFillBuffer")(queue, memory, &value, sizeof(value), 0, count * sizeof(int), 0,
                                                     nullptr, nullptr) == 0);
}

void record_fill(_cl_command_buffer_khr* commands, _cl_platform_id* platform, int* memory, int value) {
  using find = void*(_cl_platform_id*, const char*);
  using fill = int(_cl_command_buffer_khr*, _cl_command_queue*, void*, void*, const void*, std::size_t, std::size_t,
                   unsigned, void*, void*, void*);
  const auto function = reinterpret_cast<fill*>(
      loader_function<find>("clGetExtensionFunctionAddressForPlatform")(platform, "clCommandSVMMemFillKHR"));
  CHECK(function && function(commands, nullptr, nullptr, memory, &value, sizeof(value), count * sizeof(int), 0, nullptr,
                             nullptr, nullptr) == 0);
}

/// The list reads the pattern when the list is executed, so each call needs memory of its own for the pattern.
void append_fill(_ze_command_list_handle_t* list, int* memory, int value) {
  static int patterns[256];
  static int used = 0;
  CHECK(used < 256);
  int* const pattern = &patterns[used++];
  *pattern = value;
  using fill = int(_ze_command_list_handle_t*, void*, const void*, std::size_t, std::size_t, void*, unsigned, void*);
  CHECK(loader_function<fill>("zeCommandListAppendMemoryFill", "libze_loader.so.1")(
            list, memory, pattern, sizeof(value), count * sizeof(int), nullptr, 0, nullptr) == 0);
}
void enqueue_fill(const backend_return_t<of_level_zero, queue>& queue, int* memory, int value) {
  append_fill(std::get<_ze_command_list_handle_t*>(queue), memory, value);
}

/// Whether `ask` throws an exception with this code and with these words in its message.
template <class Ask>
bool is_refused(errc wanted, const char* words, const Ask& ask) {
  try {
    ask();
  } catch (const exception& error) {
    if (error.code() == wanted && std::strstr(error.what(), words)) return true;
    std::printf("refused otherwise: %s\n", error.what());
  }
  return false;
}

/// Sets all elements to `value`, through the driver if there is one.
void fill_natively(handler& group, int* memory, int value, std::atomic<int>& calls) {
  group.ext_codeplay_enqueue_native_command([=, &calls](interop_handle natives) {
    ++calls;
    CHECK(!natives.ext_codeplay_has_graph());
    if (natives.get_backend() == of_opencl) {
      CHECK(is_refused(errc::invalid, "no graph", [&] { natives.ext_codeplay_get_native_graph<of_opencl>(); }));
      enqueue_fill(natives.get_native_queue<of_opencl>(), memory, value);
    } else if (natives.get_backend() == of_cuda) {
      CHECK(is_refused(errc::invalid, "no graph", [&] { natives.ext_codeplay_get_native_graph<of_cuda>(); }));
      enqueue_fill(natives.get_native_queue<of_cuda>(), memory, value);
    } else if (natives.get_backend() == of_hip) {
      CHECK(is_refused(errc::invalid, "no graph", [&] { natives.ext_codeplay_get_native_graph<of_hip>(); }));
      enqueue_fill(natives.get_native_queue<of_hip>(), memory, value);
    } else if (natives.get_backend() == of_level_zero) {
      CHECK(is_refused(errc::invalid, "no graph", [&] { natives.ext_codeplay_get_native_graph<of_level_zero>(); }));
      enqueue_fill(natives.get_native_queue<of_level_zero>(), memory, value);
    } else {
      CHECK(natives.get_backend() == backend::sinter_cpu);
      CHECK(is_refused(errc::backend_mismatch, "", [&] { natives.get_native_queue<of_opencl>(); }));
      CHECK(is_refused(errc::backend_mismatch, "", [&] { natives.ext_codeplay_get_native_graph<of_opencl>(); }));
      std::fill_n(memory, count, value);
    }
  });
}

}  // namespace

TEST("native commands run once, in order with the commands around them, and events stand for their work") {
  for (const bool in_order : {true, false}) {
    queue q = in_order ? e2e::make_queue(property::queue::in_order()) : e2e::make_queue();
    int* data = malloc_shared<int>(count, q);
    std::atomic<int> calls = 0;
    event last;
    for (int round = 1; round <= 50; ++round) {
      const event before = q.submit([&](handler& group) {
        group.depends_on(last);
        group.parallel_for(range<1>(count), [=](id<1> i) { data[i] = -1; });
      });
      const event native = q.submit([&](handler& group) {
        group.depends_on(before);
        fill_natively(group, data, round, calls);
      });
      last = q.submit([&](handler& group) {
        group.depends_on(native);
        group.parallel_for(range<1>(count), [=](id<1> i) { data[i] = 2 * data[i] + static_cast<int>(i[0]); });
      });
    }
    last.wait_and_throw();
    CHECK_EQUAL(calls.load(), 50);
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], 100 + static_cast<int>(i));
    event alone = q.submit([&](handler& group) { fill_natively(group, data, 7, calls); });
    alone.wait_and_throw();
    CHECK(alone.get_info<info::event::command_execution_status>() == info::event_command_status::complete);
    CHECK_EQUAL(data[0] + data[count - 1], 14);
    free(data, q);
  }
}

TEST("native commands get at buffers by accessors, which order them") {
  queue q = e2e::make_queue();
  buffer<int> memory{range<1>(count)};
  std::atomic<int> calls = 0;
  for (int round = 0; round < 20; ++round) {
    q.submit([&](handler& group) {
      accessor out(memory, group, write_only, no_init);
      group.parallel_for(range<1>(count), [=](id<1> i) { out[i] = -1; });
    });
    q.submit([&](handler& group) {
      accessor out(memory, group, write_only);
      group.ext_codeplay_enqueue_native_command([=, &calls](interop_handle natives) {
        ++calls;
        if (natives.get_backend() == of_opencl) {
          enqueue_fill(natives.get_native_queue<of_opencl>(), natives.get_native_mem<of_opencl>(out)[0], round);
        } else if (natives.get_backend() == of_cuda) {
          int* const place = reinterpret_cast<int*>(natives.get_native_mem<of_cuda>(out));
          enqueue_fill(natives.get_native_queue<of_cuda>(), place, round);
        } else if (natives.get_backend() == of_hip) {
          enqueue_fill(natives.get_native_queue<of_hip>(), static_cast<int*>(natives.get_native_mem<of_hip>(out)),
                       round);
        } else if (natives.get_backend() == of_level_zero) {
          int* const place = static_cast<int*>(natives.get_native_mem<of_level_zero>(out));
          enqueue_fill(natives.get_native_queue<of_level_zero>(), place, round);
        } else {
          std::fill_n(natives.get_native_mem<backend::sinter_cpu>(out), count, round);
        }
      });
    });
    host_accessor now(memory, read_only);
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(now[i], round);
  }
  CHECK_EQUAL(calls.load(), 20);
}

TEST("what a native command throws is the queue's asynchronous error, and what comes behind it runs") {
  std::atomic<int> errors = 0;
  queue q(e2e::make_queue().get_context(), e2e::make_queue().get_device(), [&](exception_list all) {
    for (const std::exception_ptr& each : all) {
      try {
        std::rethrow_exception(each);
      } catch (const std::runtime_error& error) {
        if (std::strcmp(error.what(), "no luck") == 0) ++errors;
      }
    }
  });
  int* data = malloc_shared<int>(1, q);
  const event failed = q.submit([&](handler& group) {
    group.ext_codeplay_enqueue_native_command([](interop_handle) { throw std::runtime_error("no luck"); });
  });
  q.submit([&](handler& group) {
    group.depends_on(failed);
    group.single_task([=] { *data = 5; });
  });
  q.wait_and_throw();
  CHECK_EQUAL(errors.load(), 1);
  CHECK_EQUAL(*data, 5);
  free(data, q);
}

TEST("in graphs they add to the driver's graph at finalize; where there is none they are refused, and why") {
  queue q = e2e::make_queue(property::queue::in_order());
  int* data = malloc_shared<int>(count, q);
  std::atomic<int> calls = 0;
  graphs::command_graph graph(q);
  graph.begin_recording(q);
  q.parallel_for(range<1>(count), [=](id<1> i) { data[i] += static_cast<int>(i[0]); });
  const auto add = [&] {
    return q.submit([&](handler& group) {
      group.ext_codeplay_enqueue_native_command([=, &calls](interop_handle natives) {
        ++calls;
        CHECK(natives.ext_codeplay_has_graph());
        if (natives.get_backend() == of_hip) {
          return record_fill(natives.ext_codeplay_get_native_graph<of_hip>(), data, 20);
        }
        if (natives.get_backend() == of_cuda) {
          return record_fill(natives.ext_codeplay_get_native_graph<of_cuda>(), data, 20);
        }
        if (natives.get_backend() == of_level_zero) {
          return append_fill(natives.ext_codeplay_get_native_graph<of_level_zero>(), data, 20);
        }
        CHECK(natives.get_native_queue<of_opencl>() != nullptr);
        _cl_platform_id* const platform = get_native<of_opencl>(q.get_device().get_platform());
        record_fill(natives.ext_codeplay_get_native_graph<of_opencl>(), platform, data, 20);
      });
    });
  };
  if (q.get_backend() == backend::sinter_cpu) {
    CHECK(is_refused(errc::feature_not_supported, "no native graphs that a node could add to; use a host task", add));
    graph.end_recording();
    // The graph can still be used.
    std::fill_n(data, count, 1);
    q.ext_oneapi_graph(graph.finalize()).wait_and_throw();
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], 1 + static_cast<int>(i));
    return free(data, q);
  }
  const event recorded = add();
  q.parallel_for(range<1>(count), [=](id<1> i) { data[i] = 2 * data[i] + static_cast<int>(i[0]); });
  graph.end_recording();
  CHECK(graphs::node::get_node_from_event(recorded).get_type() == graphs::node_type::native_command);
  CHECK_EQUAL(calls.load(), 0);
  try {
    auto executable = graph.finalize();
    CHECK_EQUAL(calls.load(), 1);
    for (int run = 0; run < 3; ++run) {
      std::fill_n(data, count, -1);
      q.ext_oneapi_graph(executable).wait_and_throw();
      for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], 40 + static_cast<int>(i));
    }
    queue measuring = e2e::make_queue(property::queue::enable_profiling());
    std::fill_n(data, count, -1);
    measuring.ext_oneapi_graph(executable).wait_and_throw();
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], 40 + static_cast<int>(i));
    CHECK_EQUAL(calls.load(), 1);
    // The graph has only the native command. Another graph contains this graph.
    graphs::command_graph single(q), outer(q);
    single.begin_recording(q);
    add();
    single.end_recording();
    auto inner = single.finalize();
    auto before = outer.add([&](handler& group) {
      group.parallel_for(range<1>(count), [=](id<1> i) { data[i] = -2; });
    });
    outer.add([&](handler& group) { group.ext_oneapi_graph(inner); }, {graphs::property::node::depends_on(before)});
    q.ext_oneapi_graph(outer.finalize()).wait_and_throw();
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(data[i], 20);
    CHECK_EQUAL(calls.load(), 3);
  } catch (const exception& error) {
    // Drivers without version 1.0 of command buffers refuse native commands in graphs.
    std::printf("not there: %s\n", error.what());
    CHECK(error.code() == errc::feature_not_supported && std::strstr(error.what(), "has no native graph"));
  }
  free(data, q);
}

E2E_MAIN
