#include "memory_users.hpp"

#include <algorithm>
#include <iterator>

namespace sycl::inline _V1::detail {

void memory_users::add_user(const command_ptr& added, const region& part, access_mode mode, memory_place place,
                            short_list<command_ptr, 4>& conflicts) {
  const bool writes = mode_writes(mode);
  m_written |= writes;
  if (part.is_empty()) return;
  // A user stays in the list until a later command writes all bytes that the user accesses.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < m_users.size(); ++i) {
    user& earlier = m_users[i];
    if (earlier.command != added && (writes || earlier.writes) && part.meets(earlier.part)) {
      if (writes && part.covers(earlier.part)) {
        conflicts.push_back(std::move(earlier.command));
        continue;
      }
      conflicts.push_back(earlier.command);
    }
    if (kept != i) m_users[kept] = std::move(earlier);
    ++kept;
  }
  m_users.erase(m_users.begin() + static_cast<std::ptrdiff_t>(kept), m_users.end());
  if (m_users.size() >= m_next_cleanup) {
    std::erase_if(m_users, [](const user& each) { return each.command->is_complete(); });
    m_next_cleanup = std::max<std::size_t>(16, 2 * m_users.size());
  }
  if (m_users.capacity() == 0) m_users.reserve(4);  // one allocation instead of three
  m_users.push_back({added, part, writes, place});
}

void memory_users::find_users_at(memory_place place, const region& part, short_list<command_ptr, 4>& found) const {
  for (const user& each : m_users) {
    if (each.place == place && part.meets(each.part)) found.push_back(each.command);
  }
}

std::vector<command_ptr> memory_users::users() const {
  std::lock_guard lock(m_users_mutex);
  std::vector<command_ptr> result;
  for (const user& each : m_users) {
    if (!each.command->is_complete()) result.push_back(each.command);
  }
  return result;
}

bool memory_users::has_commands() const {
  return std::any_of(m_users.begin(), m_users.end(),
                     [](const user& each) { return !each.command->host_access && !each.command->is_complete(); });
}

void memory_users::set_users_aside(const command* dropped) {
  std::erase_if(m_users, [&](const auto& each) { return each.command.get() == dropped; });
  std::move(m_users.begin(), m_users.end(), std::back_inserter(m_aside));
  m_users.clear();
}

void memory_users::bring_users_back() {
  std::move(m_aside.begin(), m_aside.end(), std::back_inserter(m_users));
  m_aside.clear();
}

bool memory_users::used_by_others(const command* user) const {
  std::lock_guard lock(m_users_mutex);
  return std::any_of(m_users.begin(), m_users.end(),
                     [&](const auto& each) { return each.command.get() != user && !each.command->is_complete(); });
}

}  // namespace sycl::detail
