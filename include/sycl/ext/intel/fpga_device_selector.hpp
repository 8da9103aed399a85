#pragma once
/// sycl_ext_intel_fpga_device_selector. The selector for FPGA emulators chooses Sinter's CPU device. Sinter has no FPGA
/// devices, so the other selectors find no device and throw errc::runtime.

#include "../../device.hpp"

#define SYCL_EXT_INTEL_FPGA_DEVICE_SELECTOR 1

namespace sycl::inline _V1::ext::intel {

inline int fpga_emulator_selector_v(const device& candidate) { return cpu_selector_v(candidate); }
inline int fpga_selector_v(const device&) { return -1; }
inline int fpga_simulator_selector_v(const device&) { return -1; }

// Selector classes from older versions of the extension.
struct fpga_emulator_selector {
  int operator()(const device& candidate) const { return fpga_emulator_selector_v(candidate); }
};
struct fpga_selector {
  int operator()(const device& candidate) const { return fpga_selector_v(candidate); }
};
struct fpga_simulator_selector {
  int operator()(const device& candidate) const { return fpga_simulator_selector_v(candidate); }
};

}  // namespace sycl::ext::intel
