#pragma once
/// sycl_khr_split_headers

#include "../../kernel_bundle.hpp"
#include "version.hpp"
