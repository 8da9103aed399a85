#pragma once
/// Arguments of kernel nodes that can be changed (dynamic_parameter, dynamic_local_accessor), and command groups of
/// which a node runs one.

#include <abi/image_format.hpp>
#include <functional>
#include <memory/buffer_record.hpp>
#include <mutex>
#include <vector>

#include <sycl/detail/graph_names.hpp>

#include "node.hpp"

namespace sycl {
class handler;
}

namespace sycl::detail {

class dynamic_value : public counted {
public:
  explicit dynamic_value(const void* value, std::size_t bytes);
  dynamic_value(int dimensions, const std::size_t* extents, std::size_t element_bytes, std::size_t alignment);

  bool is_local_memory() const noexcept { return m_element_bytes != 0; }
  /// What an accessor's kernel uses; the memory is null for others.
  requirement use() const;
  /// Writes it into the argument block of a kernel that is about to become a node's. errc::invalid when the kernel has
  /// no such argument.
  void put(node_work& work, int index);
  /// From now on the node's argument follows; `choice`: of its command groups, if there are several.
  void follow(const shared<graph_node>& node, std::size_t choice, int index);
  void change(const void* value, const buffer_use* use);
  void change(const std::size_t* extents);

private:
  struct follower {
    shared<graph_node> node;
    std::size_t choice;
    int index;
    sinter::abi::image_leaf argument;  ///< of this index
  };
  void change_nodes(const requirement* before);
  void put_locked(node_work& work, int index, const sinter::abi::image_leaf& argument);
  std::size_t local_bytes() const;

  mutable std::mutex m_mutex;  // protects what follows; taken before a graph's
  std::vector<char> m_bytes;
  requirement m_use{nullptr, access_mode::read, region(0)};
  std::vector<follower> m_followers;
  int m_dimensions = 0;
  std::size_t m_extents[3] = {1, 1, 1};
  std::size_t m_element_bytes = 0, m_alignment = 1;
};

/// What handler::set_arg said of a kernel that is about to become a node.
struct dynamic_argument {
  int index;
  shared<dynamic_value> value;
};

class dynamic_group : public counted {
public:
  dynamic_group(std::uint64_t graph, std::vector<std::function<void(handler&)>> functions)
      : graph_id(graph), functions(std::move(functions)) {}

  std::size_t active() const {
    std::lock_guard lock(m_mutex);
    return m_active;
  }
  /// errc::invalid when there are not so many.
  void choose(std::size_t index);
  /// A node that was made of it, with what each function asked for.
  void follow(const shared<graph_node>& node, std::vector<shared<node_work>> choices);

  const std::uint64_t graph_id;
  const std::vector<std::function<void(handler&)>> functions;

private:
  mutable std::mutex m_mutex;  // protects what follows; taken before a graph's
  std::size_t m_active = 0;
  std::vector<shared<graph_node>> m_nodes;
};

}  // namespace sycl::detail
