#pragma once
/// Numbers among the arguments of kernels that stay the same from launch to launch (property::queue::adaptive), and
/// formats of images.

#include <backends/device.hpp>

namespace sycl::inline _V1::detail {

/// A launch gets code of its own when its numbers have stayed the same for this many launches.
inline constexpr unsigned repeats_for_code = 16;
/// The number of sets of numbers for which a kernel gets code.
inline constexpr unsigned most_adapted = 4;

/// Counts a launch, whose argument block is complete but for memory of devices. The numbers for which code is ready, as
/// constants; null: the general code will do. Starts making code in the background when the numbers have repeated.
const sinter::abi::specialization_table* adapted_values(const sinter::kernel_launch& launch,
                                                        sinter::device_backend& device);

/// The values for a launch that is repeated with these numbers: code is asked for at once.
const sinter::abi::specialization_table* lasting_values(const sinter::kernel_launch& launch,
                                                        sinter::device_backend& device);

/// The number of sets of formats and samplers for which a kernel gets code.
inline constexpr unsigned most_formats = 4;

/// The formats and samplers of the images and handles among the arguments, as constants for code that is made at once;
/// null where the kernel has code for enough of them: code for any image will do.
const sinter::abi::specialization_table* format_values(const sinter::kernel_launch& launch,
                                                       sinter::device_backend& device);

}  // namespace sycl::detail
