// Functions that kernels of aspects.cpp call.
#include <sycl/ext/oneapi/experimental/root_group.hpp>
#include <sycl/sycl.hpp>

SYCL_EXTERNAL [[sycl::device_has(sycl::aspect::custom)]] int samples_elsewhere(int x) { return x + 1; }
SYCL_EXTERNAL int adds_elsewhere(int x) { return x + 2; }

namespace {
class [[__sycl_detail__::__uses_aspects__(sycl::aspect::custom)]] texture {
public:
  int texel = 0;
};
}  // namespace

// The declarations of these functions, which the other file includes, name no aspects. Only this file's device image
// records the aspects.
SYCL_EXTERNAL int samples_unsaid(int x) {
  texture local{x};
  return local.texel + 3;
}
SYCL_EXTERNAL int samples_behind(int x) { return samples_elsewhere(x) + 4; }
SYCL_EXTERNAL void meets_all_elsewhere(sycl::nd_item<1> item) {
  sycl::group_barrier(item.ext_oneapi_get_root_group());
}
