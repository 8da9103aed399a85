#pragma once
/// The queues of the program.

#include <mutex>
#include <vector>

#include "queue_impl.hpp"

namespace sycl::inline _V1::detail {

/// Lists all queues to which a program can submit, and queues without handles that still have work.
class queue_registry {
public:
  static queue_registry& instance();

  void add(const shared<queue_impl>& added);
  /// Called when the queue's last handle is destroyed. Returns false if the queue still has work.
  bool drop(const queue_impl& dropped);
  /// Returns the commands that may use memory of the context: commands of its queues that are not complete.
  std::vector<dependency> commands_of(const context& asked);
  /// Returns the queues. First removes queues that are no longer needed, so that these queues release their memory.
  std::vector<shared<submission_queue>> queues();

private:
  /// Removes from the list the queues that are no longer needed, and returns these queues. So the caller can release
  /// their commands while the mutex is not held. Called under the mutex.
  std::vector<shared<queue_impl>> take_unused();
  std::mutex m_mutex;  // protects the list
  std::vector<shared<queue_impl>> m_queues;
};

}  // namespace sycl::detail
