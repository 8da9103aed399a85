#pragma once
/// sycl_khr_split_headers

#include "../../property_list.hpp"
#include "version.hpp"
