#pragma once
/// sycl_khr_split_headers

#include "../../reduction.hpp"
#include "version.hpp"
