// Executable graphs can be changed between submissions: arguments, ranges, command groups, and the whole graph.
#include "check.hpp"

#include <optional>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>

using namespace sycl;
namespace ex = sycl::ext::oneapi::experimental;
using ex::command_graph;
namespace graph_property = ex::property::graph;
namespace node_property = ex::property::node;

namespace {

std::vector<int> values_of(queue& q, const int* data, std::size_t count) {
  q.wait();
  return {data, data + count};
}
std::vector<int> filled(std::size_t count, int value) { return std::vector<int>(count, value); }

struct pair_of {
  int first;
  float second;
};

}  // namespace

TEST("pointers and numbers that kernels take") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t n = 100;
  int *a = malloc_shared<int>(n, q), *b = malloc_shared<int>(n, q);
  std::fill(a, a + n, 0), std::fill(b, b + n, 0);
  command_graph graph(q);
  ex::dynamic_parameter<int*> target(a);
  ex::dynamic_parameter<int> added(graph, 5);
  ex::node node = graph.add([&](handler& h) {
    int* data = a;
    int value = 0;
    h.set_arg(0, target);
    h.set_arg(1, added);
    h.parallel_for(range<1>(n), [data, value](id<1> i) { data[i] += value; });
  });
  auto executable = graph.finalize({graph_property::updatable()});
  auto fixed = graph.finalize();
  q.ext_oneapi_graph(executable);
  CHECK_ALL_EQUAL(values_of(q, a, n), filled(n, 5));
  target.update(b);
  added.update(7);
  // New values of dynamic parameters have no effect before the graph is updated.
  q.ext_oneapi_graph(executable);
  CHECK_ALL_EQUAL(values_of(q, a, n), filled(n, 10));
  CHECK_ALL_EQUAL(values_of(q, b, n), filled(n, 0));
  q.ext_oneapi_graph(executable);  // this submission may still run while the graph is updated
  executable.update(node);
  q.ext_oneapi_graph(executable);
  CHECK_ALL_EQUAL(values_of(q, a, n), filled(n, 15));
  CHECK_ALL_EQUAL(values_of(q, b, n), filled(n, 7));
  q.ext_oneapi_graph(fixed);
  CHECK_ALL_EQUAL(values_of(q, a, n), filled(n, 20));
  auto later = graph.finalize();
  q.ext_oneapi_graph(later);
  CHECK_ALL_EQUAL(values_of(q, b, n), filled(n, 14));
  free(a, q), free(b, q);
}

TEST("structures, one parameter in several nodes, several in one") {
  queue q = e2e::make_queue({property::queue::in_order()});
  int* a = malloc_shared<int>(4, q);
  std::fill(a, a + 4, 0);
  command_graph graph(q);
  ex::dynamic_parameter<pair_of> both(pair_of{1, 0.5f});
  ex::dynamic_parameter<int> at(2);
  std::vector<ex::node> nodes;
  for (int k = 0; k < 2; ++k) {
    nodes.push_back(graph.add(
        [&](handler& h) {
          pair_of value{};
          int index = 0;
          // Each member of a captured structure is an argument of its own: value.first, value.second, index, a.
          h.set_arg(0, both);
          h.set_arg(2, at);
          h.single_task(
              [value, index, a] { a[index] = a[index] * 10 + value.first + static_cast<int>(value.second * 4); });
        },
        {node_property::depends_on_all_leaves()}));
  }
  auto executable = graph.finalize({graph_property::updatable()});
  q.ext_oneapi_graph(executable).wait();
  CHECK_EQUAL(a[2], 33);
  both.update({2, 1.0f});
  at.update(3);
  executable.update(nodes);
  q.ext_oneapi_graph(executable).wait();
  CHECK_EQUAL(a[2], 33);
  CHECK_EQUAL(a[3], 66);
  both.update({0, 0.25f});
  executable.update(nodes[1]);
  q.ext_oneapi_graph(executable).wait();
  CHECK_EQUAL(a[3], (66 * 10 + 6) * 10 + 1);
  free(a, q);
}

