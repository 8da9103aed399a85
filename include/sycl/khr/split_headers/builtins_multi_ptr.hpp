#pragma once
/// sycl_khr_split_headers

#include "../../math.hpp"
#include "../../multi_ptr.hpp"
#include "version.hpp"
