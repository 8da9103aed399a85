#pragma once
/// DPC++ has this second header for sycl_ext_oneapi_complex; its contents are in complex/complex.hpp.

#include "complex/complex.hpp"
