#pragma once
/// The work of a graph's node, as data.

#include <base/recycled.hpp>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <scheduler/command.hpp>
#include <scheduler/memory_users.hpp>
#include <vector>

#include <sycl/ext/oneapi/experimental/graph.hpp>

namespace sycl::inline _V1::detail {

using ext::oneapi::experimental::node_type;
class executable_graph;
struct node_work;

/// The members of a node's work that are copied when the node gets other work.
struct node_facts {
  node_type type = node_type::empty;
  const char* name = "";
  shared<kernel_work> kernel;            ///< null: the work is no kernel
  sinter::kernel_launch launch{};        ///< how the kernel is launched; the block belongs to the kernel or to the work
  /// Repeats the checks of a launch that may fail after an update; throws if one fails (runtime/launch_rules.hpp). Null
  /// if the work is no kernel.
  void (*check)(const node_work& work) = nullptr;
  bool keeps_range = false;  ///< the range can't change, because the kernel has memory for exactly these work-groups
  std::size_t ordinary_local_bytes = 0;  ///< bytes of local accessors with fixed sizes
  struct local_part {
    std::size_t place;  ///< offset of the accessor in the argument block
    std::size_t bytes, alignment;
  };
  /// Accessors whose sizes can change. Their memory comes after the memory of all other accessors, in the order of this
  /// list.
  std::vector<local_part> local_parts;
  /// Counters for a kernel that does the final work of a reduction itself instead of leaving it to the host. Their
  /// address is at offset `place` of the block. Null if the kernel has none.
  struct counters_part {
    std::size_t place;
    void* memory;
  } counters{};
  sinter::memory_work memory;
  shared<holder<task>> host;       ///< host code; called in each run of the graph
  shared<native_work> native;      ///< native work; it adds nodes to the driver's graph when that graph is made
  bool on_host = false;            ///< its work needs no device
  shared<executable_graph> graph;  ///< the sub-graph that the node runs; null: none
  std::vector<requirement> requirements;
  std::vector<shared<counted>> keep;
  cost estimate = 0;
};

/// The object never changes once a node has it: an update gives the node another object, and executable graphs keep the
/// old one.
struct node_work final : counted, node_facts, sinter::recycled<node_work> {
  struct freed {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<void, freed> block;  ///< memory for argument blocks that do not fit into `small_block`
  alignas(std::max_align_t) char small_block[112];

  node_work() = default;
  explicit node_work(const node_facts& facts) : node_facts(facts) {}

  /// Throws the errors of `check` if the kernel can't be launched like this. Makes the kernel's code if a device that
  /// works by itself runs the kernel, because such a device can't wait for the compiler.
  void make_ready();
  /// Allocates the work's buffers on `device`, which has memory of its own. Returns a copy of the work with the new
  /// addresses.
  shared<node_work> bound_to(sinter::device_backend& device) const;
  /// Returns a copy that has its own argument block, so that the block may be changed.
  shared<node_work> copy() const;
};

}  // namespace sycl::detail
