#pragma once
/// sycl_khr_split_headers

#include "../../bit_cast.hpp"
#include "version.hpp"
