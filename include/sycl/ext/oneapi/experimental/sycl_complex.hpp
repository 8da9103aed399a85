#pragma once
/// This header has another name of sycl_ext_oneapi_complex; its contents are in complex/complex.hpp.

#include "complex/complex.hpp"
