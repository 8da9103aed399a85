#pragma once
/// sycl::device, sycl::platform and device selection (SYCL 2020 4.6.1 to 4.6.4).

#include <compare>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "aspects.hpp"
#include "backend_enum.hpp"
#include "detail/export.hpp"
#include "detail/shared.hpp"
#include "exception.hpp"
#include "info.hpp"

namespace sycl::inline _V1 {

class device;
class context;
class platform;

namespace ext::oneapi {
enum class peer_access : int;  // defined in peer_access.hpp
}
namespace ext::oneapi::experimental {
enum class source_language : int;  // defined in kernel_compiler.hpp
enum class architecture : std::uint64_t;  // defined in device_architecture.hpp
enum class arch_category;
}

namespace detail {
class device_impl;  // defined in src/runtime
struct object_access;

/// The type of an object that returns a score for a device when it is called. Some selectors can't be called as const
/// objects.
template <class Selector>
concept device_selector = requires(Selector& selector, const device& candidate, void accept(int)) {
  accept(selector(candidate));
};

SINTER_EXPORT std::vector<device> partition_equally(const device& whole, std::size_t compute_units);
SINTER_EXPORT std::vector<device> partition_by_counts(const device& whole,
                                                      const std::vector<std::size_t>& compute_units);
SINTER_EXPORT std::vector<device> partition_by_affinity(const device& whole, info::partition_affinity_domain domain);
[[noreturn]] SINTER_EXPORT void refuse_partition(const device& whole, const char* how);
/// Returns the device with the highest score that is not negative. Throws errc::runtime if all scores are negative.
/// `usual` says that the selector is default_selector_v or cpu_selector_v, for which the runtime need not look for all
/// devices.
SINTER_EXPORT device select_device(int (*score)(const void* selector, const device& candidate), const void* selector,
                                   bool usual);
/// Whether two objects are the same device. A context that a program makes from a native context has device objects of
/// its own, which compare equal to the usual objects of the same devices.
SINTER_EXPORT bool is_same_device(const device& a, const device& b) noexcept;
} // namespace detail

/// Each selector gives a score to the devices of the kind that its name says. Devices that SINTER_DEVICE excludes get
/// no score.
SINTER_EXPORT int default_selector_v(const device& candidate);
SINTER_EXPORT int cpu_selector_v(const device& candidate);
SINTER_EXPORT int gpu_selector_v(const device& candidate);
SINTER_EXPORT int accelerator_selector_v(const device& candidate);

class SINTER_EXPORT device {
public:
  /// Makes the device that default_selector_v chooses.
  device();
  device(const device&) noexcept;
  device(device&&) noexcept;
  device& operator=(device) noexcept;
  ~device();
  template <class Selector>
    requires(detail::device_selector<Selector>)
  explicit device(const Selector& selector)
      : device(choose(selector)) {}

  backend get_backend() const noexcept;
  bool is_cpu() const;
  bool is_gpu() const;
  bool is_accelerator() const;
  platform get_platform() const;
  bool has(aspect which) const;
  /// Deprecated in SYCL 2020. Always returns false, because there are no strings that name extensions.
  bool has_extension(const std::string& name) const;

  /// Whether the device can run kernels that are built from source in the language
  /// (ext/oneapi/experimental/kernel_compiler.hpp).
  bool ext_oneapi_can_build(ext::oneapi::experimental::source_language language) const;
  bool ext_oneapi_can_compile(ext::oneapi::experimental::source_language language) const {
    return ext_oneapi_can_build(language);
  }

  /// Documented in ext/oneapi/experimental/device_architecture.hpp.
  bool ext_oneapi_architecture_is(ext::oneapi::experimental::architecture which) const;
  bool ext_oneapi_architecture_is(ext::oneapi::experimental::arch_category which) const;

  /// Documented in ext/oneapi/peer_access.hpp.
  bool ext_oneapi_can_access_peer(const device& peer) const;
  bool ext_oneapi_can_access_peer(const device& peer, ext::oneapi::peer_access what) const;
  /// Throws errc::invalid if the device can't access the peer.
  void ext_oneapi_enable_peer_access(const device& peer) const;
  void ext_oneapi_disable_peer_access(const device& peer) const;

  /// Divides the device into as many sub-devices with `compute_units` units as possible (SYCL 2020 4.6.4.3). A kernel
  /// runs on no more threads than its sub-device has units. Throws errc::feature_not_supported if partition_properties
  /// does not list this kind of partition, for example because the device has only one unit. Throws errc::invalid if
  /// `compute_units` is 0 or more than the device has.
  template <info::partition_property Property>
    requires(Property == info::partition_property::partition_equally)
  std::vector<device> create_sub_devices(std::size_t compute_units) const {
    return detail::partition_equally(*this, compute_units);
  }
  /// Makes a sub-device for each number in `compute_units`, with that many units. Throws errc::invalid if the sum of
  /// the numbers exceeds the device's units, or if a number is 0.
  template <info::partition_property Property>
    requires(Property == info::partition_property::partition_by_counts)
  std::vector<device> create_sub_devices(const std::vector<std::size_t>& compute_units) const {
    return detail::partition_by_counts(*this, compute_units);
  }
  /// If the device is a GPU with several tiles, returns its tiles as sub-devices (domains numa and next_partitionable).
  /// Throws errc::feature_not_supported for other domains, and for devices whose list partition_affinity_domains is
  /// empty.
  template <info::partition_property Property>
    requires(Property == info::partition_property::partition_by_affinity_domain)
  std::vector<device> create_sub_devices(info::partition_affinity_domain domain) const {
    return detail::partition_by_affinity(*this, domain);
  }