TEST("accessors of other buffers") {
  queue q = e2e::make_queue();
  constexpr std::size_t n = 64;
  buffer<int> one{range<1>(n)}, two{range<1>(n)}, out{range<1>(n)};
  for (auto* each : {&one, &two}) {
    const int value = each == &one ? 1 : 2;
    q.submit([&](handler& h) {
      accessor a(*each, h, write_only, no_init);
      h.fill(a, value);
    });
  }
  command_graph graph(q, {graph_property::assume_buffer_outlives_graph()});
  using in_accessor = accessor<int, 1, access_mode::read>;
  in_accessor in(one);
  ex::dynamic_parameter<in_accessor> source(in);
  ex::node node = graph.add([&](handler& h) {
    accessor result(out, h, write_only, no_init);
    h.require(source);
    h.set_arg(0, source);
    h.parallel_for(range<1>(n), [in, result](id<1> i) { result[i] = in[i] * 10; });
  });
  auto executable = graph.finalize({graph_property::updatable()});
  q.ext_oneapi_graph(executable);
  {
    host_accessor check(out, read_only);
    CHECK_EQUAL(check[n - 1], 10);
  }
  source.update(in_accessor(two));
  executable.update(node);
  // After an update, the graph waits for commands that write its new inputs.
  q.submit([&](handler& h) {
    accessor a(two, h, write_only, no_init);
    h.parallel_for(n, [=](id<1> i) { a[i] = static_cast<int>(i); });
  });
  q.ext_oneapi_graph(executable);
  host_accessor check(out, read_only);
  for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(check[i], static_cast<int>(i) * 10);
}

TEST("an accessor of the buffer that another one writes") {
  queue q = e2e::make_queue();
  constexpr std::size_t n = 100;
  buffer<int> one{range<1>(n)}, out{range<1>(n)};
  q.submit([&](handler& h) {
    accessor a(one, h, write_only, no_init);
    h.fill(a, 30);
  });
  command_graph graph(q, {graph_property::assume_buffer_outlives_graph()});
  using in_accessor = accessor<int, 1, access_mode::read>;
  in_accessor in(one);
  ex::dynamic_parameter<in_accessor> source(in);
  ex::node node = graph.add([&](handler& h) {
    accessor result(out, h);
    h.require(source);
    h.set_arg(0, source);
    h.parallel_for(range<1>(n), [in, result](id<1> i) {
      result[i] = 5;
      result[i] += in[i];
    });
  });
  auto executable = graph.finalize({graph_property::updatable()});
  const auto check = [&](int value) {
    host_accessor found(out, read_only);
    for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(found[i], value);
  };
  q.ext_oneapi_graph(executable);
  check(35);
  source.update(in_accessor(out));
  executable.update(node);
  q.ext_oneapi_graph(executable);
  check(10);
  source.update(in_accessor(one));
  executable.update(node);
  q.ext_oneapi_graph(executable);
  check(35);
}

TEST("ranges") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t n = 128;
  int* a = malloc_shared<int>(n, q);
  std::fill(a, a + n, 0);
  command_graph graph(q);
  ex::node flat = graph.add([&](handler& h) { h.parallel_for(range<1>(n), [=](id<1> i) { a[i] += 1; }); });
  ex::node grouped = graph.add(
      [&](handler& h) {
        h.parallel_for(nd_range<1>(n, 8),
                       [=](nd_item<1> i) { a[i.get_global_id()] += 10 * static_cast<int>(i.get_local_range(0)); });
      },
      {node_property::depends_on(flat)});
  auto executable = graph.finalize({graph_property::updatable()});
  flat.update_range(range<1>(10));
  grouped.update_nd_range(nd_range<1>(64, 16));
  q.ext_oneapi_graph(executable);
  CHECK_ALL_EQUAL(values_of(q, a, n), filled(n, 81));
  executable.update({flat, grouped});
  q.ext_oneapi_graph(executable);
  std::vector<int> expected(n, 81);
  for (std::size_t i = 0; i < 64; ++i) expected[i] += 160 + (i < 10 ? 1 : 0);
  CHECK_ALL_EQUAL(values_of(q, a, n), expected);
  flat.update_range(range<1>(0));
  executable.update(flat);
  q.ext_oneapi_graph(executable);
  for (std::size_t i = 0; i < 64; ++i) expected[i] += 160;
  CHECK_ALL_EQUAL(values_of(q, a, n), expected);
  free(a, q);
}

