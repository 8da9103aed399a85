// Command graphs that are built by hand or recorded, with every type of node, and submitted in every way.
#include "check.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sycl/ext/oneapi/experimental/async_alloc.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <thread>
#include <unordered_map>

using namespace sycl;
namespace ex = sycl::ext::oneapi::experimental;
using ex::command_graph;
using ex::node_type;
namespace graph_property = ex::property::graph;
namespace node_property = ex::property::node;

namespace {

/// Allocates memory that host and device can access, and fills each element with the value.
template <class T>
struct shared_array {
  shared_array(queue& its_queue, std::size_t count, T value = {})
      : q(its_queue), size(count), data(malloc_shared<T>(std::max<std::size_t>(count, 1), q)) {
    for (std::size_t i = 0; i < size; ++i) data[i] = value;
  }
  shared_array(const shared_array&) = delete;
  ~shared_array() { free(data, q); }
  std::vector<T> values() const { return {data, data + size}; }
  T& operator[](std::size_t i) { return data[i]; }

  queue q;
  std::size_t size;
  T* data;
};

template <class T>
std::vector<T> filled(std::size_t count, T value) {
  return std::vector<T>(count, value);
}

}  // namespace

TEST("a graph built by hand runs as often as it is submitted") {
  queue q = e2e::make_queue();
  for (const std::size_t n : e2e::sizes()) {
    shared_array<int> x(q, n, 1), y(q, n, 2);
    int *px = x.data, *py = y.data;
    command_graph graph(q.get_context(), q.get_device());
    CHECK(graph.empty());
    ex::node add = graph.add([&](handler& h) { h.parallel_for(range<1>(n), [=](id<1> i) { px[i] += py[i]; }); });
    ex::node twice = graph.add([&](handler& h) { h.parallel_for(range<1>(n), [=](id<1> i) { px[i] *= 2; }); },
                               {node_property::depends_on(add)});
    CHECK(add.get_type() == node_type::kernel);
    CHECK_EQUAL(graph.get_nodes().size(), std::size_t{2});
    CHECK(graph.get_root_nodes() == std::vector<ex::node>{add});
    CHECK(twice.get_predecessors() == std::vector<ex::node>{add});
    CHECK(add.get_successors() == std::vector<ex::node>{twice});
    auto executable = graph.finalize();
    CHECK_ALL_EQUAL(x.values(), filled(n, 1));
    q.ext_oneapi_graph(executable).wait();
    CHECK_ALL_EQUAL(x.values(), filled(n, 6));
    q.ext_oneapi_graph(executable);
    q.submit([&](handler& h) { h.ext_oneapi_graph(executable); });
    ex::execute_graph(q, executable);
    q.wait();
    CHECK_ALL_EQUAL(x.values(), filled(n, (((6 + 2) * 2 + 2) * 2 + 2) * 2));
  }
}

TEST("what a queue is asked for while it records becomes nodes, and runs only with the graph") {
  for (const bool in_order : {false, true}) {
    queue q = in_order ? e2e::make_queue({property::queue::in_order()}) : e2e::make_queue();
    constexpr std::size_t n = 1000;
    shared_array<int> x(q, n, 1), y(q, n, 0);
    int *px = x.data, *py = y.data;
    command_graph graph(q);
    CHECK(q.ext_oneapi_get_state() == ex::queue_state::executing);
    graph.begin_recording(q);
    CHECK(q.ext_oneapi_get_state() == ex::queue_state::recording);
    CHECK(q.ext_oneapi_get_graph() == graph);
    event first = q.parallel_for(range<1>(n), [=](id<1> i) { py[i] = px[i] + static_cast<int>(i); });
    event second = q.submit([&](handler& h) {
      h.depends_on(first);
      h.parallel_for(nd_range<1>(n, 10), [=](nd_item<1> item) { py[item.get_global_id()] *= 3; });
    });
    q.submit([&](handler& h) {
      h.depends_on(second);
      h.memcpy(px, py, n * sizeof(int));
    });
    graph.end_recording(q);
    CHECK(q.ext_oneapi_get_state() == ex::queue_state::executing);
    CHECK_EQUAL(graph.get_nodes().size(), std::size_t{3});
    CHECK(ex::node::get_node_from_event(second) == graph.get_nodes()[1]);
    CHECK(graph.get_nodes()[2].get_type() == node_type::memcpy);
    CHECK(graph.get_nodes()[2].get_predecessors() == std::vector<ex::node>{graph.get_nodes()[1]});
    CHECK_EQUAL(py[5], 0);
    auto executable = graph.finalize();
    std::vector<int> expected(n, 1);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < n; ++i) expected[i] = (expected[i] + static_cast<int>(i)) * 3;
      q.ext_oneapi_graph(executable);
    }
    q.wait();
    CHECK_ALL_EQUAL(x.values(), expected);
  }
}

