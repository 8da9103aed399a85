#pragma once
/// DPC++'s name of the header with the types of sycl::backend::ext_oneapi_cuda, which are in backend.hpp.

#include "../backend.hpp"
