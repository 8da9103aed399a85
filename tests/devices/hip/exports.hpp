#pragma once
/// Declares the functions of libamdhip64.so that the back end needs. The tests' versions of this library export these
/// functions.

#include <backends/hip/hip_abi.hpp>

#pragma GCC visibility push(default)
extern "C" {

using namespace sinter::hip;

#define DECLARE(name, parameters) hipError_t name parameters;
SINTER_HIP_FUNCTIONS(DECLARE)
DECLARE(hipGetDevicePropertiesR0600, (hipDevicePropR0600*, int))
DECLARE(hipModuleLaunchCooperativeKernel, (hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                           unsigned, hipStream_t, void**))
DECLARE(hipDriverGetVersion, (int*))
#undef DECLARE
const char* hipGetErrorName(hipError_t);
const char* hipGetErrorString(hipError_t);

}
#pragma GCC visibility pop
