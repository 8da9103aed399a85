#pragma once
/// sycl_khr_split_headers

#include "../../marray.hpp"
#include "../../math.hpp"
#include "version.hpp"
