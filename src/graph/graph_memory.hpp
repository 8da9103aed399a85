#pragma once
/// Memory that the nodes of a graph allocate (async_malloc). The memory exists from the time when the allocating node
/// is added until the graph and its executable graphs are gone. Executions of one graph do not overlap, so all of them
/// use the same memory, and nothing is allocated when nodes run.

#include <cstddef>
#include <mutex>
#include <vector>

#include <sycl/detail/compiled_core.hpp>

namespace sycl::inline _V1::detail {

class graph_memory : public counted {
public:
  struct piece {
    void* memory;
    std::size_t bytes;
  };
  /// Allocates memory, which the graph frees at its end. `owner` is the graph.
  void add(void* memory, std::size_t bytes, shared<counted> owner, bool zeroed);
  /// The memory that finalize has to fill with zeros.
  std::vector<piece> zeroed() const;
  /// Records that a node frees the memory. Throws errc::invalid if the memory is not the graph's, or if another node
  /// frees it.
  void free(const void* memory);
  /// The bytes of all allocations together.
  std::size_t bytes() const;

private:
  friend class graph_memory_use;
  struct allocation {
    void* memory;
    std::size_t bytes;
    shared<counted> owner;
    bool is_freed, zeroed;
  };
  mutable std::mutex m_mutex;  // protects what follows
  std::vector<allocation> m_allocations;
  bool m_in_use = false;
};

/// An executable graph's right to use the memory. Only one executable graph may use it at a time.
class graph_memory_use {
public:
  graph_memory_use() = default;
  /// Throws errc::invalid if another graph uses the memory.
  explicit graph_memory_use(shared<graph_memory> memory);
  graph_memory_use(const graph_memory_use&) = delete;
  ~graph_memory_use();
  /// The bytes that the graph had allocated when this object was made.
  std::size_t bytes() const noexcept { return m_bytes; }

private:
  shared<graph_memory> m_memory;
  std::size_t m_bytes = 0;
};

}  // namespace sycl::detail
