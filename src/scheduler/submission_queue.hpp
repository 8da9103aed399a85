#pragma once
/// A queue as the scheduler sees it: its stream, its nodes, and the order in which both were submitted.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <vector>

#include "command.hpp"
#include "command_list.hpp"
#include "command_stream.hpp"
#include "fusion_pause.hpp"
#include "memory_users.hpp"

namespace sycl::inline _V1::detail {

class submission_queue : public command_stream {
public:
  submission_queue(sinter::device_backend& backend, bool in_order, bool profiling, void* native = nullptr,
                   bool only_copies = false);

  /// Commands that are perhaps incomplete, without the commands that a device has taken over.
  std::vector<dependency> unfinished();

  bool in_order() const noexcept { return m_in_order; }
  bool profiling() const noexcept { return m_profiling; }

  /// In-order queues: pushes a command into the stream, if it needs no node. Returns its ticket; 0: the command needs a
  /// node.
  std::uint64_t push_simple(operation& work, std::span<const dependency> dependencies);
  /// Submits a node in the queue's order (submit_command). Ends the lists that the node would have to wait for.
  void submit(const command_ptr& node, std::span<const dependency> dependencies,
              std::span<const requirement> requirements);
  /// Submits a node. If the node would have to wait for a list that still collects, the function only returns the list
  /// and does nothing else.
  [[nodiscard]] shared<command_list> try_submit(const command_ptr& node, std::span<const dependency> dependencies,
                                                std::span<const requirement> requirements);
  /// Slows down a thread that has submitted far more commands than are complete. Callers hold no lock.
  void after_submit();
  void count_node(std::ptrdiff_t change) noexcept { m_nodes.fetch_add(change, std::memory_order_relaxed); }
  /// In-order queues: the latest command. When it is complete, all commands of the queue are.
  dependency last();
  /// In-order queues: whether the latest command is known to be complete, without a lock.
  bool is_through() const noexcept { return !m_has_tail.load(std::memory_order_acquire) && is_idle(); }
  /// Out-of-order queues: the commands that are not known to be complete.
  std::vector<command_ptr> outstanding();
  /// Releases the queue's commands, because they refer to the queue and would keep it alive. Called when no thread
  /// submits to the queue any more and all its commands are complete.
  void forget_commands();
  /// Whether any command is perhaps not complete yet.
  bool has_work() const noexcept {
    if (!is_idle() || m_nodes.load() != 0) return true;
    sinter::note_acquire(static_cast<const sycl::detail::counted*>(this));
    return false;
  }

  void run_kernel(const sinter::kernel_launch& launch) const;

  /// Says when an automatic queue runs kernels without lists.
  fusion_pause& pause() noexcept { return m_pause; }
  const fusion_pause& pause() const noexcept { return m_pause; }
  /// The first kernel of the sequence of kernels that the program repeats, as it was last observed. The pointer is only
  /// compared, because the kernel's library may have been closed. Null: nothing is known.
  const sinter::abi::kernel_descriptor* sequence_begin() const noexcept { return m_sequence_begin.load(); }
  void set_sequence_begin(const sinter::abi::kernel_descriptor* kernel) noexcept { m_sequence_begin.store(kernel); }
  /// Notes whether the latest list began in the middle of the sequence. After two such lists in a row, forgets the
  /// first kernel, because the program now repeats another sequence.
  void note_rest(bool is_rest) noexcept {
    if (m_was_rest.exchange(is_rest) && is_rest) set_sequence_begin(nullptr);
  }

private:
  /// Called under m_order.
  dependency latest_command();
  /// Called under m_order: whether m_tail is the latest command.
  bool is_tail_latest() const noexcept;
  void set_tail(command_ptr node) noexcept;

  const bool m_in_order;
  const bool m_profiling;
  fusion_pause m_pause;
  std::atomic<const sinter::abi::kernel_descriptor*> m_sequence_begin{nullptr};
  std::atomic<bool> m_was_rest{false};
  std::atomic<std::ptrdiff_t> m_nodes{0};  ///< the number of nodes that are submitted and not complete

  std::mutex m_order;  // in-order queues: held while a command is submitted; protects the stream's end and what follows
  dependency m_tail;  ///< the latest command, if it is a node; otherwise nothing
  std::atomic<bool> m_has_tail{false};  ///< whether m_tail is set, for threads without the lock

  std::mutex m_commands_mutex;  // protects what follows
  std::vector<command_ptr> m_commands;  ///< the commands of out-of-order queues
  std::size_t m_next_cleanup = 64;
};

}  // namespace sycl::detail
