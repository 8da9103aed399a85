#pragma once
/// Objects of OpenCL's that programs make, or get.

#include <backends/backend.hpp>
#include <string>

#include "cl_context.hpp"

namespace sinter::opencl {

/// Counts one owner more; or, for events and memory, less.
void retain(const loader& functions, device_backend::native_kind kind, void* object);
void release(const loader& functions, device_backend::native_kind kind, void* object);

/// Of a buffer; 0: it is none of the device's context.
std::size_t bytes_of(cl_device_context& device, cl_mem memory);
/// And the kernel's name.
cl_program program_of(cl_device_context& device, cl_kernel kernel, std::string& name);
/// Whether the context is one of this device.
bool has_device(const cl_device_context& device, cl_context context);

}  // namespace sinter::opencl
