#pragma once
/// sycl_khr_split_headers

#include "../../queue.hpp"
#include "version.hpp"
