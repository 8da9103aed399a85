#pragma once
/// A header of the extension sycl_khr_split_headers, with the macros of the supported features.

#include "../../detail/version.hpp"
