// Graphs refuse misuse with the error code that the extension's text specifies, and with a message that names the
// problem and its reason. After a refusal, graphs and queues stay usable.
#include "check.hpp"

#include <atomic>
#include <functional>
#include <sycl/ext/oneapi/device_global/device_global.hpp>
#include <sycl/ext/oneapi/experimental/async_alloc.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <thread>

using namespace sycl;
namespace ex = sycl::ext::oneapi::experimental;
using ex::command_graph;
namespace graph_property = ex::property::graph;
namespace node_property = ex::property::node;

static ext::oneapi::experimental::device_global<int> shared_by_nodes;

namespace {

void check_refused(const char* file, int line, errc code, std::vector<const char*> words,
                   const std::function<void()>& act) {
  try {
    act();
  } catch (const exception& refusal) {
    const std::string text = refusal.what();
    if (refusal.code() != make_error_code(code)) e2e::fail(file, line, "another code: " + text);
    for (const char* word : words) {
      if (text.find(word) == std::string::npos) e2e::fail(file, line, "no '" + std::string(word) + "' in: " + text);
    }
    return;
  }
  e2e::fail(file, line, "nothing was thrown");
}
#define CHECK_REFUSED(code, words, ...) \
  check_refused(__FILE__, __LINE__, code, std::vector<const char*> words, [&] { __VA_ARGS__; })

struct setting {
  queue q = e2e::make_queue();
  int* data = malloc_shared<int>(64, q);
  command_graph<> graph{q};
  ex::node first = graph.add(
      [p = data](handler& h) { h.parallel_for<class first_of_graph>(range<1>(64), [=](id<1> i) { p[i] = 1; }); });
  ex::node second = graph.add(
      [p = data](handler& h) { h.parallel_for<class second_of_graph>(range<1>(64), [=](id<1> i) { p[i] += 1; }); },
      {node_property::depends_on(first)});
  ~setting() {
    // The refused call leaves the graph unchanged.
    std::fill(data, data + 64, 0);
    auto executable = graph.finalize();
    q.ext_oneapi_graph(executable).wait();
    CHECK_EQUAL(data[63], 2);
    free(data, q);
  }
};

}  // namespace

TEST("edges: cycles, the same node, nodes of other graphs, while recording") {
  setting s;
  CHECK_REFUSED(errc::invalid, ({"cycle", "node 0", "node 1", "second_of_graph"}),
                s.graph.make_edge(s.second, s.first));
  CHECK_REFUSED(errc::invalid, ({"itself"}), s.graph.make_edge(s.first, s.first));
  command_graph other(s.q);
  ex::node foreign = other.add();
  CHECK_REFUSED(errc::invalid, ({"another graph"}), s.graph.make_edge(s.first, foreign));
  CHECK_REFUSED(errc::invalid, ({"another graph"}), s.graph.make_edge(foreign, s.first));
  CHECK_REFUSED(errc::invalid, ({"another graph"}), s.graph.add({node_property::depends_on(foreign)}));
  s.graph.begin_recording(s.q);
  CHECK_REFUSED(errc::invalid, ({"make_edge", "end_recording"}), s.graph.make_edge(s.first, s.second));
  CHECK_REFUSED(errc::invalid, ({"add", "end_recording"}), s.graph.add());
  CHECK_REFUSED(errc::invalid, ({"add", "end_recording"}), s.graph.add([&](handler& h) { h.single_task([=] {}); }));
  s.graph.end_recording();
  // Tries edges from later to earlier nodes, which would make longer cycles.
  ex::node a = other.add(), b = other.add(), c = other.add();
  other.make_edge(c, b);
  other.make_edge(b, a);
  CHECK_REFUSED(errc::invalid, ({"cycle"}), other.make_edge(a, c));
  command_graph unchecked(s.q, {graph_property::no_cycle_check()});
  ex::node x = unchecked.add(), y = unchecked.add();
  unchecked.make_edge(x, y);
  unchecked.make_edge(y, x);
  CHECK_REFUSED(errc::invalid, ({"cycle"}), unchecked.finalize());
}

