#pragma once
/// Tells the thread sanitizer of a program which events order its threads. The sanitizer sees the program's accesses
/// and locks, but not the library's atomic variables. So without notes it would report races between accesses that a
/// wait of the library orders. In a program without the sanitizer, a note costs one branch.

#include "sanitizers.hpp"

#include <cstddef>

// Two functions of the sanitizer, which are null in programs without the sanitizer.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void* object);
[[gnu::weak]] void __tsan_release(void* object);
}

namespace sinter {

/// Whether notes are needed. A library that is itself compiled with the sanitizer needs no notes, because the sanitizer
/// sees its atomic variables.
inline bool notes_races() noexcept { return !thread_sanitized && __tsan_release != nullptr; }

/// Call it before a store that other threads see. Everything that this thread did earlier then happens before the other
/// threads' note_acquire of the same object.
inline void note_release(const void* object) noexcept {
  if (notes_races()) [[unlikely]]
    __tsan_release(const_cast<void*>(object));
}
/// Call it after a load that has seen such a store.
inline void note_acquire(const void* object) noexcept {
  if (notes_races()) [[unlikely]]
    __tsan_acquire(const_cast<void*>(object));
}

/// Call it on a new object that a static variable will point to, since the sanitizer does not see the variable's guard.
/// Threads that use the object call note_acquire.
template <class T>
T* note_made(T* object) noexcept {
  note_release(object);
  return object;
}

/// `static auto* one = new (lasting) T;` makes objects with locks that are never destroyed. Memory of the general
/// allocator counts as written by its first thread, and the sanitizer would report the first locks as races with this
/// write.
struct lasting_memory {};
inline constexpr lasting_memory lasting;
void* allocate_lasting(std::size_t bytes);

}  // namespace sinter

inline void* operator new(std::size_t bytes, sinter::lasting_memory) { return sinter::allocate_lasting(bytes); }
inline void* operator new[](std::size_t bytes, sinter::lasting_memory) { return sinter::allocate_lasting(bytes); }
