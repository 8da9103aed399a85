#pragma once
/// The queue of the SYCL side.

#include <sycl/sycl.hpp>

namespace side {

sycl::queue& queue();

}  // namespace side
