#pragma once
/// A row of the table of backends (runtime/backend_table.cpp).

#include <optional>
#include <string>
#include <vector>

namespace sinter {

class device_backend;

/// The lines that sinter-info prints about a backend's driver.
struct driver_state {
  std::string label;   ///< "CUDA"
  std::string driver;  ///< its version, or why it can't be used
  std::vector<std::string> devices;  ///< a line for each device: its name, or why it is not used
  /// For drivers that are found by .icd files: the version of the loader of these files, empty if the loader has no
  /// function for it.
  std::optional<std::string> icd_loader{};
};

struct backend_row {
  const char* name;         ///< in SINTER_DEVICE, and before the index of a device
  const char* other_names;  ///< words of other implementations for the same, divided by spaces
  /// All devices that can be used, in their order; made on the first call, never destroyed.
  const std::vector<device_backend*>& (*devices)();
  /// Asking its drivers takes long, so devices of other backends come first, and often they are sufficient.
  bool is_slow = false;
  /// Null: the backend needs no driver.
  driver_state (*state)() = nullptr;
  /// A driver may end the process that asks it; a child of sinter-info finds that out. Called before anything else is
  /// asked: from then on `devices` gives none, and `state` says why. Null: asking is safe.
  void (*leave_out)(const std::string& why) = nullptr;
};

}  // namespace sinter
