/// Preloaded into any program, this gives it mock devices: SINTER_DEVICE=Mock runs end-to-end programs there.

#include "mock_device.hpp"

namespace {

[[maybe_unused]] const bool added = [] {
  test::add_mock_devices(std::size_t{1} << 28, 20);
  return true;
}();

}  // namespace
