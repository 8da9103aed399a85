#pragma once
/// The order in which recorded commands of a graph have to run, according to the rules of their queues.

#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/sycl.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

namespace test {

/// The commands and barriers that queues record. Each entry has the set of entries that have to come before it.
class recorded_order {
public:
  struct entry {
    sycl::event event;
    std::set<std::size_t> before;  ///< all entries that have to come before this one, directly or through others
  };
  /// Returns the entries for which the queue's next command has to wait because of the queue's rules. The command may
  /// name further entries.
  std::set<std::size_t> implied(std::size_t queue) const {
    std::set<std::size_t> result;
    const auto found = m_last.find(queue);
    if (found != m_last.end()) add(result, found->second);
    return result;
  }
  /// The entries for which a barrier without a list waits.
  std::set<std::size_t> all_of(std::size_t queue) const {
    std::set<std::size_t> result;
    const auto found = m_of_queue.find(queue);
    if (found == m_of_queue.end()) return result;
    for (const std::size_t each : found->second) add(result, each);
    return result;
  }
  std::size_t add(std::size_t queue, sycl::event event, std::set<std::size_t> before, bool stands_for_it) {
    m_entries.push_back({std::move(event), std::move(before)});
    m_of_queue[queue].push_back(m_entries.size() - 1);
    if (stands_for_it) m_last[queue] = m_entries.size() - 1;
    return m_entries.size() - 1;
  }
  void add(std::set<std::size_t>& to, std::size_t which) const {
    to.insert(which);
    to.insert(m_entries[which].before.begin(), m_entries[which].before.end());
  }
  /// Throws if the graph does not have this order.
  void check() const {
    namespace ex = sycl::ext::oneapi::experimental;
    std::unordered_map<ex::node, std::size_t> places;
    std::vector<std::set<std::size_t>> found(m_entries.size());
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
      const ex::node node = ex::node::get_node_from_event(m_entries[i].event);
      places.emplace(node, i);
      for (const ex::node& each : node.get_predecessors()) {
        const std::size_t before = places.at(each);
        found[i].insert(before);
        found[i].insert(found[before].begin(), found[before].end());
      }
      for (const std::size_t each : m_entries[i].before) {
        if (found[i].contains(each)) continue;
        throw std::runtime_error("recorded node " + std::to_string(i) + " does not wait for node " +
                                 std::to_string(each));
      }
    }
  }
  const entry& operator[](std::size_t which) const { return m_entries[which]; }
  std::size_t size() const { return m_entries.size(); }

private:
  std::vector<entry> m_entries;
  /// The last barrier of each queue, or the last command of an in-order queue.
  std::map<std::size_t, std::size_t> m_last;
  std::map<std::size_t, std::vector<std::size_t>> m_of_queue;
};

}  // namespace test
