#include "graphs.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <random>
#include <set>

#include "judge.hpp"

namespace judge {

using namespace sinter::hip;

struct node_handle {
  graph* of;
  std::size_t index;
};
struct graph {
  std::vector<graph_node> nodes;
  /// The handles of nodes outlive the graph, because executable graphs refer to these handles.
  std::deque<node_handle> handles;
};
struct executable {
  std::vector<graph_node> nodes;
  const graph* from;
};

namespace {

std::mutex guarding;  // guards the variables below
std::set<graph*>& graphs() {
  static auto& made = *new std::set<graph*>;
  return made;
}
std::set<executable*>& executables() {
  static auto& made = *new std::set<executable*>;
  return made;
}

/// Runs the nodes one after the other. Each call chooses another one of the orders that the edges allow. Returns
/// whether all succeed.
bool run(const std::vector<graph_node>& nodes) {
  static std::atomic<unsigned> runs{0};
  std::minstd_rand random(++runs);
  std::vector<std::size_t> left(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) left[i] = i;
  std::vector<bool> is_done(nodes.size());
  while (!left.empty()) {
    std::shuffle(left.begin(), left.end(), random);
    const auto next = std::find_if(left.begin(), left.end(), [&](std::size_t i) {
      const std::vector<std::size_t>& before = nodes[i].before;
      return std::all_of(before.begin(), before.end(), [&](std::size_t each) { return is_done[each]; });
    });
    if (nodes[*next].work && !nodes[*next].work()) return false;
    is_done[*next] = true;
    left.erase(next);
  }
  return true;
}

}  // namespace

graph_node node_of(bound_launch bound) {
  graph_node made;
  made.uses = bound.uses;
  made.module = bound.of;
  made.work = [bound = std::make_shared<bound_launch>(std::move(bound))] { return run(bound->launch); };
  return made;
}

graph_node node_of(graph& child) {
  graph_node made;
  for (const graph_node& each : child.nodes) made.uses.insert(made.uses.end(), each.uses.begin(), each.uses.end());
  made.work = [nodes = child.nodes] { return run(nodes); };
  return made;
}

graph* make_graph() {
  auto* const made = new graph;
  std::lock_guard lock(guarding);
  graphs().insert(made);
  return made;
}

graph& graph_of(hipGraph_t handle) {
  auto* const known = reinterpret_cast<graph*>(handle);
  std::lock_guard lock(guarding);
  if (!graphs().contains(known)) refuse("a graph is used that is none, or is gone");
  return *known;
}

/// Destroys a graph. The nodes' handles stay valid, because these handles also name the nodes of executable graphs.
void destroy(graph& gone) {
  std::lock_guard lock(guarding);
  graphs().erase(&gone);
}

hipError_t add_node(hipGraph_t handle, const hipGraphNode_t* before, std::size_t count, graph_node added,
                    hipGraphNode_t* made) {
  graph& to = graph_of(handle);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& known = *reinterpret_cast<const node_handle*>(before[i]);
    if (known.of != &to) refuse("a node of a graph waits for one of another graph");
    if (std::find(added.before.begin(), added.before.end(), known.index) != added.before.end()) {
      return hipErrorInvalidValue;  // the edge exists already
    }
    added.before.push_back(known.index);
  }
  to.nodes.push_back(std::move(added));
  to.handles.push_back({&to, to.nodes.size() - 1});
  *made = reinterpret_cast<hipGraphNode_t>(&to.handles.back());
  return hipSuccess;
}

executable* make_executable(graph& from) {
  auto* const made = new executable{from.nodes, &from};
  std::lock_guard lock(guarding);
  executables().insert(made);
  return made;
}

executable& executable_of(hipGraphExec_t handle) {
  auto* const known = reinterpret_cast<executable*>(handle);
  std::lock_guard lock(guarding);
  if (!executables().contains(known)) refuse("an executable graph is used that is none, or is gone");
  return *known;
}

void destroy(executable& gone) {
  std::lock_guard lock(guarding);
  executables().erase(&gone);
  delete &gone;
}

hipError_t change(executable& its, hipGraphNode_t node, bound_launch bound) {
  const auto& known = *reinterpret_cast<const node_handle*>(node);
  if (known.of != its.from) refuse("a node of another graph is changed");
  graph_node& changed = its.nodes[known.index];
  if (changed.module != bound.of) return hipErrorInvalidValue;  // drivers may refuse to replace the kernel
  std::vector<std::size_t> before = changed.before;
  changed = node_of(std::move(bound));
  changed.before = std::move(before);
  return hipSuccess;
}

void launch(executable& its, stream& to) {
  std::vector<use> uses;
  for (const graph_node& each : its.nodes) uses.insert(uses.end(), each.uses.begin(), each.uses.end());
  append(to, [nodes = its.nodes] { return run(nodes); }, std::move(uses));
}

}  // namespace judge
