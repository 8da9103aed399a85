#pragma once
/// The queues of the program.

#include <mutex>
#include <vector>

#include "queue_impl.hpp"

namespace sycl::inline _V1::detail {

/// All queues that a program can submit to, and those without handles that still have work.
class queue_registry {
public:
  static queue_registry& instance();

  void add(const shared<queue_impl>& added);
  /// Called when its last handle is gone. False: it still has work.
  bool drop(const queue_impl& dropped);
  /// Commands that may use memory of the context: they were submitted to its queues and are not complete.
  std::vector<dependency> commands_of(const context& asked);
  /// Queues that nobody needs any more are left out, and release their memory.
  std::vector<shared<submission_queue>> queues();

private:
  /// Called under the mutex: takes queues that nobody needs any more; their commands are forgotten without the mutex.
  std::vector<shared<queue_impl>> take_unused();
  std::mutex m_mutex;  // protects the list
  std::vector<shared<queue_impl>> m_queues;
};

}  // namespace sycl::detail
