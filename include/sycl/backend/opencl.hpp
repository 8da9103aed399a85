#pragma once
/// OpenCL's objects behind SYCL's, as the OpenCL backend specification spells the header: <sycl/backend.hpp>, and with
/// it OpenCL's own header, where there is one.

#include "../backend.hpp"

#if __has_include(<CL/cl.h>)
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#endif
