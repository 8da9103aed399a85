#pragma once
/// Ways to fuse kernels, for tests that try each of them.

#include <sycl/ext/oneapi/experimental/graph.hpp>

#include "fusion.hpp"

namespace e2e {

/// Says who fuses the kernels: nobody, the program, a queue, or a graph.
enum class door { none, completed, automatic, graph };
constexpr const char* door_names[] = {"one by one", "complete_fusion", "auto_fusion", "a graph"};

/// Calls `submit`, which has to submit kernels to the queue. Fuses these kernels as `which` says, and waits for the
/// kernels.
template <class Submit>
void run_through(door which, sycl::queue& queue, Submit submit) {
  namespace ex = sycl::ext::oneapi::experimental;
  if (which == door::graph) {
    ex::command_graph graph(queue, {ex::property::graph::assume_buffer_outlives_graph{}});
    graph.begin_recording(queue);
    submit();
    graph.end_recording();
    auto executable = graph.finalize({sycl::ext::sinter::property::graph::fuse{}});
    queue.ext_oneapi_graph(executable).wait();
  } else if (which == door::completed) {
    sycl::ext::codeplay::experimental::fusion_wrapper wrapper(queue);
    wrapper.start_fusion();
    submit();
    wrapper.complete_fusion();
  } else {
    submit();
  }
  queue.wait();
}

}  // namespace e2e
