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
  /// The version of the loader that finds drivers by .icd files, for backends with such drivers. The text is empty if
  /// the loader has no function for its version.
  std::optional<std::string> icd_loader{};
};

struct backend_row {
  const char* name;         ///< the backend's name in SINTER_DEVICE and in front of a device's index
  const char* other_names;  ///< names of the backend in other SYCL implementations, separated by spaces
  /// Returns all devices that can be used, in the order of their indices. The first call makes the devices, which are
  /// never destroyed.
  const std::vector<device_backend*>& (*devices)();
  /// Opening this backend's drivers takes long, so the runtime looks first for devices of the other backends, which
  /// often suffice.
  bool is_slow = false;
  /// Returns the lines for sinter-info. Null: the backend needs no driver.
  driver_state (*state)() = nullptr;
  /// A broken driver may end the process that opens it. sinter-info therefore tries drivers in a child process first.
  /// If the child process ends early, sinter-info calls this function before it uses the backend. From then on
  /// `devices` returns no devices, and `state` reports `why`. Null: the backend's drivers are safe to open.
  void (*leave_out)(const std::string& why) = nullptr;
};

}  // namespace sinter
