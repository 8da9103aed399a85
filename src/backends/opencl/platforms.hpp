#pragma once
/// Finds the devices of OpenCL's drivers, and the reasons why some are not used.

#include <cstdint>
#include <string>
#include <vector>

#include "loader.hpp"

namespace sinter::opencl {

/// The kinds of memory that a driver can support, in the order of preference.
enum class memory_way : std::uint8_t { unified, fine_shared_virtual, coarse_shared_virtual, objects };
/// Returns the name of the kind, for messages.
const char* text_of(memory_way way) noexcept;

struct found_device {
  cl_device_id id;
  std::string name;
  std::string refused;  ///< a sentence with the reason why the device is not used; empty: it can be used
  memory_way memory;
  int spirv;  ///< minor number of the SPIR-V version; 4: SPIR-V 1.4 or newer; -1: no SPIR-V
  /// the device is a sub-device in a context of its own, and can't access memory of the whole device
  bool is_apart = false;
};

struct found_platform {
  cl_platform_id id;
  std::string name, vendor, version;
  std::vector<found_device> devices;
};

/// Returns the platforms. The list is empty if there is no loader. The first call opens the drivers.
const std::vector<found_platform>& find_platforms();

/// Returns the version text of the device's driver.
std::string driver_version(const found_device& device);

}  // namespace sinter::opencl
