#include "recycled.hpp"

namespace sinter {

void piece_exchange::bring(spare_pieces& brought) noexcept {
  if (brought.size() == 0) return;
  {
    std::lock_guard lock(m_mutex);
    if (m_count < most) {
      m_handfuls[m_count++] = std::exchange(brought, {});
      return;
    }
  }
  brought.drop();
}

spare_pieces piece_exchange::fetch() noexcept {
  std::lock_guard lock(m_mutex);
  return m_count == 0 ? spare_pieces() : std::exchange(m_handfuls[--m_count], {});
}

} // namespace sinter
