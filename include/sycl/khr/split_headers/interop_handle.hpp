#pragma once
/// sycl_khr_split_headers

#include "../../interop_handle.hpp"
#include "version.hpp"
