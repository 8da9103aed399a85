#pragma once
/// Steps of a graph that run as one kernel.

#include <string>
#include <vector>

#include "step_runner.hpp"

namespace sycl::inline _V1::detail {

/// Kernels of a graph that follow each other: no step that is not one of them has to run between them.
struct fusion_group {
  std::vector<std::uint32_t> steps;  ///< in their order; the first one runs for all
  shared<fused_kernels> fused;       ///< null: they run one by one
  std::string why;                   ///< they do
};

/// Which kernels may be tried. Steps are in no other group.
std::vector<fusion_group> find_groups(std::span<const graph_step> steps);
/// Fuses those of the group, or as many of them as is proved to be right: what is left over is appended to `others`.
void fuse_group(fusion_group& group, std::span<graph_step> steps, sinter::device_backend& backend,
                std::vector<fusion_group>& others);
/// Its first step runs for all from now on; or, when they are not fused, each for itself.
void connect_group(const fusion_group& group, std::span<graph_step> steps, sinter::device_backend& backend);

}  // namespace sycl::detail
