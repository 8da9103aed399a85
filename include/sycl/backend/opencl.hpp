#pragma once
/// This header, which the OpenCL backend specification names, gives access to OpenCL's objects. It includes
/// <sycl/backend.hpp>. It also includes OpenCL's own header if that header is installed.

#include "../backend.hpp"

#if __has_include(<CL/cl.h>)
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#endif