TEST("every type of node") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t n = 256;
  shared_array<int> x(q, n, 0), y(q, n, 0);
  int *px = x.data, *py = y.data;
  int calls = 0;
  command_graph graph(q);
  graph.begin_recording(q);
  q.memset(px, 1, n * sizeof(int));
  q.fill(py, 7, n);
  q.prefetch(px, n);
  q.mem_advise(px, n, 0);
  q.copy(px, py, n / 2);
  q.submit([&](handler& h) { h.host_task([&calls, px] { calls += px[0] == 0x01010101; }); });
  q.ext_oneapi_submit_barrier();
  q.single_task([=] { py[0] += 1; });
  graph.end_recording();
  const node_type expected[] = {
      node_type::memset, node_type::memfill,   node_type::prefetch,           node_type::memadvise,
      node_type::memcpy, node_type::host_task, node_type::ext_oneapi_barrier, node_type::kernel};
  std::size_t at = 0;
  for (const ex::node& each : graph.get_nodes()) CHECK(each.get_type() == expected[at++]);
  CHECK_EQUAL(at, std::size(expected));
  CHECK(graph.add().get_type() == node_type::empty);
  auto executable = graph.finalize();
  for (int i = 1; i <= 3; ++i) {
    q.ext_oneapi_graph(executable).wait();
    CHECK_EQUAL(calls, i);
    CHECK_EQUAL(py[0], 0x01010102);
    CHECK_EQUAL(py[1], 0x01010101);
    CHECK_EQUAL(py[n - 1], 7);
  }
}

TEST("edges by hand, also to nodes that were added before, and empty nodes that join") {
  queue q = e2e::make_queue();
  shared_array<int> log(q, 16, 0), count(q, 1, 0);
  int *plog = log.data, *pcount = count.data;
  command_graph graph(q);
  const auto note = [&](int number) {
    return graph.add([=](handler& h) { h.single_task([=] { plog[pcount[0]++] = number; }); });
  };
  ex::node last = note(3), middle = note(2), first = note(1);
  ex::node join = graph.add();
  graph.make_edge(first, join);
  graph.make_edge(join, middle);
  graph.make_edge(middle, last);
  graph.make_edge(middle, last);
  CHECK_EQUAL(middle.get_successors().size(), std::size_t{1});
  ex::node leaf = graph.add([=](handler& h) { h.single_task([=] { plog[pcount[0]++] = 4; }); },
                            {node_property::depends_on_all_leaves()});
  CHECK(leaf.get_predecessors() == std::vector<ex::node>{last});
  auto executable = graph.finalize();
  q.ext_oneapi_graph(executable).wait();
  CHECK_ALL_EQUAL((std::vector<int>(plog, plog + 4)), (std::vector<int>{1, 2, 3, 4}));
}

TEST("accessors of nodes become edges, and the graph is a command that uses their buffers") {
  queue q = e2e::make_queue();
  constexpr std::size_t n = 777;
  buffer<int> x{range<1>(n)}, y{range<1>(n)};
  q.submit([&](handler& h) {
    accessor a(x, h, write_only, no_init);
    h.parallel_for(n, [=](id<1> i) { a[i] = static_cast<int>(i); });
  });
  command_graph graph(q, {graph_property::assume_buffer_outlives_graph()});
  ex::node reads = graph.add([&](handler& h) {
    accessor a(x, h, read_only);
    accessor b(y, h, write_only, no_init);
    h.parallel_for(n, [=](id<1> i) { b[i] = a[i] + 1; });
  });
  ex::node writes = graph.add([&](handler& h) {
    accessor a(x, h, write_only);
    h.parallel_for(n, [=](id<1> i) { a[i] = 5; });
  });
  CHECK(writes.get_predecessors() == std::vector<ex::node>{reads});
  graph.begin_recording(q);
  q.submit([&](handler& h) {
    accessor a(x, h, read_write);
    accessor b(y, h, read_only);
    h.parallel_for(n, [=](id<1> i) { a[i] += b[i]; });
  });
  graph.end_recording();
  CHECK_EQUAL(graph.get_nodes().back().get_predecessors().size(), std::size_t{2});
  auto executable = graph.finalize();
  q.ext_oneapi_graph(executable);
  {
    host_accessor a(x, read_only);
    for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(a[i], static_cast<int>(i) + 6);
  }
  q.ext_oneapi_graph(executable);
  q.submit([&](handler& h) {
    accessor a(x, h, read_write);
    h.parallel_for(n, [=](id<1> i) { a[i] *= 2; });
  });
  host_accessor a(x, read_only);
  for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(a[i], (static_cast<int>(i) + 12) * 2);
}

