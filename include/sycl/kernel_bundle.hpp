#pragma once
/// sycl::kernel_id, kernel, kernel_bundle and device_image (SYCL 2020 4.11).
///
/// A kernel is compiled, or loaded from the cache, when it is first launched, whatever the state of its bundle.
/// compile, link and build only change the state of a bundle and fix its specialization constants. A bundle has one
/// device image. A bundle that was joined from several bundles has the images of all of them. In library mode (without
/// the capture plugin), Sinter knows a kernel of the program only after the program has named or launched it.

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "context.hpp"
#include "detail/compiled_core.hpp"
#include "detail/kernel_entry.hpp"
#include "device.hpp"
#include "info.hpp"
#include "property_list.hpp"
#include "specialization.hpp"

namespace sycl::inline _V1 {

/// The state ext_oneapi_source is for a source text or SPIR-V that the program passes at run time
/// (ext/oneapi/experimental/kernel_compiler.hpp).
enum class bundle_state { input, object, executable, ext_oneapi_source };

class kernel;

namespace detail {
struct kernel_identity;  // defined in src/runtime
struct bundle_access;
}  // namespace detail

/// Identifies a kernel of the program.
class SINTER_EXPORT kernel_id {
public:
  const char* get_name() const noexcept;
  friend bool operator==(const kernel_id& a, const kernel_id& b) noexcept { return a.m_identity == b.m_identity; }
  friend bool operator!=(const kernel_id& a, const kernel_id& b) noexcept { return !(a == b); }

private:
  friend struct detail::object_access;
  friend struct std::hash<kernel_id>;
  explicit kernel_id(const detail::kernel_identity* identity) noexcept : m_identity(identity) {}
  const detail::kernel_identity* m_identity;
};

namespace detail {

SINTER_EXPORT kernel_id kernel_id_of(const char* type_name);

class bundle_base;
SINTER_EXPORT const shared<kernel_bundle_impl>& implementation(const bundle_base& bundle) noexcept;

/// The common base of bundles in all states.
class SINTER_EXPORT bundle_base {
public:
  backend get_backend() const noexcept { return get_context().get_backend(); }
  context get_context() const;
  std::vector<device> get_devices() const;
  bool empty() const noexcept;
  bool has_kernel(const kernel_id& id) const noexcept;
  bool has_kernel(const kernel_id& id, const device& on) const noexcept;
  template <class KernelName>
  bool has_kernel() const {
    return has_kernel(kernel_id_of(kernel_type_name<KernelName>()));
  }
  template <class KernelName>
  bool has_kernel(const device& on) const {
    return has_kernel(kernel_id_of(kernel_type_name<KernelName>()), on);
  }
  std::vector<kernel_id> get_kernel_ids() const;
  /// Returns whether a kernel of the bundle uses a specialization constant. Without the capture plugin, the answer is
  /// true for every kernel.
  bool contains_specialization_constants() const noexcept { return names_constant(nullptr); }
  /// All specialization constants are native, because code is compiled for their values.
  bool native_specialization_constant() const noexcept { return contains_specialization_constants(); }
  template <auto& Name>
  bool has_specialization_constant() const noexcept {
    const std::uint64_t key = specialization_key<Name>();
    return names_constant(&key);
  }
  /// Returns the value that was set in this bundle, or in a bundle from which this bundle was made; otherwise the
  /// default value.
  template <auto& Name>
  specialization_type<Name> get_specialization_constant() const {
    const void* found = find_value(specialization_key<Name>());
    return found ? *static_cast<const specialization_type<Name>*>(found) : specialization_access::initial<Name>();
  }

  friend bool operator==(const bundle_base& a, const bundle_base& b) noexcept { return a.m_impl == b.m_impl; }
  friend bool operator!=(const bundle_base& a, const bundle_base& b) noexcept { return !(a == b); }

protected:
  friend SINTER_EXPORT const shared<kernel_bundle_impl>& implementation(const bundle_base& bundle) noexcept;
  bundle_base(const shared<kernel_bundle_impl>& impl) noexcept;
  bundle_base(const bundle_base&) noexcept;
  bundle_base& operator=(const bundle_base&) noexcept;
  ~bundle_base();
  std::size_t image_count() const noexcept;
  const shared<kernel_bundle_impl>& image(std::size_t index) const noexcept;
  bool names_constant(const std::uint64_t* key) const noexcept;
  const void* find_value(std::uint64_t key) const noexcept;
  void set_value(std::uint64_t key, const void* value, std::size_t bytes, std::size_t alignment);
  kernel find_kernel(const kernel_id& id) const;
  bool has_source_kernel(const std::string& name, const device* on) const;
  kernel find_source_kernel(const std::string& name) const;

