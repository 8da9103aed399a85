#pragma once
/// Macros that say which features of SYCL, of Khronos' extensions and of this library are supported.

#ifndef SYCL_LANGUAGE_VERSION  // the capture plugin defines SYCL_LANGUAGE_VERSION before anything is included
#define SYCL_LANGUAGE_VERSION 202012L
#endif
#define SYCL_IMPLEMENTATION_SINTER 1
// These numbers repeat the version in meson.build.
#define SINTER_VERSION_MAJOR 0
#define SINTER_VERSION_MINOR 1
#define SINTER_VERSION_PATCH 0
#define __SYCL_SINGLE_SOURCE__ 1
#define __SYCL_UNNAMED_LAMBDA__ 1  // a macro of DPC++, which says that kernels need no names
// DPC++ defines this macro, too. Programs test the macro to find out whether the compiler is too old for the names of
// SYCL 2020. Without the macro, programs would use the older names.
#ifndef __SYCL_COMPILER_VERSION
#define __SYCL_COMPILER_VERSION 20240101
#endif
#define SYCL_FEATURE_SET_REDUCED 1
#define SYCL_KHR_DEFAULT_CONTEXT 1
#define SYCL_KHR_GROUP_INTERFACE 1
#define SYCL_KHR_MAX_WORK_GROUP_QUERIES 1
#define SYCL_KHR_QUEUE_EMPTY_QUERY 1
#define SYCL_KHR_QUEUE_FLUSH 1
#define SYCL_KHR_SPLIT_HEADERS 1
#define SYCL_KHR_STATIC_ADDRSPACE_CAST 1
#define SYCL_KHR_WORK_ITEM_QUERIES 1
#define SYCL_EXT_ONEAPI_DEFAULT_CONTEXT 1
// SYCL_EXTERNAL marks functions that kernels of another file may call: the JIT links the files' code. Without the
// plugin, such functions are ordinary functions of the host.
#if defined(__clang__)
#define SYCL_EXTERNAL __attribute__((annotate("sinter.external")))
#else
#define SYCL_EXTERNAL
#endif
