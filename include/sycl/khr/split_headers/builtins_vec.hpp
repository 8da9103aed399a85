#pragma once
/// sycl_khr_split_headers

#include "../../math.hpp"
#include "../../vec.hpp"
#include "version.hpp"
