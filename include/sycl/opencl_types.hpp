#pragma once
/// sycl::opencl::cl_int and similar types, with the same widths as OpenCL's types (SYCL 2020, OpenCL backend
/// specification). Programs can use them without OpenCL's headers.

#include <cstdint>

#include "half.hpp"

namespace sycl::inline _V1::opencl {

using cl_bool = bool;
using cl_char = std::int8_t;
using cl_uchar = std::uint8_t;
using cl_short = std::int16_t;
using cl_ushort = std::uint16_t;
using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_long = std::int64_t;
using cl_ulong = std::uint64_t;
using cl_half = half;
using cl_float = float;
using cl_double = double;

}  // namespace sycl::opencl
