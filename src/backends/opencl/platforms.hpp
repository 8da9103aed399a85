#pragma once
/// Which devices OpenCL's drivers have, and why some are not used.

#include <string>
#include <vector>

#include "loader.hpp"

namespace sinter::opencl {

struct found_device {
  cl_device_id id;
  std::string name;
  std::string refused;  ///< a sentence; empty: it can be used
};

struct found_platform {
  cl_platform_id id;
  std::string name, vendor, version;
  std::vector<found_device> devices;
};

/// Asked of the drivers once. Empty without a loader.
const std::vector<found_platform>& find_platforms();

}  // namespace sinter::opencl
