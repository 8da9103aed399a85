#pragma once
/// What orders threads, told to the thread sanitizer of a program that is compiled with it. It sees the program's
/// accesses, and locks, but not this library's atomic variables: without notes it would take what a wait orders for
/// races. Where there is no such sanitizer, a note is one branch.

#include "sanitizers.hpp"

#include <cstddef>

// The sanitizer's interface. Null where none is linked.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void* object);
[[gnu::weak]] void __tsan_release(void* object);
}

namespace sinter {

/// Whether the program has a sanitizer that has to be told; it sees the atomic variables of a library that is compiled
/// with it itself.
inline bool notes_races() noexcept { return !thread_sanitized && __tsan_release != nullptr; }

/// In front of a store that others see: what this thread has done until now comes before their note_acquire of the same
/// object.
inline void note_release(const void* object) noexcept {
  if (notes_races()) [[unlikely]]
    __tsan_release(const_cast<void*>(object));
}
/// Behind a load that has seen such a store.
inline void note_acquire(const void* object) noexcept {
  if (notes_races()) [[unlikely]]
    __tsan_acquire(const_cast<void*>(object));
}

/// Behind the making of an object that a static variable points to, whose guard the sanitizer does not see either: who
/// uses it notes an acquire.
template <class T>
T* note_made(T* object) noexcept {
  note_release(object);
  return object;
}

/// `static auto* one = new (lasting) T;`: for objects with locks of their own that are never destroyed. The sanitizer
/// takes memory of the general allocator for written by the thread that gets it, and the first locks for races with it.
struct lasting_memory {};
inline constexpr lasting_memory lasting;
void* allocate_lasting(std::size_t bytes);

}  // namespace sinter

inline void* operator new(std::size_t bytes, sinter::lasting_memory) { return sinter::allocate_lasting(bytes); }
inline void* operator new[](std::size_t bytes, sinter::lasting_memory) { return sinter::allocate_lasting(bytes); }
