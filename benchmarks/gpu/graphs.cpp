/// Command graphs on a GPU: replay of 100 kernels that depend on each other, replay of a diamond, and the update of one
/// parameter. graphs.cu builds the same graphs in CUDA C++.

#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/sycl.hpp>

#include <cstdio>
#include <vector>

#include "best.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
constexpr int nodes = 100, replays = 100;

void print(const char* what, double value, const char* unit) { std::printf("%-42s %10.3f %s\n", what, value, unit); }

} // namespace

int main() {
  const auto gpus = sycl::device::get_devices(sycl::info::device_type::gpu);
  if (gpus.empty()) return std::puts("no GPU"), 0;
  sycl::queue queue{gpus.front(), sycl::property::queue::in_order{}};
  int* memory = sycl::malloc_device<int>(1024, queue);
  const auto add = [&](graphs::command_graph<>& graph) {
    return graph.add([&](sycl::handler& group) { group.single_task([=] { *memory = 1; }); });
  };
  const auto replay = [&](auto& executable) {
    queue.ext_oneapi_graph(executable).wait();
    return best_of(20, [&] {
      for (int i = 0; i < replays; ++i) queue.ext_oneapi_graph(executable);
      queue.wait();
    }) / replays;
  };
  graphs::command_graph line(queue), diamond(queue), changing(queue);
  for (int i = 0; i < nodes; ++i) {
    std::vector<graphs::node> before = line.get_nodes();
    graphs::node added = add(line);
    if (!before.empty()) line.make_edge(before.back(), added);
  }
  graphs::node first = add(diamond);
  std::vector<graphs::node> between;
  for (int i = 2; i < nodes; ++i) between.push_back(add(diamond));
  graphs::node last = add(diamond);
  for (graphs::node& each : between) diamond.make_edge(first, each), diamond.make_edge(each, last);
  auto line_executable = line.finalize(), diamond_executable = diamond.finalize();
  print("line of 100 kernels", replay(line_executable), "us");
  print("diamond of 100 kernels", replay(diamond_executable), "us");
  graphs::dynamic_parameter<int*> target(memory);
  graphs::node node = changing.add([&](sycl::handler& group) {
    group.set_arg(0, target);
    group.single_task([=] { *memory = 1; });
  });
  add(changing);
  auto changed = changing.finalize({graphs::property::graph::updatable()});
  // Updates take half the time after the graph has run once, so the graph runs before the measurement.
  queue.ext_oneapi_graph(changed).wait();
  print("update of one parameter", best_of(200, [&] {
    for (int i = 0; i < replays; ++i) target.update(memory + i % 2), changed.update(node);
  }) / replays, "us");
  sycl::free(memory, queue);
}
