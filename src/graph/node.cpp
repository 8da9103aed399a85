#include "node.hpp"

#include <images/kernel_name.hpp>
#include <numeric>
#include <sycl/exception.hpp>

#include "dynamic_values.hpp"

namespace sycl::inline _V1::detail {

const char* name_of(node_type type) noexcept {
  static const char* const names[] = {
      "empty",      "subgraph",           "kernel",    "memcpy",       "memset",    "memfill", "prefetch",
      "mem_advise", "ext_oneapi_barrier", "host_task", "async_malloc", "async_free",
      "native_command"};
  return names[static_cast<int>(type)];
}

void refuse_graph(const std::string& why) { detail::throw_error(errc::invalid, why); }

node_choices::~node_choices() {
  for (const shared<dynamic_value>& each : m_values) each->forget(*this);
}

std::string text_of(const node_work& work) {
  if (work.kernel) return "kernel '" + sinter::kernel_display_name(*work.launch.kernel) + "'";
  return name_of(work.type);
}

std::string text_of(const graph_node& node) {
  return "node " + std::to_string(node.index()) + " (" + text_of(*node.current()) + ")";
}

void graph_node::change_geometry(int dimensions, const std::size_t* global, const std::size_t* local,
                                 const std::size_t* offset) {
  std::lock_guard lock(mutex());
  const node_work& work = *current();
  const auto refuse = [&](const std::string& why) {
    refuse_graph(std::string(local ? "node::update_nd_range" : "node::update_range") + ": " + text_of(*this) + " " +
                 why);
  };
  if (!work.kernel) refuse("is no kernel");
  using sinter::abi::kernel_shape;
  const sinter::abi::kernel_descriptor& kernel = *work.launch.kernel;
  if (kernel.shape == kernel_shape::single_task) refuse("is a single task, which has no range");
  if (work.keeps_range) refuse("is a reduction, which has memory for the range that it was added with");
  if (static_cast<int>(kernel.dimensions) != dimensions) {
    refuse("has " + std::to_string(kernel.dimensions) + " dimensions, the new range " + std::to_string(dimensions));
  }
  launch_geometry geometry;
  for (int i = 0, at = 3 - dimensions; i < dimensions; ++i, ++at) {
    geometry.global_range[at] = global[i];
    geometry.global_offset[at] = offset ? offset[i] : work.launch.global_offset[at];
    // A kernel with groups keeps its local range. If the local size in a dimension does not divide the new range, it is
    // replaced with a smaller size that divides the new range.
    const bool has_groups = kernel.shape == kernel_shape::nd_range;
    geometry.local_range[at] = local        ? local[i]
                               : has_groups ? std::gcd<std::uint64_t>(work.launch.local_range[at], global[i])
                                            : 1;
  }
  shared<node_work> changed = work.copy();
  static_cast<launch_geometry&>(changed->launch) = geometry;
  changed->estimate = estimate_launch(changed->launch);
  changed->make_ready();
  m_choices->set(m_choices->active(), std::move(changed));
}

}  // namespace sycl::detail
