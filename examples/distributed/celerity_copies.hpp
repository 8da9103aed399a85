#pragma once
/// Lets kernels of Celerity programs copy accessors. Include this file in front of <celerity.h>, with
/// `-include celerity_copies.hpp`. Celerity uses the preprocessor to distinguish host code from device code. This fails
/// if one pass compiles host code and device code, so this file makes the distinction when code is generated.

// CMake tests the compiler with all flags but without Celerity's folders, so this test does not find <workaround.h>.
#if __has_include(<workaround.h>)
#include <workaround.h>

#include <sycl/ext/sinter/sides.hpp>

#undef CELERITY_DETAIL_COMPILE_TIME_TARGET_HOST_ONLY
#undef CELERITY_DETAIL_IF_RUNTIME_TARGET_DEVICE
#undef CELERITY_DETAIL_IF_RUNTIME_TARGET_HOST
#define CELERITY_DETAIL_COMPILE_TIME_TARGET_HOST_ONLY 0
#define CELERITY_DETAIL_IF_RUNTIME_TARGET_DEVICE(...) SINTER_IF_DEVICE(__VA_ARGS__)
#define CELERITY_DETAIL_IF_RUNTIME_TARGET_HOST(...) SINTER_IF_HOST(__VA_ARGS__)
#endif
