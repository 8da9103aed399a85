#pragma once
/// Records the commands that use the memory of one buffer, and finds those that a new command has to wait for.

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include <sycl/access.hpp>

#include "command.hpp"
#include "region.hpp"

namespace sycl::inline _V1::detail {

/// A memory that may hold the contents of a buffer: a device's memory, or the host's (null).
using memory_place = sinter::device_backend*;

/// A copy of contents from the memory where they are current to the memory where a command needs them.
struct transfer {
  memory_place from, to;
  sinter::abi::strided_copy copy;
  region part;
};

/// A transfer that a command has to wait for.
struct needed_transfer {
  command_ptr command;  ///< the command that makes the transfer
  /// The work of `command`. Empty if `command` was already submitted, because an earlier command needed the same
  /// transfer.
  std::optional<transfer> what{};
  /// the command that copies the contents to `what->from`; null: the contents are in this memory already
  command_ptr source{};
};

class memory_users : public counted {
public:
  /// Locked while a command that uses the memory is submitted, together with the mutexes of all other memory that the
  /// command uses (scheduler.hpp).
  std::mutex& users_mutex() const noexcept { return m_users_mutex; }
  /// Called under users_mutex: finds the commands that the command `user` has to wait for, and adds `user` to the
  /// users.
  void add_user(const command_ptr& user, const region& part, access_mode mode, memory_place place,
                short_list<command_ptr, 4>& conflicts);
  /// Called under users_mutex: adds to `found` the commands that use this part of the memory at `place`.
  void find_users_at(memory_place place, const region& part, short_list<command_ptr, 4>& found) const;
  /// Whether the contents have always been in the host's memory only.
  bool is_on_host_only() const noexcept { return m_on_host_only.load(std::memory_order_acquire); }
  /// Called under users_mutex when a command is submitted that uses the part at `place`. Returns the transfers that the
  /// command needs, in order. Also records where the contents will be current after the command.
  virtual std::vector<needed_transfer> bring(const region& part, memory_place place, access_mode mode,
                                             bool no_init) = 0;
  /// Called under users_mutex: visits the commands that a new command with this use would have to wait for.
  template <class Visitor>
  void visit_conflicts(const region& part, access_mode mode, Visitor visit) const {
    for (const user& earlier : m_users) {
      if ((mode_writes(mode) || earlier.writes) && part.meets(earlier.part)) visit(*earlier.command);
    }
  }
  /// Called under users_mutex: hides all users until bring_users_back is called. In the meantime, searches find only
  /// users that are added after this call. Removes `dropped` from the users for good.
  void set_users_aside(const command* dropped);
  void bring_users_back();
  /// Lists the users that are not complete yet.
  std::vector<command_ptr> users() const;
  /// Whether another command than `user` still uses the memory.
  bool used_by_others(const command* user) const;

protected:
  /// Called under users_mutex: whether any submitted command writes the memory.
  bool is_written() const noexcept { return m_written; }
  /// Called under users_mutex: whether an incomplete command uses the memory. Host accesses don't count, because the
  /// contents that they access are in the host's memory already.
  bool has_commands() const;
  void leave_host() noexcept { m_on_host_only.store(false, std::memory_order_release); }

private:
  struct user {
    command_ptr command;
    region part;
    bool writes;
    memory_place place;
  };
  mutable std::mutex m_users_mutex;  // protects what follows
  std::vector<user> m_users;         ///< a user is removed when a later command writes all its bytes
  std::vector<user> m_aside;
  std::size_t m_next_cleanup = 16;
  bool m_written = false;
  std::atomic<bool> m_on_host_only{true};
};

/// A use of memory by a command.
struct requirement {
  shared<memory_users> memory;
  access_mode mode;
  region part;
  memory_place place = nullptr;  ///< the memory in which the command uses the contents
  bool no_init = false;
  bool of_host = false;  ///< the command uses the host's memory, whatever device its queue has
};

}  // namespace sycl::detail
