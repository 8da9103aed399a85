#pragma once
/// Another name of the header of sycl_ext_oneapi_complex.

#include "complex/complex.hpp"
