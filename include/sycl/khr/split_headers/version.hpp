#pragma once
/// sycl_khr_split_headers: macros that say what there is.

#include "../../detail/version.hpp"
