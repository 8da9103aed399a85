#pragma once
/// sycl_khr_split_headers

#include "../../image.hpp"
#include "version.hpp"