  shared<kernel_bundle_impl> m_impl;
};

/// Makes a bundle of the kernels in `ids`, or of all kernels if `ids` is null. Throws errc::invalid if there are no
/// devices, if a device is not in the context or does not support the state, or if no device can run one of the
/// kernels.
SINTER_EXPORT shared<kernel_bundle_impl> make_bundle(bundle_state state, const context& in,
                                                     const std::vector<device>* devices,
                                                     const std::vector<kernel_id>* ids);
SINTER_EXPORT bool bundle_exists(bundle_state state, const context& in, const std::vector<device>* devices,
                                 const std::vector<kernel_id>* ids);
/// Joins all bundles into one bundle for `devices`. If `devices` is null, the bundle is for the devices of the first
/// bundle. Throws errc::invalid if the bundles have different contexts.
SINTER_EXPORT shared<kernel_bundle_impl> merge_bundles(bundle_state state,
                                                       const std::vector<shared<kernel_bundle_impl>>& parts,
                                                       const std::vector<device>* devices);

}  // namespace detail

template <bundle_state State>
class device_image : public detail::bundle_base {
public:
  using bundle_base::has_kernel;

private:
  template <bundle_state>
  friend class kernel_bundle;
  using bundle_base::bundle_base;
};

template <bundle_state State>
class kernel_bundle : public detail::bundle_base {
public:
  using device_image_iterator = const device_image<State>*;

  kernel_bundle() = delete;
  kernel get_kernel(const kernel_id& id) const
    requires(State == bundle_state::executable);
  template <class KernelName>
  kernel get_kernel() const
    requires(State == bundle_state::executable);
  /// These functions find kernels by their names in the source, if the bundle was built from source. The functions
  /// throw errc::invalid for unknown names.
  bool ext_oneapi_has_kernel(const std::string& name) const
    requires(State == bundle_state::executable)
  {
    return has_source_kernel(name, nullptr);
  }
  bool ext_oneapi_has_kernel(const std::string& name, const device& on) const
    requires(State == bundle_state::executable)
  {
    return has_source_kernel(name, &on);
  }
  kernel ext_oneapi_get_kernel(const std::string& name) const
    requires(State == bundle_state::executable);
  device_image_iterator begin() const noexcept { return m_images.data(); }
  device_image_iterator end() const noexcept { return m_images.data() + m_images.size(); }

  template <auto& Name>
  void set_specialization_constant(const detail::specialization_type<Name>& value)
    requires(State == bundle_state::input)
  {
    set_value(detail::specialization_key<Name>(), &value, sizeof(value), alignof(decltype(value)));
  }

private:
  friend struct detail::bundle_access;
  explicit kernel_bundle(const detail::shared<detail::kernel_bundle_impl>& impl) : bundle_base(impl) {
    for (std::size_t i = 0; i < image_count(); ++i) m_images.push_back(device_image<State>(image(i)));
  }
  std::vector<device_image<State>> m_images;
};

/// A kernel of an executable bundle.
class SINTER_EXPORT kernel {
public:
  kernel() = delete;
  backend get_backend() const noexcept { return get_context().get_backend(); }
  context get_context() const { return m_bundle.get_context(); }
  kernel_bundle<bundle_state::executable> get_kernel_bundle() const;
  template <class Descriptor>
  typename Descriptor::return_type get_info() const;
  template <class Descriptor>
  typename Descriptor::return_type get_info(const device& on) const;
  /// Returns the value of a query of root_group.hpp, such as max_num_work_groups, for work-groups of size `work_group`
  /// with `local_memory` bytes of local memory. Throws errc::invalid if `work_group` has no work-items.
  template <class Descriptor>
  typename Descriptor::return_type ext_oneapi_get_info(const queue& on, const range<3>& work_group,
                                                       std::size_t local_memory = 0) const;
  template <class Descriptor>
  typename Descriptor::return_type ext_oneapi_get_info(const queue& on, const range<2>& work_group,
                                                       std::size_t local_memory = 0) const;
  template <class Descriptor>
  typename Descriptor::return_type ext_oneapi_get_info(const queue& on, const range<1>& work_group,
                                                       std::size_t local_memory = 0) const;
  template <class Descriptor>
  typename Descriptor::return_type ext_oneapi_get_info(const queue& on) const;

