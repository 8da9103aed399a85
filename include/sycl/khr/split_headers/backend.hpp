#pragma once
/// sycl_khr_split_headers

#include "../../backend.hpp"
#include "version.hpp"
