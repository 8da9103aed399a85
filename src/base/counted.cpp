#include <sycl/detail/shared.hpp>

#include "race_notes.hpp"

namespace sycl::inline _V1::detail {

// The destructor is defined here, so that the library has the class's virtual table once.
counted::~counted() = default;

counted* retain(counted* object) noexcept {
  if (!object) return nullptr;
  // An object without an owner is new, so no other thread can own it yet. A store is faster than an atomic addition.
  if (__atomic_load_n(&object->m_owners, __ATOMIC_RELAXED) == 0) {
    __atomic_store_n(&object->m_owners, 1, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_add(&object->m_owners, 1, __ATOMIC_RELAXED);
  }
  return object;
}

void release(counted* object) noexcept {
  if (!object) return;
  sinter::note_release(object);
  // The only owner needs no atomic subtraction, because only owners make further owners.
  if (__atomic_load_n(&object->m_owners, __ATOMIC_ACQUIRE) != 1 &&
      __atomic_sub_fetch(&object->m_owners, 1, __ATOMIC_ACQ_REL) != 0) {
    return;
  }
  sinter::note_acquire(object);
  delete object;
}

} // namespace sycl::detail
