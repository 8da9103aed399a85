#pragma once
/// Lists buffers whose contents may be on devices when the program ends. Static buffers are destroyed after the drivers
/// have ended, so their contents have to be copied to the host before.

namespace sycl::inline _V1::detail {

class buffer_record;

/// Lists a buffer that has memory on a device, until it is forgotten. Call it without the buffer's locks.
void note_device_contents(buffer_record& record);
void forget_device_contents(buffer_record& record) noexcept;

}  // namespace sycl::detail
