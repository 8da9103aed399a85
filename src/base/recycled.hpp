#pragma once
/// Memory for objects of classes like command: each command that the program submits needs such an object. Deleted
/// objects leave their memory in a list of the thread, and new objects take their memory from this list. Often one
/// thread makes commands and another one deletes them, so threads pass surplus memory on through an exchange. malloc
/// would be slower: it takes a lock in most calls if a thread frees memory that another thread has allocated.

#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

#include "per_thread.hpp"
#include "race_notes.hpp"
#include "sanitizers.hpp"

namespace sinter {

/// Unused pieces of memory, all of one size.
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
  /// Gives all pieces back to the general allocator.
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

/// An exchange to which threads bring surplus pieces of memory, many at a time, and from which other threads take them.
class piece_exchange {
public:
  static constexpr std::size_t handful = 64, most = 32;
  /// Takes all pieces, and leaves `brought` empty.
  void bring(spare_pieces& brought) noexcept;
  /// Returns no pieces if no thread has brought any.
  spare_pieces fetch() noexcept;

private:
  std::mutex m_mutex;  // protects what follows
  spare_pieces m_handfuls[most];
  std::size_t m_count = 0;
};

/// Base of T. T has to be final, so that all its objects have one size.
template <class T>
class recycled {
public:
  static void* operator new(std::size_t bytes) {
    if (keeps()) {
      spares& mine = per_thread<spares>();
      if (mine.at_hand.size() == 0) std::swap(mine.at_hand, mine.full);
      if (mine.at_hand.size() == 0) mine.at_hand = exchange().fetch();
      if (mine.at_hand.size() != 0) return mine.at_hand.take();
    }
    return ::operator new(bytes);
  }
  static void operator delete(void* memory) noexcept {
    if (keeps()) {
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
  static bool keeps() noexcept { return !address_sanitized && !thread_sanitized && !notes_races(); }
  /// The spare pieces of one thread, in two lists. With one list, a thread that alternately allocates and frees at its
  /// limit would need the exchange each time.
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
