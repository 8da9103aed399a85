#pragma once
/// How often code of each origin ran (ext::sinter::launch_counters, SINTER_REPORT=launches).

#include "backend.hpp"

namespace sinter {

void count_launch(const kernel_launch& launch, code_origin origin);

}  // namespace sinter