TEST("local memory of another size") {
  queue q = e2e::make_queue({property::queue::in_order()});
  int* a = malloc_shared<int>(64, q);
  std::fill(a, a + 64, 0);
  command_graph graph(q);
  ex::dynamic_local_accessor<int, 1> first(range<1>(8)), second(range<1>(8));
  ex::node node = graph.add([&](handler& h) {
    auto x = first.get();
    auto y = second.get();
    h.set_arg(0, first);
    h.set_arg(1, second);
    h.parallel_for(nd_range<1>(64, 8), [x, y, a](nd_item<1> item) {
      const auto l = item.get_local_linear_id(), size = item.get_local_range(0);
      x[l] = static_cast<int>(l);
      y[l] = 100;
      group_barrier(item.get_group());
      a[item.get_global_linear_id()] = x[size - 1 - l] + y[l] + static_cast<int>(x.size());
    });
  });
  auto executable = graph.finalize({graph_property::updatable()});
  q.ext_oneapi_graph(executable);
  std::vector<int> expected(64);
  for (int i = 0; i < 64; ++i) expected[static_cast<std::size_t>(i)] = 7 - i % 8 + 108;
  CHECK_ALL_EQUAL(values_of(q, a, 64), expected);
  first.update(range<1>(32));
  second.update(range<1>(32));
  node.update_nd_range(nd_range<1>(64, 32));
  executable.update(node);
  q.ext_oneapi_graph(executable);
  for (int i = 0; i < 64; ++i) expected[static_cast<std::size_t>(i)] = 31 - i % 32 + 132;
  CHECK_ALL_EQUAL(values_of(q, a, 64), expected);
  free(a, q);
}

TEST("arrays of work-groups of another length") {
  queue q = e2e::make_queue({property::queue::in_order()});
  int* a = malloc_shared<int>(64, q);
  std::fill(a, a + 64, 0);
  command_graph graph(q);
  ex::dynamic_work_group_memory<int[]> values(8);
  ex::dynamic_work_group_memory<int[][2]> pairs(graph, 8);
  CHECK(values == values && std::hash<decltype(values)>()(values) == std::hash<decltype(values)>()(values));
  ex::node node = graph.add([&](handler& h) {
    auto x = values.get();
    auto y = pairs.get();
    ex::work_group_memory<int> sum(h);
    h.set_arg(0, values);
    h.set_arg(1, pairs);
    h.parallel_for(nd_range<1>(64, 8), [x, y, sum, a](nd_item<1> item) {
      const auto l = item.get_local_linear_id(), last = item.get_local_range(0) - 1;
      x[l] = static_cast<int>(l);
      y[l][0] = 100;
      y[l][1] = static_cast<int>(l) * 2;
      if (l == 0) sum = 1000;
      group_barrier(item.get_group());
      a[item.get_global_linear_id()] = x[last - l] + y[last - l][0] + y[last][1] + sum;
    });
  });
  auto executable = graph.finalize({graph_property::updatable()});
  for (int size : {8, 32, 16}) {
    if (size != 8) {
      values.update(static_cast<std::size_t>(size));
      pairs.update(static_cast<std::size_t>(size));
      node.update_nd_range(nd_range<1>(64, static_cast<std::size_t>(size)));
      executable.update(node);
    }
    q.ext_oneapi_graph(executable);
    std::vector<int> expected(64);
    for (int i = 0; i < 64; ++i) expected[static_cast<std::size_t>(i)] = size - 1 - i % size + 1100 + 2 * (size - 1);
    CHECK_ALL_EQUAL(values_of(q, a, 64), expected);
  }
  free(a, q);
}

