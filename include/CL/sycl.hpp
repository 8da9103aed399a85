#pragma once
/// The header name of SYCL 1.2.1, deprecated in SYCL 2020.
#include "../sycl/sycl.hpp"
