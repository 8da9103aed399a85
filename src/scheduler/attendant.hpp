#pragma once
/// A thread that looks every 0.1 ms while commands are submitted, and gives a worker to commands that no thread has
/// begun to run. Thus submitting threads need not wake a worker for commands that are mostly run by the thread that
/// waits for them.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "command_stream.hpp"

namespace sycl::inline _V1::detail {

class attendant {
public:
  static attendant& instance();

  /// Attends the stream from now on, until it has been idle for a while. A stream with work is always attended.
  void attend(const shared<command_stream>& attended);
  /// The last handle of the stream's queue is gone, so the attendant keeps the stream no longer than it must.
  void forget(command_stream& idle);
  /// Called when work was put into the pool.
  void stir() noexcept {
    if (m_asleep.load()) wake();
  }
  bool is_asleep() const noexcept { return m_asleep.load(); }
  std::vector<shared<command_stream>> streams();
  /// Finishes commands that devices have completed. Callers hold no locks: objects of the user die here.
  void look_at_devices();
  /// Finishes commands that devices have completed, but not in queues whose threads do so while they submit.
  void look_at_unserved();

private:
  void wake() noexcept;
  void start();
  void run();
  /// Called under the mutex: whether the stream is left alone from now on.
  bool leaves(command_stream& visited);

  std::mutex m_mutex;  // protects what follows
  std::condition_variable m_changed;
  std::vector<shared<command_stream>> m_streams;
  std::size_t m_on_devices = 0;  ///< how many attended streams are on devices
  bool m_started = false;
  std::atomic<bool> m_asleep{true};  ///< changes under the mutex
};

}  // namespace sycl::detail