TEST("captured local memory, by itself or by get(), without set_arg") {
  queue q = e2e::make_queue({property::queue::in_order()});
  int* a = malloc_shared<int>(64, q);
  std::fill(a, a + 64, 0);
  command_graph graph(q);
  ex::dynamic_local_accessor<int, 1> line{range<1>(8)};
  ex::dynamic_local_accessor<short, 2> table{range<2>(8, 2)};
  ex::dynamic_work_group_memory<int[]> array(8);
  CHECK(line == line && std::hash<decltype(line)>()(line) == std::hash<decltype(line)>()(line));
  ex::node node = graph.add([&](handler& h) {
    local_accessor<int, 1> ordinary(range<1>(1), h);
    auto by_get = line.get();
    h.parallel_for(nd_range<1>(64, 8), [=](nd_item<1> item) {
      const auto l = item.get_local_linear_id(), size = item.get_local_range(0);
      const auto mine = line;  // a copy of the accessor refers to the same memory
      auto first = mine.get();
      auto second = table.get();
      auto third = array.get();
      first[l] = static_cast<int>(l);
      by_get[l] = 100;
      second[l][1] = static_cast<short>(1000 + l);
      third[l] = 10000;
      if (l == 0) ordinary[0] = 100000;
      group_barrier(item.get_group());
      a[item.get_global_linear_id()] =
          first[size - 1 - l] + by_get[l] + second[size - 1 - l][1] + third[0] + ordinary[0];
    });
  });
  auto executable = graph.finalize({graph_property::updatable()});
  for (int size : {8, 32, 16}) {
    const auto elements = static_cast<std::size_t>(size);
    if (size != 8) {
      line.update(range<1>(elements)), table.update(range<2>(elements, 2)), array.update(elements);
      node.update_nd_range(nd_range<1>(64, elements));
      executable.update(node);
    }
    q.ext_oneapi_graph(executable);
    std::vector<int> expected(64);
    for (int i = 0; i < 64; ++i) expected[static_cast<std::size_t>(i)] = 2 * (size - 1 - i % size) + 111100;
    CHECK_ALL_EQUAL(values_of(q, a, 64), expected);
  }
  free(a, q);
}

TEST("the last graph that captures local memory takes it along") {
  queue q = e2e::make_queue();
  int* a = malloc_shared<int>(4, q);
  std::optional<ex::dynamic_local_accessor<int, 1>> local(range<1>(4));
  std::optional<command_graph<>> graph(q);
  std::optional<ex::node> node = graph->add([&](handler& h) {
    h.parallel_for(nd_range<1>(4, 4), [=, its = *local](nd_item<1> i) {
      its.get()[i.get_local_id(0)] = 5;
      group_barrier(i.get_group());
      a[i.get_global_id(0)] = its.get()[3 - i.get_local_id(0)];
    });
  });
  auto executable = graph->finalize({graph_property::updatable()});
  graph.reset();
  local->update(range<1>(8));
  executable.update(*node);
  local.reset();
  node.reset();
  q.ext_oneapi_graph(executable).wait();
  CHECK_EQUAL(a[0], 5);
  free(a, q);
}

TEST("raw_kernel_arg: bytes without a type") {
  queue q = e2e::make_queue();
  int* a = malloc_shared<int>(1, q);
  command_graph graph(q);
  pair_of value{1, 0.5f};
  int factor = 2;
  ex::dynamic_parameter<ex::raw_kernel_arg> pair(ex::raw_kernel_arg(&value, sizeof(value)));
  ex::dynamic_parameter<ex::raw_kernel_arg> number(ex::raw_kernel_arg(&factor, sizeof(factor)));
  ex::node node = graph.add([&](handler& h) {
    pair_of captured{};
    int by = 0;
    h.set_arg(0, pair);
    h.set_arg(2, number);
    h.single_task([captured, by, a] { a[0] = captured.first * by + static_cast<int>(captured.second * 2); });
  });
  auto executable = graph.finalize({graph_property::updatable()});
  q.ext_oneapi_graph(executable).wait();
  CHECK_EQUAL(a[0], 3);
  value = {7, 1.5f};
  factor = 10;
  pair.update(ex::raw_kernel_arg(&value, sizeof(value)));
  number.update(ex::raw_kernel_arg(&factor, sizeof(factor)));
  executable.update(node);
  q.ext_oneapi_graph(executable).wait();
  CHECK_EQUAL(a[0], 73);
  free(a, q);
}

