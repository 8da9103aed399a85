#pragma once
/// The driver's objects behind a device, for functions that a program may call for some kinds of devices only.

#include <backends/natives.hpp>
#include <runtime/object_access.hpp>

#include <sycl/exception.hpp>

namespace sycl::inline _V1::detail {

/// Throws errc::feature_not_supported where the device's driver gives none.
inline sinter::device_natives& natives_of(sinter::device_backend& backend) {
  if (sinter::device_natives* const natives = backend.natives()) return *natives;
  throw_error(errc::feature_not_supported, "device '" + backend.facts().name + "' gives no objects of a driver's");
}
inline sinter::device_natives& natives_of(const device& device) { return natives_of(backend_for(device)); }

}  // namespace sycl::detail
