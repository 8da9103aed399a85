#pragma once
/// The commands that use one piece of memory, a buffer's, and which of them a further one has to wait for.

#include <cstddef>
#include <mutex>
#include <vector>

#include <sycl/access.hpp>

#include "command.hpp"
#include "region.hpp"

namespace sycl::detail {

class memory_users : public counted {
public:
  /// Held while a command is submitted that uses the memory, together with those of its other memory (scheduler.hpp).
  std::mutex& users_mutex() const noexcept { return m_users_mutex; }
  /// Under users_mutex: what the command has to wait for; from now on it is a user itself.
  void add_user(const command_ptr& user, const region& part, access_mode mode, short_list<command_ptr, 4>& conflicts);
  /// Under users_mutex: those that the command would have to wait for, as it calls them.
  template <class Visitor>
  void visit_conflicts(const region& part, access_mode mode, Visitor visit) const {
    for (const user& earlier : m_users) {
      if ((mode_writes(mode) || earlier.writes) && part.meets(earlier.part)) visit(*earlier.command);
    }
  }
  /// Under users_mutex: until they are brought back, only users that are added now are known; `dropped` is none any
  /// more.
  void set_users_aside(const command* dropped);
  void bring_users_back();
  /// Commands that are not complete yet.
  std::vector<command_ptr> users() const;
  /// Whether a command that is not `user` still uses the memory.
  bool used_by_others(const command* user) const;

protected:
  /// Under users_mutex: some command was submitted that writes.
  bool is_written() const noexcept { return m_written; }

private:
  struct user {
    command_ptr command;
    region part;
    bool writes;
  };
  mutable std::mutex m_users_mutex;  // protects what follows
  std::vector<user> m_users;         ///< without those that a later writer stands for
  std::vector<user> m_aside;
  std::size_t m_next_cleanup = 16;
  bool m_written = false;
};

/// A use of memory by a command.
struct requirement {
  shared<memory_users> memory;
  access_mode mode;
  region part;
};

}  // namespace sycl::detail
