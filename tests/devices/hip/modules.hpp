#pragma once
/// Modules and launches of their kernels.

#include <backends/hip/hip_abi.hpp>

#include <string>
#include <vector>

#include "simulator.hpp"
#include "streams.hpp"

namespace judge {

/// The name of the GPUs (TEST_HIP_ARCH).
std::string architecture();
unsigned wave_of(const std::string& name);

struct module;
struct function {
  module* of = nullptr;
  kernel_function entry = nullptr;
};

sinter::hip::hipError_t load(const void* image, sinter::hip::hipModule_t* made);
void unload(sinter::hip::hipModule_t handle);
sinter::hip::hipError_t find_function(sinter::hip::hipModule_t handle, const char* name,
                                      sinter::hip::hipFunction_t* found);
sinter::hip::hipError_t find_variable(sinter::hip::hipModule_t handle, const char* name, void** place,
                                      std::size_t* bytes);
/// Refuses a handle that is not the handle of a function, and a function whose module was unloaded.
function& function_of(sinter::hip::hipFunction_t handle);

/// A launch, with copies of its parameters.
struct bound_launch {
  kernel_launch launch;
  std::vector<use> uses;
  const module* of = nullptr;
};
sinter::hip::hipError_t bind(sinter::hip::hipFunction_t handle, const sinter::hip::hipKernelNodeParams& how, int device,
                             bound_launch& bound);
sinter::hip::hipError_t launch(sinter::hip::hipFunction_t handle, const sinter::hip::hipKernelNodeParams& how,
                               stream& to, bool together);

/// Finds the allocations that a copy uses. Returns false if the source or the destination crosses the end of its
/// allocation.
bool check_copy(void* to, const void* from, std::size_t bytes, std::vector<use>& uses);

}  // namespace judge
