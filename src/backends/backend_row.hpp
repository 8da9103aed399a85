#pragma once
/// A row of the table of backends (runtime/backend_table.cpp).

#include <optional>
#include <string>
#include <vector>

namespace sinter {

class device_backend;

/// The lines that sinter-info prints about a backend's driver.
struct driver_state {
  std::string label;   ///< for example "CUDA"
  std::string driver;  ///< the driver's version, or the reason why it can't be used
  std::vector<std::string> devices;  ///< a line for each device: its name, or the reason why it is not used
  /// The version of the loader of .icd files, for drivers that are found by such files. It is empty if the loader has
  /// no function that tells its version.
  std::optional<std::string> icd_loader{};
};

struct backend_row {
  const char* name;         ///< the backend's name in SINTER_DEVICE and in front of a device's index
  const char* other_names;  ///< names of the backend in other SYCL implementations, divided by spaces
  /// Returns all devices that can be used, in their order. The first call makes them, and they are never destroyed.
  const std::vector<device_backend*>& (*devices)();
  /// It takes long to ask this backend's drivers, so other backends are asked first. Often their devices are
  /// sufficient.
  bool is_slow = false;
  /// Returns the lines for sinter-info. The pointer is null if the backend needs no driver.
  driver_state (*state)() = nullptr;
  /// A driver may end the process that asks it; a child process of sinter-info finds out about it. sinter-info calls
  /// this function before anything else is asked: from then on `devices` returns no devices, and `state` gives the
  /// reason. The pointer is null if asking is safe.
  void (*leave_out)(const std::string& why) = nullptr;
};

}  // namespace sinter