TEST("recording: twice, elsewhere, with another context, in fusion mode") {
  setting s;
  command_graph other(s.q);
  s.graph.begin_recording(s.q);
  CHECK_REFUSED(errc::invalid, ({"begin_recording", "already"}), s.graph.begin_recording(s.q));
  CHECK_REFUSED(errc::invalid, ({"already", "different"}), other.begin_recording(s.q));
  CHECK_REFUSED(errc::invalid, ({"different"}), other.end_recording(s.q));
  other.end_recording();
  CHECK(s.q.ext_oneapi_get_state() == ex::queue_state::recording);
  s.graph.end_recording(s.q);
  s.graph.end_recording(s.q);
  CHECK_REFUSED(errc::invalid, ({"ext_oneapi_get_graph"}), s.q.ext_oneapi_get_graph());
  context elsewhere(s.q.get_device());
  queue foreign(elsewhere, s.q.get_device());
  CHECK_REFUSED(errc::invalid, ({"context"}), s.graph.begin_recording(foreign));
  // If one queue can't record, none of the queues begins to record.
  CHECK_REFUSED(errc::invalid, ({"context"}), s.graph.begin_recording({s.q, foreign}));
  CHECK(s.q.ext_oneapi_get_state() == ex::queue_state::executing);
  auto executable = s.graph.finalize();
  CHECK_REFUSED(errc::invalid, ({"ext_oneapi_graph", "context"}), foreign.ext_oneapi_graph(executable));
  if (!s.q.ext_codeplay_supports_fusion() && s.q.get_device().is_cpu()) {
    queue fusing = e2e::make_queue({ext::codeplay::experimental::property::queue::enable_fusion()});
    fusing.ext_codeplay_start_fusion();
    CHECK_REFUSED(errc::invalid, ({"fusion"}), s.graph.begin_recording(fusing));
    fusing.ext_codeplay_cancel_fusion();
  }
  queue fusing = e2e::make_queue({ext::codeplay::experimental::property::queue::enable_fusion()});
  command_graph of_fusing(fusing);
  of_fusing.begin_recording(fusing);
  CHECK_REFUSED(errc::invalid, ({"start_fusion", "end_recording"}), fusing.ext_codeplay_start_fusion());
  CHECK(!fusing.ext_codeplay_is_in_fusion_mode());
  of_fusing.end_recording();
  fusing.ext_codeplay_start_fusion();
  fusing.ext_codeplay_cancel_fusion();
  if (s.q.get_device().get_info<info::device::partition_max_sub_devices>() < 2) return;
  const auto ways = s.q.get_device().get_info<info::device::partition_properties>();
  if (ways.front() != info::partition_property::partition_equally) return;
  CHECK_REFUSED(
      errc::invalid, ({"device"}),
      command_graph(context(s.q.get_device().create_sub_devices<info::partition_property::partition_equally>(1)[0]),
                    s.q.get_device()));
}

TEST("queues and graphs of another device of the same context") {
  const device all = e2e::make_queue().get_device();
  if (all.get_info<info::device::max_compute_units>() < 2 || !all.is_cpu() || all.get_backend() == backend::opencl)
    return;
  const auto parts = all.create_sub_devices<info::partition_property::partition_equally>(1);
  const context both(parts);
  command_graph graph(both, parts[0]), other(both, parts[1]);
  graph.add([](handler& h) { h.single_task<class of_parts>([=] {}); });
  other.add([](handler& h) { h.single_task<class of_other_parts>([=] {}); });
  queue elsewhere(both, parts[1]);
  CHECK_REFUSED(errc::invalid, ({"begin_recording", "device differs"}), graph.begin_recording(elsewhere));
  auto executable = graph.finalize({graph_property::updatable()});
  CHECK_REFUSED(errc::invalid, ({"ext_oneapi_graph", "device"}), elsewhere.ext_oneapi_graph(executable));
  CHECK_REFUSED(errc::invalid, ({"update", "another device"}), executable.update(other));
  queue(both, parts[0]).ext_oneapi_graph(executable).wait();
}

