#pragma once
/// sycl_khr_split_headers

#include "../../group.hpp"
#include "../../sub_group.hpp"
#include "version.hpp"
