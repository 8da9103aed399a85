#pragma once

#include <backends/device.hpp>

namespace sinter {

/// Asks the machine for its properties.
device_facts read_cpu_facts();

} // namespace sinter