  friend bool operator==(const kernel& a, const kernel& b) noexcept {
    return a.m_id == b.m_id && a.m_bundle == b.m_bundle;
  }
  friend bool operator!=(const kernel& a, const kernel& b) noexcept { return !(a == b); }

private:
  friend struct detail::object_access;
  friend struct std::hash<kernel>;
  kernel(const kernel_id& id, const kernel_bundle<bundle_state::executable>& bundle);
  kernel_id m_id;
  kernel_bundle<bundle_state::executable> m_bundle;
};

template <bundle_state State>
kernel kernel_bundle<State>::get_kernel(const kernel_id& id) const
  requires(State == bundle_state::executable)
{
  return find_kernel(id);
}
template <bundle_state State>
template <class KernelName>
kernel kernel_bundle<State>::get_kernel() const
  requires(State == bundle_state::executable)
{
  return find_kernel(detail::kernel_id_of(detail::kernel_type_name<KernelName>()));
}

template <bundle_state State>
kernel kernel_bundle<State>::ext_oneapi_get_kernel(const std::string& name) const
  requires(State == bundle_state::executable)
{
  return find_source_kernel(name);
}

template <class KernelName>
kernel_id get_kernel_id() {
  return detail::kernel_id_of(detail::kernel_type_name<KernelName>());
}
/// Returns the ids of all kernels of the program and of its loaded libraries.
SINTER_EXPORT std::vector<kernel_id> get_kernel_ids();

namespace detail {
/// Makes bundle objects for callers that know that the state is right.
struct bundle_access {
  template <bundle_state State>
  static kernel_bundle<State> wrap(const shared<kernel_bundle_impl>& impl) {
    return kernel_bundle<State>(impl);
  }
};
template <class Selector>
inline constexpr bool is_image_selector = !std::is_convertible_v<const Selector&, std::vector<kernel_id>> &&
                                          !std::is_convertible_v<const Selector&, std::vector<device>>;
}  // namespace detail

template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in, const std::vector<device>& devices) {
  return detail::bundle_access::wrap<State>(detail::make_bundle(State, in, &devices, nullptr));
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in, const std::vector<device>& devices,
                                       const std::vector<kernel_id>& ids) {
  return detail::bundle_access::wrap<State>(detail::make_bundle(State, in, &devices, &ids));
}
/// Calls the selector with the bundle's only device image.
template <bundle_state State, class Selector>
  requires(detail::is_image_selector<Selector>)
kernel_bundle<State> get_kernel_bundle(const context& in, const std::vector<device>& devices, Selector selector) {
  const kernel_bundle<State> all = get_kernel_bundle<State>(in, devices);
  const std::vector<kernel_id> none;
  return !all.empty() && selector(*all.begin()) ? all : get_kernel_bundle<State>(in, devices, none);
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in) {
  return detail::bundle_access::wrap<State>(detail::make_bundle(State, in, nullptr, nullptr));
}
template <bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in, const std::vector<kernel_id>& ids) {
  return detail::bundle_access::wrap<State>(detail::make_bundle(State, in, nullptr, &ids));
}
template <bundle_state State, class Selector>
  requires(detail::is_image_selector<Selector>)
kernel_bundle<State> get_kernel_bundle(const context& in, Selector selector) {
  return get_kernel_bundle<State>(in, in.get_devices(), selector);
}
template <class KernelName, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in) {
  return get_kernel_bundle<State>(in, std::vector<kernel_id>{get_kernel_id<KernelName>()});
}
template <class KernelName, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context& in, const std::vector<device>& devices) {
  return get_kernel_bundle<State>(in, devices, std::vector<kernel_id>{get_kernel_id<KernelName>()});
}

