#pragma once
/// The NVIDIA GPUs of this machine.

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::cuda {

struct gpu {
  std::string name;          ///< "NVIDIA H200"
  std::string architecture;  ///< "sm_90", as compilers call it
  std::uint64_t memory_bytes;
  unsigned multiprocessors;
  std::uint64_t private_bytes;  ///< that a work-item can have beside registers
};

/// Empty where there is no driver (driver.hpp). Throws sycl::exception when the driver fails.
std::vector<gpu> find_gpus();

}  // namespace sinter::cuda
