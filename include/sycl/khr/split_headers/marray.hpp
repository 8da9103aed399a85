#pragma once
/// sycl_khr_split_headers

#include "../../marray.hpp"
#include "version.hpp"
