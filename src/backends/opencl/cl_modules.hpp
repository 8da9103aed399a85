#pragma once
/// Kernels that the driver compiles from OpenCL C or SPIR-V of the program's.

#include <backends/natives.hpp>
#include <memory>

#include "cl_context.hpp"

namespace sinter::opencl {

/// errc::build, with the driver's log, if it can't be built; errc::invalid for specialization constants that the module
/// does not have.
std::unique_ptr<native_module> build_module(cl_device_context& device, const code_target& target,
                                            const kernel_source& source, std::string& log);
/// Adopts a program that is built already: it and `kernel`, one of its kernels or null, are retained. errc::invalid
/// when it is not built for the device.
std::unique_ptr<native_module> adopt_program(cl_device_context& device, const code_target& target, cl_program program,
                                             cl_kernel kernel);

}  // namespace sinter::opencl
