#pragma once
/// Random graphs. Plain code computes the expected results by running the commands one after the other.

#include <cstdint>
#include <string>
#include <sycl/sycl.hpp>

namespace test {

/// Runs the graphs of a seed on the device. The graphs are built by hand in any order, recorded or nested, and have
/// host tasks. The graphs are submitted to several queues at the same time. Between submissions, one node or all nodes
/// are updated. Ordinary commands run at the same time. All types of nodes occur except those that need a driver.
/// Returns a text about the failure, or an empty text.
std::string run_graphs(std::uint64_t seed, const sycl::device& device);

}  // namespace test
