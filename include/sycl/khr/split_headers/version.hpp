#pragma once
/// sycl_khr_split_headers: macros of the supported features.

#include "../../detail/version.hpp"