TEST("events of recorded commands are for their graph alone") {
  setting s;
  s.graph.begin_recording(s.q);
  int* p = s.data;
  event recorded = s.q.single_task([=] { p[0] += 0; });
  CHECK_REFUSED(errc::invalid, ({"event::wait"}), recorded.wait());
  CHECK_REFUSED(errc::invalid, ({"get_info"}), (void)recorded.get_info<info::event::command_execution_status>());
  CHECK_REFUSED(errc::invalid, ({"get_profiling_info"}),
                (void)recorded.get_profiling_info<info::event_profiling::command_start>());
  CHECK_REFUSED(errc::invalid, ({"queue::wait"}), s.q.wait());
  CHECK_REFUSED(errc::invalid, ({"queue::wait"}), s.q.wait_and_throw());
  queue other(s.q.get_context(), s.q.get_device());
  // The command must still be running, because the graph does not wait for a complete command.
  std::atomic<bool> may_end = false;
  event outside = other.submit([&](handler& h) {
    h.host_task([&] {
      while (!may_end) std::this_thread::yield();
    });
  });
  CHECK_REFUSED(errc::invalid, ({"depends_on"}), s.q.single_task(outside, [=] {}));
  // The command would be recorded, and a recorded command can't wait for a command outside of the graph.
  CHECK_REFUSED(errc::invalid, ({"depends_on", "can't wait for one that is not"}), other.submit([&](handler& h) {
    h.depends_on(outside);
    h.depends_on(recorded);
    h.single_task([=] {});
  }));
  int* sum = s.data + 1;
  queue in_order(s.q.get_context(), s.q.get_device(), {property::queue::in_order()});
  CHECK_REFUSED(errc::invalid, ({"depends_on", "before its reductions"}), in_order.submit([&](handler& h) {
    h.parallel_for(range<1>(64), reduction(sum, plus<int>()), [=](id<1>, auto& all) { all += 1; });
    h.depends_on(recorded);
  }));
  CHECK(other.ext_oneapi_get_state() == ex::queue_state::executing);
  may_end = true;
  outside.wait();
  CHECK_REFUSED(errc::invalid, ({"depends_on"}), s.q.submit([&](handler& h) {
    h.depends_on(outside);
    h.single_task([=] {});
  }));
  s.graph.end_recording();
  CHECK_REFUSED(errc::invalid, ({"depends_on"}), other.single_task(recorded, [=] {}));
  CHECK_REFUSED(errc::invalid, ({"get_node_from_event"}), ex::node::get_node_from_event(outside));
  CHECK_REFUSED(errc::invalid, ({"get_node_from_event"}), ex::node::get_node_from_event(event()));
  command_graph second(s.q);
  CHECK_REFUSED(errc::invalid, ({"another graph"}), second.add([&](handler& h) {
    h.depends_on(recorded);
    h.single_task([=] {});
  }));
  CHECK_EQUAL(second.get_nodes().size(), std::size_t{0});
}

TEST("events of one graph are none of another that records") {
  setting s;
  command_graph other(s.q);
  queue second(s.q.get_context(), s.q.get_device());
  s.graph.begin_recording(s.q);
  other.begin_recording(second);
  event recorded = s.q.single_task([=] {});
  CHECK_REFUSED(errc::invalid, ({"depends_on", "another graph"}), second.single_task(recorded, [=] {}));
  s.graph.end_recording();
  other.end_recording();
  CHECK_EQUAL(other.get_nodes().size(), std::size_t{0});
}

TEST("native recording is refused with what to do instead") {
  setting s;
  CHECK_REFUSED(errc::feature_not_supported, ({"no native recording", "leave out enable_native_recording"}),
                command_graph(s.q, {graph_property::enable_native_recording()}));
}

TEST("barriers belong to recording") {
  setting s;
  CHECK_REFUSED(errc::invalid, ({"ext_oneapi_barrier", "depends_on_all_leaves"}),
                s.graph.add([](handler& h) { h.ext_oneapi_barrier(); }));
}

TEST("buffers: without the promise that they live, with contents that go back, host accessors while recording") {
  setting s;
  buffer<int> plain{range<1>(8)};
  const auto use = [&](auto& memory) {
    return [&](handler& h) {
      accessor a(memory, h, write_only);
      h.parallel_for(8, [=](id<1> i) { a[i] = 1; });
    };
  };
  CHECK_REFUSED(errc::invalid, ({"assume_buffer_outlives_graph"}), s.graph.add(use(plain)));
  std::vector<int> host(8);
  buffer<int> back(host.data(), range<1>(8));
  command_graph graph(s.q, {graph_property::assume_buffer_outlives_graph()});
  CHECK_REFUSED(errc::invalid, ({"set_write_back"}), graph.add(use(back)));
  graph.begin_recording(s.q);
  CHECK_REFUSED(errc::invalid, ({"set_write_back"}), s.q.submit(use(back)));
  back.set_write_back(false);
  s.q.submit(use(back));
  s.q.submit(use(plain));
  CHECK_REFUSED(errc::invalid, ({"host_accessor", "end_recording"}), host_accessor(plain, read_only));
  graph.end_recording();
  {
    host_accessor now(plain, read_only);
  }
  auto executable = graph.finalize();
  s.q.ext_oneapi_graph(executable).wait();
  host_accessor now(plain, read_only);
  CHECK_EQUAL(now[7], 1);
}

