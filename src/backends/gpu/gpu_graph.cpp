#include "gpu_graph.hpp"

#include <algorithm>
#include <cstring>

#include "backends/launch_counts.hpp"

namespace sinter::gpu {
namespace {

kernel_node parameters_of(driver_launch& prepared) {
  const auto& [blocks, threads, shared_bytes] = prepared.shape;
  kernel_node result{};
  result.function = prepared.loaded.function;
  std::copy(blocks, blocks + 3, result.blocks);
  std::copy(threads, threads + 3, result.threads);
  result.shared_bytes = shared_bytes;
  result.parameters = prepared.parameters;
  return result;
}

}  // namespace

std::unique_ptr<gpu_graph> gpu_graph::make(gpu_context& gpu, std::span<const program_step> steps, std::string& why) {
  gpu.use();
  auto made = std::make_unique<gpu_graph>(gpu);
  gpu.check(gpu.functions().make_graph(&made->m_graph, 0), [] { return "making a graph"; });
  for (const program_step& each : steps) {
    const kernel_launch* const launch = each.work.launch();
    if (launch && !launch->is_empty() && launch->code->gpu->groups_meet) {
      why = "work-groups of a kernel meet at a barrier (root_group)";
      return nullptr;
    }
    if (made->add(each)) continue;
    why = "the driver's graphs have no fills with patterns of other than one, two or four bytes";
    return nullptr;
  }
  gpu.check(gpu.functions().make_executable(&made->m_executable, made->m_graph, 0),
            [] { return "finalizing a graph"; });
  return made;
}

gpu_graph::~gpu_graph() {
  if (m_gpu.try_to_use() != success) return;
  if (m_executable) m_gpu.functions().destroy_executable(m_executable);
  if (m_graph) m_gpu.functions().destroy_graph(m_graph);
}

/// Returns false if the driver has no such node.
bool gpu_graph::add(const program_step& added) {
  std::vector<node_handle> before;
  for (const std::uint32_t each : added.before) {
    for (node_handle node : m_steps[each].last) {
      if (std::find(before.begin(), before.end(), node) == before.end()) before.push_back(node);
    }
  }
  step& mine = m_steps.emplace_back();
  mine.launch = {};
  if (added.native) return add_native(*added.native, before, mine.last), true;
  const kernel_launch* const launch = added.work.launch();
  if (is_left_out(added.work)) {
    // A step without work needs no node. If the step depends on several nodes, an empty node joins these nodes, so that
    // each later step needs only one edge.
    if (before.size() > 1) {
      node_handle node = nullptr;
      m_gpu.check(m_gpu.functions().add_empty_node(&node, m_graph, before.data(), before.size()),
                  [] { return "adding a node to a graph"; });
      before.assign(1, node);
    }
    mine.last = before;
    if (launch) mine.launch = *launch;
    return true;
  }
  if (!launch) return add_memory(*added.work.memory(), before, mine.last);
  mine.launch = *launch;
  driver_launch prepared(m_gpu, *launch);
  const kernel_node parameters = parameters_of(prepared);
  node_handle node = nullptr;
  m_gpu.check(m_gpu.functions().add_kernel_node(&node, m_graph, before.data(), before.size(), &parameters),
              [&] { return "adding kernel '" + prepared.loaded.kernel + "' to a graph"; });
  mine.last.assign(1, node);
  note(prepared.loaded);
  return true;
}

/// Lets the user's function add its nodes to a separate graph. This graph becomes a child graph of the driver's graph.
void gpu_graph::add_native(const native_addition& native, std::span<const node_handle> before,
                           std::vector<node_handle>& last) {
  const driver& functions = m_gpu.functions();
  const auto doing = [] { return "adding a native command to a graph"; };
  struct child_graph {
    const driver& functions;
    graph_handle graph = nullptr;
    ~child_graph() {
      if (graph) functions.destroy_graph(graph);
    }
  } child{functions};
  m_gpu.check(functions.make_graph(&child.graph, 0), doing);
  native.add_to(child.graph);
  // The user's function may have changed the thread's current context.
  m_gpu.use();
  node_handle node = nullptr;
  m_gpu.check(functions.add_graph_node(&node, m_graph, before.data(), before.size(), child.graph), doing);
  last.assign(1, node);
}

bool gpu_graph::add_memory(const memory_work& work, std::span<const node_handle> before,
                           std::vector<node_handle>& last) {
  const driver& functions = m_gpu.functions();
  const auto doing = [] { return "adding a copy to a graph"; };
  context_handle context = m_gpu.native();
  if (work.what == memory_work::kind::copy) {
    if (const auto whole = m_gpu.node_of(work.copy)) {
      node_handle node = nullptr;
      m_gpu.check(functions.add_copy_node(&node, m_graph, before.data(), before.size(), &*whole, context), doing);
      last.push_back(node);
    } else work.copy.visit_pieces([&](char* destination, const char* source, std::size_t bytes) {
      if (destination == source || bytes == 0) return;
      copy_node copy{};
      copy.source = reinterpret_cast<device_address>(source);
      copy.destination = reinterpret_cast<device_address>(destination);
      copy.bytes = bytes;
      node_handle node = nullptr;
      m_gpu.check(functions.add_copy_node(&node, m_graph, before.data(), before.size(), &copy, context), doing);
      last.push_back(node);
    });
  } else if (work.what == memory_work::kind::texels) {
    const copy_node copy = m_gpu.node_of(work.texels);
    node_handle node = nullptr;
    m_gpu.check(functions.add_copy_node(&node, m_graph, before.data(), before.size(), &copy, context), doing);
    last.push_back(node);
  } else {
    const memory_fill& fill = work.fill;
    const std::size_t element = fill.pattern_bytes;
    const bool is_simple = (element == 1 || element == 2 || element == 4) &&
                           reinterpret_cast<device_address>(fill.destination) % element == 0;
    if (!is_simple) return false;
    unsigned value = 0;
    std::memcpy(&value, fill.small, element);
    const fill_node set{
        reinterpret_cast<device_address>(fill.destination), 0, value, static_cast<unsigned>(element), fill.count, 1};
    if (fill.count != 0) {
      node_handle node = nullptr;
      m_gpu.check(functions.add_fill_node(&node, m_graph, before.data(), before.size(), &set, context), doing);
      last.push_back(node);
    }
  }
  // If the step copies or fills nothing, it has no node, and later steps depend on the steps before it.
  if (last.empty()) last.assign(before.begin(), before.end());
  return true;
}

void gpu_graph::note(loaded_program& loaded) {
  m_prints |= loaded.prints;
  const auto& added = loaded.may_fail;
  if (added && std::find(m_may_fail.begin(), m_may_fail.end(), added) == m_may_fail.end()) m_may_fail.push_back(added);
}

bool gpu_graph::change(std::uint32_t at, const kernel_launch& to) {
  step& changed = m_steps[at];
  // An empty launch has no node.
  if (changed.launch.is_empty() || to.is_empty()) return false;
  m_gpu.use();
  driver_launch prepared(m_gpu, to);
  const kernel_node parameters = parameters_of(prepared);
  if (m_gpu.functions().change_kernel_node(m_executable, changed.last.front(), &parameters) !=
      success) {
    return false;
  }
  changed.launch = to;
  note(prepared.loaded);
  return true;
}

void gpu_graph::launch(stream_handle stream) {
  m_gpu.check(m_gpu.functions().launch_graph(m_executable, stream), [] { return "launching a graph"; });
  for (const step& each : m_steps) {
    if (each.launch.code) count_launch(each.launch, each.launch.code->origin);
  }
}

}  // namespace sinter::gpu
