#pragma once
/// Specialization constants (SYCL 2020 4.11.12): sycl::specialization_id and sycl::kernel_handler.
///
/// The runtime passes a small table to the kernel, with the values that the command group has set. Kernels are compiled
/// for these values: the constants are numbers in the code, as if they were written in the source. Only a kernel that
/// was already launched with many different sets of values reads the table instead.

#include <cstddef>
#include <cstdint>
#include <sinter/abi/device_abi.hpp>
#include <type_traits>

#include "detail/compiled_core.hpp"

namespace sycl::inline _V1 {

/// Identifies a specialization constant and contains its default value. A specialization_id has to be a constexpr
/// variable at namespace scope, or a static member of a class.
template <class T>
class specialization_id {
public:
  using value_type = T;

  template <class... Arguments>
    requires(std::is_constructible_v<T, Arguments...>)
  explicit constexpr specialization_id(Arguments&&... arguments) : m_default(static_cast<Arguments&&>(arguments)...) {}
  specialization_id(const specialization_id&) = delete;
  specialization_id(specialization_id&&) = delete;
  specialization_id& operator=(const specialization_id&) = delete;
  specialization_id& operator=(specialization_id&&) = delete;

private:
  friend struct detail::specialization_access;
  T m_default;
};

namespace detail {

template <auto& Name>
using specialization_type = typename std::remove_reference_t<decltype(Name)>::value_type;

struct specialization_access {
  template <auto& Name>
  static constexpr const specialization_type<Name>& initial() noexcept {
    return Name.m_default;
  }
};

/// Returns the key of a constant. `key` is a hash of the text of the constant's name. In this text, Clang omits the
/// arguments of variable templates, so capture replaces this call by the complete key.
extern "C" [[gnu::noinline]] inline std::uint64_t __sinter_specialization_key(const void*, std::uint64_t key) noexcept {
  return key;
}

consteval std::uint64_t hash_of_text(const char* text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (; *text; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
  return hash;
}

/// Identifies a constant on host and device by a hash of its qualified name. The key can't be the constant's address,
/// because device code has copies of constants at other addresses.
template <auto& Name>
consteval std::uint64_t specialization_name_hash() {
  return hash_of_text(__PRETTY_FUNCTION__) & ~sinter::abi::specialization_without_default;
}

/// Returns the hash of a constant of a program (program.hpp). A type identifies the constant.
template <class T, class ID>
consteval std::uint64_t program_constant_hash() {
  return (hash_of_text(__PRETTY_FUNCTION__) & ~sinter::abi::specialization_of_argument) |
         sinter::abi::specialization_without_default;
}

template <auto& Name>
SINTER_DEVICE_INLINE std::uint64_t specialization_key() noexcept {
  return __sinter_specialization_key(&Name, specialization_name_hash<Name>());
}

template <auto& Name>
SINTER_DEVICE_INLINE specialization_type<Name> specialized_value(const specialization_table* table) noexcept {
  return *static_cast<const specialization_type<Name>*>(
      __sinter_specialization_constant(table, __sinter_specialization_key(&Name, specialization_name_hash<Name>()),
                                       &specialization_access::initial<Name>()));
}

}  // namespace detail

/// The last parameter of a kernel, through which the kernel reads its specialization constants. Only the runtime
/// constructs such objects.
class kernel_handler {
public:
  template <auto& Name>
  SINTER_DEVICE_INLINE detail::specialization_type<Name> get_specialization_constant() const noexcept {
    return detail::specialized_value<Name>(m_table);
  }
  /// This function, as proposal CP015 declares it.
  template <class T, auto& Name>
  SINTER_DEVICE_INLINE T get_specialization_constant() const noexcept {
    return detail::specialized_value<Name>(m_table);
  }

private:
  friend struct detail::kernel_handler_access;
  explicit SINTER_DEVICE_INLINE kernel_handler(const detail::specialization_table* table) noexcept : m_table(table) {}
  const detail::specialization_table* m_table;
};

namespace detail {

struct kernel_handler_access {
  static SINTER_DEVICE_INLINE kernel_handler make(const specialization_table* table) noexcept {
    return kernel_handler(table);
  }
};

/// Calls the function object with a kernel_handler as an additional last argument.
template <class Function>
struct kernel_with_handler {
  using sinter_user_function = Function;  ///< capture reads the attributes of this type
  Function function;
  const specialization_table* table;

  template <class... Arguments>
  SINTER_DEVICE_INLINE void operator()(Arguments&&... arguments) const {
    function(static_cast<Arguments&&>(arguments)..., kernel_handler_access::make(table));
  }
};

}  // namespace detail
}  // namespace sycl
