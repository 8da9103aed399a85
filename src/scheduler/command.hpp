#pragma once
/// One node of the DAG: work, what it waits for, who waits for it.

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <sycl/detail/shared.hpp>

namespace sycl::detail {

class queue_impl;
class command;
using command_ptr = shared<command>;

class command : public counted {
public:
  enum class state : std::uint8_t { waiting, ready, running, complete };

  /// Never throws itself: what `work` throws becomes an asynchronous error of the queue.
  std::function<void()> work;
  std::string name;                                ///< for messages
  shared<queue_impl> queue;                        ///< null for host accesses
  std::vector<shared<counted>> keep;               ///< released when the command is complete
  std::uint64_t submit_time = 0, start_time = 0, end_time = 0;  ///< nanoseconds, profiling queues only

  // Protected by the scheduler's mutex.
  state status = state::waiting;
  unsigned blockers = 0;
  std::vector<command_ptr> dependencies;  ///< cleared on completion, so that history does not pile up
  std::vector<command_ptr> successors;
  bool host_access = false;  ///< completed by the end of a host_accessor, not by running
};

} // namespace sycl::detail
