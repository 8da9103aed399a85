#pragma once
/// A thread that looks every 0.1 ms for commands that no thread has begun to run, and gives them a worker. Most
/// commands are run by the thread that waits for them. Without the attendant, a submitting thread would have to wake a
/// worker for each command, because perhaps no thread waits for the command.

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
  /// Called when the last handle of the stream's queue is destroyed. After this call, the attendant releases the stream
  /// as soon as possible.
  void forget(command_stream& idle);
  /// Wakes the attendant if it is asleep. Called when work was put into the pool.
  void stir() noexcept {
    if (m_asleep.load()) wake();
  }
  bool is_asleep() const noexcept { return m_asleep.load(); }
  std::vector<shared<command_stream>> streams();
  /// Finishes commands that devices have completed. Callers hold no locks, because objects of the user are destroyed
  /// here.
  void look_at_devices();
  /// Like look_at_devices, but skips queues whose submitting threads finish the commands themselves.
  void look_at_unserved();

private:
  void wake() noexcept;
  void start();
  void run();
  /// Called under m_mutex: whether the attendant stops attending the stream.
  bool leaves(command_stream& visited);

  std::mutex m_mutex;  // protects what follows
  std::condition_variable m_changed;
  std::vector<shared<command_stream>> m_streams;
  std::size_t m_on_devices = 0;  ///< number of attended streams whose device works by itself
  bool m_started = false;
  std::atomic<bool> m_asleep{true};  ///< changes under m_mutex
};

}  // namespace sycl::detail
