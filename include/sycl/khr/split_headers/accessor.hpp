#pragma once
/// sycl_khr_split_headers

#include "../../accessor.hpp"
#include "../../host_accessor.hpp"
#include "../../local_accessor.hpp"
#include "version.hpp"
