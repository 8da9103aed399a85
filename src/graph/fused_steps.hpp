#pragma once
/// Steps of a graph that run as one kernel.

#include <string>
#include <vector>

#include "step_runner.hpp"

namespace sycl::inline _V1::detail {

/// Kernels of a graph. No other step of the graph has to run between them.
struct fusion_group {
  std::vector<std::uint32_t> steps;  ///< in the order in which they run; if they are fused, the first step runs all
                                     ///< kernels
  shared<fused_kernels> fused;       ///< null: the kernels run one by one
  std::string why;                   ///< why the kernels run one by one
};

/// Finds groups of kernels that may be fused. Each step is in one group at most.
std::vector<fusion_group> find_groups(std::span<const graph_step> steps);
/// Fuses the steps of the group, or the largest part whose fusion is proved to be right. The remaining steps are
/// appended to `others`.
void fuse_group(fusion_group& group, std::span<graph_step> steps, fusing_graph of,
                std::vector<fusion_group>& others);
/// From now on the first step runs all kernels of the group. If the group's kernels are not fused, each step runs its
/// own kernel.
void connect_group(const fusion_group& group, std::span<graph_step> steps, sinter::device_backend& backend);

}  // namespace sycl::detail
