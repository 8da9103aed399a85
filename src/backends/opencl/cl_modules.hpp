#pragma once
/// Kernels that the driver compiles from the user's OpenCL C or SPIR-V.

#include <backends/natives.hpp>
#include <memory>

#include "cl_context.hpp"

namespace sinter::opencl {

/// Builds the source, and sets `log` to the driver's log. Throws errc::build with the log if building fails. Throws
/// errc::invalid if the module lacks one of the source's specialization constants.
std::unique_ptr<native_module> build_module(cl_device_context& device, const code_target& target,
                                            const kernel_source& source, std::string& log);
/// Makes a module from a program that is built already. `kernel` is one of the program's kernels or null. The module
/// retains both objects. Throws errc::invalid if the program was not built for the device.
std::unique_ptr<native_module> adopt_program(cl_device_context& device, const code_target& target, cl_program program,
                                             cl_kernel kernel);

}  // namespace sinter::opencl