TEST("several queues record to one graph; what waits for a recorded command is recorded as well") {
  queue first = e2e::make_queue(), second(first.get_context(), first.get_device()),
        third(first.get_context(), first.get_device());
  shared_array<int> x(first, 100, 1);
  int* px = x.data;
  command_graph graph(first);
  graph.begin_recording({first, second});
  event a = first.parallel_for(100, [=](id<1> i) { px[i] += 1; });
  event b = second.submit([&](handler& h) {
    h.depends_on(a);
    h.parallel_for(100, [=](id<1> i) { px[i] *= 10; });
  });
  CHECK(third.ext_oneapi_get_state() == ex::queue_state::executing);
  third.submit([&](handler& h) {
    h.depends_on(b);
    h.parallel_for(100, [=](id<1> i) { px[i] -= 5; });
  });
  CHECK(third.ext_oneapi_get_state() == ex::queue_state::recording);
  graph.end_recording();
  CHECK(third.ext_oneapi_get_state() == ex::queue_state::executing);
  CHECK_EQUAL(graph.get_nodes().size(), std::size_t{3});
  auto executable = graph.finalize();
  third.ext_oneapi_graph(executable).wait();
  CHECK_ALL_EQUAL(x.values(), filled(100, 15));
}

TEST("barriers while recording: behind the queue's leaves, or events; what follows waits for them") {
  queue q = e2e::make_queue(), other(q.get_context(), q.get_device());
  shared_array<int> x(q, 4, 0);
  int* px = x.data;
  command_graph graph(q);
  graph.begin_recording({q, other});
  event a = q.single_task([=] { px[0] = 1; });
  event b = q.single_task([=] { px[1] = 2; });
  event elsewhere = other.single_task([=] { px[2] = 3; });
  event all = q.ext_oneapi_submit_barrier();
  event c = q.single_task([=] { px[3] = px[0] + px[1]; });
  event some = q.ext_oneapi_submit_barrier({elsewhere});
  event d = q.single_task([=] { px[3] += px[2]; });
  graph.end_recording();
  const auto before = [](event e) { return ex::node::get_node_from_event(e).get_predecessors(); };
  const auto node = [](event e) { return ex::node::get_node_from_event(e); };
  CHECK((before(all) == std::vector<ex::node>{node(a), node(b)}));
  CHECK((before(c) == std::vector<ex::node>{node(all)}));
  CHECK(before(some).size() == 2 && before(some).front() == node(elsewhere));
  CHECK((before(d) == std::vector<ex::node>{node(some)}));
  CHECK(node(all).get_type() == node_type::ext_oneapi_barrier);
}

TEST("barriers wait for all before them, whatever other barriers or commands of other queues wait for") {
  queue q = e2e::make_queue(), other(q.get_context(), q.get_device());
  shared_array<int> x(q, 4, 0);
  int* px = x.data;
  command_graph graph(q);
  const auto node = [](event e) { return ex::node::get_node_from_event(e); };
  const auto before = [&](event e) { return node(e).get_predecessors(); };
  graph.begin_recording({q, other});
  event a = q.single_task([=] { px[0] = 1; });
  event b = q.single_task([=] { px[1] = 2; });
  event some = q.ext_oneapi_submit_barrier({a});
  event all = q.ext_oneapi_submit_barrier();
  CHECK((before(all) == std::vector<ex::node>{node(some), node(b)}));
  event c = q.single_task([=] { px[2] = 3; });
  event elsewhere = other.single_task(c, [=] { px[3] = 4; });
  CHECK((before(q.ext_oneapi_submit_barrier()) == std::vector<ex::node>{node(all), node(c)}));
  CHECK((before(elsewhere) == std::vector<ex::node>{node(c)}));
  graph.end_recording();
  // If an in-order queue records again, its new commands come after the commands that it recorded before.
  queue in_order(q.get_context(), q.get_device(), {property::queue::in_order()});
  graph.begin_recording({q, in_order});
  event late = q.single_task([=] { px[0] += 1; });
  event first = in_order.single_task([=] { px[1] += 1; });
  graph.end_recording();
  CHECK_EQUAL(before(late).size(), std::size_t{1});
  graph.begin_recording({q, in_order});
  CHECK((before(q.ext_oneapi_submit_barrier()) == std::vector<ex::node>{before(late).front(), node(late)}));
  CHECK((before(in_order.single_task([=] { px[1] += 1; })) == std::vector<ex::node>{node(first)}));
  graph.end_recording();
}

