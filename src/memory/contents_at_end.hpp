#pragma once
/// Lists buffers whose contents may be on devices when the program ends. Static buffers are destroyed after the drivers
/// have ended, so their contents have to be copied to the host earlier.

namespace sycl::inline _V1::detail {

class buffer_record;

/// note_device_contents adds a buffer to the list. The buffer has memory on a device. forget_device_contents removes
/// the buffer from the list. Don't hold the buffer's locks during these calls.
void note_device_contents(buffer_record& record);
void forget_device_contents(buffer_record& record) noexcept;

}  // namespace sycl::detail
