/// Preloaded into any program, this library adds mock devices to the program: with SINTER_DEVICE=Mock, end-to-end
/// programs run on these devices.

#include "mock_device.hpp"

namespace {

[[maybe_unused]] const bool added = [] {
  test::add_mock_devices(std::size_t{1} << 28, 20);
  return true;
}();

}  // namespace
