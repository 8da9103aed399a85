#pragma once
/// Random programs for the scheduler. The expected results come from plain code that runs the commands one after the
/// other.

#include <cstdint>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

namespace test {

/// Sets the devices on which the queues are created, in turns. If the list is empty, all queues use the default device.
void set_devices(std::vector<sycl::device> devices);

/// Queues that several programs may share. The set stores their asynchronous errors.
class queue_set {
public:
  /// If `count` is at least 2, the set has both an in-order and an out-of-order queue.
  queue_set(std::uint64_t seed, std::size_t count);
  queue_set(const queue_set&) = delete;

  std::size_t size() const noexcept { return m_queues.size(); }
  sycl::queue& operator[](std::size_t i) { return m_queues[i]; }
  bool in_order(std::size_t i) const { return m_queues[i].is_in_order(); }
  /// Makes queue `i` report its pending exceptions. Returns the numbers of the errors in the order in which they were
  /// reported.
  std::vector<std::uint32_t> take_errors(std::size_t i);

private:
  std::vector<std::vector<std::uint32_t>> m_errors;  ///< the errors of each queue, to which the queue's handler appends
  std::vector<sycl::queue> m_queues;
};

/// Runs the program of a seed: buffers, parts of buffers, USM memory with events, host tasks, copies, fills, host
/// accessors, destroyed buffers, exceptions, fusions of some queues. Returns an empty text, or a text about the
/// failure. Errors are numbered from `first_error` on. `thrown[i]` gets the numbers of the errors that queue i
/// has to report.
std::string run_program(std::uint64_t seed, queue_set& queues, std::uint32_t first_error,
                        std::vector<std::vector<std::uint32_t>>& thrown);

/// Runs the whole test for one seed: several programs run at the same time and share their queues. Returns an empty
/// text, or a text with the failure and the seed.
std::string run_seed(std::uint64_t seed);

}  // namespace test
