#pragma once
/// Specialization constants of the proposal CP015, from which SYCL 2020's specialization constants developed. A
/// sycl::program, SYCL 1.2.1's predecessor of kernel bundles, contains their values. New code should use
/// specialization_id and kernel_bundle (specialization.hpp).
///
///   class tile;
///   sycl::program program(queue.get_context());
///   auto size = program.set_spec_constant<tile>(16);      // spec_constant<int, tile>
///   program.build_with_kernel_type<class multiply>();
///   ... handler.parallel_for<class multiply>(program.get_kernel<class multiply>(), range, [=](item<1> i) { size.get()
///   ... });
///
/// If the kernel comes from the program, the program's constants are compiled into the kernel's code as numbers, just
/// like with specialization_id. In other kernels and in host code, a spec_constant has the value with which it was
/// made.

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "context.hpp"
#include "detail/compiled_core.hpp"
#include "detail/kernel_entry.hpp"
#include "device.hpp"
#include "exception_classes.hpp"
#include "kernel_bundle.hpp"
#include "specialization.hpp"

namespace sycl::inline _V1 {

/// `none` means that the program is neither compiled nor built.
enum class program_state { none, compiled, linked };

namespace detail {
class program_impl;
struct spec_constant_access;
}  // namespace detail

namespace experimental {

/// The exception for a specialization constant that is missing, unknown, set too late, or set with another type than
/// before.
class SINTER_EXPORT spec_const_error : public compile_program_error {
public:
  using compile_program_error::compile_program_error;
  spec_const_error(const spec_const_error&) noexcept = default;
  ~spec_const_error() override;
};

/// Identifies a constant by its number in a module, instead of by a type.
template <unsigned NID>
struct spec_constant_id {
  static constexpr unsigned id = NID;
};

/// Identifies the constant of a spec_id or specialization_id (second and third overload in the proposal).
template <auto& Name>
struct spec_constant_named {};

/// Contains a constant's value. Kernels capture the object. Only objects from program::set_spec_constant have a
/// meaningful value. T is a standard-layout, trivially copyable type. ID is any type that can be a kernel name.
template <class T, class ID = T>
class spec_constant {
public:
  using type = T;
  spec_constant() = default;
  SINTER_DEVICE_INLINE T get() const noexcept;
  SINTER_DEVICE_INLINE operator T() const noexcept { return get(); }

private:
  static_assert(std::is_standard_layout_v<T> && std::is_trivially_copyable_v<T>,
                "the type of a specialization constant has to be standard layout and trivially copyable");
  friend struct detail::spec_constant_access;
  explicit spec_constant(const T& value) noexcept : m_value(value) {}
  T m_value{};
};

/// The proposal's name of specialization_id. The proposal's spec_constant<T, s> is spec_constant<T,
/// spec_constant_named<s>> here.
template <class T>
class spec_id : public specialization_id<T> {
public:
  using type = T;
  using specialization_id<T>::specialization_id;
};

}  // namespace experimental

namespace detail {

/// The key of a program's constant, and the constant's name in messages.
struct program_constant {
  std::uint64_t key;        ///< hash of name and type
  std::uint64_t name_hash;  ///< hash of the name alone
  const char *name, *type;  ///< as kernel_type_name() returns them
  bool is_number;           ///< whether spec_constant_id identifies the constant
};

/// These structures read constants. Each structure passes the key to __sinter_specialization_constant as an argument of
/// the call, because capture reads the key from this call. If the constant is not compiled into the code and there is
/// no table, the result is the object's own value.
template <class T, class ID>
struct spec_constant_name {
  static std::uint64_t key() noexcept { return program_constant_hash<T, ID>(); }
  static SINTER_DEVICE_INLINE const void* place(const void* initial) noexcept {
    return __sinter_specialization_constant(nullptr, program_constant_hash<T, ID>(), initial);
  }
};
template <class T, auto& Name>
struct spec_constant_name<T, experimental::spec_constant_named<Name>> {
  static std::uint64_t key() noexcept { return specialization_key<Name>(); }
  static SINTER_DEVICE_INLINE const void* place(const void* initial) noexcept {
    return __sinter_specialization_constant(
        nullptr, __sinter_specialization_key(&Name, specialization_name_hash<Name>()), initial);
  }
};
template <class ID>
inline constexpr bool is_constant_number = false;
template <unsigned NID>
inline constexpr bool is_constant_number<experimental::spec_constant_id<NID>> = true;

struct spec_constant_access {
  template <class T, class ID>
  static experimental::spec_constant<T, ID> make(const T& value) noexcept {
    return experimental::spec_constant<T, ID>(value);
  }
};

/// Returns the value that the command group's kernels read, or null.
SINTER_EXPORT const void* visible_specialization(handler_impl& handler, std::uint64_t key);

}  // namespace detail

/// Contains kernels of the running program, with values of specialization constants. Copies of the object refer to the
/// same program. The program's kernels are compiled when they are first launched, like kernels of bundles. Several
/// threads may change one program; their changes are made one after the other.
class SINTER_EXPORT program {
public:
  program() = delete;
  explicit program(const context& in);
  /// Throws errc::invalid if the list is empty, or if a device is not in the context.
  program(const context& in, std::vector<device> devices);
  /// Links several programs, which must be in the state `compiled`. Each kernel keeps the constants of the program from
  /// which it comes. Throws errc::invalid if the list is empty, if the programs have different contexts, or if one of
  /// them is not in this state.
  explicit program(const std::vector<program>& parts, const std::string& link_options = "");
  program(const program&) noexcept;
  program& operator=(const program&) noexcept;
  ~program();

