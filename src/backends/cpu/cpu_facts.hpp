#pragma once

#include <backends/device.hpp>

namespace sinter {

/// Returns the facts about the CPU device of this machine.
device_facts read_cpu_facts();

} // namespace sinter
