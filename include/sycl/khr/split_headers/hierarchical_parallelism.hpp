#pragma once
/// sycl_khr_split_headers

#include "../../hierarchical.hpp"
#include "version.hpp"
