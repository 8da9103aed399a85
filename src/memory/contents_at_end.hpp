#pragma once
/// Lists buffers whose contents may be on devices when the program ends. Static buffers are destroyed after the drivers
/// have ended, so their contents have to be copied to the host earlier.

namespace sycl::inline _V1::detail {

class buffer_record;

/// Adds a buffer that has memory on a device to the list. forget_device_contents removes it. Call it without the
/// buffer's locks.
void note_device_contents(buffer_record& record);
void forget_device_contents(buffer_record& record) noexcept;

}  // namespace sycl::detail
