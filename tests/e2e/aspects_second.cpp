// Functions that kernels of aspects.cpp call.
#include <sycl/sycl.hpp>

SYCL_EXTERNAL [[sycl::device_has(sycl::aspect::image)]] int samples_elsewhere(int x) { return x + 1; }
SYCL_EXTERNAL int adds_elsewhere(int x) { return x + 2; }
