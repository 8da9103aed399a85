#pragma once
/// sycl_khr_split_headers

#include "../../context.hpp"
#include "version.hpp"
