#pragma once
/// sycl_khr_split_headers

#include "../../vec.hpp"
#include "version.hpp"
