#pragma once
/// The devices of OpenCL's drivers, and why some are not used.

#include <cstdint>
#include <string>
#include <vector>

#include "loader.hpp"

namespace sinter::opencl {

/// The kinds of memory that a driver can have, best first.
enum class memory_way : std::uint8_t { unified, fine_shared_virtual, coarse_shared_virtual, objects };
/// The name of the kind, for messages.
const char* text_of(memory_way way) noexcept;

struct found_device {
  cl_device_id id;
  std::string name;
  std::string refused;  ///< a sentence why the device is not used; empty: it can be used
  memory_way memory;
  int spirv;              ///< 4: for SPIR-V 1.4 and newer; -1: none
  bool is_apart = false;  ///< a sub-device with a context of its own, which can't use its device's memory
};

struct found_platform {
  cl_platform_id id;
  std::string name, vendor, version;
  std::vector<found_device> devices;
};

/// Asked of the drivers once. Empty without a loader.
const std::vector<found_platform>& find_platforms();

/// The version text of the device's driver.
std::string driver_version(const found_device& device);

}  // namespace sinter::opencl
