#include "modifiable_graph.hpp"

#include <algorithm>
#include <scheduler/test_hooks.hpp>
#include <unordered_set>

#include <sycl/exception.hpp>

#include "executable_graph.hpp"

namespace sycl::inline _V1::detail {
namespace {

std::uint64_t next_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

modifiable_graph::modifiable_graph(shared<submission_queue> queue, rules its_rules)
    : m_id(next_id()), m_queue(std::move(queue)), m_rules(its_rules) {}

modifiable_graph::~modifiable_graph() {
  std::lock_guard lock(mutex());
  // A node outlives the graph if the program still holds the node, so the pointers from nodes to other nodes are
  // removed.
  for (const shared<graph_node>& each : m_nodes) {
    each->predecessors.clear();
    each->successors.clear();
  }
}

/// Called under the mutex, like all functions below.
graph_node& modifiable_graph::append(shared<node_choices> work) {
  m_nodes.push_back(make_counted<graph_node>(m_nodes.size(), std::move(work)));
  return *m_nodes.back();
}

void modifiable_graph::connect(graph_node& before, graph_node& after) {
  // Only the shorter of the two lists is searched. A node that joins many other nodes has very many edges on one side.
  const auto known =
      before.successors.size() < after.predecessors.size()
          ? std::find(before.successors.begin(), before.successors.end(), &after) != before.successors.end()
          : std::find(after.predecessors.begin(), after.predecessors.end(), &before) != after.predecessors.end();
  if (known || drops_graph_edge()) return;
  before.successors.push_back(&after);
  after.predecessors.push_back(&before);
  m_backward |= before.index() > after.index();
}

namespace {

bool conflicts(const region& part, bool writes, const region& earlier, bool earlier_writes) noexcept {
  return (writes || earlier_writes) && part.meets(earlier);
}

}  // namespace

/// Finds the nodes for which a node with this work has to wait, because they use the same buffers as this work.
std::vector<graph_node*> modifiable_graph::users_before(const node_work& work) const {
  std::vector<graph_node*> found;
  for (const requirement& needed : work.requirements) {
    const auto users = m_users.find(needed.memory.get());
    if (users == m_users.end()) continue;
    for (const buffer_user& each : users->second) {
      if (conflicts(needed.part, mode_writes(needed.mode), each.part, each.writes)) found.push_back(each.node);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void modifiable_graph::check_alike(const node_choices& work) const {
  if (work.size() == 1) return;
  const std::vector<graph_node*> first = users_before(*work.choice(0));
  for (std::size_t i = 1; i < work.size(); ++i) {
    if (users_before(*work.choice(i)) == first) continue;
    refuse_graph("command_graph::add: the command groups of a dynamic_command_group depend on different nodes, "
                 "because of the buffers that they use");
  }
}

void modifiable_graph::connect_users(graph_node& added) {
  // Registers the buffers of all the node's command groups, so that later nodes wait for this node no matter which
  // group is active.
  const node_choices& all = *added.choices();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const requirement& needed : all.choice(i)->requirements) {
      const bool writes = mode_writes(needed.mode);
      std::vector<buffer_user>& users = m_users[needed.memory.get()];
      record_of(needed).note_graph(m_id);
      if (all.size() > 1) record_of(needed).note_alternative();
      // An earlier user stays in the list until a later node writes all bytes that the earlier user uses. At this
      // point, the later node replaces the earlier user.
      std::erase_if(users, [&](const buffer_user& earlier) {
        if (earlier.node == &added || !conflicts(needed.part, writes, earlier.part, earlier.writes)) return false;
        connect(*earlier.node, added);
        return writes && needed.part.covers(earlier.part);
      });
      users.push_back({&added, needed.part, writes});
    }
  }
}

void modifiable_graph::check_not_recording(const char* call) const {
  if (recording_queues().empty()) return;
  refuse_graph(std::string("command_graph::") + call + ": a queue records to the graph; call end_recording first");
}

shared<graph_node> modifiable_graph::add(shared<node_choices> work, std::span<const shared<graph_node>> before,
                                         bool behind_leaves) {
  check_not_recording("add");
  std::lock_guard lock(mutex());
  for (const shared<graph_node>& each : before) {
    if (each->graph_id() != m_id) refuse_graph("command_graph::add: " + text_of(*each) + " is of another graph");
  }
  check_alike(*work);
  std::vector<graph_node*> leaves;
  for (const shared<graph_node>& each : m_nodes) {
    if (behind_leaves && each->successors.empty()) leaves.push_back(each.get());
  }
  graph_node& added = append(std::move(work));
  for (const shared<graph_node>& each : before) connect(*each, added);
  for (graph_node* each : leaves) connect(*each, added);
  connect_users(added);
  return m_nodes.back();
}

bool modifiable_graph::reaches(const graph_node& from, const graph_node& to) const {
  std::vector<const graph_node*> open{&from};
  std::unordered_set<const graph_node*> seen{&from};
  while (!open.empty()) {
    const graph_node* at = open.back();
    open.pop_back();
    if (at == &to) return true;
    for (const graph_node* next : at->successors) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

void modifiable_graph::add_edge(graph_node& before, graph_node& after) {
  // This check comes before the mutex is locked. If a node belongs to another graph, the mutex of that graph protects
  // the node.
  for (const graph_node* each : {&before, &after}) {
    if (each->graph_id() != m_id) {
      refuse_graph("make_edge: node " + std::to_string(each->index()) + " is of another graph");
    }
  }
  check_not_recording("make_edge");
  std::lock_guard lock(mutex());
  if (&before == &after) refuse_graph("make_edge: " + text_of(before) + " can't wait for itself");
  // A cycle is impossible while all edges lead from earlier to later nodes.
  const bool may_close = m_backward || before.index() > after.index();
  if (m_rules.checks_cycles && may_close && reaches(after, before)) {
    refuse_graph("make_edge: " + text_of(before) + " waits for " + text_of(after) +
           " already; an edge in the other direction would make a cycle");
  }
  connect(before, after);
}

/// Returns null if the queue has recorded nothing here.
modifiable_graph::recording* modifiable_graph::find_recording(const submission_queue& queue) noexcept {
  const auto found = std::find_if(m_recordings.begin(), m_recordings.end(),
                                  [&](const recording& each) { return each.number == queue.number(); });
  return found == m_recordings.end() ? nullptr : &*found;
}

void modifiable_graph::start_recording(const shared<submission_queue>& queue) {
  std::lock_guard lock(mutex());
  recording* its = find_recording(*queue);
  if (!its) its = &m_recordings.emplace_back(recording{queue->number(), nullptr, nullptr, nullptr, {}});
  its->queue = queue;
}

bool modifiable_graph::stop_recording(const submission_queue& queue) {
  std::vector<shared<buffer_record>> released;  // destroyed without the mutex
  shared<submission_queue> dropped;
  std::lock_guard lock(mutex());
  recording* its = find_recording(queue);
  if (!its || !its->queue) return false;
  dropped = std::move(its->queue);
  if (std::any_of(m_recordings.begin(), m_recordings.end(), [](const recording& each) { return each.queue; })) {
    return true;
  }
  released.swap(m_recorded_buffers);
  for (const shared<buffer_record>& each : released) each->note_recording(-1);
  return true;
}

std::vector<shared<submission_queue>> modifiable_graph::recording_queues() const {
  std::lock_guard lock(mutex());
  std::vector<shared<submission_queue>> result;
  for (const recording& each : m_recordings) {
    if (each.queue) result.push_back(each.queue);
  }
  return result;
}

/// Call this function under the mutex. A node was submitted to a queue: adds the node's edges that come from the
/// queue's order.
void modifiable_graph::connect_recorded(recording& its, graph_node& added, barrier kind) {
  if (its.queue->in_order()) {
    if (its.last) connect(*its.last, added);
    its.last = &added;
    return;
  }
  if (its.barrier) connect(*its.barrier, added);
  if (kind == barrier::of_all) {
    // The barrier has to wait for all commands of this queue. A command needs no edge to the barrier if a later command
    // of this queue waits for the command, because the barrier waits for the later command. If the later command is of
    // another queue, the edge is needed, because the barrier does not wait for other queues.
    const std::unordered_set<const graph_node*> mine(its.since_barrier.begin(), its.since_barrier.end());
    for (graph_node* each : its.since_barrier) {
      const auto& after = each->successors;
      if (std::none_of(after.begin(), after.end(), [&](const graph_node* next) { return mine.contains(next); })) {
        connect(*each, added);
      }
    }
    its.since_barrier.clear();
  }
  if (kind != barrier::none) its.barrier = &added;
  its.since_barrier.push_back(&added);
}

shared<graph_node> modifiable_graph::record(const submission_queue& queue, shared<node_work> work,
                                            std::span<const shared<graph_node>> before, barrier kind) {
  std::lock_guard lock(mutex());
  recording* its = find_recording(queue);
  if (!its || !its->queue) {
    refuse_graph("the queue's recording was ended while a command was submitted to it");
  }
  graph_node& added = append(make_choices({std::move(work)}));
  for (const shared<graph_node>& each : before) connect(*each, added);
  connect_recorded(*its, added, kind);
  connect_users(added);
  for (const requirement& each : added.current()->requirements) {
    auto* record = &record_of(each);
    if (std::any_of(m_recorded_buffers.begin(), m_recorded_buffers.end(),
                    [&](const auto& known) { return known.get() == record; }))
      continue;
    record->note_recording(1);
    m_recorded_buffers.emplace_back(record);
  }
  return m_nodes.back();
}

}  // namespace sycl::detail