TEST("update_host in a graph gives what stands there behind the commands before it") {
  queue q = e2e::make_queue();
  constexpr std::size_t n = 33;
  for (const bool fills : {false, true}) {
    std::vector<int> host(n, -1);
    buffer<int> memory(host.data(), range<1>(n));
    memory.set_write_back(false);
    buffer<int> own{range<1>(n)};
    command_graph graph(q, {graph_property::assume_buffer_outlives_graph()});
    const auto add = [&](auto group) { graph.add(group, {node_property::depends_on_all_leaves()}); };
    for (buffer<int>* each : {&memory, &own}) {
      add([&](handler& h) {
        accessor a(*each, h, write_only, no_init);
        if (fills) return h.fill(a, 7);
        h.parallel_for(range<1>(n), [=](id<1> i) { a[i] = static_cast<int>(i[0]) + 100; });
      });
      add([&](handler& h) {
        accessor a(*each, h, read_only);
        h.update_host(a);
      });
      add([&](handler& h) {
        accessor a(*each, h);
        h.parallel_for(range<1>(n), [=](id<1> i) { a[i] += 1; });
      });
    }
    auto executable = graph.finalize();
    for (int round = 0; round < 2; ++round) {
      q.ext_oneapi_graph(executable).wait();
      for (buffer<int>* each : {&memory, &own}) {
        host_accessor a(*each, read_only);
        for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(a[i], fills ? 8 : static_cast<int>(i) + 101);
      }
      for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(host[i], fills ? 7 : static_cast<int>(i) + 100);
      std::fill(host.begin(), host.end(), -1);
    }
  }
}

TEST("callbacks are called when the graph and all executable graphs of it are gone") {
  queue q = e2e::make_queue();
  std::vector<int> called;
  int number = 1;
  {
    std::optional<command_graph<>> graph(q);
    graph->set_destruction_callback([](std::vector<int>* to, int& copied) { to->push_back(copied); }, &called, number);
    graph->set_destruction_callback([&called] { called.push_back(2); });
    number = 5;
    command_graph other(q);
    {
      auto executable = graph->finalize();
      graph.reset();
      CHECK(called.empty());
      other.add([&](handler& h) { h.ext_oneapi_graph(executable); });
    }
    CHECK(called.empty());
  }
  CHECK_ALL_EQUAL(called, (std::vector<int>{1, 2}));
  using level = ex::graph_support_level;
  CHECK(q.get_device().get_info<ex::info::device::graph_support>() ==
        (q.get_device().has(aspect::ext_oneapi_graph) ? level::native : level::unsupported));
}

TEST("graphs inside graphs") {
  queue q = e2e::make_queue();
  constexpr std::size_t n = 333;
  shared_array<int> x(q, n, 1);
  int* px = x.data;
  command_graph inner(q);
  auto twice = inner.add([&](handler& h) { h.parallel_for(n, [=](id<1> i) { px[i] *= 2; }); });
  inner.add([&](handler& h) { h.parallel_for(n, [=](id<1> i) { px[i] += 1; }); }, {node_property::depends_on(twice)});
  auto inner_executable = inner.finalize();
  command_graph outer(q);
  auto start = outer.add([&](handler& h) { h.parallel_for(n, [=](id<1> i) { px[i] += 10; }); });
  auto once = outer.add([&](handler& h) { h.ext_oneapi_graph(inner_executable); }, {node_property::depends_on(start)});
  auto again = outer.add([&](handler& h) { h.ext_oneapi_graph(inner_executable); }, {node_property::depends_on(once)});
  outer.add([&](handler& h) { h.parallel_for(n, [=](id<1> i) { px[i] -= 3; }); }, {node_property::depends_on(again)});
  CHECK(once.get_type() == node_type::subgraph);
  auto executable = outer.finalize();
  q.ext_oneapi_graph(executable).wait();
  CHECK_ALL_EQUAL(x.values(), filled(n, ((1 + 10) * 2 + 1) * 2 + 1 - 3));
  q.ext_oneapi_graph(inner_executable).wait();
  CHECK_ALL_EQUAL(x.values(), filled(n, (((1 + 10) * 2 + 1) * 2 + 1 - 3) * 2 + 1));
  // A graph inside another graph can be recorded, too.
  command_graph recorded(q);
  recorded.begin_recording(q);
  event inside = q.ext_oneapi_graph(inner_executable);
  q.submit([&](handler& h) {
    h.depends_on(inside);
    h.parallel_for(n, [=](id<1> i) { px[i] = -px[i]; });
  });
  recorded.end_recording();
  auto last = recorded.finalize();
  q.ext_oneapi_graph(last).wait();
  CHECK_EQUAL(px[7], -(((((1 + 10) * 2 + 1) * 2 + 1 - 3) * 2 + 1) * 2 + 1));
  command_graph nothing(q);
  auto empty = nothing.finalize();
  q.ext_oneapi_graph(empty).wait();
  command_graph around(q);
  auto from = around.add([&](handler& h) { h.single_task([=] { px[0] = 40; }); });
  auto hole = around.add([&](handler& h) { h.ext_oneapi_graph(empty); }, {node_property::depends_on(from)});
  around.add([&](handler& h) { h.single_task([=] { px[0] += 2; }); }, {node_property::depends_on(hole)});
  auto around_executable = around.finalize();
  q.ext_oneapi_graph(around_executable).wait();
  CHECK_EQUAL(px[0], 42);
}

