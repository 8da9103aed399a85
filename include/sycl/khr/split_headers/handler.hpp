#pragma once
/// sycl_khr_split_headers

#include "../../handler.hpp"
#include "version.hpp"
