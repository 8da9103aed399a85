#pragma once
/// A graph that is being built: nodes in the order in which they were added, and edges.

#include <atomic>
#include <cstdint>
#include <memory/buffer_record.hpp>
#include <mutex>
#include <scheduler/submission_queue.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph_memory.hpp"
#include "node.hpp"

namespace sycl::inline _V1::detail {

/// Keeps objects of the program until a graph, and all executable graphs that were made from it, are destroyed.
class end_of_graph : public counted {
public:
  ~end_of_graph() override {
    for (shared<counted>& each : m_kept) each.reset();
  }
  void keep(shared<counted> object) {
    std::lock_guard lock(m_mutex);
    m_kept.push_back(std::move(object));
  }

private:
  std::mutex m_mutex;
  std::vector<shared<counted>> m_kept;
};

class modifiable_graph : public counted {
public:
  struct rules {
    bool checks_cycles = true, takes_buffers = false;
  };
  /// `queue` belongs to the graph alone: it only states the context and the device, and never gets commands.
  modifiable_graph(shared<submission_queue> queue, rules its_rules);
  ~modifiable_graph() override;

  std::atomic<std::size_t> handles{0};  ///< the number of handles that the program has

  std::uint64_t id() const noexcept { return m_id; }
  const shared<submission_queue>& queue() const noexcept { return m_queue; }
  const rules& its_rules() const noexcept { return m_rules; }
  /// The memory that the graph's nodes allocate.
  const shared<graph_memory>& memory() const noexcept { return m_memory; }
  const shared<end_of_graph>& end() const noexcept { return m_end; }
  std::mutex& mutex() const noexcept { return m_lock->mutex; }
  /// Called under the mutex.
  std::span<const shared<graph_node>> nodes() const noexcept { return m_nodes; }
  /// Whether an edge leads from a node to a node that was added earlier.
  bool has_backward_edges() const noexcept { return m_backward; }

  /// Adds a node that waits for `before` and for all nodes whose use of buffers conflicts with the new node's use.
  /// Throws errc::invalid if a queue records to the graph, or if a node in `before` belongs to another graph.
  shared<graph_node> add(shared<node_choices> work, std::span<const shared<graph_node>> before, bool behind_leaves);
  shared<node_choices> make_choices(std::vector<shared<node_work>> all) const {
    return make_counted<node_choices>(m_lock, m_id, std::move(all));
  }
  void check_not_recording(const char* call) const;
  void add_edge(graph_node& before, graph_node& after);

  /// Commands of the queue become nodes from now on.
  void start_recording(const shared<submission_queue>& queue);
  /// Ends the queue's recording. Returns false if the queue did not record to this graph.
  bool stop_recording(const submission_queue& queue);
  std::vector<shared<submission_queue>> recording_queues() const;
  enum class barrier { none, of_all, of_some };
  /// Adds a command that was submitted to a recording queue. The node waits for the queue's latest barrier and, if the
  /// queue is in order, for the queue's previous command.
  shared<graph_node> record(const submission_queue& queue, shared<node_work> work,
                            std::span<const shared<graph_node>> before, barrier kind);

  /// Writes the graph in the language of Graphviz. Throws errc::invalid if writing fails.
  void print(const std::string& path, bool verbose) const;

private:
  /// The commands that a queue has recorded. The object is kept when recording ends, because the queue's next recording
  /// continues behind these commands.
  struct recording {
    std::uint32_t number;            ///< the queue's number
    shared<submission_queue> queue;  ///< null: the queue does not record now
    graph_node* last = nullptr;
    graph_node* barrier = nullptr;
    /// the barrier and the commands after it; in-order queues need no such list
    std::vector<graph_node*> since_barrier;
  };
  struct buffer_user {
    graph_node* node;
    region part;
    bool writes;
  };
  graph_node& append(shared<node_choices> work);
  void connect(graph_node& before, graph_node& after);
  std::vector<graph_node*> users_before(const node_work& work) const;
  void check_alike(const node_choices& work) const;
  void connect_users(graph_node& added);
  recording* find_recording(const submission_queue& queue) noexcept;
  void connect_recorded(recording& its, graph_node& added, barrier kind);
  bool reaches(const graph_node& from, const graph_node& to) const;

  const shared<end_of_graph> m_end = make_counted<end_of_graph>();  // destroyed last
  const std::uint64_t m_id;
  const shared<submission_queue> m_queue;
  const rules m_rules;
  const shared<graph_memory> m_memory = make_counted<graph_memory>();
  const shared<graph_lock> m_lock = make_counted<graph_lock>();  // protects what follows
  std::vector<shared<graph_node>> m_nodes;
  std::unordered_map<const memory_users*, std::vector<buffer_user>> m_users;
  std::vector<recording> m_recordings;
  /// Buffers that the host may not access while the graph exists.
  std::vector<shared<buffer_record>> m_recorded_buffers;
  bool m_backward = false;
};

}  // namespace sycl::detail
