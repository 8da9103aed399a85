#pragma once
/// The object behind sycl::context.

#include <utility>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>

namespace sycl::inline _V1::detail {

/// The object is immutable.
class context_impl : public counted {
public:
  context_impl(std::vector<device> devices, async_handler handler)
      : m_devices(std::move(devices)), m_handler(std::move(handler)) {}
  const std::vector<device>& devices() const noexcept { return m_devices; }
  const async_handler& handler() const noexcept { return m_handler; }
  /// Returns whether the device belongs to the context. Sub-devices belong to the contexts of their parent devices.
  bool contains(const device& asked) const;
  /// Returns the device object of this context that is equal to `asked`. Memory and queues of the returned object
  /// belong to this context.
  const device& own(const device& asked) const noexcept;

private:
  std::vector<device> m_devices;
  async_handler m_handler;
};

}  // namespace sycl::detail
