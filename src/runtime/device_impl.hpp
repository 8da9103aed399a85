#pragma once
/// The object behind sycl::device, and memory of a device.

#include <backends/device.hpp>
#include <cstddef>
#include <optional>
#include <scheduler/device_memory.hpp>
#include <utility>
#include <vector>

#include <sycl/device.hpp>

namespace sycl::inline _V1::detail {

class device_impl : public counted {
public:
  explicit device_impl(sinter::device_backend& backend) : m_backend(backend) {}
  /// Makes a sub-device.
  device_impl(sinter::device_backend& backend, device parent, info::partition_property partition)
      : m_backend(backend), m_parent(std::move(parent)), m_partition(partition) {}
  /// Makes an object for the same device as `original`, in a driver's context that the program has made.
  device_impl(sinter::device_backend& backend, device original)
      : m_backend(backend), m_original(std::move(original)) {}
  sinter::device_backend& backend() const noexcept { return m_backend; }
  const sinter::device_facts& facts() const { return m_backend.facts(); }
  /// Returns the device of which this device is a part. The result is empty if this is no sub-device.
  const std::optional<device>& parent() const noexcept { return m_parent; }
  /// If this object was made for a context of the program, returns the original device. Otherwise the result is empty.
  const std::optional<device>& original() const noexcept { return m_original; }
  /// Returns the way in which the parent was partitioned.
  info::partition_property partition() const noexcept { return m_partition; }

private:
  sinter::device_backend& m_backend;
  const std::optional<device> m_parent, m_original;
  const info::partition_property m_partition = info::partition_property::no_partition;
};

/// Memory of a device. The memory is freed with this object. The constructor throws errc::memory_allocation if there is
/// no memory.
struct device_memory : counted {
  device_memory(shared<device_impl> its_device, std::size_t its_bytes, std::size_t alignment);
  ~device_memory() override { give_back(device->backend(), data); }

  shared<device_impl> device;
  std::size_t bytes;
  void* data;
};

/// These functions return the devices that SINTER_DEVICE allows. The lists are made on first use and never destroyed.
/// Near devices, which belong to Sinter's own backends, are known at once; slow drivers are asked only when a program
/// asks for all devices.
const std::vector<device>& near_devices();
const std::vector<device>& all_devices();

}  // namespace sycl::detail
