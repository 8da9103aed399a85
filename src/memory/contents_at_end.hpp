#pragma once
/// Buffers whose contents may be on devices when the program ends: drivers may end before the buffers do, which are
/// static objects then.

namespace sycl::detail {

class buffer_record;

/// It has memory on a device, until it is forgotten. Without its locks.
void note_device_contents(buffer_record& record);
void forget_device_contents(buffer_record& record) noexcept;

}  // namespace sycl::detail
