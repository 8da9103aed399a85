#pragma once
/// sycl_khr_split_headers

#include "../../group_algorithms.hpp"
#include "version.hpp"
