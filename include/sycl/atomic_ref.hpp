#pragma once
/// sycl::atomic_ref (SYCL 2020 4.15.3): atomic access to an ordinary object.
///
/// All operations are atomic at system scope, whatever scope the program requests. This is correct for narrower scopes,
/// too.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "access.hpp"
#include "detail/export.hpp"
#include "group.hpp"
#include "memory_enums.hpp"

namespace sycl::inline _V1 {

namespace detail {

// The compiler's atomic builtins have a number for each memory order: 0 is relaxed, 1 consume, 2 acquire and so on.
constexpr int builtin_order(memory_order order) noexcept {
  return order == memory_order::relaxed ? 0 : static_cast<int>(order) + 1;
}
/// Returns the order of the read alone: of a compare-exchange that fails, or of the load in a read-modify-write
/// operation.
constexpr memory_order read_part(memory_order order) noexcept {
  return order == memory_order::acq_rel   ? memory_order::acquire
         : order == memory_order::release ? memory_order::relaxed
                                          : order;
}
constexpr memory_order write_part(memory_order order) noexcept {
  return order == memory_order::acq_rel   ? memory_order::release
         : order == memory_order::acquire ? memory_order::relaxed
                                          : order;
}

}  // namespace detail

/// T is an integer of 4 or 8 bytes, float, double or a pointer. The object must not be in private memory.
template <class T, memory_order DefaultOrder, memory_scope DefaultScope,
          access::address_space Space = access::address_space::generic_space>
class atomic_ref {
  static constexpr bool is_pointer = std::is_pointer_v<T>;
  static constexpr bool is_integer = std::is_integral_v<T>;
  static constexpr bool is_floating = std::is_floating_point_v<T>;
  static_assert((is_integer || is_floating || is_pointer) && (sizeof(T) == 4 || sizeof(T) == 8),
                "atomic_ref is for integers of 4 or 8 bytes, float, double and pointers");
  static_assert(DefaultOrder == memory_order::relaxed || DefaultOrder == memory_order::acq_rel ||
                    DefaultOrder == memory_order::seq_cst,
                "the default order is relaxed, acq_rel or seq_cst");
  static_assert(Space != access::address_space::private_space, "private memory has no atomics");

public:
  using value_type = T;
  using difference_type = std::conditional_t<is_pointer, std::ptrdiff_t, T>;
  static constexpr std::size_t required_alignment = sizeof(T);
  static constexpr bool is_always_lock_free = true;
  static constexpr memory_order default_read_order = detail::read_part(DefaultOrder);
  static constexpr memory_order default_write_order = detail::write_part(DefaultOrder);
  static constexpr memory_order default_read_modify_write_order = DefaultOrder;
  static constexpr memory_scope default_scope = DefaultScope;

  explicit atomic_ref(T& object) noexcept : m_object(&object) {}
  atomic_ref(const atomic_ref&) noexcept = default;
  atomic_ref& operator=(const atomic_ref&) = delete;

  bool is_lock_free() const noexcept { return true; }

#define SINTER_RMW_DEFAULTS memory_order order = default_read_modify_write_order, memory_scope = default_scope

  SINTER_DEVICE_INLINE void store(T value, memory_order order = default_write_order,
                                  memory_scope = default_scope) const noexcept {
    __atomic_store(m_object, &value, detail::builtin_order(order));
  }
  SINTER_DEVICE_INLINE T operator=(T value) const noexcept {
    store(value);
    return value;
  }
  SINTER_DEVICE_INLINE T load(memory_order order = default_read_order, memory_scope = default_scope) const noexcept {
    T result;
    __atomic_load(m_object, &result, detail::builtin_order(order));
    return result;
  }
  SINTER_DEVICE_INLINE operator T() const noexcept { return load(); }
  SINTER_DEVICE_INLINE T exchange(T value, SINTER_RMW_DEFAULTS) const noexcept {
    T result;
    __atomic_exchange(m_object, &value, &result, detail::builtin_order(order));
    return result;
  }
  /// Floating-point values are compared by their bits.
  SINTER_DEVICE_INLINE bool compare_exchange_weak(T& expected, T value, memory_order success, memory_order failure,
                                                  memory_scope = default_scope) const noexcept {
    return __atomic_compare_exchange(m_object, &expected, &value, true, detail::builtin_order(success),
                                     detail::builtin_order(failure));
  }
  SINTER_DEVICE_INLINE bool compare_exchange_weak(T& expected, T value, SINTER_RMW_DEFAULTS) const noexcept {
    return compare_exchange_weak(expected, value, order, detail::read_part(order));
  }
  SINTER_DEVICE_INLINE bool compare_exchange_strong(T& expected, T value, memory_order success, memory_order failure,
                                                    memory_scope = default_scope) const noexcept {
    return __atomic_compare_exchange(m_object, &expected, &value, false, detail::builtin_order(success),
                                     detail::builtin_order(failure));
  }
  SINTER_DEVICE_INLINE bool compare_exchange_strong(T& expected, T value, SINTER_RMW_DEFAULTS) const noexcept {
    return compare_exchange_strong(expected, value, order, detail::read_part(order));
  }

