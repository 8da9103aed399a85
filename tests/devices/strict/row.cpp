/// Preloaded into any program, this library adds the strict driver's devices: SINTER_DEVICE=strict:0.

#include <runtime/backend_table.hpp>

#include "strict_device.hpp"

namespace {

[[maybe_unused]] const bool added = [] {
  sinter::add_backend({.name = "strict", .other_names = "", .devices = strict::devices, .state = strict::state});
  return true;
}();

}  // namespace