TEST("updates: without updatable, of other nodes, of commands that can't change, with other dimensions") {
  setting s;
  auto fixed = s.graph.finalize();
  CHECK_REFUSED(errc::invalid, ({"updatable"}), fixed.update(s.first));
  CHECK_REFUSED(errc::invalid, ({"updatable"}), fixed.update(s.graph));
  auto executable = s.graph.finalize({graph_property::updatable()});
  int* p = s.data;
  command_graph other(s.q);
  ex::node foreign = other.add([&](handler& h) { h.parallel_for(4, [=](id<1> i) { p[i] = 0; }); });
  CHECK_REFUSED(errc::invalid, ({"not in the graph"}), executable.update(foreign));
  ex::node copied = other.add([&](handler& h) { h.memset(p, 0, 4); });
  auto others = other.finalize({graph_property::updatable()});
  CHECK_REFUSED(errc::invalid, ({"memset", "can't change"}), others.update(copied));
  ex::node late = other.add([&](handler& h) { h.single_task([=] { p[0] = 0; }); });
  CHECK_REFUSED(errc::invalid, ({"after finalize"}), others.update(late));
  CHECK_REFUSED(errc::invalid, ({"update_range", "dimensions"}), foreign.update_range(range<2>(2, 2)));
  CHECK_REFUSED(errc::invalid, ({"update_range", "memset"}), copied.update_range(range<1>(2)));
  CHECK_REFUSED(errc::invalid, ({"update_range", "single"}), late.update_range(range<1>(2)));
  ex::node grouped = other.add(
      [&](handler& h) { h.parallel_for(nd_range<1>(4, 2), [=](nd_item<1> i) { p[i.get_global_id()] = 0; }); });
  CHECK_REFUSED(errc::nd_range, ({"divide"}), foreign.update_nd_range(nd_range<1>(4, 3)));
  CHECK_REFUSED(errc::nd_range, ({"divide"}), grouped.update_nd_range(nd_range<1>(4, 3)));
  CHECK_REFUSED(errc::nd_range, ({"limit"}), grouped.update_nd_range(nd_range<1>(1 << 20, 1 << 20)));
  // A reduction's memory has the size for the range with which the node was added, so a larger range is refused.
  int* sum = s.data + 8;
  ex::node summed = other.add([&](handler& h) {
    h.parallel_for(range<1>(4), reduction(sum, plus<int>()), [=](id<1>, auto& all) { all += 1; });
  });
  ex::node summed_by_groups = other.add([&](handler& h) {
    h.parallel_for(nd_range<1>(4, 2), reduction(sum, plus<int>()), [=](nd_item<1>, auto& all) { all += 1; });
  });
  CHECK_REFUSED(errc::invalid, ({"update_range", "reduction"}), summed.update_range(range<1>(400)));
  CHECK_REFUSED(errc::invalid, ({"update_nd_range", "reduction"}),
                summed_by_groups.update_nd_range(nd_range<1>(400, 2)));
  // An update from another graph requires the same number of nodes, and equal kernels, edges and node types.
  CHECK_REFUSED(errc::invalid, ({"nodes"}), executable.update(other));
  command_graph alike(s.q);
  ex::node a = alike.add([=](handler& h) { h.parallel_for(range<1>(64), [=](id<1> i) { p[i] = 5; }); });
  ex::node b = alike.add([=](handler& h) { h.parallel_for(range<1>(64), [=](id<1> i) { p[i] = 6; }); });
  CHECK_REFUSED(errc::invalid, ({"another kernel"}), executable.update(alike));
  command_graph fills(s.q), fills_again(s.q);
  for (command_graph<>* each : {&fills, &fills_again}) each->add([=](handler& h) { h.memset(p, 0, 4); });
  auto of_fills = fills.finalize({graph_property::updatable()});
  CHECK_REFUSED(errc::invalid, ({"memset", "can't change", "host tasks"}), of_fills.update(fills_again));
  command_graph typed(s.q);
  typed.add();
  typed.add();
  CHECK_REFUSED(errc::invalid, ({"kernel node"}), executable.update(typed));
  command_graph loose(s.q);
  const auto same = [&](command_graph<>& graph, bool edge) {
    auto x = graph.add([=](handler& h) { h.parallel_for<class same_first>(range<1>(64), [=](id<1> i) { p[i] = 1; }); });
    auto y =
        graph.add([=](handler& h) { h.parallel_for<class same_second>(range<1>(64), [=](id<1> i) { p[i] += 1; }); });
    if (edge) graph.make_edge(x, y);
  };
  command_graph tight(s.q);
  same(tight, true);
  same(loose, false);
  auto of_tight = tight.finalize({graph_property::updatable()});
  CHECK_REFUSED(errc::invalid, ({"waits for other nodes"}), of_tight.update(loose));
}

