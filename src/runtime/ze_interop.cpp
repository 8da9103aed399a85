// Level Zero's own objects behind SYCL's (sycl/ext/oneapi/backend/level_zero.hpp).
#include <runtime/native_objects.hpp>
#include <string>

#include <sycl/ext/oneapi/backend/level_zero.hpp>

namespace sycl::inline _V1::detail {
namespace {

sinter::device_natives& ze_natives(const device& of) {
  if (of.get_backend() == backend::ext_oneapi_level_zero) return natives_of(of);
  throw_error(errc::backend_mismatch, "get_native: the object is of another backend; ask get_backend() first");
}

}  // namespace

_ze_driver_handle_t* ze_native(const platform& object) {
  return static_cast<_ze_driver_handle_t*>(ze_natives(object.get_devices().front()).platform());
}
_ze_device_handle_t* ze_native(const device& object) {
  return static_cast<_ze_device_handle_t*>(ze_natives(object).device());
}
_ze_context_handle_t* ze_native(const context& object) {
  return static_cast<_ze_context_handle_t*>(ze_natives(object.get_devices().front()).context());
}

void refuse_level_zero(backend its, const char* what) {
  if (its != backend::ext_oneapi_level_zero) {
    throw_error(errc::backend_mismatch, "get_native: the object is of another backend; ask get_backend() first");
  }
  throw_error(errc::feature_not_supported, std::string("get_native: ") + what +
                                               " of Level Zero's can't be given; those of platforms, devices and "
                                               "contexts can");
}

}  // namespace sycl::detail
