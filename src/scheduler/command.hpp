#pragma once
/// One node of the DAG: work, what it waits for, who waits for it.

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <backends/backend.hpp>

#include <sycl/detail/core.hpp>

namespace sycl::detail {

class fusion_list;
class queue_impl;
class command;
using command_ptr = shared<command>;

/// A kernel launch as data: what fusion looks at.
struct kernel_work : counted {
  kernel_work(function_object&& its_function, const sinter::kernel_launch& its_launch)
      : function(std::move(its_function)), launch(its_launch) {}
  function_object function;  ///< owns launch.block
  sinter::kernel_launch launch;
};

class command : public counted {
public:
  enum class state : std::uint8_t { waiting, ready, running, complete };

  /// Never throws itself: what `work` throws becomes an asynchronous error of the queue.
  std::function<void()> work;
  std::string name;                                ///< for messages
  shared<queue_impl> queue;                        ///< null for host accesses
  std::vector<shared<counted>> keep;               ///< released when the command is complete
  shared<kernel_work> kernel;                      ///< null unless a kernel
  std::uint64_t submit_time = 0, start_time = 0, end_time = 0;  ///< nanoseconds, profiling queues only

  // Protected by the scheduler's mutex.
  state status = state::waiting;
  unsigned blockers = 0;
  std::vector<command_ptr> dependencies;  ///< cleared on completion, so that history does not pile up
  std::vector<command_ptr> successors;
  fusion_list* fusion = nullptr;  ///< the list that collected it, as long as it is held; the list outlives that
  bool held = false;         ///< counts as a blocker until release_commands
  bool shell = false;        ///< replaced by a fused command: completes without running
  std::uint64_t visited = 0; ///< last walk over the DAG that came by
  bool host_access = false;  ///< completed by the end of a host_accessor, not by running
};

} // namespace sycl::detail
