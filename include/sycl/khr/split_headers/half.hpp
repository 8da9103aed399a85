#pragma once
/// sycl_khr_split_headers

#include "../../half.hpp"
#include "version.hpp"
