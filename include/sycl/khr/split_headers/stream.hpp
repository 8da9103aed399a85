#pragma once
/// sycl_khr_split_headers

#include "../../stream.hpp"
#include "version.hpp"
