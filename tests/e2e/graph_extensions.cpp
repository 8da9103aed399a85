// The use of other extensions in graphs. The text of sycl_ext_oneapi_graph says how each extension behaves in graphs.
#include "check.hpp"

#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>
#include <sycl/ext/oneapi/group_local_memory.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/ext/oneapi/queue_properties.hpp>

using namespace sycl;
namespace ex = sycl::ext::oneapi::experimental;

namespace {

constexpr std::size_t n = 64;

/// Records the commands of `submit` in a graph, runs it twice and returns the memory, whose elements are 1 at first.
template <class Submit>
std::vector<int> replayed(queue q, const Submit& submit) {
  int* data = malloc_shared<int>(n, q);
  std::fill_n(data, n, 1);
  ex::command_graph graph(q);
  graph.begin_recording(q);
  submit(q, data);
  graph.end_recording();
  CHECK_EQUAL(data[n - 1], 1);
  auto executable = graph.finalize();
  ex::execute_graph(q, executable);
  ex::execute_graph(q, executable);
  q.wait();
  std::vector<int> result(data, data + n);
  free(data, q);
  return result;
}

}  // namespace

TEST("enqueue functions are recorded like what they stand for") {
  const auto found = replayed(e2e::make_queue({property::queue::in_order()}), [](queue& q, int* data) {
    ex::parallel_for(q, range<1>(n), [=](id<1> i) { data[i] += 1; });
    ex::nd_launch(q, nd_range<1>(n, 8), [=](nd_item<1> item) { data[item.get_global_linear_id()] *= 3; });
    const event one = ex::submit_with_event(q, [&](handler& h) { ex::single_task(h, [=] { data[0] = 5; }); });
    CHECK(ex::node::get_node_from_event(one).get_type() == ex::node_type::kernel);
    ex::memcpy(q, data + 1, data, sizeof(int));
    ex::barrier(q);
    ex::submit(q, [&](handler& h) { ex::parallel_for(h, range<1>(1), [=](id<1>) { data[0] += data[1]; }); });
  });
  CHECK_EQUAL(found[0], 10);
  CHECK_EQUAL(found[1], 5);
  CHECK_EQUAL(found[n - 1], (2 * 3 + 1) * 3);
}

TEST("kernels with properties, and memory of groups by functions and objects") {
  const auto found = replayed(e2e::make_queue({property::queue::in_order()}), [](queue& q, int* data) {
    q.parallel_for(nd_range<1>(n, 8), ex::properties{ex::work_group_size<8>}, [=](nd_item<1> item) {
      auto memory = ext::oneapi::group_local_memory_for_overwrite<int[8]>(item.get_group());
      const std::size_t at = item.get_local_linear_id();
      (*memory)[at] = data[item.get_global_linear_id()];
      group_barrier(item.get_group());
      data[item.get_global_linear_id()] += (*memory)[7 - at];
    });
    q.submit([&](handler& h) {
      ex::work_group_memory<int> sum(h);
      h.parallel_for(nd_range<1>(n, 8), [=](nd_item<1> item) {
        if (item.get_local_linear_id() == 0) sum = 100;
        group_barrier(item.get_group());
        data[item.get_global_linear_id()] += sum;
      });
    });
  });
  for (int each : found) CHECK_EQUAL(each, ((1 + 1 + 100) * 2) + 100);
}

TEST("queues with priority, and those that discard events, are recorded like others; what waits is not counted") {
  const queue like = e2e::make_queue();
  for (const property_list& how :
       {property_list{ext::oneapi::property::queue::priority_high()},
        property_list{property::queue::in_order(), ext::oneapi::property::queue::discard_events()}}) {
    queue q(like.get_context(), like.get_device(), how);
    const auto found = replayed(q, [](queue& recorded, int* data) {
      recorded.parallel_for(range<1>(n), [=](id<1> i) { data[i] += 2; });
      CHECK(recorded.ext_oneapi_empty());
    });
    CHECK_EQUAL(found[n - 1], 5);
  }
}

E2E_MAIN
