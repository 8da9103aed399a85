// The examples in the text of sycl_ext_oneapi_graph, as complete programs.
#include "check.hpp"

#include <sycl/ext/oneapi/experimental/async_alloc.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>

using namespace sycl;
namespace ex = sycl::ext::oneapi::experimental;
namespace graph_property = ex::property::graph;
namespace node_property = ex::property::node;

namespace {

constexpr std::size_t n = 96;

/// Memory of an example. The destructor frees it.
struct vectors {
  explicit vectors(queue& its_queue) : q(its_queue) {
    for (float** each : {&x, &y, &z}) *each = malloc_shared<float>(n, q);
    dot = malloc_shared<float>(1, q);
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] = z[i] = 0;
    *dot = 0;
  }
  vectors(const vectors&) = delete;
  ~vectors() {
    q.wait();
    for (float* each : {x, y, z, dot}) free(each, q);
  }
  queue q;
  float *x, *y, *z, *dot;
};

}  // namespace

TEST("a dot product, node by node, with an empty node where many wait for many") {
  queue q = e2e::make_queue();
  const vectors v(q);
  float *x = v.x, *y = v.y, *z = v.z, *dot = v.dot;
  constexpr float alpha = 2, beta = 3, gamma = 4;
  ex::command_graph graph(q.get_context(), q.get_device());
  ex::node begin = graph.add([&](handler& h) {
    h.parallel_for(range<1>(n), [=](item<1> i) { x[i] = 1, y[i] = 2, z[i] = 3; });
  });
  ex::node first = graph.add(
      [&](handler& h) { h.parallel_for(range<1>(n), [=](item<1> i) { x[i] = alpha * x[i] + beta * y[i]; }); },
      {node_property::depends_on(begin)});
  ex::node second = graph.add(
      [&](handler& h) { h.parallel_for(range<1>(n), [=](item<1> i) { z[i] = gamma * z[i] + beta * y[i]; }); },
      {node_property::depends_on(begin)});
  ex::node join = graph.add({node_property::depends_on(first, second)});
  ex::node sum = graph.add([&](handler& h) {
    h.single_task([=] {
      *dot = 0;
      for (std::size_t i = 0; i < n; ++i) *dot += x[i] * z[i];
    });
  });
  graph.make_edge(join, sum);
  CHECK_EQUAL(graph.get_root_nodes().size(), std::size_t{1});
  CHECK_EQUAL(sum.get_predecessors().size(), std::size_t{1});
  auto executable = graph.finalize();
  for (int i = 0; i < 3; ++i) {
    q.submit([&](handler& h) { h.ext_oneapi_graph(executable); }).wait();
    CHECK_EQUAL(*dot, static_cast<float>(n) * 8 * 18);
  }
}

TEST("a diamond of buffers, recorded; edges come from the accessors") {
  queue q = e2e::make_queue();
  std::vector<float> result(n);
  buffer<float> a{range<1>(n)}, b{range<1>(n)}, c{range<1>(n)};
  {
    ex::command_graph graph(q, {graph_property::assume_buffer_outlives_graph()});
    graph.begin_recording(q);
    q.submit([&](handler& h) {
      accessor out(a, h, write_only, no_init);
      h.parallel_for(range<1>(n), [=](id<1> i) { out[i] = static_cast<float>(i[0]); });
    });
    for (buffer<float>* each : {&b, &c}) {
      q.submit([&](handler& h) {
        accessor in(a, h, read_only);
        accessor out(*each, h, write_only, no_init);
        const float term = each == &b ? 1.0f : 2.0f;
        h.parallel_for(range<1>(n), [=](id<1> i) { out[i] = in[i] + term; });
      });
    }
    q.submit([&](handler& h) {
      accessor in_b(b, h, read_only);
      accessor in_c(c, h, read_only);
      accessor out(a, h, write_only);
      h.parallel_for(range<1>(n), [=](id<1> i) { out[i] = in_b[i] * in_c[i]; });
    });
    graph.end_recording();
    CHECK_EQUAL(graph.get_nodes()[3].get_predecessors().size() >= 2, true);
    auto executable = graph.finalize();
    ex::execute_graph(q, executable);
    ex::execute_graph(q, executable);
    q.submit([&](handler& h) {
       accessor in(a, h, read_only);
       h.copy(in, result.data());
     }).wait();
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<float>(i);
    CHECK_EQUAL(result[i], (at + 1) * (at + 2));
  }
}

