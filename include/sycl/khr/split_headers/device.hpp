#pragma once
/// sycl_khr_split_headers

#include "../../device.hpp"
#include "version.hpp"
