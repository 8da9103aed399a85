#pragma once
/// For programs that are compiled with the thread sanitizer. The sanitizer sees the program's accesses and locks, but
/// not the library's atomic variables. So it would report a race between two accesses even if the program waits for a
/// command in between. Notes tell the sanitizer about such waits. In a program without the sanitizer, a note costs one
/// branch.

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

/// Call it before an atomic store that other threads read. For the sanitizer, everything that this thread has done so
/// far then happens before other threads' note_acquire of the same object.
inline void note_release(const void* object) noexcept {
  if (notes_races()) [[unlikely]]
    __tsan_release(const_cast<void*>(object));
}
/// Call it after an atomic load that has read the value of such a store.
inline void note_acquire(const void* object) noexcept {
  if (notes_races()) [[unlikely]]
    __tsan_acquire(const_cast<void*>(object));
}

/// Call it on a new object to which a static variable will point, because the sanitizer does not see the lock of the
/// variable's initialisation. Threads that use the object call note_acquire.
template <class T>
T* note_made(T* object) noexcept {
  note_release(object);
  return object;
}

/// `static auto* one = new (lasting) T;` makes an object that contains locks and is never destroyed. If the object were
/// in memory of the general allocator, the sanitizer would see a write by the first thread that used this memory, and
/// would report the first locks as races with this write.
struct lasting_memory {};
inline constexpr lasting_memory lasting;
void* allocate_lasting(std::size_t bytes);

}  // namespace sinter

inline void* operator new(std::size_t bytes, sinter::lasting_memory) { return sinter::allocate_lasting(bytes); }
inline void* operator new[](std::size_t bytes, sinter::lasting_memory) { return sinter::allocate_lasting(bytes); }
