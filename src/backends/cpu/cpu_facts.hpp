#pragma once

#include <backends/device.hpp>

namespace sinter {

/// What this machine says of itself.
device_facts read_cpu_facts();

} // namespace sinter
