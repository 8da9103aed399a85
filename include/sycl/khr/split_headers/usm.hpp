#pragma once
/// sycl_khr_split_headers

#include "../../usm.hpp"
#include "version.hpp"
