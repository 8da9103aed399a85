#pragma once
/// A base for devices with drivers. It finds and checks code on submission, and hands work over to streams.

#include <sycl/detail/export.hpp>

#include "device.hpp"

namespace sinter {

/// The class is exported for devices that tests bring with them.
class SINTER_EXPORT driver_device : public device_backend {
public:
  const code_variant* bounded_code(const kernel_launch&) const noexcept final { return nullptr; }
  code_origin run(const kernel_launch&) final;
  void hold(const abi::kernel_descriptor& kernel) noexcept override;
  void let_go(const abi::kernel_descriptor& kernel) noexcept override;
  void prepare(kernel_launch& launch) override;
  bool has_own_memory() const noexcept final { return true; }
  /// Blocking operations use a stream of their own, and wait for it.
  void copy(const abi::strided_copy& copy) final { do_now(copy); }
  void fill(const memory_fill& fill) final { do_now(fill); }

protected:
  explicit driver_device(const void* family) noexcept : device_backend(family) {}
  /// Throws if the driver takes no more launches.
  virtual void check_driver() const {}
  /// Throws if the launch is impossible for a reason of the device. The launch has its code, and its memory has been
  /// checked.
  virtual void check_launch(const kernel_launch&) const {}

private:
  void do_now(const memory_work& work);
};

}  // namespace sinter
