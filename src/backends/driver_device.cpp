#include "driver_device.hpp"

#include <images/registry.hpp>

#include <sycl/exception.hpp>

#include "driver_launch.hpp"

namespace sinter {

code_origin driver_device::run(const kernel_launch&) {
  sycl::detail::throw_error(sycl::errc::runtime, "device '" + facts().name + "' runs kernels by streams");
}

void driver_device::hold(const abi::kernel_descriptor& kernel) noexcept { hold_image(kernel); }
void driver_device::let_go(const abi::kernel_descriptor& kernel) noexcept { let_image_go(kernel); }

void driver_device::prepare(kernel_launch& launch) {
  if (launch.is_empty()) return;
  check_driver();
  const image_use keep_image(*launch.kernel);
  find_driver_code(*this, launch);
  check_memory(launch);
  check_launch(launch);
}

void driver_device::do_now(const memory_work& work) {
  const std::unique_ptr<device_stream> stream = make_stream({});
  stream->run(work);
  stream->flush();
  stream->wait(stream->latest());
}

}  // namespace sinter
