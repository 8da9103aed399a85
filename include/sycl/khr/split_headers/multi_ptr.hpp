#pragma once
/// sycl_khr_split_headers

#include "../../multi_ptr.hpp"
#include "version.hpp"
