#pragma once
/// sycl_khr_split_headers

#include "../../buffer.hpp"
#include "version.hpp"
