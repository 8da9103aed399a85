#include <algorithm>
#include <runtime/object_access.hpp>

namespace sycl::inline _V1 {

bool detail::context_impl::contains(const device& asked) const {
  if (std::find(m_devices.begin(), m_devices.end(), asked) != m_devices.end()) return true;
  const std::optional<device>& parent = object_access::impl(asked)->parent();
  return parent && contains(*parent);
}

const device& detail::context_impl::own(const device& asked) const noexcept {
  const auto found = std::find(m_devices.begin(), m_devices.end(), asked);
  return found == m_devices.end() ? asked : *found;
}

context::context(const property_list& properties) : context(device(), properties) {}
context::context(async_handler handler, const property_list& properties)
    : context(device(), std::move(handler), properties) {}
context::context(const device& device, const property_list& properties) : context(device, {}, properties) {}
context::context(const device& device, async_handler handler, const property_list& properties)
    : context(std::vector<sycl::device>{device}, std::move(handler), properties) {}
context::context(const platform& platform, const property_list& properties) : context(platform, {}, properties) {}
context::context(const platform& platform, async_handler handler, const property_list& properties)
    : context(platform.get_devices(), std::move(handler), properties) {}
context::context(const std::vector<device>& devices, const property_list& properties)
    : context(devices, {}, properties) {}
context::context(const std::vector<device>& devices, async_handler handler, const property_list& properties)
    : with_properties(properties), m_impl(detail::make_counted<detail::context_impl>(devices, std::move(handler))) {
  if (devices.empty()) detail::throw_error(errc::invalid, "context: the list of devices is empty");
}

backend context::get_backend() const noexcept { return m_impl->devices().front().get_backend(); }
platform context::get_platform() const { return m_impl->devices().front().get_platform(); }
std::vector<device> context::get_devices() const { return m_impl->devices(); }

template <>
SINTER_EXPORT platform context::get_info<info::context::platform>() const {
  return get_platform();
}
template <>
SINTER_EXPORT std::vector<device> context::get_info<info::context::devices>() const {
  return get_devices();
}
#define SINTER_CONTEXT_INFO(descriptor)                                                                        \
  template <>                                                                                                  \
  SINTER_EXPORT info::context::descriptor::return_type context::get_info<info::context::descriptor>() const {  \
    return m_impl->devices().front().get_info<info::device::descriptor>();                                     \
  }
SINTER_CONTEXT_INFO(atomic_memory_order_capabilities)
SINTER_CONTEXT_INFO(atomic_fence_order_capabilities)
SINTER_CONTEXT_INFO(atomic_memory_scope_capabilities)
SINTER_CONTEXT_INFO(atomic_fence_scope_capabilities)
#undef SINTER_CONTEXT_INFO

} // namespace sycl

std::size_t std::hash<sycl::context>::operator()(const sycl::context& object) const noexcept {
  return std::hash<const void*>()(sycl::detail::object_access::impl(object).address());
}