TEST("updates are refused as launches are: required groups, limits of groups, ranges and local memory, buffers") {
  setting s;
  int* p = s.data;
  const device device = s.q.get_device();
  const std::size_t most = device.get_info<info::device::local_mem_size>(),
                    most_items = device.get_info<info::device::max_work_group_size>();
  std::fill(p, p + 64, 0);
  int* size = malloc_shared<int>(1, s.q);
  command_graph graph(s.q, {graph_property::assume_buffer_outlives_graph()});
  ex::node required = graph.add([&](handler& h) {
    h.parallel_for(nd_range<1>(64, 16), [=](nd_item<1> i) [[sycl::reqd_work_group_size(16)]] {
      p[i.get_global_id(0)] += static_cast<int>(i.get_local_range(0));
    });
  });
  for (const std::size_t local : {std::size_t{32}, std::size_t{8}, std::size_t{1}}) {
    CHECK_REFUSED(errc::nd_range, ({"reqd_work_group_size"}), required.update_nd_range(nd_range<1>(64, local)));
  }
  CHECK_REFUSED(errc::nd_range, ({"reqd_work_group_size"}), required.update_range(range<1>(40)));
  CHECK_REFUSED(errc::nd_range, ({"limit"}),
                required.update_nd_range(nd_range<1>(2 * most_items, 2 * most_items)));
  CHECK_REFUSED(errc::nd_range, ({"size of 0"}), required.update_nd_range(nd_range<1>(64, 0)));
  ex::node wide = graph.add([&](handler& h) { h.parallel_for(range<3>(1, 1, 1), [=](id<3>) { (void)p; }); });
  CHECK_REFUSED(errc::nd_range, ({"64 bits"}),
                wide.update_range(range<3>(std::size_t{1} << 40, std::size_t{1} << 40, 2)));
  // Adding a node fails if its local memory is too large. An update to too much local memory fails as well, and then
  // changes nothing.
  ex::dynamic_local_accessor<char, 1> local{range<1>(most + 1)};
  const auto use = [&](handler& h) {
    h.parallel_for(nd_range<1>(4, 4), [=](nd_item<1> i) {
      const auto memory = local.get();
      memory[0] = 0;
      if (i.get_global_id(0) == 0) *size = static_cast<int>(memory.size());
    });
  };
  CHECK_REFUSED(errc::memory_allocation, ({"local memory"}), graph.add(use));
  local.update(range<1>(8));
  ex::node uses = graph.add(use);
  CHECK_REFUSED(errc::memory_allocation, ({"local memory"}), local.update(range<1>(most + 1)));
  CHECK_REFUSED(errc::memory_allocation, ({"local memory"}), local.update(range<1>(std::size_t(-1))));
  ex::dynamic_work_group_memory<int[]> array(most / 4 + 64);
  CHECK_REFUSED(errc::memory_allocation, ({"local memory"}), graph.add([&](handler& h) {
    h.parallel_for(nd_range<1>(4, 4), [=](nd_item<1>) { array.get()[0] = 1; });
  }));
  CHECK_REFUSED(errc::kernel_argument, ({"nd_range"}),
                graph.add([&](handler& h) { h.parallel_for(range<1>(4), [=](id<1>) { local.get()[0] = 1; }); }));
  CHECK_REFUSED(errc::invalid, ({"dynamic_local_accessor", "command_graph::add"}), s.q.submit(use));
  graph.begin_recording(s.q);
  CHECK_REFUSED(errc::invalid, ({"dynamic_local_accessor", "command_graph::add"}), s.q.submit(use));
  graph.end_recording();
  const auto of_gone = [] { return ex::dynamic_local_accessor<int, 1>(range<1>(4)).get(); };
  CHECK_REFUSED(errc::invalid, ({"that is gone"}), graph.add([&](handler& h) {
    h.parallel_for(nd_range<1>(4, 4), [memory = of_gone()](nd_item<1>) { memory[0] = 1; });
  }));
  // A graph may read a buffer that writes its contents back to the host, but the graph may not write to such a buffer.
  std::vector<int> host{1, 2, 3, 4};
  buffer<int> back(host.data(), range<1>(4)), own{range<1>(4)};
  using in_accessor = accessor<int, 1, access_mode::read>;
  using out_accessor = accessor<int, 1, access_mode::read_write>;
  ex::dynamic_parameter<in_accessor> from{in_accessor(back)};
  ex::dynamic_parameter<out_accessor> to{out_accessor(own)};
  const in_accessor in(back);
  const out_accessor out(own);
  graph.add([&](handler& h) {
    h.require(from), h.require(to);
    h.set_arg(0, from), h.set_arg(1, to);
    h.parallel_for(range<1>(4), [in, out](id<1> i) { out[i] = in[i]; });
  });
  CHECK_REFUSED(errc::invalid, ({"set_write_back"}), to.update(out_accessor(back)));
  CHECK_REFUSED(errc::invalid, ({"no buffer"}), to.update(out_accessor()));
  ex::dynamic_parameter<in_accessor> elsewhere{in_accessor(own)};
  CHECK_REFUSED(errc::invalid, ({"does not require"}), graph.add([&](handler& h) {
    accessor other(back, h, read_only);
    h.set_arg(0, elsewhere);
    h.single_task([other, p] { p[2] = other[0]; });
  }));
  auto executable = graph.finalize({graph_property::updatable()});
  executable.update(graph);
  executable.update({required, uses});
  s.q.ext_oneapi_graph(executable).wait();
  CHECK_EQUAL(*size, 8);
  CHECK_EQUAL(p[63], 16);
  free(size, s.q);
  host_accessor found(own, read_only);
  for (int i = 0; i < 4; ++i) CHECK_EQUAL(found[static_cast<std::size_t>(i)], i + 1);
}

