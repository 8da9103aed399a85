#pragma once
/// Random graphs, and what they have to compute: the same commands one after the other, in plain code.

#include <cstdint>
#include <string>
#include <sycl/sycl.hpp>

namespace test {

/// Graphs of a seed, on the device: built by hand in any order, recorded, nested, with host tasks; submitted to several
/// queues, several in flight, updated in between, one node or all, beside ordinary commands. Nodes are of all types but
/// those that need a driver. Empty, or what went wrong.
std::string run_graphs(std::uint64_t seed, const sycl::device& device);

}  // namespace test
