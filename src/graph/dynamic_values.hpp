#pragma once
/// Arguments of kernel nodes that can be changed (dynamic_parameter, dynamic_local_accessor), and lists of command
/// groups from which one is chosen for a node (dynamic_command_group).

#include <abi/image_format.hpp>
#include <atomic>
#include <memory/buffer_record.hpp>
#include <mutex>
#include <vector>

#include <sycl/detail/graph_names.hpp>
#include <sycl/kernel_settings.hpp>

#include "node.hpp"

namespace sycl::inline _V1::detail {

class dynamic_value : public counted {
public:
  explicit dynamic_value(const argument_value& value);
  dynamic_value(int dimensions, const std::size_t* extents, std::size_t element_bytes, std::size_t alignment);
  ~dynamic_value() override;

  bool is_local_memory() const noexcept { return m_element_bytes != 0; }
  /// The memory that kernels use through an accessor; null if the value is no accessor.
  requirement use() const;
  /// Writes the value into the argument block of a kernel that is about to become a node, and returns the argument.
  /// Throws errc::invalid if the kernel has no such argument.
  sinter::abi::image_leaf put(node_work& work, int index);
  /// From now on, until the node is destroyed, changes of the value also change this argument of one of the node's
  /// command groups.
  void follow(const shared<node_choices>& node, std::size_t choice, const sinter::abi::image_leaf& argument);
  void forget(const node_choices& node);
  /// Throws errc::invalid if a graph can't use the buffer. With the new value, a launch of one of the value's nodes may
  /// be wrong; then throws the error that this launch would throw. If this function throws, nothing has changed.
  void change(const argument_value& value, const buffer_use* use);
  void change(const std::size_t* extents);

  /// A dynamic local memory that a kernel has captured in its argument block. Only kernels in graphs may capture a
  /// dynamic local memory.
  struct captured {
    std::size_t place;
    shared<dynamic_value> value;
  };
  static std::vector<captured> captured_by(const sinter::abi::kernel_descriptor& kernel, const void* block) {
    if (!s_any_local.load(std::memory_order_relaxed)) return {};
    return find_captured(kernel, block);
  }
  sinter::abi::image_leaf put_captured(node_work& work, std::size_t place);

private:
  struct follower {
    node_choices* node;
    std::size_t choice;
    sinter::abi::image_leaf argument;
  };
  shared<node_work> changed(const follower& which, const requirement* before) const;
  void check_nodes(const requirement* before) const;
  void change_nodes(const requirement* before);
  void put_locked(node_work& work, const sinter::abi::image_leaf& argument) const;
  std::size_t local_bytes() const;

  static std::vector<captured> find_captured(const sinter::abi::kernel_descriptor& kernel, const void* block);

  /// Whether the program has ever made dynamic local memory; most programs make none.
  static inline std::atomic<bool> s_any_local{false};
  mutable std::mutex m_mutex;  // protects the members below; locked before a graph's mutex
  std::vector<char> m_bytes;
  argument_value m_kind{};  ///< kind and size of the value; its bytes are in m_bytes
  requirement m_use{nullptr, access_mode::read, region(0)};
  std::vector<follower> m_followers;
  int m_dimensions = 0;
  std::size_t m_extents[3] = {1, 1, 1};
  std::size_t m_element_bytes = 0, m_alignment = 1;
};

/// A dynamic argument of a kernel that is about to become a node.
struct dynamic_argument {
  int index;
  shared<dynamic_value> value;
  sinter::abi::image_leaf argument{};  ///< the argument with this index; put() sets it
};

/// The command groups of a dynamic_command_group as data. The functions of these groups have been called already.
class dynamic_group : public counted {
public:
  dynamic_group(shared<node_choices> its_choices, std::vector<std::vector<shared<graph_node>>> its_before)
      : choices(std::move(its_choices)), before(std::move(its_before)) {}

  std::size_t active() const {
    std::lock_guard lock(choices->mutex());
    return choices->active();
  }
  /// Throws errc::invalid when the index is too large.
  void choose(std::size_t index);

  const shared<node_choices> choices;
  const std::vector<std::vector<shared<graph_node>>> before;  ///< for each command group, the nodes in its depends_on
};

}  // namespace sycl::detail
