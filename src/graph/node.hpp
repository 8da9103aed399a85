#pragma once
/// A node of a graph: its work and its edges.

#include <cstdint>
#include <mutex>
#include <vector>

#include "node_work.hpp"

namespace sycl::inline _V1::detail {

/// The mutex of one graph's nodes. It is a separate object because nodes may outlive their graph.
struct graph_lock : counted {
  std::mutex mutex;
};

class dynamic_value;

/// The work that a node does. A dynamic command group consists of several alternatives, one of which is active. All
/// nodes made from one dynamic command group share this object.
class node_choices : public counted {
public:
  node_choices(const shared<graph_lock>& lock, std::uint64_t graph, std::vector<shared<node_work>> all)
      : m_lock(lock), m_graph(graph), m_all(std::move(all)) {}
  ~node_choices() override;

  std::mutex& mutex() const noexcept { return m_lock->mutex; }
  std::uint64_t graph_id() const noexcept { return m_graph; }
  // The following functions are called under the mutex.
  std::size_t size() const noexcept { return m_all.size(); }
  std::size_t active() const noexcept { return m_active; }
  const shared<node_work>& current() const noexcept { return m_all[m_active]; }
  const shared<node_work>& choice(std::size_t number) const noexcept { return m_all[number]; }
  void set(std::size_t number, shared<node_work> work) { m_all[number] = std::move(work); }
  void choose(std::size_t number) noexcept { m_active = number; }
  /// Remembers a dynamic value on which arguments of the kernels depend. The destructor of this object tells the value
  /// that these arguments are gone (dynamic_value::forget).
  void note_value(shared<dynamic_value> value) { m_values.push_back(std::move(value)); }

private:
  const shared<graph_lock> m_lock;
  const std::uint64_t m_graph;
  std::vector<shared<node_work>> m_all;
  std::size_t m_active = 0;
  std::vector<shared<dynamic_value>> m_values;
};

class graph_node : public counted {
public:
  graph_node(std::size_t index, shared<node_choices> choices)
      : m_choices(std::move(choices)), m_index(index), m_type(m_choices->current()->type) {}

  std::mutex& mutex() const noexcept { return m_choices->mutex(); }
  std::uint64_t graph_id() const noexcept { return m_choices->graph_id(); }
  /// The number of nodes that were added before this node.
  std::size_t index() const noexcept { return m_index; }
  node_type type() const noexcept { return m_type; }

  shared<node_work> work() const {
    std::lock_guard lock(mutex());
    return current();
  }
  const shared<node_choices>& choices() const noexcept { return m_choices; }
  /// Called under the mutex.
  const shared<node_work>& current() const noexcept { return m_choices->current(); }

  /// Throws errc::invalid if the node is not a kernel, or if the kernel's range does not have `dimensions` dimensions.
  /// Throws any error that a launch would throw, too. `local` and `offset` may be null.
  void change_geometry(int dimensions, const std::size_t* global, const std::size_t* local, const std::size_t* offset);

  // Protected by the mutex. The pointers are raw, because the graph owns the nodes, and its destructor removes the
  // edges.
  std::vector<graph_node*> predecessors, successors;

private:
  const shared<node_choices> m_choices;
  const std::size_t m_index;
  const node_type m_type;
};

/// The node's text in messages, such as "node 3 (kernel 'add')".
std::string text_of(const graph_node& node);
std::string text_of(const node_work& work);
/// Throws errc::invalid with this text.
[[noreturn]] void refuse_graph(const std::string& why);
const char* name_of(node_type type) noexcept;

}  // namespace sycl::detail
