#pragma once
/// Finds the driver's objects behind a device, for functions that work on some kinds of devices only.

#include <backends/natives.hpp>
#include <memory>
#include <runtime/object_access.hpp>
#include <runtime/source_bundle.hpp>
#include <string>
#include <vector>

#include <sycl/exception.hpp>

namespace sycl::inline _V1::detail {

/// Throws errc::feature_not_supported if the device's driver gives no native objects.
inline sinter::device_natives& natives_of(sinter::device_backend& backend) {
  if (sinter::device_natives* const natives = backend.natives()) return *natives;
  throw_error(errc::feature_not_supported, "device '" + backend.facts().name + "' gives no objects of a driver's");
}
inline sinter::device_natives& natives_of(const device& device) { return natives_of(backend_for(device)); }

/// For make_buffer: waits for `available`, and returns the size in bytes of the program's memory object `native`.
/// Throws errc::invalid, with `what` and `remedy` in the message, if `native` is no memory of the context or its size
/// is no multiple of an element's size.
std::size_t native_memory_bytes(sinter::device_natives& natives, void* native, std::size_t element_bytes,
                                event& available, const char* what, const char* remedy);
/// Copies the memory's contents to the buffer, and the buffer's contents back to the memory when the buffer is
/// destroyed.
void copy_native_memory(buffer_record* record, sinter::device_natives& natives, const std::shared_ptr<void>& held,
                        const context& context);
/// Returns an event that is complete when the driver's events are complete; `given` keeps the driver's events alive.
event event_of_natives(sinter::device_natives& natives, const std::vector<void*>& events, shared<counted> given,
                       const context& context);

/// Returns the code that the driver has built for a kernel of the program, retained for the caller, or null if the
/// kernel has no device code.
sinter::device_natives::code native_code(const kernel_identity* kernel, const device& on,
                                         const specialization_values& values);
/// Returns the program of a bundle that was built from source for a single device.
const source_program::part& only_part(const source_program& program, const char* call);

}  // namespace sycl::detail
