#pragma once
/// A libamdhip64.so for tests, without a GPU. The library's GPUs are simulated. Kernels are x86-64 code that passed the
/// compilation steps of AMD's code (jitd/targets/simulated). A work-item runs until it reaches a barrier or ends, then
/// the next work-item runs. Memory is the host's, and each stream is a slow thread. The library is as unhelpful as HIP
/// allows, and ends the process with a sentence in cases that HIP leaves undefined: destroyed objects, memory freed
/// while commands use it, parameters that nobody set, groups whose size differs from the code's, barriers that not all
/// work-items reach, calls after the runtime has ended.
///
/// TEST_HIP_DEVICES: the number of GPUs (default 1, may be 0). TEST_HIP_ARCH: their name (simulated-wave64;
/// others: src/abi/simulated_gpu.hpp).
/// TEST_HIP_VERSION: the runtime's version (60342134). TEST_HIP_MEMORY: MiB of memory of a GPU (4096).
/// TEST_HIP_POOLS=0: there are no pools of memory.

#include <cstdint>
#include <cstdlib>

namespace judge {

/// Ends the process with the sentence, because a rule of HIP was broken.
[[noreturn]] void refuse(const char* sentence);
inline constexpr const char* freed_in_use = "memory is freed while a command uses it";

inline long number_from(const char* variable, long standard) {
  const char* text = std::getenv(variable);
  return text && *text != '\0' ? std::atol(text) : standard;
}

}  // namespace judge
