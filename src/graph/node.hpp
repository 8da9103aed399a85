#pragma once
/// A node of a graph: what it does, and its edges.

#include <cstdint>
#include <mutex>
#include <vector>

#include "node_work.hpp"

namespace sycl::detail {

/// Protects the nodes of one graph, also when the graph itself is gone.
struct graph_lock : counted {
  std::mutex mutex;
};

class graph_node : public counted {
public:
  graph_node(const shared<graph_lock>& lock, std::uint64_t graph, std::size_t index, shared<node_work> work)
      : m_lock(lock), m_graph(graph), m_index(index), m_type(work->type), m_work(std::move(work)) {}

  std::mutex& mutex() const noexcept { return m_lock->mutex; }
  std::uint64_t graph_id() const noexcept { return m_graph; }
  /// How many were added before.
  std::size_t index() const noexcept { return m_index; }
  node_type type() const noexcept { return m_type; }

  shared<node_work> work() const {
    std::lock_guard lock(mutex());
    return m_work;
  }
  /// Under the mutex.
  const shared<node_work>& current() const noexcept { return m_work; }
  void set(shared<node_work> work) { set_choice(m_active, std::move(work)); }
  /// One of several that it was made of; else it is the only one.
  const shared<node_work>& choice(std::size_t number) const noexcept {
    return m_choices.empty() ? m_work : m_choices[number];
  }
  void set_choice(std::size_t number, shared<node_work> work) {
    if (!m_choices.empty()) m_choices[number] = work;
    if (number == m_active) m_work = std::move(work);
  }
  void set_choices(std::vector<shared<node_work>> choices, std::size_t active) {
    m_choices = std::move(choices);
    choose(active);
  }
  void choose(std::size_t active) {
    m_active = active;
    m_work = m_choices[active];
  }

  /// errc::invalid when it is no kernel of such a range; `local` and `offset` may be null.
  void change_geometry(int dimensions, const std::size_t* global, const std::size_t* local, const std::size_t* offset);

  // Under the mutex; raw: the graph owns the nodes, and takes the edges away with it.
  std::vector<graph_node*> predecessors, successors;

private:
  const shared<graph_lock> m_lock;
  const std::uint64_t m_graph;
  const std::size_t m_index;
  const node_type m_type;
  shared<node_work> m_work;
  std::vector<shared<node_work>> m_choices;  ///< of a dynamic command group
  std::size_t m_active = 0;
};

/// For messages: "node 3 (kernel 'add')".
std::string text_of(const graph_node& node);
std::string text_of(const node_work& work);
/// Throws errc::invalid.
[[noreturn]] void refuse_graph(const std::string& why);
const char* name_of(node_type type) noexcept;

}  // namespace sycl::detail
