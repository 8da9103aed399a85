#pragma once
/// One node of the DAG: work, what it waits for, who waits for it.

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sycl::detail {

class queue_impl;

class command : public std::enable_shared_from_this<command> {
public:
  enum class state : std::uint8_t { waiting, ready, running, complete };

  /// Never throws itself: what `work` throws becomes an asynchronous error of the queue.
  std::function<void()> work;
  std::string name;                                ///< for messages
  std::shared_ptr<queue_impl> queue;               ///< null for host accesses
  std::vector<std::shared_ptr<const void>> keep;   ///< released when the command is complete
  std::uint64_t submit_time = 0, start_time = 0, end_time = 0;  ///< nanoseconds, profiling queues only

  // Protected by the scheduler's mutex.
  state status = state::waiting;
  unsigned blockers = 0;
  std::vector<std::shared_ptr<command>> dependencies;  ///< cleared on completion, so that history does not pile up
  std::vector<std::shared_ptr<command>> successors;
  bool host_access = false;  ///< completed by the end of a host_accessor, not by running
};

using command_ptr = std::shared_ptr<command>;

} // namespace sycl::detail