TEST("groups for kernels without, and ranges for kernels with groups") {
  queue q = e2e::make_queue({property::queue::in_order()});
  int* a = malloc_shared<int>(64, q);
  std::fill(a, a + 64, 0);
  command_graph graph(q);
  ex::node flat = graph.add(
      [&](handler& h) { h.parallel_for(range<1>(64), [=](item<1> i) { a[i.get_linear_id()] += 1; }); });
  ex::node grouped = graph.add(
      [&](handler& h) { h.parallel_for(nd_range<1>(64, 16), [=](item<1> i) { a[i.get_linear_id()] += 100; }); },
      {node_property::depends_on(flat)});
  auto executable = graph.finalize({graph_property::updatable()});
  flat.update_nd_range(nd_range<1>(range<1>(32), range<1>(16), id<1>(0)));
  grouped.update_range(range<1>(24));
  executable.update({flat, grouped});
  q.ext_oneapi_graph(executable);
  std::vector<int> expected(64, 0);
  for (std::size_t i = 0; i < 32; ++i) expected[i] = i < 24 ? 101 : 1;
  CHECK_ALL_EQUAL(values_of(q, a, 64), expected);
  grouped.update_range(range<1>(7));
  flat.update_range(range<1>(0));
  executable.update({flat, grouped});
  q.ext_oneapi_graph(executable);
  for (std::size_t i = 0; i < 7; ++i) expected[i] += 100;
  CHECK_ALL_EQUAL(values_of(q, a, 64), expected);
  free(a, q);
}

TEST("nodes of one dynamic command group share its ranges; its groups may use different buffers") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t n = 8;
  int* p = malloc_shared<int>(n, q);
  std::fill(p, p + n, 0);
  command_graph graph(q, {graph_property::assume_buffer_outlives_graph()});
  ex::dynamic_command_group both(graph, {[=](handler& h) { h.parallel_for(range<1>(n), [=](id<1> i) { p[i] += 1; }); },
                                         [=](handler& h) { h.single_task([=] { p[0] += 100; }); }});
  ex::node first = graph.add(both);
  ex::node second = graph.add(both, {node_property::depends_on(first)});
  second.update_range(range<1>(4));
  buffer<int> x{range<1>(n)}, y{range<1>(n)};
  graph.add([&](handler& h) {
    accessor a(x, h, write_only, no_init), b(y, h, write_only, no_init);
    h.parallel_for(range<1>(n), [=](id<1> i) {
      a[i] = 1;
      b[i] = 2;
    });
  });
  const auto add_to = [](buffer<int>& memory, int added) {
    return [&memory, added](handler& h) {
      accessor a(memory, h);
      h.parallel_for(range<1>(n), [=](id<1> i) { a[i] += added; });
    };
  };
  ex::dynamic_command_group either(graph, {add_to(x, 10), add_to(y, 20)});
  ex::node chosen = graph.add(either);
  // This node waits for the dynamic node, whichever of the dynamic node's command groups is active.
  ex::node last = graph.add(add_to(y, 300));
  CHECK_EQUAL(last.get_predecessors().size(), std::size_t{1});
  CHECK(last.get_predecessors().front() == chosen);
  auto executable = graph.finalize({graph_property::updatable()});
  const auto run = [&](int of_x, int of_y) {
    q.ext_oneapi_graph(executable).wait();
    host_accessor a(x, read_only), b(y, read_only);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK_EQUAL(a[i], of_x);
      CHECK_EQUAL(b[i], of_y);
    }
  };
  run(11, 302);
  std::vector<int> expected{2, 2, 2, 2, 0, 0, 0, 0};
  CHECK_ALL_EQUAL(values_of(q, p, n), expected);
  either.set_active_index(1);
  both.set_active_index(1);
  executable.update({first, second, chosen});
  run(1, 322);
  CHECK_EQUAL(p[0], 202);
  both.set_active_index(0);
  first.update_nd_range(nd_range<1>(2, 1));
  executable.update({first, second});
  run(1, 322);
  CHECK_EQUAL(p[1], 4);
  CHECK_EQUAL(p[2], 2);
  free(p, q);
}

