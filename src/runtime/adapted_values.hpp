#pragma once
/// Finds arguments that can be constants of a kernel's code: numbers that stay the same from launch to launch
/// (property::queue::adaptive), and formats of images.

#include <backends/device.hpp>

namespace sycl::inline _V1::detail {

/// A kernel gets code for the numbers among its arguments when these numbers have stayed the same for this many
/// launches.
inline constexpr unsigned repeats_for_code = 16;
/// The largest number of sets of arguments for which one kernel gets code of its own.
inline constexpr unsigned most_adapted = 4;

/// Counts a launch. Its argument block has to be complete, apart from addresses of devices' memory. When the numbers
/// among its arguments have stayed the same often enough, starts to compile code for these numbers in the background.
/// Returns the numbers as constants when this code is ready, and null as long as the general code is used.
const sinter::abi::specialization_table* adapted_values(const sinter::kernel_launch& launch,
                                                        sinter::device_backend& device);

/// Returns the numbers among the launch's arguments, as constants. Code with these constants is compiled at once,
/// because the launch will be repeated with these numbers.
const sinter::abi::specialization_table* lasting_values(const sinter::kernel_launch& launch,
                                                        sinter::device_backend& device);

/// The largest number of sets of formats and samplers for which one kernel gets code of its own.
inline constexpr unsigned most_formats = 4;

/// Returns the formats and samplers of the images and handles among the arguments. Code in which they are constants is
/// compiled at once. Returns null, for code that supports any image, if the kernel already has code for most_formats
/// other sets.
const sinter::abi::specialization_table* format_values(const sinter::kernel_launch& launch,
                                                       sinter::device_backend& device);

}  // namespace sycl::detail