TEST("two queues record to one graph: what waits for an event of one is recorded as well") {
  queue first = e2e::make_queue({property::queue::in_order()});
  queue second(first.get_context(), first.get_device());
  const vectors v(first);
  float *x = v.x, *y = v.y;
  ex::command_graph graph(first);
  graph.begin_recording(first);
  event filled = first.fill(x, 5.0f, n);
  event doubled = second.submit([&](handler& h) {
    h.depends_on(filled);
    h.parallel_for(range<1>(n), [=](id<1> i) { y[i] = 2 * x[i]; });
  });
  CHECK(second.ext_oneapi_get_state() == ex::queue_state::recording);
  first.submit([&](handler& h) {
    h.depends_on(doubled);
    h.parallel_for(range<1>(n), [=](id<1> i) { x[i] += y[i]; });
  });
  graph.end_recording();
  CHECK(second.ext_oneapi_get_state() == ex::queue_state::executing);
  auto executable = graph.finalize();
  second.ext_oneapi_graph(executable).wait();
  for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(x[i], 15.0f);
}

TEST("a graph with other pointers is another graph's update") {
  queue q = e2e::make_queue();
  const vectors v(q);
  const auto build = [&](ex::command_graph<>& graph, float* data) {
    ex::node set = graph.add([&](handler& h) { h.parallel_for(range<1>(n), [=](id<1> i) { data[i] = 1; }); });
    graph.add([&](handler& h) { h.parallel_for(range<1>(n), [=](id<1> i) { data[i] += 6; }); },
              {node_property::depends_on(set)});
  };
  ex::command_graph main_graph(q), other(q);
  build(main_graph, v.x);
  build(other, v.y);
  auto executable = main_graph.finalize({graph_property::updatable()});
  q.ext_oneapi_graph(executable).wait();
  CHECK_EQUAL(v.x[n - 1], 7.0f);
  CHECK_EQUAL(v.y[n - 1], 0.0f);
  executable.update(other);
  q.ext_oneapi_graph(executable).wait();
  CHECK_EQUAL(v.y[n - 1], 7.0f);
}

TEST("a dynamic parameter gives one node's kernel another pointer, and the node another range") {
  queue q = e2e::make_queue({property::queue::in_order()});
  const vectors v(q);
  float* data = v.x;
  ex::command_graph graph(q);
  ex::dynamic_parameter<float*> parameter(data);
  ex::node node = graph.add([&](handler& h) {
    h.set_arg(0, parameter);
    h.parallel_for(range<1>(n), [data](id<1> i) { data[i] += 1; });
  });
  auto executable = graph.finalize({graph_property::updatable()});
  q.ext_oneapi_graph(executable);
  parameter.update(v.y);
  node.update_range(range<1>(n / 2));
  executable.update(node);
  q.ext_oneapi_graph(executable);
  q.wait();
  for (std::size_t i = 0; i < n; ++i) CHECK(v.x[i] == 1.0f && v.y[i] == (i < n / 2 ? 1.0f : 0.0f));
}

