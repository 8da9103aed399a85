/// Some threads are to help with the steps of a graph. In these tests, these threads begin only after other threads
/// have run all steps.

#include <doctest/doctest.h>

#include <scheduler/test_hooks.hpp>
#include <sycl/sycl.hpp>

namespace graphs = sycl::ext::oneapi::experimental;

TEST_CASE("a graph that frees memory is gone before others drop the calls for its helpers, under their queue's order") {
  auto& shuffle = sycl::detail::test_hooks().shuffle;
  // With this switch, each graph runs its independent steps in parallel.
  shuffle = true;
  sycl::queue queue{sycl::property::queue::in_order{}};
  sycl::buffer<int> count{sycl::range<1>(1)};
  sycl::host_accessor{count}[0] = 0;
  constexpr int rounds = 500, steps = 4;
  for (int round = 0; round < rounds; ++round) {
    {
      graphs::command_graph graph(queue);
      int* memory = nullptr;
      const graphs::node first = graph.add([&](sycl::handler& group) {
        memory = static_cast<int*>(graphs::async_malloc(group, sycl::usm::alloc::device, steps * sizeof(int)));
      });
      for (int i = 0; i < steps; ++i) {
        graph.add([&](sycl::handler& group) { group.single_task([=] { memory[i] = i; }); },
                  {graphs::property::node::depends_on(first)});
      }
      auto executable = graph.finalize();
      queue.ext_oneapi_graph(executable).wait();
    }
    queue.submit([&](sycl::handler& group) {
      sycl::accessor of_rounds(count, group);
      group.single_task([=] { of_rounds[0] += 1; });
    });
  }
  CHECK(sycl::host_accessor{count}[0] == rounds);
  shuffle = false;
}