TEST("host tasks between kernels, and branches that wait for each other nowhere") {
  queue q = e2e::make_queue();
  constexpr int branches = 5, n = 50;
  shared_array<int> x(q, branches * n, 0);
  int* px = x.data;
  std::vector<int> seen(branches, 0);
  command_graph graph(q);
  std::vector<ex::node> ends;
  for (int b = 0; b < branches; ++b) {
    int *mine = px + b * n, *sum = &seen[static_cast<std::size_t>(b)];
    auto set = graph.add([&](handler& h) { h.parallel_for(n, [=](id<1> i) { mine[i] += b + 1; }); });
    auto look = graph.add(
        [&](handler& h) {
          h.host_task([=] {
            for (int i = 0; i < n; ++i) *sum += mine[i];
          });
        },
        {node_property::depends_on(set)});
    ends.push_back(graph.add([&](handler& h) { h.parallel_for(n, [=](id<1> i) { mine[i] *= 2; }); },
                             {node_property::depends_on(look)}));
  }
  int total = 0;
  auto end = graph.add([&](handler& h) {
    h.host_task([&total, px] {
      total = 0;
      for (int i = 0; i < branches * n; ++i) total += px[i];
    });
  });
  for (ex::node& each : ends) graph.make_edge(each, end);
  auto executable = graph.finalize();
  std::vector<int> values(branches, 0), sums(branches, 0);
  for (int round = 0; round < 4; ++round) {
    q.ext_oneapi_graph(executable);
    q.wait();
    int expected = 0;
    for (int b = 0; b < branches; ++b) {
      int& value = values[static_cast<std::size_t>(b)];
      value += b + 1;
      sums[static_cast<std::size_t>(b)] += n * value;
      value *= 2;
      expected += n * value;
    }
    CHECK_ALL_EQUAL(seen, sums);
    CHECK_EQUAL(total, expected);
  }
}

TEST("executions of one graph don't overlap, whatever queues they come from; others do what they like") {
  queue q = e2e::make_queue(), in_order = e2e::make_queue({property::queue::in_order()});
  queue same_order(in_order.get_context(), in_order.get_device(), property_list{property::queue::in_order()});
  constexpr int n = 64;
  shared_array<int> x(in_order, n, 0);
  int* px = x.data;
  command_graph graph(in_order);
  graph.add([&](handler& h) {
    h.parallel_for(n, [=](id<1> i) {
      const int old = px[i];
      px[i] = old + 1;
    });
  });
  auto executable = graph.finalize();
  if (q.get_context() != in_order.get_context()) return;
  event last;
  for (int i = 0; i < 300; ++i)
    last = (i % 3 == 0 ? q : i % 3 == 1 ? in_order : same_order).ext_oneapi_graph(executable);
  last.wait();
  CHECK_ALL_EQUAL(x.values(), filled(n, 300));
}

