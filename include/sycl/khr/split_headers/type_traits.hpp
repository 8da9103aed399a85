#pragma once
/// sycl_khr_split_headers

#include "../../is_device_copyable.hpp"
#include "../../memory_enums.hpp"
#include "version.hpp"
