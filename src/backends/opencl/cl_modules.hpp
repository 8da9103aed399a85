#pragma once
/// Kernels that the driver compiles from the user's OpenCL C or SPIR-V.

#include <backends/natives.hpp>
#include <memory>

#include "cl_context.hpp"

namespace sinter::opencl {

/// Throws errc::build, with the driver's log, if the source can't be built, and errc::invalid for specialization
/// constants that the module does not have.
std::unique_ptr<native_module> build_module(cl_device_context& device, const code_target& target,
                                            const kernel_source& source, std::string& log);
/// Adopts a program that is built already. Retains the program and `kernel`, one of its kernels or null. Throws
/// errc::invalid if the program is not built for the device.
std::unique_ptr<native_module> adopt_program(cl_device_context& device, const code_target& target, cl_program program,
                                             cl_kernel kernel);

}  // namespace sinter::opencl
