#pragma once
/// OpenCL's objects behind SYCL's, by the header's name in the OpenCL backend specification: <sycl/backend.hpp>, and
/// with it OpenCL's own header, if it is installed.

#include "../backend.hpp"

#if __has_include(<CL/cl.h>)
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#endif