TEST("dynamic parameters: outside of add, no such argument, of another size, in other commands") {
  setting s;
  int* p = s.data;
  ex::dynamic_parameter<int> number(1);
  CHECK_REFUSED(errc::invalid, ({"set_arg", "add"}), s.q.submit([&](handler& h) {
    h.set_arg(0, number);
    h.single_task([=] {});
  }));
  command_graph graph(s.q);
  graph.begin_recording(s.q);
  CHECK_REFUSED(errc::invalid, ({"set_arg", "add"}), s.q.submit([&](handler& h) {
    h.set_arg(0, number);
    h.single_task([=] {});
  }));
  graph.end_recording();
  CHECK_REFUSED(errc::invalid, ({"set_arg", "no number 7", "of_arguments"}), graph.add([&](handler& h) {
    h.set_arg(7, number);
    h.single_task<class of_arguments>([=] { p[0] = 1; });
  }));
  CHECK_REFUSED(errc::invalid, ({"is a pointer", "a number"}), graph.add([&](handler& h) {
    h.set_arg(0, number);
    h.single_task([=] { p[0] = 1; });
  }));
  // A larger value would overwrite the argument next to it.
  int a = 1, b = 2;
  ex::dynamic_parameter<std::int64_t> larger(7);
  ex::dynamic_parameter<std::int16_t> smaller(std::int16_t{7});
  struct three {
    int values[3];
  };
  ex::dynamic_parameter<three> beyond(three{});
  ex::dynamic_parameter<ex::raw_kernel_arg> part(ex::raw_kernel_arg(&a, 2));
  const auto refuse_first = [&](auto& parameter, std::vector<const char*> words) {
    check_refused(__FILE__, __LINE__, errc::invalid, words, [&] {
      graph.add([&](handler& h) {
        h.set_arg(0, parameter);
        h.single_task([a, b, p] { p[0] = a + b; });
      });
    });
  };
  refuse_first(larger, {"4 bytes", "8"});
  refuse_first(smaller, {"4 bytes", "2"});
  refuse_first(beyond, {"4 bytes", "12"});
  refuse_first(part, {"4 bytes", "2"});
  CHECK_REFUSED(errc::invalid, ({"4 bytes", "one 2"}), part.update(ex::raw_kernel_arg(&a, 4)));
  CHECK_REFUSED(errc::invalid, ({"only kernels"}), graph.add([&](handler& h) {
    h.set_arg(0, number);
    h.host_task([] {});
  }));
  CHECK_REFUSED(errc::invalid, ({"only kernels"}), graph.add([&](handler& h) {
    h.set_arg(0, number);
    h.memset(p, 0, 4);
  }));
  ex::dynamic_local_accessor<int, 1> local(range<1>(4));
  CHECK_REFUSED(errc::invalid, ({"local accessor"}), graph.add([&](handler& h) {
    h.set_arg(0, local);
    h.parallel_for(nd_range<1>(4, 4), [=](nd_item<1>) { p[0] = 1; });
  }));
  CHECK_REFUSED(errc::invalid, ({"other dimensions"}), graph.add([&](handler& h) {
    local_accessor<int, 2> table(range<2>(2, 2), h);
    h.set_arg(0, local);
    h.parallel_for(nd_range<1>(4, 4), [table](nd_item<1>) { table[0][0] = 1; });
  }));
  CHECK_REFUSED(errc::invalid, ({"is a local accessor"}), graph.add([&](handler& h) {
    local_accessor<int, 1> row(range<1>(2), h);
    h.set_arg(0, number);
    h.parallel_for(nd_range<1>(4, 4), [row](nd_item<1>) { row[0] = 1; });
  }));
  buffer<int> memory{range<1>(4)};
  command_graph with_buffers(s.q, {graph_property::assume_buffer_outlives_graph()});
  CHECK_REFUSED(errc::invalid, ({"is an accessor"}), with_buffers.add([&](handler& h) {
    accessor to(memory, h, write_only);
    h.set_arg(0, number);
    h.single_task([to] { to[0] = 1; });
  }));
  ex::dynamic_parameter<accessor<int, 1, access_mode::write>> of_nothing{accessor<int, 1, access_mode::write>()};
  CHECK_REFUSED(errc::invalid, ({"refers to no buffer"}), with_buffers.add([&](handler& h) {
    accessor to(memory, h, write_only);
    h.set_arg(0, of_nothing);
    h.single_task([to] { to[0] = 1; });
  }));
  ex::dynamic_parameter<accessor<int, 1>> unknown{accessor<int, 1>()};
  CHECK_REFUSED(errc::invalid, ({"require", "add"}), s.q.submit([&](handler& h) { h.require(unknown); }));
  ex::dynamic_parameter<accessor<int, 1>> known{accessor<int, 1>(memory)};
  with_buffers.begin_recording(s.q);
  CHECK_REFUSED(errc::invalid, ({"require", "add"}), s.q.submit([&](handler& h) {
    h.require(known);
    h.single_task([=] {});
  }));
  with_buffers.end_recording();
  CHECK_REFUSED(errc::invalid, ({"no accessor"}), graph.add([&](handler& h) {
    ex::dynamic_parameter<accessor<int, 1>> none{accessor<int, 1>()};
    h.require(none);
    h.single_task([=] {});
  }));
  CHECK(graph.empty());
}