TEST("a dynamic command group changes a node's kernel, its nd_range and a parameter") {
  queue q = e2e::make_queue({property::queue::in_order()});
  const vectors v(q);
  float* x = v.x;
  float added = 1;
  ex::command_graph graph(q);
  ex::dynamic_parameter<float> parameter(added);
  const auto adds = [&](handler& h) {
    h.set_arg(0, parameter);
    h.parallel_for(range<1>(n), [added, x](id<1> i) { x[i] += added; });
  };
  const auto counts = [=](handler& h) {
    h.parallel_for(nd_range<1>(n / 2, 8), [=](nd_item<1> item) {
      x[item.get_global_id(0)] += static_cast<float>(item.get_local_range(0));
    });
  };
  ex::dynamic_command_group group(graph, {adds, counts});
  ex::node node = graph.add(group);
  auto executable = graph.finalize({graph_property::updatable()});
  q.ext_oneapi_graph(executable);
  group.set_active_index(1);
  executable.update(node);
  q.ext_oneapi_graph(executable);
  group.set_active_index(0);
  parameter.update(100);
  executable.update(node);
  q.ext_oneapi_graph(executable);
  q.wait();
  for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(x[i], i < n / 2 ? 109.0f : 101.0f);
}

TEST("local memory grows with the groups of a kernel") {
  queue q = e2e::make_queue({property::queue::in_order()});
  const vectors v(q);
  float* x = v.x;
  ex::command_graph graph(q);
  ex::dynamic_work_group_memory<float[]> memory(8);
  ex::node node = graph.add([&](handler& h) {
    auto shared = memory.get();
    h.set_arg(0, memory);
    h.parallel_for(nd_range<1>(n, 8), [shared, x](nd_item<1> item) {
      const std::size_t at = item.get_local_id(0), size = item.get_local_range(0);
      shared[at] = static_cast<float>(at);
      group_barrier(item.get_group());
      x[item.get_global_id(0)] = shared[size - 1 - at];
    });
  });
  auto executable = graph.finalize({graph_property::updatable()});
  for (const std::size_t size : {8u, 32u}) {
    memory.update(size);
    node.update_nd_range(nd_range<1>(n, size));
    executable.update(node);
    q.ext_oneapi_graph(executable).wait();
    for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(x[i], static_cast<float>(size - 1 - i % size));
  }
}

TEST("a graph in a graph, a host task behind it") {
  queue q = e2e::make_queue();
  const vectors v(q);
  float* x = v.x;
  float seen = 0;
  ex::command_graph inner(q);
  inner.add([&](handler& h) { h.parallel_for(range<1>(n), [=](id<1> i) { x[i] = x[i] * 2 + 1; }); });
  auto part = inner.finalize();
  ex::command_graph outer(q);
  ex::node once = outer.add([&](handler& h) { h.ext_oneapi_graph(part); });
  ex::node twice = outer.add([&](handler& h) { h.ext_oneapi_graph(part); }, {node_property::depends_on(once)});
  outer.add([&](handler& h) { h.host_task([&] { seen = x[n - 1]; }); }, {node_property::depends_on(twice)});
  auto executable = outer.finalize();
  q.ext_oneapi_graph(executable).wait();
  CHECK_EQUAL(seen, 3.0f);
}

TEST("memory of a graph's own, between nodes that a queue records") {
  queue q = e2e::make_queue({property::queue::in_order()});
  const vectors v(q);
  float *x = v.x, *y = v.y;
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i);
  ex::command_graph graph(q);
  graph.begin_recording(q);
  auto* own = static_cast<float*>(ex::async_malloc(q, usm::alloc::device, n * sizeof(float)));
  q.parallel_for(range<1>(n), [=](id<1> i) { own[i] = x[i] * x[i]; });
  q.parallel_for(range<1>(n), [=](id<1> i) { y[i] = own[n - 1 - i[0]]; });
  ex::async_free(q, own);
  graph.end_recording();
  auto executable = graph.finalize();
  CHECK(executable.get_required_mem_size() >= n * sizeof(float));
  q.ext_oneapi_graph(executable).wait();
  for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(y[i], x[n - 1 - i] * x[n - 1 - i]);
}

E2E_MAIN
