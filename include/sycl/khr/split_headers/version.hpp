#pragma once
/// A header of the extension sycl_khr_split_headers, which has the feature-test macros.

#include "../../detail/version.hpp"
