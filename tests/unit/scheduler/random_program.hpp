#pragma once
/// Random programs for the scheduler, and their expected results: the same commands one after the other, in plain code.

#include <cstdint>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

namespace test {

/// Queues are on these devices, taken in turns. Empty: on the device that programs get by default.
void set_devices(std::vector<sycl::device> devices);

/// Queues that several programs may share. Their asynchronous errors are kept.
class queue_set {
public:
  /// The set has at least one queue of each kind, in-order and out-of-order, from `count` 2 on.
  queue_set(std::uint64_t seed, std::size_t count);
  queue_set(const queue_set&) = delete;

  std::size_t size() const noexcept { return m_queues.size(); }
  sycl::queue& operator[](std::size_t i) { return m_queues[i]; }
  bool in_order(std::size_t i) const { return m_queues[i].is_in_order(); }
  /// Hands over exceptions; returns the numbers of the errors from queue `i`, in their order.
  std::vector<std::uint32_t> take_errors(std::size_t i);

private:
  std::vector<std::vector<std::uint32_t>> m_errors;  ///< of each queue, written by its handler
  std::vector<sycl::queue> m_queues;
};

/// Runs the program of a seed: buffers, parts of them, USM memory with events, host tasks, copies, fills, host
/// accessors, buffers that go, exceptions, fusions of some queues. Empty if everything was right, else the failure.
/// Errors have numbers from `first_error` on; `thrown[i]` gets those that queue i has to report.
std::string run_program(std::uint64_t seed, queue_set& queues, std::uint32_t first_error,
                        std::vector<std::vector<std::uint32_t>>& thrown);

/// One whole test: `threads` programs run at a time and share their queues. Returns an empty text, or the failure with
/// the seed.
std::string run_seed(std::uint64_t seed);

}  // namespace test