TEST("memory of graphs: from elsewhere, of other kinds, freed twice, several executable graphs, parts of others") {
  setting s;
  constexpr auto on_device = usm::alloc::device;
  CHECK_REFUSED(errc::invalid, ({"async_free"}), ex::async_free(s.q, s.data));
  command_graph graph(s.q), other(s.q);
  void* memory = nullptr;
  const auto allocate = [&](command_graph<>& its, usm::alloc kind, std::size_t bytes) {
    return its.add([&](handler& h) { memory = ex::async_malloc(h, kind, bytes); });
  };
  CHECK_REFUSED(errc::invalid, ({"usm::alloc::device"}), allocate(graph, usm::alloc::shared, 4));
  CHECK_REFUSED(errc::invalid, ({"bytes"}), allocate(graph, on_device, 0));
  CHECK_REFUSED(errc::memory_allocation, ({"no memory"}), allocate(graph, on_device, std::size_t(-1)));
  const auto from_pool = [&](const ex::memory_pool& pool) {
    graph.add([&](handler& h) { ex::async_malloc_from_pool(h, 4, pool); });
  };
  CHECK_REFUSED(errc::invalid, ({"usm::alloc::device"}), from_pool(ex::memory_pool(s.q, usm::alloc::host)));
  const context elsewhere(s.q.get_device());
  CHECK_REFUSED(errc::invalid, ({"another context"}),
                from_pool(ex::memory_pool(elsewhere, s.q.get_device(), on_device)));
  ex::node allocates = allocate(graph, on_device, 400);
  const auto free_in = [&](command_graph<>& its, void* what) { its.add([&](handler& h) { ex::async_free(h, what); }); };
  CHECK_REFUSED(errc::invalid, ({"same graph"}), free_in(other, memory));
  CHECK_REFUSED(errc::invalid, ({"same graph"}), free_in(graph, s.data));
  free_in(graph, memory);
  CHECK_REFUSED(errc::invalid, ({"frees", "already"}), free_in(graph, memory));
  CHECK_REFUSED(errc::invalid, ({"kernels or host tasks"}), {
    ex::dynamic_command_group groups(graph, {[](handler& h) { ex::async_malloc(h, on_device, 4); }});
    graph.add(groups);
  });
  {
    auto executable = graph.finalize({graph_property::updatable()});
    CHECK_REFUSED(errc::invalid, ({"alive"}), graph.finalize());
    CHECK_REFUSED(errc::invalid, ({"async_malloc", "can't change"}), executable.update(allocates));
    CHECK_REFUSED(errc::invalid, ({"as a whole"}), executable.update(graph));
    CHECK_REFUSED(errc::invalid, ({"part of another"}), other.add([&](handler& h) { h.ext_oneapi_graph(executable); }));
    queue recording(s.q.get_context(), s.q.get_device());
    other.begin_recording(recording);
    CHECK_REFUSED(errc::invalid, ({"part of another"}), recording.ext_oneapi_graph(executable));
    other.end_recording();
    s.q.ext_oneapi_graph(executable).wait();
  }
  auto again = graph.finalize();
  s.q.ext_oneapi_graph(again).wait();
}

