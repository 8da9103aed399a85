#pragma once
/// The SYCL 1.2.1 header, deprecated in SYCL 2020.
#include "../sycl/sycl.hpp"