TEST("threads build, finalize and submit graphs at the same time") {
  queue q = e2e::make_queue();
  constexpr int threads = 4, rounds = 40, n = 100;
  shared_array<int> x(q, threads * n, 0), common(q, n, 0);
  int *px = x.data, *pcommon = common.data;
  command_graph shared(q);
  shared.add([&](handler& h) { h.parallel_for(n, [=](id<1> i) { pcommon[i] += 1; }); });
  auto of_all = shared.finalize();
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      queue own(q.get_context(), q.get_device());
      int* mine = px + t * n;
      command_graph graph(own);
      graph.begin_recording(own);
      own.parallel_for(n, [=](id<1> i) { mine[i] += t + 1; });
      graph.end_recording();
      auto executable = graph.finalize();
      for (int i = 0; i < rounds; ++i) {
        own.ext_oneapi_graph(executable);
        own.ext_oneapi_graph(of_all);
      }
      own.wait();
    });
  }
  for (std::thread& each : running) each.join();
  for (int t = 0; t < threads; ++t) CHECK_EQUAL(px[t * n + n - 1], rounds * (t + 1));
  CHECK_ALL_EQUAL(common.values(), filled(n, threads * rounds));
}

TEST("submissions wait for events, and events of submissions are waited for") {
  queue q = e2e::make_queue();
  shared_array<int> x(q, 1, 1);
  int* px = x.data;
  command_graph graph(q);
  graph.add([&](handler& h) { h.single_task([=] { px[0] *= 3; }); });
  auto executable = graph.finalize();
  event before = q.single_task([=] { px[0] += 4; });
  event run = q.ext_oneapi_graph(executable, before);
  event more = q.single_task(run, [=] { px[0] += 1; });
  event other = q.single_task(more, [=] { px[0] += 1; });
  q.ext_oneapi_graph(executable, std::vector<event>{more, other}).wait();
  CHECK_EQUAL(px[0], ((1 + 4) * 3 + 2) * 3);
  CHECK(run.get_info<info::event::command_execution_status>() == info::event_command_status::complete);
}

TEST("a graph that was finalized goes on when its graph, its queue and its handles are gone") {
  shared_array<int>* x = nullptr;
  queue q = e2e::make_queue();
  x = new shared_array<int>(q, 10, 3);
  int* px = x->data;
  auto make = [&] {
    queue other(q.get_context(), q.get_device());
    command_graph graph(other);
    graph.begin_recording(other);
    other.parallel_for(10, [=](id<1> i) { px[i] += 2; });
    return graph.finalize();
  };
  auto executable = make();
  q.ext_oneapi_graph(executable);
  {
    auto dropped = std::move(executable);
  }
  q.wait();
  CHECK_ALL_EQUAL(x->values(), filled(10, 5));
  delete x;
}

TEST("the last handle of a graph ends recording; the graph can be finalized again after more") {
  queue q = e2e::make_queue();
  shared_array<int> x(q, 1, 0);
  int* px = x.data;
  {
    command_graph graph(q);
    command_graph copy = graph;
    copy.begin_recording(q);
    {
      command_graph other = std::move(copy);
    }
    CHECK(q.ext_oneapi_get_state() == ex::queue_state::recording);
  }
  CHECK(q.ext_oneapi_get_state() == ex::queue_state::executing);
  command_graph graph(q);
  graph.add([&](handler& h) { h.single_task([=] { px[0] += 1; }); });
  auto one = graph.finalize();
  graph.add([&](handler& h) { h.single_task([=] { px[0] += 10; }); }, {node_property::depends_on_all_leaves()});
  auto two = graph.finalize();
  CHECK(one != two);
  q.ext_oneapi_graph(one).wait();
  CHECK_EQUAL(px[0], 1);
  q.ext_oneapi_graph(two).wait();
  CHECK_EQUAL(px[0], 12);
  command_graph later(q);
  CHECK(later.get_id() > graph.get_id());
  CHECK(later != graph);
  std::unordered_map<ex::node, int> numbers;
  for (const ex::node& each : graph.get_nodes()) numbers[each] = 1;
  CHECK_EQUAL(numbers.size(), std::size_t{2});
}

TEST("reductions, local memory, specialization of ranges: kernels of graphs are kernels") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t n = 1 << 12;
  shared_array<int> x(q, n, 2), sums(q, n / 64, 0), total(q, 1, 0);
  int *px = x.data, *psums = sums.data, *ptotal = total.data;
  command_graph graph(q);
  graph.begin_recording(q);
  q.submit([&](handler& h) {
    local_accessor<int> tile(64, h);
    h.parallel_for(nd_range<1>(n, 64), [=](nd_item<1> item) {
      const auto l = item.get_local_linear_id();
      tile[l] = px[item.get_global_linear_id()];
      group_barrier(item.get_group());
      if (l != 0) return;
      int sum = 0;
      for (int i = 0; i < 64; ++i) sum += tile[i];
      psums[item.get_group_linear_id()] = sum;
    });
  });
  q.parallel_for(range<1>(n / 64), reduction(ptotal, plus<int>()), [=](id<1> i, auto& sum) { sum += psums[i]; });
  q.parallel_for(range<1>(n), [=](id<1> i) { px[i] += 1; });
  graph.end_recording();
  auto executable = graph.finalize();
  int expected = 0;
  for (int round = 0; round < 3; ++round) {
    q.ext_oneapi_graph(executable).wait();
    expected += static_cast<int>(n) * (2 + round);
    CHECK_EQUAL(total[0], expected);
  }
}

