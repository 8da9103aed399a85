#pragma once
/// sycl::context (SYCL 2020 4.6.3): devices that share memory and events.

#include <vector>

#include "detail/shared.hpp"
#include "device.hpp"
#include "property_list.hpp"

namespace sycl::inline _V1 {

namespace detail {
class context_impl;  // defined in src/runtime
struct pool_access;
}
namespace usm {
enum class alloc;
}
namespace ext::oneapi::experimental {
class memory_pool;  // defined in async_alloc.hpp
}

class SINTER_EXPORT context : public detail::with_properties {
public:
  explicit context(const property_list& properties = {});
  explicit context(async_handler handler, const property_list& properties = {});
  explicit context(const device& device, const property_list& properties = {});
  explicit context(const device& device, async_handler handler, const property_list& properties = {});
  explicit context(const platform& platform, const property_list& properties = {});
  explicit context(const platform& platform, async_handler handler, const property_list& properties = {});
  /// Throws errc::invalid if the list is empty.
  explicit context(const std::vector<device>& devices, const property_list& properties = {});
  explicit context(const std::vector<device>& devices, async_handler handler, const property_list& properties = {});

  backend get_backend() const noexcept;
  platform get_platform() const;
  std::vector<device> get_devices() const;
  template <class Descriptor>
  typename Descriptor::return_type get_info() const;
  /// Returns the memory pool from which async_malloc allocates (ext/oneapi/experimental/async_alloc.hpp). Without a
  /// device, returns the pool of host memory.
  ext::oneapi::experimental::memory_pool ext_oneapi_get_default_memory_pool(const device& its_device,
                                                                            usm::alloc kind) const;
  ext::oneapi::experimental::memory_pool ext_oneapi_get_default_memory_pool(usm::alloc kind) const;

  friend bool operator==(const context& a, const context& b) noexcept { return a.m_impl == b.m_impl; }
  friend bool operator!=(const context& a, const context& b) noexcept { return a.m_impl != b.m_impl; }

private:
  friend struct detail::object_access;
  detail::shared<detail::context_impl> m_impl;
};

} // namespace sycl

template <>
struct std::hash<sycl::context> {
  SINTER_EXPORT std::size_t operator()(const sycl::context& object) const noexcept;
};