  /// Sets or changes the value of the constant ID. Returns an object for kernels to capture. Objects from earlier calls
  /// become invalid. Throws spec_const_error if the program is already compiled or built, if ID was set with another
  /// type before, or if ID is a spec_constant_id and no kernel has a constant of this type.
  template <class ID, class T>
  experimental::spec_constant<T, ID> set_spec_constant(T value) {
    using name = detail::spec_constant_name<T, ID>;
    const auto result = detail::spec_constant_access::make<T, ID>(value);
    set_constant({name::key(), detail::program_constant_hash<void, ID>(), detail::kernel_type_name<ID>(),
                  detail::kernel_type_name<T>(), detail::is_constant_number<ID>},
                 &value, sizeof(T), alignof(T));
    return result;
  }
  /// The second overload in the proposal. Kernels read the value of a spec_id by handler::get_spec_constant.
  template <class T, auto& Name>
  void set_spec_constant(const std::type_identity_t<T>& value) {
    set_specialization_constant<Name>(value);
  }
  /// The third overload in the proposal, for a specialization_id. Kernels read the value from their kernel_handler.
  template <auto& Name>
  void set_specialization_constant(const detail::specialization_type<Name>& value) {
    const std::uint64_t key = detail::specialization_key<Name>();
    using type = detail::specialization_type<Name>;
    set_constant({key, key, "", detail::kernel_type_name<type>(), false}, &value, sizeof(value), alignof(type));
  }
  template <class T, auto& Name>
  void set_specialization_constant(const std::type_identity_t<T>& value) {
    set_specialization_constant<Name>(value);
  }
  /// These functions return true, because the values are compiled into the code on every device.
  bool native_spec_constant() const noexcept { return true; }
  bool has_native_spec_constant() const noexcept { return true; }

  /// Compiles the kernel. Throws spec_const_error if the kernel reads a spec_constant that is not set. Throws
  /// errc::invalid if the program is already linked, or if no device of the program can run the kernel. A program may
  /// compile several kernels, one call after the other. The options have no effect, but get_compile_options returns
  /// them.
  template <class KernelName>
  void compile_with_kernel_type(const std::string& options = "") {
    compile(detail::kernel_id_of(detail::kernel_type_name<KernelName>()), options);
  }
  /// Compiles and links the kernel. Throws errc::invalid if the program is already compiled.
  template <class KernelName>
  void build_with_kernel_type(const std::string& options = "") {
    build(detail::kernel_id_of(detail::kernel_type_name<KernelName>()), options);
  }
  /// These functions throw errc::feature_not_supported, because all of Sinter's kernels are C++.
  void compile_with_source(const std::string& source, const std::string& options = "");
  void build_with_source(const std::string& source, const std::string& options = "");
  /// Throws errc::invalid if the program is not in the state `compiled`.
  void link(const std::string& options = "");

  template <class KernelName>
  bool has_kernel() const {
    return has(detail::kernel_id_of(detail::kernel_type_name<KernelName>()));
  }
  /// `name` is the kernel's name as messages show it.
  bool has_kernel(const std::string& name) const;
  /// Throws errc::invalid if the program is not linked, or if it does not contain the kernel.
  template <class KernelName>
  kernel get_kernel() const {
    return find(detail::kernel_id_of(detail::kernel_type_name<KernelName>()));
  }
  kernel get_kernel(const std::string& name) const;

  program_state get_state() const;
  context get_context() const;
  std::vector<device> get_devices() const;
  bool is_host() const noexcept { return false; }
  std::string get_compile_options() const;
  std::string get_link_options() const;
  std::string get_build_options() const;

  friend bool operator==(const program& a, const program& b) noexcept { return a.m_impl == b.m_impl; }
  friend bool operator!=(const program& a, const program& b) noexcept { return !(a == b); }

private:
  friend struct detail::object_access;
  void set_constant(const detail::program_constant& constant, const void* value, std::size_t bytes,
                    std::size_t alignment);
  void compile(const kernel_id& id, const std::string& options);
  void build(const kernel_id& id, const std::string& options);
  bool has(const kernel_id& id) const;
  kernel find(const kernel_id& id) const;

  detail::shared<detail::program_impl> m_impl;
};

namespace experimental {

template <class T, class ID>
SINTER_DEVICE_INLINE T spec_constant<T, ID>::get() const noexcept {
  return *static_cast<const T*>(detail::spec_constant_name<T, ID>::place(&m_value));
}

}  // namespace experimental
}  // namespace sycl
