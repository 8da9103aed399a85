#pragma once
/// A second header for sycl_ext_oneapi_complex, with another name; its contents are in complex/complex.hpp.

#include "complex/complex.hpp"