TEST("nodes allocate memory and free it, which nobody but the graph knows") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t n = 1000;
  shared_array<int> x(q, n, 3);
  int* px = x.data;
  {
    command_graph graph(q);
    int* squares = nullptr;
    ex::node allocates = graph.add(
        [&](handler& h) { squares = static_cast<int*>(ex::async_malloc(h, usm::alloc::device, n * sizeof(int))); });
    CHECK(allocates.get_type() == node_type::async_malloc && squares);
    int* const ps = squares;
    auto square = graph.add([&](handler& h) { h.parallel_for(range<1>(n), [=](id<1> i) { ps[i] = px[i] * px[i]; }); },
                            {node_property::depends_on(allocates)});
    auto add = graph.add([&](handler& h) { h.parallel_for(range<1>(n), [=](id<1> i) { px[i] = ps[i] + 1; }); },
                         {node_property::depends_on(square)});
    ex::node frees = graph.add([&](handler& h) { ex::async_free(h, ps); }, {node_property::depends_on(add)});
    CHECK(frees.get_type() == node_type::async_free);
    auto executable = graph.finalize();
    CHECK_EQUAL(executable.get_required_mem_size(), n * sizeof(int));
    q.ext_oneapi_graph(executable);
    q.ext_oneapi_graph(executable).wait();
    CHECK_ALL_EQUAL(x.values(), filled(n, 101));
  }
  // The graph sets memory from a pool to zero when the graph is finalized, and not in each execution.
  {
    namespace pools = ex::property::memory_pool;
    const ex::memory_pool pool(q, usm::alloc::device, {pools::zero_init(), pools::maximum_size(1 << 20)});
    const ex::memory_pool same = pool;
    CHECK(same == pool && pool.get_alloc_kind() == usm::alloc::device && pool.get_device() == q.get_device());
    CHECK(!(ex::memory_pool(q, usm::alloc::device) == pool) && !pool.has_property<pools::read_only>());
    CHECK_EQUAL(pool.get_property<pools::maximum_size>().get_maximum_size(), std::size_t{1 << 20});
    command_graph graph(q);
    graph.begin_recording(q);
    int* const counts = static_cast<int*>(ex::async_malloc_from_pool(q, n * sizeof(int), pool));
    q.parallel_for(range<1>(n), [=](id<1> i) { px[i] = ++counts[i]; });
    ex::async_free(q, counts);
    graph.end_recording();
    for (int made = 0; made < 2; ++made) {
      auto executable = graph.finalize();
      for (int run = 1; run <= 3; ++run) {
        q.ext_oneapi_graph(executable).wait();
        CHECK_ALL_EQUAL(x.values(), filled(n, run));
      }
    }
    std::fill(px, px + n, 101);
  }
  // A queue records the graph. The executable graph then lives longer than the modifiable graph.
  const auto record = [&] {
    command_graph graph(q);
    graph.begin_recording(q);
    int* const memory = static_cast<int*>(ex::async_malloc(q, usm::alloc::device, n * sizeof(int)));
    q.memcpy(memory, px, n * sizeof(int));
    q.parallel_for(range<1>(n), [=](id<1> i) { px[i] = memory[n - 1 - i[0]] + static_cast<int>(i[0]); });
    ex::async_free(q, memory);
    graph.end_recording();
    return graph.finalize();
  };
  auto recorded = record();
  q.ext_oneapi_graph(recorded).wait();
  std::vector<int> expected(n);
  for (std::size_t i = 0; i < n; ++i) expected[i] = 101 + static_cast<int>(i);
  CHECK_ALL_EQUAL(x.values(), expected);
}

TEST("a graph is printed in the language of Graphviz") {
  queue q = e2e::make_queue();
  shared_array<int> x(q, 10, 0);
  int* px = x.data;
  command_graph graph(q);
  auto a = graph.add([&](handler& h) { h.parallel_for<class printed_kernel>(10, [=](id<1> i) { px[i] = 1; }); });
  auto b = graph.add([&](handler& h) { h.memset(px, 0, 40); }, {node_property::depends_on(a)});
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("sinter_graph_" + std::to_string(reinterpret_cast<std::uintptr_t>(px)) + ".dot"))
                               .string();
  for (const bool verbose : {false, true}) {
    graph.print_graph(path, verbose);
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    CHECK(text.starts_with("digraph"));
    CHECK(text.find("printed_kernel") != std::string::npos);
    CHECK(text.find("n0 -> n1") != std::string::npos);
    CHECK((text.find("range {10}") != std::string::npos) == verbose);
  }
  std::filesystem::remove(path);
}

