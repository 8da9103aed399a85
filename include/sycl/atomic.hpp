#pragma once
/// sycl::atomic (SYCL 1.2.1), deprecated in SYCL 2020: atomic access through a multi_ptr. This class is also the
/// element type of accessors with access_mode::atomic. New code should use atomic_ref. All operations are relaxed; SYCL
/// 1.2.1 has no other order.

#include <type_traits>

#include "accessor.hpp"
#include "atomic_ref.hpp"
#include "local_accessor.hpp"
#include "multi_ptr.hpp"

namespace sycl::inline _V1 {

template <class T, access::address_space Space = access::address_space::global_space>
class atomic {
  using reference = atomic_ref<T, memory_order::relaxed, memory_scope::device, Space>;

public:
  template <class Pointee, access::decorated Decorated>
    requires(sizeof(Pointee) == sizeof(T))
  explicit(false) atomic(multi_ptr<Pointee, Space, Decorated> pointer) noexcept
      : m_object(reinterpret_cast<T*>(pointer.get_raw())) {}

  SINTER_DEVICE_INLINE void store(T value, memory_order = memory_order::relaxed) const noexcept { at().store(value); }
  SINTER_DEVICE_INLINE T load(memory_order = memory_order::relaxed) const noexcept { return at().load(); }
  SINTER_DEVICE_INLINE T exchange(T value, memory_order = memory_order::relaxed) const noexcept {
    return at().exchange(value);
  }
  /// Available for integers only.
  SINTER_DEVICE_INLINE bool compare_exchange_strong(T& expected, T value, memory_order = memory_order::relaxed,
                                                    memory_order = memory_order::relaxed) const noexcept {
    return at().compare_exchange_strong(expected, value, memory_order::relaxed, memory_order::relaxed);
  }
  SINTER_DEVICE_INLINE T fetch_add(T operand, memory_order = memory_order::relaxed) const noexcept {
    return at().fetch_add(operand);
  }
  SINTER_DEVICE_INLINE T fetch_sub(T operand, memory_order = memory_order::relaxed) const noexcept {
    return at().fetch_sub(operand);
  }
  SINTER_DEVICE_INLINE T fetch_and(T operand, memory_order = memory_order::relaxed) const noexcept {
    return at().fetch_and(operand);
  }
  SINTER_DEVICE_INLINE T fetch_or(T operand, memory_order = memory_order::relaxed) const noexcept {
    return at().fetch_or(operand);
  }
  SINTER_DEVICE_INLINE T fetch_xor(T operand, memory_order = memory_order::relaxed) const noexcept {
    return at().fetch_xor(operand);
  }
  SINTER_DEVICE_INLINE T fetch_min(T operand, memory_order = memory_order::relaxed) const noexcept {
    return at().fetch_min(operand);
  }
  SINTER_DEVICE_INLINE T fetch_max(T operand, memory_order = memory_order::relaxed) const noexcept {
    return at().fetch_max(operand);
  }

private:
  SINTER_DEVICE_INLINE reference at() const noexcept { return reference(*m_object); }
  T* m_object;
};

// SYCL 1.2.1 also has each member function of atomic as a free function.
template <class T, access::address_space Space>
SINTER_DEVICE_INLINE T atomic_load(atomic<T, Space> object, memory_order = memory_order::relaxed) noexcept {
  return object.load();
}
template <class T, access::address_space Space>
SINTER_DEVICE_INLINE void atomic_store(atomic<T, Space> object, std::type_identity_t<T> value,
                                       memory_order = memory_order::relaxed) noexcept {
  object.store(value);
}
template <class T, access::address_space Space>
SINTER_DEVICE_INLINE bool atomic_compare_exchange_strong(atomic<T, Space> object, std::type_identity_t<T>& expected,
                                                         std::type_identity_t<T> value,
                                                         memory_order = memory_order::relaxed,
                                                         memory_order = memory_order::relaxed) noexcept {
  return object.compare_exchange_strong(expected, value);
}
#define SINTER_ATOMIC_FUNCTION(name, member)                                            \
  template <class T, access::address_space Space>                                       \
  SINTER_DEVICE_INLINE T name(atomic<T, Space> object, std::type_identity_t<T> operand, \
                              memory_order = memory_order::relaxed) noexcept {          \
    return object.member(operand);                                                      \
  }
SINTER_ATOMIC_FUNCTION(atomic_exchange, exchange)
SINTER_ATOMIC_FUNCTION(atomic_fetch_add, fetch_add)
SINTER_ATOMIC_FUNCTION(atomic_fetch_sub, fetch_sub)
SINTER_ATOMIC_FUNCTION(atomic_fetch_and, fetch_and)
SINTER_ATOMIC_FUNCTION(atomic_fetch_or, fetch_or)
SINTER_ATOMIC_FUNCTION(atomic_fetch_xor, fetch_xor)
SINTER_ATOMIC_FUNCTION(atomic_fetch_min, fetch_min)
SINTER_ATOMIC_FUNCTION(atomic_fetch_max, fetch_max)
#undef SINTER_ATOMIC_FUNCTION

/// Accessors with access_mode::atomic are read-write accessors whose elements are atomic.
template <class T, int Dimensions, access::placeholder IsPlaceholder>
class accessor<T, Dimensions, access_mode::atomic, target::device, IsPlaceholder>
    : public accessor<T, Dimensions, access_mode::read_write, target::device, IsPlaceholder> {
  using base = accessor<T, Dimensions, access_mode::read_write, target::device, IsPlaceholder>;

public:
  using base::base;
  SINTER_DEVICE_INLINE atomic<T> operator[](id<detail::rank_of<Dimensions>> index) const noexcept
    requires(Dimensions > 0)
  {
    return global_ptr<T>(&base::operator[](index));
  }
  SINTER_DEVICE_INLINE operator atomic<T>() const noexcept
    requires(Dimensions == 0)
  {
    return global_ptr<T>(&static_cast<T&>(static_cast<const base&>(*this)));
  }
};
template <class T, int Dimensions, access::placeholder IsPlaceholder>
class accessor<T, Dimensions, access_mode::atomic, target::local, IsPlaceholder>
    : public local_accessor<T, Dimensions> {
  using base = local_accessor<T, Dimensions>;
  using atomic_element = atomic<T, access::address_space::local_space>;

public:
  using base::base;
  SINTER_DEVICE_INLINE atomic_element operator[](id<detail::rank_of<Dimensions>> index) const noexcept
    requires(Dimensions > 0)
  {
    return local_ptr<T>(&base::operator[](index));
  }
  SINTER_DEVICE_INLINE operator atomic_element() const noexcept
    requires(Dimensions == 0)
  {
    return local_ptr<T>(&static_cast<T&>(static_cast<const base&>(*this)));
  }
};

}  // namespace sycl