  /// Throws errc::feature_not_supported, because slices of Intel's GPUs are not supported as sub-devices.
  template <info::partition_property Property>
    requires(Property == info::partition_property::ext_intel_partition_by_cslice)
  std::vector<device> create_sub_devices() const {
    detail::refuse_partition(*this, "ext_intel_partition_by_cslice");
  }

  /// libsinter.so contains explicit instantiations for all descriptors of info.hpp.
  template <class Descriptor>
  typename Descriptor::return_type get_info() const;

  static std::vector<device> get_devices(info::device_type type = info::device_type::all);

  friend bool operator==(const device& a, const device& b) noexcept {
    return a.m_impl == b.m_impl || detail::is_same_device(a, b);
  }
  friend bool operator!=(const device& a, const device& b) noexcept { return !(a == b); }

private:
  friend struct detail::object_access;
  explicit device(detail::shared<detail::device_impl> impl) noexcept;
  template <class Selector>
  static device choose(const Selector& selector) {
    if constexpr (!requires(const device& candidate) { selector(candidate); }) {
      Selector own = selector;
      return choose([&own](const device& candidate) { return own(candidate); });
    } else {
      return best_of(selector);
    }
  }
  template <class Selector>
  static device best_of(const Selector& selector) {
    // Captures the selector by reference, because a selector may be a function, which can't be copied.
    auto score = [&selector](const device& candidate) -> int { return selector(candidate); };
    return detail::select_device(
        [](const void* call, const device& candidate) {
          return (*static_cast<const decltype(score)*>(call))(candidate);
        },
        &score, is_usual(selector));
  }
  template <class Selector>
  static constexpr bool is_usual(const Selector& selector) noexcept {
    if constexpr (std::is_function_v<Selector>) {
      return &selector == &default_selector_v || &selector == &cpu_selector_v;
    } else {
      return false;
    }
  }
  detail::shared<detail::device_impl> m_impl;
};

class SINTER_EXPORT platform {
public:
  /// Makes the platform of the device that default_selector_v chooses.
  platform();
  template <class Selector>
    requires(detail::device_selector<Selector>)
  explicit platform(const Selector& selector) : platform(device(selector).get_platform()) {}

  backend get_backend() const noexcept;
  std::vector<device> get_devices(info::device_type type = info::device_type::all) const;
  /// True if all devices of the platform have the aspect.
  bool has(aspect which) const;
  bool has_extension(const std::string& name) const;
  template <class Descriptor>
  typename Descriptor::return_type get_info() const;

  static std::vector<platform> get_platforms();
  /// The context that queues use if the program gives them no context (SYCL_KHR_DEFAULT_CONTEXT).
  context khr_get_default_context() const;
  context ext_oneapi_get_default_context() const;  ///< DPC++'s name of khr_get_default_context

  friend bool operator==(const platform& a, const platform& b) noexcept { return a.m_id == b.m_id; }
  friend bool operator!=(const platform& a, const platform& b) noexcept { return a.m_id != b.m_id; }

private:
  friend struct detail::object_access;
  friend struct std::hash<platform>;
  explicit platform(int id) noexcept;

  int m_id = 0;  // number of the platform; there is one platform for each family of devices
};

/// Selector classes of SYCL 1.2.1, which are deprecated. Programs may derive selectors from device_selector.
/// host_selector chooses a CPU, because SYCL 2020 has no host device.
class device_selector {
public:
  virtual ~device_selector() = default;
  virtual int operator()(const device& candidate) const = 0;
  device select_device() const { return device(*this); }
};
#define SINTER_SELECTOR(name, function)                                                            \
  class name : public device_selector {                                                            \
  public:                                                                                          \
    int operator()(const device& candidate) const override { return function(candidate); }         \
  };
SINTER_SELECTOR(default_selector, default_selector_v)
SINTER_SELECTOR(cpu_selector, cpu_selector_v)
SINTER_SELECTOR(gpu_selector, gpu_selector_v)
SINTER_SELECTOR(accelerator_selector, accelerator_selector_v)
SINTER_SELECTOR(host_selector, cpu_selector_v)
#undef SINTER_SELECTOR

namespace detail {
struct SINTER_EXPORT aspect_selector_type {
  aspect_selector_type(const std::vector<aspect>& required, const std::vector<aspect>& denied);
  aspect_selector_type(const aspect_selector_type&);
  aspect_selector_type& operator=(const aspect_selector_type&);
  ~aspect_selector_type();
  int operator()(const device& candidate) const;

private:
  std::vector<aspect> m_required;
  std::vector<aspect> m_denied;
};
} // namespace detail

/// Returns a selector for devices that have all required aspects and no denied aspect (SYCL 2020 4.6.1.1).
SINTER_EXPORT detail::aspect_selector_type aspect_selector(const std::vector<aspect>& required,
                                                           const std::vector<aspect>& denied = {});
template <class... Aspects>
  requires(std::is_same_v<Aspects, aspect> && ...)
detail::aspect_selector_type aspect_selector(Aspects... required) {
  return aspect_selector(std::vector<aspect>{required...});
}
template <aspect... Required>
detail::aspect_selector_type aspect_selector() {
  return aspect_selector(std::vector<aspect>{Required...});
}

} // namespace sycl

template <>
struct std::hash<sycl::device> {
  SINTER_EXPORT std::size_t operator()(const sycl::device& object) const noexcept;
};
template <>
struct std::hash<sycl::platform> {
  std::size_t operator()(const sycl::platform& object) const noexcept { return static_cast<std::size_t>(object.m_id); }
};
