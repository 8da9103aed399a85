#pragma once
/// Commands that copy contents of buffers to the memories where other commands need them.

#include <span>
#include <vector>

#include "memory_users.hpp"

namespace sycl::inline _V1::detail {

/// The queues whose commands are transfers.
std::vector<shared<submission_queue>> transfer_queues();

/// Makes the transfers that one command needs. Used under the locks of all buffers of the command.
class transfers_for {
public:
  explicit transfers_for(const command_ptr& needing) : m_needing(needing) {}

  void bring(std::span<const requirement> requirements);
  /// The new transfers. The caller has to start them without locks, in this order.
  const std::vector<command_ptr>& made() const noexcept { return m_made; }
  /// All transfers that are needed, including those made earlier.
  const std::vector<command_ptr>& needed() const noexcept { return m_needed; }

private:
  void submit(const needed_transfer& wanted, memory_users& memory);

  const command_ptr& m_needing;
  std::vector<command_ptr> m_made, m_needed;
};

}  // namespace sycl::detail
