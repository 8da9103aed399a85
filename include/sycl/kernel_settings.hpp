#pragma once
/// The settings for a command group's kernel, other than the function object: its kernel bundle, its specialization
/// constants, and the arguments of kernel objects (SYCL 2020 4.9.4.2 and 4.11.12).

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "accessor.hpp"
#include "detail/compiled_core.hpp"
#include "detail/kernel_entry.hpp"
#include "detail/mistake.hpp"
#include "is_device_copyable.hpp"
#include "kernel_bundle.hpp"
#include "local_accessor.hpp"
#include "nd_range.hpp"
#include "program.hpp"
#include "range.hpp"
#include "specialization.hpp"

namespace sycl::inline _V1::detail {

/// A value that is passed as an argument of a kernel object.
struct argument_value {
  sinter::abi::leaf_kind kind;               ///< the kind of the argument; a structure has the kind opaque_bytes
  unsigned dimensions = 0, access_mode = 0;  ///< set for accessors only
  std::size_t element_bytes = 0;             ///< set for accessors only
  const void* value = nullptr;
  std::size_t bytes = 0;
};

template <class T>
struct argument_kind {
  static argument_value of(const T& value) noexcept {
    static_assert(is_device_copyable_v<T>,
                  "an argument of a kernel object is an accessor, a local_accessor, or a value that devices can copy");
    using sinter::abi::leaf_kind;
    constexpr bool is_scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;
    return {std::is_pointer_v<T> ? leaf_kind::global_pointer
            : is_scalar          ? leaf_kind::scalar
                                 : leaf_kind::opaque_bytes,
            0,
            0,
            0,
            &value,
            sizeof(T)};
  }
};
template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder IsPlaceholder>
struct argument_kind<accessor<T, Dimensions, Mode, Target, IsPlaceholder>> {
  static argument_value of(const accessor<T, Dimensions, Mode, Target, IsPlaceholder>& value) noexcept {
    return {
        sinter::abi::leaf_kind::accessor, Dimensions, static_cast<unsigned>(Mode), sizeof(T), &value, sizeof(value)};
  }
};
template <class T, int Dimensions>
struct argument_kind<local_accessor<T, Dimensions>> {
  static argument_value of(const local_accessor<T, Dimensions>& value) noexcept {
    return {sinter::abi::leaf_kind::local_accessor, Dimensions, 0, sizeof(T), &value, sizeof(value)};
  }
};

/// `index` is the first argument of set_arg. The value next_argument means the argument after the argument that was set
/// last. Throws errc::invalid for any other negative index.
SINTER_EXPORT void set_kernel_argument(handler_impl& handler, int index, const argument_value& value);
inline constexpr int next_argument = -0x7fffffff;
/// Removes all arguments that were set before.
SINTER_EXPORT void clear_kernel_arguments(handler_impl& handler);
SINTER_EXPORT void launch_kernel_object(handler_impl& handler, const kernel& object, sinter::abi::kernel_shape shape,
                                        int dimensions, const launch_geometry& geometry);
/// The kernel of `object` becomes the command group's kernel, with the specialization constants of the object's bundle.
SINTER_EXPORT void use_kernel(handler_impl& handler, const kernel& object, const char* type_name);

class kernel_settings {
public:
  /// Makes the command group use kernels from this bundle, with the bundle's specialization constants. If the command
  /// group launches a kernel that is not in the bundle, the launch throws errc::kernel_not_supported. Throws
  /// errc::invalid if the bundle has another context than the queue, or if the command group has set specialization
  /// constants.
  void use_kernel_bundle(const kernel_bundle<bundle_state::executable>& bundle) {
    use_bundle(m_impl, implementation(bundle));
  }

  /// Sets a specialization constant for the kernel of this command group. Throws errc::invalid if the command group has
  /// already called use_kernel_bundle.
  template <auto& Name>
  void set_specialization_constant(const specialization_type<Name>& value) {
    set_specialization(m_impl, specialization_key<Name>(), &value, sizeof(value), alignof(specialization_type<Name>));
  }
  template <auto& Name>
  specialization_type<Name> get_specialization_constant() {
    const void* found = get_specialization(m_impl, specialization_key<Name>());
    return found ? *static_cast<const specialization_type<Name>*>(found) : specialization_access::initial<Name>();
  }