template <bundle_state State>
bool has_kernel_bundle(const context& in, const std::vector<device>& devices) {
  return detail::bundle_exists(State, in, &devices, nullptr);
}
template <bundle_state State>
bool has_kernel_bundle(const context& in, const std::vector<device>& devices, const std::vector<kernel_id>& ids) {
  return detail::bundle_exists(State, in, &devices, &ids);
}
template <bundle_state State>
bool has_kernel_bundle(const context& in) {
  return detail::bundle_exists(State, in, nullptr, nullptr);
}
template <bundle_state State>
bool has_kernel_bundle(const context& in, const std::vector<kernel_id>& ids) {
  return detail::bundle_exists(State, in, nullptr, &ids);
}
template <class KernelName, bundle_state State>
bool has_kernel_bundle(const context& in) {
  return has_kernel_bundle<State>(in, std::vector<kernel_id>{get_kernel_id<KernelName>()});
}
template <class KernelName, bundle_state State>
bool has_kernel_bundle(const context& in, const std::vector<device>& devices) {
  return has_kernel_bundle<State>(in, devices, std::vector<kernel_id>{get_kernel_id<KernelName>()});
}

/// Returns whether the device can run all the kernels.
SINTER_EXPORT bool is_compatible(const std::vector<kernel_id>& ids, const device& on);
template <class KernelName>
bool is_compatible(const device& on) {
  return is_compatible({get_kernel_id<KernelName>()}, on);
}

template <bundle_state State>
kernel_bundle<State> join(const std::vector<kernel_bundle<State>>& bundles) {
  if (bundles.empty()) return get_kernel_bundle<State>(context(), std::vector<kernel_id>());
  std::vector<detail::shared<detail::kernel_bundle_impl>> parts;
  for (const auto& each : bundles) parts.push_back(detail::implementation(each));
  return detail::bundle_access::wrap<State>(detail::merge_bundles(State, parts, nullptr));
}
/// These functions bring a bundle into the next state. The functions throw errc::invalid if there are no devices, or if
/// the bundle does not have one of the devices.
SINTER_EXPORT kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input>& source,
                                                          const std::vector<device>& devices,
                                                          const property_list& properties = {});
SINTER_EXPORT kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input>& source,
                                                          const property_list& properties = {});
SINTER_EXPORT kernel_bundle<bundle_state::executable> link(
    const std::vector<kernel_bundle<bundle_state::object>>& bundles, const std::vector<device>& devices,
    const property_list& properties = {});
SINTER_EXPORT kernel_bundle<bundle_state::executable> link(
    const std::vector<kernel_bundle<bundle_state::object>>& bundles, const property_list& properties = {});
SINTER_EXPORT kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object>& source,
                                                           const std::vector<device>& devices,
                                                           const property_list& properties = {});
SINTER_EXPORT kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object>& source,
                                                           const property_list& properties = {});
SINTER_EXPORT kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input>& source,
                                                            const std::vector<device>& devices,
                                                            const property_list& properties = {});
SINTER_EXPORT kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::input>& source,
                                                            const property_list& properties = {});

}  // namespace sycl

template <>
struct std::hash<sycl::kernel_id> {
  std::size_t operator()(const sycl::kernel_id& object) const noexcept {
    return std::hash<const void*>()(object.m_identity);
  }
};
template <>
struct std::hash<sycl::kernel> {
  std::size_t operator()(const sycl::kernel& object) const noexcept {
    return std::hash<sycl::kernel_id>()(object.m_id) ^
           std::hash<const void*>()(sycl::detail::implementation(object.m_bundle).address());
  }
};
template <sycl::bundle_state State>
struct std::hash<sycl::kernel_bundle<State>> {
  std::size_t operator()(const sycl::kernel_bundle<State>& object) const noexcept {
    return std::hash<const void*>()(sycl::detail::implementation(object).address());
  }
};
template <sycl::bundle_state State>
struct std::hash<sycl::device_image<State>> {
  std::size_t operator()(const sycl::device_image<State>& object) const noexcept {
    return std::hash<const void*>()(sycl::detail::implementation(object).address());
  }
};
