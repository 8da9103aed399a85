#pragma once
/// This header has DPC++'s name; the types of sycl::backend::ext_oneapi_cuda are in backend.hpp.

#include "../backend.hpp"