  template <auto& Name>
  SINTER_MISTAKE("the value has another type than the specialization_id")
  void set_specialization_constant(...) {}
  template <class T, class Value>
  SINTER_MISTAKE("the specialization_id is a template argument: set_specialization_constant<name>(value)")
  void set_specialization_constant(const specialization_id<T>&, const Value&) {}
  template <auto& Name>
  SINTER_MISTAKE("kernels read specialization constants from a kernel_handler, the last parameter of their function")
  specialization_type<Name> get_specialization_constant() const {
    return {};
  }

  /// These are other names of the functions above, from the second and third versions of proposal CP015. T is the
  /// constant's type. Some of these functions return a spec_constant object, which kernels capture. If the command
  /// group uses a kernel bundle or program, get_spec_constant returns the value in the bundle or program.
  template <class T, auto& Name>
  void set_specialization_constant(const std::type_identity_t<T>& value) {
    set_specialization_constant<Name>(value);
  }
  template <class T, auto& Name>
  T get_specialization_constant() {
    return get_specialization_constant<Name>();
  }
  template <class T, auto& Name>
  experimental::spec_constant<T, experimental::spec_constant_named<Name>> set_spec_constant(
      const std::type_identity_t<T>& value) {
    set_specialization_constant<Name>(value);
    return spec_constant_access::make<T, experimental::spec_constant_named<Name>>(value);
  }
  template <class T, auto& Name>
  experimental::spec_constant<T, experimental::spec_constant_named<Name>> get_spec_constant() {
    const void* found = visible_specialization(m_impl, specialization_key<Name>());
    return spec_constant_access::make<T, experimental::spec_constant_named<Name>>(
        found ? *static_cast<const T*>(found) : specialization_access::initial<Name>());
  }

  /// Sets an argument of the kernel object that the command group launches. The arguments are the captures of the
  /// kernel's lambda, or the members of the kernel's function object. They are numbered from 0 in the order of their
  /// declaration. In a structure, each scalar, pointer or accessor is an argument of its own. A program can also set a
  /// whole structure, at the index of the structure's first member. set_arg copies the bytes of the value. If the value
  /// has another kind or size than the capture, the launch throws errc::kernel_argument.
  template <class T>
  void set_arg(int index, T&& value) {
    set_kernel_argument(m_impl, index, argument_kind<std::remove_cvref_t<T>>::of(value));
  }
  /// Sets all arguments, beginning with number 0.
  template <class... Values>
  void set_args(Values&&... values) {
    clear_kernel_arguments(m_impl);
    (set_kernel_argument(m_impl, next_argument, argument_kind<std::remove_cvref_t<Values>>::of(values)), ...);
  }

  /// Launches a kernel of an executable bundle or program with the arguments that set_arg has set. SYCL 2020 4.9.4.2
  /// allows this only for kernels in other languages; Sinter allows it for all kernels. Throws errc::invalid if the
  /// kernel is for another number of dimensions or another kind of range, or if it was compiled without the capture
  /// plugin. Throws errc::kernel_argument if an argument is missing.
  void single_task(const kernel& object) {
    launch_kernel_object(m_impl, object, sinter::abi::kernel_shape::single_task, 1, {});
  }
  void parallel_for(range<1> size, const kernel& object) { launch_object(1, extents_of(size), object); }
  void parallel_for(range<2> size, const kernel& object) { launch_object(2, extents_of(size), object); }
  void parallel_for(range<3> size, const kernel& object) { launch_object(3, extents_of(size), object); }
  template <int Dimensions>
  void parallel_for(nd_range<Dimensions> size, const kernel& object) {
    const range<Dimensions> global = size.get_global_range(), local = size.get_local_range();
    const id<Dimensions> offset = size.get_offset();
    launch_kernel_object(m_impl, object, sinter::abi::kernel_shape::nd_range, Dimensions,
                         padded_geometry(Dimensions, extents_of(global), extents_of(local), extents_of(offset)));
  }

protected:
  explicit kernel_settings(handler_impl& impl) noexcept : m_impl(impl) {}
  ~kernel_settings() = default;

  handler_impl& m_impl;

private:
  void launch_object(int dimensions, const std::size_t* size, const kernel& object) {
    constexpr std::size_t none[3] = {};
    launch_kernel_object(m_impl, object, sinter::abi::kernel_shape::range, dimensions,
                         padded_geometry(dimensions, size, nullptr, none));
  }
};

}  // namespace sycl::detail
