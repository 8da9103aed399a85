#pragma once
/// Macros of the supported features of SYCL, of Khronos' extensions and of this library.

#ifndef SYCL_LANGUAGE_VERSION  // the capture plugin defines it before anything is included
#define SYCL_LANGUAGE_VERSION 202012L
#endif
#define SYCL_IMPLEMENTATION_SINTER 1
// The version is repeated from meson.build.
#define SINTER_VERSION_MAJOR 0
#define SINTER_VERSION_MINOR 1
#define SINTER_VERSION_PATCH 0
#define __SYCL_SINGLE_SOURCE__ 1
#define __SYCL_UNNAMED_LAMBDA__ 1  // DPC++ defines it, too: kernels need no names
// DPC++ defines it, too: programs ask whether the compiler is older than SYCL 2020's names. Without the macro, they use
// the older names.
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
// SYCL_EXTERNAL marks functions of another file that kernels may call: the JIT links them. Without the plugin they are
// functions of the host.
#if defined(__clang__)
#define SYCL_EXTERNAL __attribute__((annotate("sinter.external")))
#else
#define SYCL_EXTERNAL
#endif
