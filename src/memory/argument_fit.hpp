#pragma once
/// Which values can stand for which arguments of a kernel: of kernel objects (handler::set_arg), and of nodes of graphs
/// that change.

#include <abi/image_format.hpp>
#include <cstddef>
#include <span>
#include <string>

#include <sycl/kernel_settings.hpp>

namespace sycl::detail {

struct argument_fit {
  std::size_t behind = 0;  ///< the argument behind the last one that the value is
  std::string misfit;      ///< why it can't be any, behind the argument's number: " has ..."; empty: it can
};

/// A structure is as many arguments as it has members. `block_size`: bytes of all arguments together.
argument_fit fit_of(std::span<const sinter::abi::image_leaf> arguments, std::size_t first, const argument_value& value,
                    std::size_t block_size);

/// "a number", "an accessor", ...
const char* text_of(sinter::abi::leaf_kind kind) noexcept;

}  // namespace sycl::detail
