#pragma once
/// Finds numbers among the arguments of kernels that stay the same from launch to launch (property::queue::adaptive),
/// and formats of images.

#include <backends/device.hpp>

namespace sycl::inline _V1::detail {

/// A kernel gets code for its numbers when they have stayed the same for this many launches.
inline constexpr unsigned repeats_for_code = 16;
/// The number of sets of numbers for which a kernel gets code.
inline constexpr unsigned most_adapted = 4;

/// Counts a launch whose argument block is complete, except addresses of devices' memory. Returns the numbers for which
/// code is ready, as constants, or null if the general code is used. Starts to make code in the background when the
/// numbers have repeated often enough.
const sinter::abi::specialization_table* adapted_values(const sinter::kernel_launch& launch,
                                                        sinter::device_backend& device);

/// Returns the numbers of the launch as constants. Code for them is made at once, because the launch will be repeated
/// with these numbers.
const sinter::abi::specialization_table* lasting_values(const sinter::kernel_launch& launch,
                                                        sinter::device_backend& device);

/// The number of sets of formats and samplers for which a kernel gets code.
inline constexpr unsigned most_formats = 4;

/// Returns the formats and samplers of the images and handles among the arguments, as constants for code that is made
/// at once. Returns null if the kernel has code for most_formats sets already; then code for any image is used.
const sinter::abi::specialization_table* format_values(const sinter::kernel_launch& launch,
                                                       sinter::device_backend& device);

}  // namespace sycl::detail
