#pragma once

#include <backends/device.hpp>

namespace sinter {

/// Asks the machine for the properties of the CPU device.
device_facts read_cpu_facts();

} // namespace sinter
