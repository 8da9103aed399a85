#pragma once
/// sycl_khr_split_headers

#include "../../specialization.hpp"
#include "version.hpp"
