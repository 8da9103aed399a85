#pragma once
/// sycl_khr_split_headers

#include "../../atomic.hpp"
#include "../../atomic_ref.hpp"
#include "version.hpp"
