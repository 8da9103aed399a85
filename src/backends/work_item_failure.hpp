#pragma once
/// What a work-item that could not go on has left behind for the host.

#include <abi/gpu_launch.hpp>
#include <exception>
#include <string>

namespace sinter {

/// Null: none has failed since the last call. Else a sycl::exception that names kernel, device, place and work-item;
/// the next work-item that fails is heard again.
std::exception_ptr take_failure(abi::gpu_failure& failure, const std::string& kernel, const std::string& device);

}  // namespace sinter