TEST("devices say that they have graphs") {
  queue q = e2e::make_queue();
  CHECK(q.get_device().has(aspect::ext_oneapi_graph));
  CHECK(q.get_device().has(aspect::ext_oneapi_limited_graph));
  CHECK_EQUAL(SYCL_EXT_ONEAPI_GRAPH, 2);
}

TEST("events of a graph's submission have times when the graph and the queue keep them") {
  queue q = e2e::make_queue({property::queue::enable_profiling()});
  shared_array<int> x(q, 1000, 0);
  int* px = x.data;
  command_graph graph(q);
  graph.add([&](handler& h) { h.parallel_for(1000, [=](id<1> i) { px[i] += 1; }); });
  auto timed = graph.finalize({graph_property::enable_profiling()});
  event run = q.ext_oneapi_graph(timed);
  const auto submitted = run.get_profiling_info<info::event_profiling::command_submit>();
  const auto start = run.get_profiling_info<info::event_profiling::command_start>();
  const auto end = run.get_profiling_info<info::event_profiling::command_end>();
  CHECK(submitted <= start && start <= end);
  CHECK(q.get_device().is_cpu() ? start < end : true);
}

TEST("times of a graph are those from the first command's start to the last one's end") {
  using namespace std::chrono;
  for (const bool in_order : {false, true}) {
    queue q = in_order ? e2e::make_queue({property::queue::enable_profiling(), property::queue::in_order()})
                       : e2e::make_queue({property::queue::enable_profiling()});
    shared_array<int> x(q, 1000, 0);
    int* px = x.data;
    // "k" is a kernel, "h" a host task. Each node waits for the previous node.
    for (const std::string kinds : {"k", "kk", "h", "khk", "hk", "kh", "hkh"}) {
      command_graph graph(q);
      for (const char kind : kinds) {
        const auto group = [=](handler& h) {
          if (kind == 'h') return h.host_task([] { std::this_thread::sleep_for(milliseconds(4)); });
          h.parallel_for(1000, [=](id<1> i) { px[i] += 1; });
        };
        graph.add(group, {node_property::depends_on_all_leaves()});
      }
      auto timed = graph.finalize({graph_property::enable_profiling()});
      for (int round = 0; round < 2; ++round) {
        const auto before = steady_clock::now();
        event run = q.ext_oneapi_graph(timed);
        run.wait();
        const auto whole = duration_cast<nanoseconds>(steady_clock::now() - before).count();
        const auto submitted = run.get_profiling_info<info::event_profiling::command_submit>();
        const auto start = run.get_profiling_info<info::event_profiling::command_start>();
        const auto end = run.get_profiling_info<info::event_profiling::command_end>();
        const auto tasks = std::count(kinds.begin(), kinds.end(), 'h');
        // The clocks of devices and the host's clock differ by some microseconds.
        constexpr std::uint64_t apart = 100'000;
        CHECK(submitted <= start + apart && start < end);
        CHECK(end - start + apart >= static_cast<std::uint64_t>(tasks) * 4'000'000);
        CHECK(end - start <= static_cast<std::uint64_t>(whole) + apart);
      }
    }
  }
}

TEST("branches run beside each other soon after they have begun to take long") {
  queue q = e2e::make_queue();
  if (q.get_device().get_info<info::device::max_compute_units>() < 2) return;
  std::atomic<bool> slow = false;
  std::atomic<int> inside = 0;
  std::atomic<bool> met = false;
  command_graph graph(q);
  for (int k = 0; k < 2; ++k) {
    ex::node before = graph.add([](handler& h) { h.single_task([=] {}); });
    graph.add(
        [&](handler& h) {
          h.host_task([&] {
            if (!slow) return;
            if (++inside == 2) met = true;
            for (int i = 0; i < 40 && !met; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            --inside;
          });
        },
        {node_property::depends_on(before)});
  }
  auto executable = graph.finalize();
  for (int i = 0; i < 20; ++i) q.ext_oneapi_graph(executable).wait();
  slow = true;
  for (int i = 0; i < 10 && !met; ++i) q.ext_oneapi_graph(executable).wait();
  CHECK(met);
}

E2E_MAIN