  /// Adds to integers, floating-point numbers, and pointers (in elements). Integers wrap around.
  SINTER_DEVICE_INLINE T fetch_add(difference_type operand, SINTER_RMW_DEFAULTS) const noexcept {
    if constexpr (is_pointer) {
      return __atomic_fetch_add(m_object, operand * element_bytes(), detail::builtin_order(order));
    } else if constexpr (is_integer || builtin_floats) {
      return __atomic_fetch_add(m_object, operand, detail::builtin_order(order));
    } else {
      return update(order, [&](T old) { return old + operand; });
    }
  }
  SINTER_DEVICE_INLINE T fetch_sub(difference_type operand, SINTER_RMW_DEFAULTS) const noexcept {
    if constexpr (is_pointer) {
      return __atomic_fetch_sub(m_object, operand * element_bytes(), detail::builtin_order(order));
    } else if constexpr (is_integer || builtin_floats) {
      return __atomic_fetch_sub(m_object, operand, detail::builtin_order(order));
    } else {
      return update(order, [&](T old) { return old - operand; });
    }
  }
  SINTER_DEVICE_INLINE T operator+=(difference_type operand) const noexcept {
    if constexpr (is_integer) {
      return __atomic_add_fetch(m_object, operand, detail::builtin_order(default_read_modify_write_order));
    } else {
      return fetch_add(operand) + operand;
    }
  }
  SINTER_DEVICE_INLINE T operator-=(difference_type operand) const noexcept {
    if constexpr (is_integer) {
      return __atomic_sub_fetch(m_object, operand, detail::builtin_order(default_read_modify_write_order));
    } else {
      return fetch_sub(operand) - operand;
    }
  }

#define SINTER_ATOMIC_BITS(name, op)                                                 \
  SINTER_DEVICE_INLINE T fetch_##name(T operand, SINTER_RMW_DEFAULTS) const noexcept \
    requires(is_integer)                                                             \
  {                                                                                  \
    return __atomic_fetch_##name(m_object, operand, detail::builtin_order(order));   \
  }                                                                                  \
  SINTER_DEVICE_INLINE T operator op##=(T operand) const noexcept                  \
    requires(is_integer)                                                             \
  {                                                                                  \
    return fetch_##name(operand) op operand;                                         \
  }
  SINTER_ATOMIC_BITS(and, &)
  SINTER_ATOMIC_BITS(or, |)
  SINTER_ATOMIC_BITS(xor, ^)
#undef SINTER_ATOMIC_BITS

  SINTER_DEVICE_INLINE T fetch_min(T operand, SINTER_RMW_DEFAULTS) const noexcept
    requires(!is_pointer)
  {
#if defined(__clang__)
    if constexpr (is_integer) return __atomic_fetch_min(m_object, operand, detail::builtin_order(order));
#endif
    return update(order, [&](T old) { return operand < old ? operand : old; });
  }
  SINTER_DEVICE_INLINE T fetch_max(T operand, SINTER_RMW_DEFAULTS) const noexcept
    requires(!is_pointer)
  {
#if defined(__clang__)
    if constexpr (is_integer) return __atomic_fetch_max(m_object, operand, detail::builtin_order(order));
#endif
    return update(order, [&](T old) { return old < operand ? operand : old; });
  }

  SINTER_DEVICE_INLINE T operator++(int) const noexcept
    requires(!is_floating)
  {
    return fetch_add(1);
  }
  SINTER_DEVICE_INLINE T operator++() const noexcept
    requires(!is_floating)
  {
    return *this += 1;
  }
  SINTER_DEVICE_INLINE T operator--(int) const noexcept
    requires(!is_floating)
  {
    return fetch_sub(1);
  }
  SINTER_DEVICE_INLINE T operator--() const noexcept
    requires(!is_floating)
  {
    return *this -= 1;
  }

private:
  // g++ has atomic builtins for integers only, and none for minimum and maximum.
#if defined(__clang__)
  static constexpr bool builtin_floats = is_floating;
#else
  static constexpr bool builtin_floats = false;
#endif

  static constexpr std::ptrdiff_t element_bytes() noexcept {
    return static_cast<std::ptrdiff_t>(sizeof(std::remove_pointer_t<T>));
  }

  /// Loops over compare-exchange, for operations that have no instruction.
  template <class Function>
  SINTER_DEVICE_INLINE T update(memory_order order, const Function& function) const noexcept {
    T old = load(memory_order::relaxed);
    while (!compare_exchange_weak(old, function(old), order, memory_order::relaxed)) {
    }
    return old;
  }

#undef SINTER_RMW_DEFAULTS

  T* m_object;
};

}  // namespace sycl
