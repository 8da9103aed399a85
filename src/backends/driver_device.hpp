#pragma once
/// A base for devices with drivers: code is found on submission and checked, work goes to streams.

#include <sycl/detail/export.hpp>

#include "device.hpp"

namespace sinter {

/// Exported for devices that tests bring with them.
class SINTER_EXPORT driver_device : public device_backend {
public:
  const code_variant* bounded_code(const kernel_launch&) const noexcept final { return nullptr; }
  code_origin run(const kernel_launch&) final;
  void hold(const abi::kernel_descriptor& kernel) noexcept override;
  void let_go(const abi::kernel_descriptor& kernel) noexcept override;
  void prepare(kernel_launch& launch) override;
  bool has_own_memory() const noexcept final { return true; }
  /// The operations use a stream of their own, and wait for it.
  void copy(const abi::strided_copy& copy) final { do_now(copy); }
  void fill(const memory_fill& fill) final { do_now(fill); }

protected:
  explicit driver_device(const void* family) noexcept : device_backend(family) {}
  /// Throws where the driver takes no more launches.
  virtual void check_driver() const {}
  /// The launch has its code, and there is memory for it. Throws if something else makes the launch impossible.
  virtual void check_launch(const kernel_launch&) const {}

private:
  void do_now(const memory_work& work);
};

}  // namespace sinter
