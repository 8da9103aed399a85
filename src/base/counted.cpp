#include <sycl/detail/shared.hpp>

#include "race_notes.hpp"

namespace sycl::inline _V1::detail {

// The destructor is defined here, so that the library has the class's virtual table once.
counted::~counted() = default;

counted* retain(counted* object) noexcept {
  if (object) __atomic_fetch_add(&object->m_owners, 1, __ATOMIC_RELAXED);
  return object;
}

void release(counted* object) noexcept {
  if (!object) return;
  sinter::note_release(object);
  if (__atomic_sub_fetch(&object->m_owners, 1, __ATOMIC_ACQ_REL) != 0) return;
  sinter::note_acquire(object);
  delete object;
}

} // namespace sycl::detail