TEST("dynamic command groups: none, mixed, other dependencies, other graphs, no such number") {
  setting s;
  int* p = s.data;
  const auto kernel = [=](handler& h) { h.single_task([=] { p[0] += 0; }); };
  const auto task = [](handler& h) { h.host_task([] {}); };
  const auto copy = [=](handler& h) { h.memset(p, 0, 0); };
  CHECK_REFUSED(errc::invalid, ({"no command group"}), ex::dynamic_command_group(s.graph, {}));
  command_graph graph(s.q), other(s.q);
  ex::dynamic_command_group foreign(other, {kernel}), fine(graph, {kernel, kernel});
  CHECK_REFUSED(errc::invalid, ({"all kernels, or all host tasks"}),
                ex::dynamic_command_group(graph, {kernel, task}));
  CHECK_REFUSED(errc::invalid, ({"kernels or host tasks"}), ex::dynamic_command_group(graph, {copy}));
  CHECK_REFUSED(errc::nd_range, ({"divide"}), ex::dynamic_command_group(graph, {[=](handler& h) {
                  h.parallel_for(nd_range<1>(4, 3), [=](nd_item<1>) { p[0] += 0; });
                }}));
  CHECK_REFUSED(errc::invalid, ({"another graph"}), graph.add(foreign));
  CHECK_REFUSED(errc::invalid, ({"no number 2"}), fine.set_active_index(2));
  graph.begin_recording(s.q);
  event before = s.q.single_task([=] {});
  CHECK_REFUSED(errc::invalid, ({"end_recording"}), graph.add(fine));
  graph.end_recording();
  ex::dynamic_command_group differing(graph, {kernel, [=](handler& h) {
                                                h.depends_on(before);
                                                kernel(h);
                                              }});
  CHECK_REFUSED(errc::invalid, ({"name different events in depends_on"}), graph.add(differing));
  buffer<int> written{range<1>(1)}, unused{range<1>(1)};
  const auto use = [](buffer<int>& memory) {
    return [&](handler& h) {
      accessor to(memory, h);
      h.single_task([=] { to[0] += 0; });
    };
  };
  CHECK_REFUSED(errc::invalid, ({"assume_buffer_outlives_graph"}), ex::dynamic_command_group(graph, {use(written)}));
  command_graph with_buffers(s.q, {graph_property::assume_buffer_outlives_graph()});
  with_buffers.add(use(written));
  ex::dynamic_command_group by_buffers(with_buffers, {use(written), use(unused)});
  CHECK_REFUSED(errc::invalid, ({"depend on different nodes"}), with_buffers.add(by_buffers));
}

TEST("printing: no path of a graph, no place to write") {
  setting s;
  CHECK_REFUSED(errc::invalid, ({"DOT", "graph.txt"}), s.graph.print_graph("graph.txt"));
  CHECK_REFUSED(errc::invalid, ({"can't be written"}), s.graph.print_graph("/nowhere/at/all/graph.dot"));
}

TEST("times of a graph that keeps none; streams in graphs") {
  setting s;
  queue timed = e2e::make_queue({property::queue::enable_profiling()});
  auto executable = s.graph.finalize();
  event run = timed.ext_oneapi_graph(executable);
  CHECK_REFUSED(errc::invalid, ({"enable_profiling"}),
                (void)run.get_profiling_info<info::event_profiling::command_start>());
  run.wait();
  CHECK_REFUSED(errc::feature_not_supported, ({"stream"}), s.graph.add([](handler& h) {
    stream out(100, 10, h);
    h.single_task([=] { out << 1; });
  }));
}

TEST("copies of device_globals are no nodes, by hand or recorded") {
  CPU_ONLY;
  setting s;
  int value = 3;
  const char* words = "device_global can't be a node of a graph";
  CHECK_REFUSED(errc::invalid, ({words}), s.graph.add([&](handler& h) { h.memcpy(shared_by_nodes, &value); }));
  s.graph.begin_recording(s.q);
  CHECK_REFUSED(errc::invalid, ({words}), s.q.memcpy(&value, shared_by_nodes));
  CHECK_REFUSED(errc::invalid, ({words}), s.q.copy(&value, shared_by_nodes));
  s.graph.end_recording();
  s.q.memcpy(shared_by_nodes, &value).wait();
  value = 0;
  s.q.memcpy(&value, shared_by_nodes).wait();
  CHECK_EQUAL(value, 3);
}

TEST("errors of nodes reach the handler of the queue, and the others run") {
  std::vector<std::string> errors;
  queue q(default_selector_v, [&](exception_list list) {
    for (const std::exception_ptr& each : list) {
      try {
        std::rethrow_exception(each);
      } catch (const std::exception& e) {
        errors.push_back(e.what());
      }
    }
  });
  int* p = malloc_shared<int>(1, q);
  p[0] = 0;
  command_graph graph(q);
  auto fails = graph.add([](handler& h) { h.host_task([] { throw std::runtime_error("planted"); }); });
  graph.add([=](handler& h) { h.single_task([=] { p[0] = 1; }); }, {node_property::depends_on(fails)});
  auto executable = graph.finalize();
  q.ext_oneapi_graph(executable);
  q.wait_and_throw();
  CHECK_EQUAL(errors.size(), std::size_t{1});
  CHECK(!errors.empty() && errors[0] == "planted");
  CHECK_EQUAL(p[0], 1);
  free(p, q);
}

E2E_MAIN
