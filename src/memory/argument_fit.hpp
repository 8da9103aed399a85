#pragma once
/// Says which values can be passed for which arguments of a kernel: for kernel objects (handler::set_arg) and for nodes
/// of graphs.

#include <abi/image_format.hpp>
#include <cstddef>
#include <span>
#include <string>

#include <sycl/kernel_settings.hpp>

namespace sycl::inline _V1::detail {

struct argument_fit {
  std::size_t behind = 0;  ///< the number of the first argument after those that the value fills
  /// why the value does not fit, to be appended to the argument's number: " has ..."; empty: the value fits
  std::string misfit;
};

/// A value that is a structure fills one argument for each of its members. `block_size` is the size in bytes of all
/// arguments together.
argument_fit fit_of(std::span<const sinter::abi::image_leaf> arguments, std::size_t first, const argument_value& value,
                    std::size_t block_size);

/// The kind of a value for messages: "a number", "an accessor", ...
const char* text_of(sinter::abi::leaf_kind kind) noexcept;

}  // namespace sycl::detail
