#pragma once
/// sycl_khr_split_headers

#include "../../event.hpp"
#include "version.hpp"