TEST("command groups of which one is active") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t n = 50;
  int* a = malloc_shared<int>(n, q);
  std::fill(a, a + n, 1);
  command_graph graph(q);
  ex::dynamic_parameter<int> added(3);
  ex::dynamic_command_group choice(graph,
                                   {[=](handler& h) { h.parallel_for(range<1>(n), [=](id<1> i) { a[i] *= 2; }); },
                                    [=](handler& h) {
                                      h.parallel_for(nd_range<2>({2, n / 2}, {1, 5}),
                                                     [=](nd_item<2> i) { a[i.get_global_linear_id()] += 1; });
                                    },
                                    [=, &added](handler& h) {
                                      int value = 0;
                                      h.set_arg(0, added);
                                      h.single_task([value, a] { a[0] += value; });
                                    }});
  CHECK_EQUAL(choice.get_active_index(), std::size_t{0});
  ex::node first = graph.add(choice);
  ex::node second = graph.add(choice, {node_property::depends_on(first)});
  auto executable = graph.finalize({graph_property::updatable()});
  q.ext_oneapi_graph(executable);
  CHECK_ALL_EQUAL(values_of(q, a, n), filled(n, 4));
  choice.set_active_index(1);
  CHECK_EQUAL(choice.get_active_index(), std::size_t{1});
  executable.update({first, second});
  q.ext_oneapi_graph(executable);
  CHECK_ALL_EQUAL(values_of(q, a, n), filled(n, 6));
  choice.set_active_index(2);
  executable.update(first);
  q.ext_oneapi_graph(executable);
  q.wait();
  CHECK_EQUAL(a[0], 10);
  CHECK_EQUAL(a[1], 7);
  added.update(100);
  executable.update({first, second});
  q.ext_oneapi_graph(executable);
  q.wait();
  CHECK_EQUAL(a[0], 210);
  choice.set_active_index(0);
  first.update_range(range<1>(2));
  executable.update({first, second});
  q.ext_oneapi_graph(executable);
  q.wait();
  // The range of the active command group applies to both nodes.
  CHECK_EQUAL(a[1], 7 * 4);
  CHECK_EQUAL(a[2], 7);
  // The command groups of a dynamic node may be host tasks, too.
  int calls[2] = {0, 0};
  ex::dynamic_command_group tasks(graph, {[&](handler& h) { h.host_task([&] { ++calls[0]; }); },
                                          [&](handler& h) { h.host_task([&] { ++calls[1]; }); }});
  ex::node task = graph.add(tasks);
  auto with_tasks = graph.finalize({graph_property::updatable()});
  q.ext_oneapi_graph(with_tasks);
  tasks.set_active_index(1);
  q.ext_oneapi_graph(with_tasks);
  with_tasks.update(task);
  q.ext_oneapi_graph(with_tasks);
  q.wait();
  CHECK_EQUAL(calls[0], 2);
  CHECK_EQUAL(calls[1], 1);
  free(a, q);
}

TEST("a whole graph as another one") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t n = 30;
  int *a = malloc_shared<int>(n, q), *b = malloc_shared<int>(n, q);
  std::fill(a, a + n, 1), std::fill(b, b + n, 1);
  int calls[2] = {0, 0};
  const auto record = [&](command_graph<>& graph, int* data, std::size_t size, int factor, int* count) {
    graph.begin_recording(q);
    q.parallel_for(range<1>(size), [=](id<1> i) { data[i] *= factor; });
    q.submit([&](handler& h) { h.host_task([=] { ++*count; }); });
    q.ext_oneapi_submit_barrier();
    q.parallel_for(range<1>(size), [=](id<1> i) { data[i] += 1; });
    graph.end_recording();
  };
  command_graph one(q), two(q);
  record(one, a, n, 3, &calls[0]);
  record(two, b, n / 2, 5, &calls[1]);
  auto executable = one.finalize({graph_property::updatable()});
  q.ext_oneapi_graph(executable);
  executable.update(two);
  q.ext_oneapi_graph(executable);
  CHECK_ALL_EQUAL(values_of(q, a, n), filled(n, 4));
  std::vector<int> expected(n, 1);
  std::fill(expected.begin(), expected.begin() + n / 2, 6);
  CHECK_ALL_EQUAL(values_of(q, b, n), expected);
  CHECK_EQUAL(calls[0], 1);
  CHECK_EQUAL(calls[1], 1);
  free(a, q), free(b, q);
}

E2E_MAIN
