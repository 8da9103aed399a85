#pragma once
/// The commands that a queue hands over to its device, in order, and the nodes among them that are not complete yet.
///
/// There is no thread whose only purpose is to wait for the device. A thread that needs a command's state asks the
/// device, and finishes all nodes that have become complete. If no other thread asks, the attendant asks the device.

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <backends/stream.hpp>

#include "command.hpp"
#include "traced_command.hpp"

namespace sycl::inline _V1::detail {

struct operation;

class device_channel {
public:
  device_channel(std::unique_ptr<sinter::device_stream> stream, command_stream& owner)
      : m_stream(std::move(stream)), m_owner(owner) {}
  device_channel(const device_channel&) = delete;

  /// Hands a claimed command, which has no blockers, to the device. Some successors run on devices that wait for this
  /// command without the host. Adds these successors to `freed`.
  void submit(const command_ptr& claimed, command::successor_list& freed);
  /// Hands work that has no node to the device, and returns the work's ticket. `before` lists commands that were handed
  /// over to other channels. The device runs the work after these commands.
  std::uint64_t push(operation& work, std::span<const dependency> before);

  bool is_complete(std::uint64_t ticket);
  void wait(std::uint64_t ticket);
  /// Blocks `after` until the work is complete, unless the device itself keeps the order.
  void follow(std::uint64_t ticket, const command_ptr& after);
  /// Finishes the nodes that are complete on the device.
  void retire();
  /// Whether all commands up to the ticket are complete and have released the objects that they kept. Objects that the
  /// calling thread is releasing at the moment count as released.
  bool has_let_go(std::uint64_t ticket);
  /// Whether some command stays blocked until a host thread sees that this channel's work is complete.
  bool has_followers() const noexcept { return m_following.load(std::memory_order_relaxed) != 0; }
  /// Whether all work is complete and its nodes are finished.
  bool is_idle();
  std::uint64_t latest() const noexcept { return m_stream->latest(); }
  /// native() returns the driver's stream. native_event() returns an event of the driver that is complete when all work
  /// is complete (see device_stream).
  void* native() noexcept {
    m_stream->flush();
    return m_stream->native();
  }
  void* native_event() {
    std::lock_guard lock(m_mutex);
    m_stream->flush();
    return m_stream->native_event();
  }

private:
  struct entry {
    std::uint64_t ticket;
    command_ptr command;
    std::uint64_t tickets = 1;         ///< how many tickets the command has; `ticket` is the last one
    std::vector<traced_part> parts{};  ///< what the timeline shows for each ticket
  };

  void wait_for(const dependency& before);
  void hand_over(const work_list& list, const command& owner);
  void hand_over(const command& claimed);
  void stay_within_limit();
  sinter::command_times take_times(const entry& complete);
  void take_times_of_last(command& end) const;
  void end_batch(std::uint64_t first, std::vector<command_ptr>& spare);

  const std::unique_ptr<sinter::device_stream> m_stream;
  command_stream& m_owner;
  std::atomic<std::uint64_t> m_completed{0};  ///< tickets up to here are known to be complete
  std::atomic<std::size_t> m_following{0};    ///< the size of m_followers, for threads without the lock

  std::mutex m_mutex;  // protects what follows, and is held while work is handed over
  boost::circular_buffer<entry> m_nodes;  ///< grows as needed
  std::vector<entry> m_followers;  ///< commands that stay blocked until a ticket is complete
  std::vector<sinter::command_times> m_times;  ///< times of the node that is being finished, one per ticket
  struct batch {
    std::uint64_t first;
    const void* thread;
  };
  /// Each batch has the nodes and followers that a thread has taken out of the lists above and is finishing.
  std::vector<batch> m_batches;
  std::vector<command_ptr> m_spare_list;  ///< always empty; its memory is reused for the next list of complete commands
};

}  // namespace sycl::detail
