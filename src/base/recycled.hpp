#pragma once
/// Memory of objects that come and go all the time, one for each command, and often on different threads: what one
/// thread has let go another one takes. The general allocator keeps only seven of a size at hand for a thread, while
/// devices complete dozens of commands at a time.

#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

#include "per_thread.hpp"

// Sanitizers have to see objects die.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SINTER_RECYCLES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SINTER_RECYCLES 0
#endif
#endif
#ifndef SINTER_RECYCLES
#define SINTER_RECYCLES 1
#endif

namespace sinter {

/// Pieces of one size that nobody uses.
class spare_pieces {
public:
  std::size_t size() const noexcept { return m_size; }
  void put(void* memory) noexcept {
    m_first = ::new (memory) piece{m_first};
    ++m_size;
  }
  void* take() noexcept {
    piece* const taken = m_first;
    m_first = taken->next;
    --m_size;
    return taken;
  }
  /// Gives all back to the general allocator.
  void drop() noexcept {
    while (m_size != 0) ::operator delete(take());
  }

private:
  struct piece {
    piece* next;
  };
  piece* m_first = nullptr;
  std::size_t m_size = 0;
};

/// Where threads bring handfuls of pieces that they have too many of, and find them.
class piece_exchange {
public:
  static constexpr std::size_t handful = 64, most = 32;
  /// Leaves none.
  void bring(spare_pieces& brought) noexcept;
  /// Gives none where nobody has brought any.
  spare_pieces fetch() noexcept;

private:
  std::mutex m_mutex;  // protects what follows
  spare_pieces m_handfuls[most];
  std::size_t m_count = 0;
};

/// Base of T, which is final: all are of one size.
template <class T>
class recycled {
public:
  static void* operator new(std::size_t bytes) {
    if constexpr (SINTER_RECYCLES) {
      spares& mine = per_thread<spares>();
      if (mine.at_hand.size() == 0) std::swap(mine.at_hand, mine.full);
      if (mine.at_hand.size() == 0) mine.at_hand = exchange().fetch();
      if (mine.at_hand.size() != 0) return mine.at_hand.take();
    }
    return ::operator new(bytes);
  }
  static void operator delete(void* memory) noexcept {
    if constexpr (SINTER_RECYCLES) {
      spares& mine = per_thread<spares>();
      if (mine.at_hand.size() == piece_exchange::handful) {
        std::swap(mine.at_hand, mine.full);
        if (mine.at_hand.size() != 0) exchange().bring(mine.at_hand);
      }
      mine.at_hand.put(memory);
    } else {
      ::operator delete(memory);
    }
  }

private:
  /// Of one thread. Two handfuls: one that takes and gives by turns meets nobody.
  struct spares {
    spare_pieces at_hand, full;
    ~spares() {
      exchange().bring(at_hand);
      exchange().bring(full);
    }
  };
  static piece_exchange& exchange() {
    static auto* const instance = new piece_exchange;
    return *instance;
  }
};

} // namespace sinter
