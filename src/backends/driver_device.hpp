#pragma once
/// The base class of devices with drivers. It finds and checks code at submission. It uses streams to implement
/// blocking copies and fills.

#include <sycl/detail/export.hpp>

#include "device.hpp"

namespace sinter {

/// The class is exported, because tests define devices of their own.
class SINTER_EXPORT driver_device : public device_backend {
public:
  const code_variant* bounded_code(const kernel_launch&) const noexcept final { return nullptr; }
  code_origin run(const kernel_launch&) final;
  void hold(const abi::kernel_descriptor& kernel) noexcept override;
  void let_go(const abi::kernel_descriptor& kernel) noexcept override;
  void prepare(kernel_launch& launch) override;
  bool has_own_memory() const noexcept final { return true; }
  /// These blocking operations use a stream of their own, and wait until the stream is complete.
  void copy(const abi::strided_copy& copy) final { do_now(copy); }
  void fill(const memory_fill& fill) final { do_now(fill); }

protected:
  explicit driver_device(const void* family) noexcept : device_backend(family) {}
  /// Throws if the driver no longer accepts launches.
  virtual void check_driver() const {}
  /// Throws if the device cannot run the launch. Before the call, launch.code was set, and the launch's memory was
  /// checked.
  virtual void check_launch(const kernel_launch&) const {}

private:
  void do_now(const memory_work& work);
};

}  // namespace sinter
