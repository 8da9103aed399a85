#pragma once
/// sycl_khr_split_headers

#include "../../id.hpp"
#include "../../item.hpp"
#include "../../nd_item.hpp"
#include "../../nd_range.hpp"
#include "../../range.hpp"
#include "version.hpp"
