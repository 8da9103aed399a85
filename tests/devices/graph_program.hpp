#pragma once
/// Random graphs and their expected results: the same commands one after the other, in plain code.

#include <cstdint>
#include <string>
#include <sycl/sycl.hpp>

namespace test {

/// Graphs of a seed, on the device. They are built by hand in any order, recorded or nested, with host tasks. They are
/// submitted to several queues, several at a time, and updated in between, one node or all, beside ordinary commands.
/// Nodes have all types except those that need a driver. Returns an empty text, or the failure.
std::string run_graphs(std::uint64_t seed, const sycl::device& device);

}  // namespace test
