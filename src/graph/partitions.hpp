#pragma once
/// Cuts a graph at host tasks, for devices that work by themselves.

#include <backends/program.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "measured_replay.hpp"
#include "step_runner.hpp"

namespace sycl::inline _V1::detail {

/// A partition consists of steps that are handed to the device as one command, or of one step that runs on the host.
struct graph_partition {
  bool on_host = false;
  std::vector<std::uint32_t> steps;                 ///< in an order in which they can run
  std::vector<std::uint32_t> before;                ///< partitions that have to be complete first
  std::vector<requirement> uses;                    ///< all buffers that the steps use
  std::unique_ptr<sinter::device_program> program;  ///< null: its steps are handed over one by one
  std::unique_ptr<measured_replay> measured;        ///< null: nothing is left to measure
  std::string plain;                                ///< why the steps are handed over one by one
};

/// Makes as few partitions as possible, and adds no waits that the graph does not have. Each partition comes after the
/// partitions for which it waits.
std::vector<graph_partition> make_partitions(std::span<const graph_step> steps);

}  // namespace sycl::detail
