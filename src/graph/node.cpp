#include "node.hpp"

#include <abi/byte_count.hpp>
#include <images/kernel_name.hpp>
#include <sycl/exception.hpp>

namespace sycl::detail {

const char* name_of(node_type type) noexcept {
  static const char* const names[] = {
      "empty",      "subgraph",           "kernel",    "memcpy",       "memset",    "memfill", "prefetch",
      "mem_advise", "ext_oneapi_barrier", "host_task", "async_malloc", "async_free",
      "native_command"};
  return names[static_cast<int>(type)];
}

void refuse_graph(const std::string& why) { throw exception(make_error_code(errc::invalid), why); }

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
  const char* const call = local ? "node::update_nd_range" : "node::update_range";
  const auto refuse = [&](const std::string& why) {
    throw exception(make_error_code(errc::invalid), std::string(call) + ": " + text_of(*this) + " " + why);
  };
  if (!m_work->kernel) refuse("is no kernel");
  const sinter::abi::kernel_descriptor& kernel = *m_work->launch.kernel;
  const bool has_groups = kernel.shape == sinter::abi::kernel_shape::nd_range;
  if (kernel.shape == sinter::abi::kernel_shape::single_task) refuse("is a single task, which has no range");
  if (m_work->launch.visits_elements() || has_groups != static_cast<bool>(local)) {
    refuse(has_groups ? "is launched with an nd_range; use update_nd_range"
                      : "is launched with a range; use update_range");
  }
  if (static_cast<int>(kernel.dimensions) != dimensions) {
    refuse("has " + std::to_string(kernel.dimensions) + " dimensions, the new range " + std::to_string(dimensions));
  }
  launch_geometry geometry;
  std::uint64_t group_size = 1;
  for (int i = 0, at = 3 - dimensions; i < dimensions; ++i, ++at) {
    geometry.global_range[at] = global[i];
    geometry.global_offset[at] = offset ? offset[i] : m_work->launch.global_offset[at];
    if (!local) continue;
    geometry.local_range[at] = local[i];
    group_size = sinter::abi::multiply_bytes(group_size, local[i]);
    if (local[i] != 0 && global[i] % local[i] == 0) continue;
    throw exception(make_error_code(errc::nd_range),
                    std::string(call) + ": " + text_of(*this) + ": the local range does not divide the global range");
  }
  if (const std::uint64_t limit = m_work->kernel->held.backend.facts().max_work_group_size; group_size > limit) {
    throw exception(make_error_code(errc::nd_range), std::string(call) + ": " + text_of(*this) +
                                                         ": the work-group is larger than the device's limit of " +
                                                         std::to_string(limit) + " work-items");
  }
  shared<node_work> changed = m_work->copy();
  static_cast<launch_geometry&>(changed->launch) = geometry;
  changed->make_code();
  set(std::move(changed));
}

}  // namespace sycl::detail
