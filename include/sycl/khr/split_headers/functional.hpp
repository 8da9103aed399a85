#pragma once
/// sycl_khr_split_headers

#include "../../functional.hpp"
#include "version.hpp"
