#pragma once
/// The header for OpenCL's objects that the OpenCL backend specification names. It includes <sycl/backend.hpp>, and
/// OpenCL's own header if it is installed.

#include "../backend.hpp"

#if __has_include(<CL/cl.h>)
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#endif
