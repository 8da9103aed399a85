/// Offsets by which gdb's printers (packaging/gdb_printers.py) find the contents of a buffer. The printers read these
/// numbers from the program's memory. So the printers work without debug information of the library. They also work
/// with core files, where they can't call functions.

#include <cstddef>
#include <sycl/detail/export.hpp>

#include "buffer_record.hpp"

// The classes are not standard-layout, because they have bases. clang and GCC lay out such classes alike, so offsetof
// may be used.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace sycl::inline _V1::detail {

struct debugger_offsets {
  static constexpr std::size_t record = offsetof(buffer_owner, m_record);
  static constexpr std::size_t data = offsetof(buffer_record, m_data);
  static constexpr std::size_t places = offsetof(buffer_record, m_places);
};

}  // namespace sycl::detail

#pragma GCC diagnostic pop

using offsets = sycl::detail::debugger_offsets;

/// The first number is the offset of the record in a buffer's owner. The other two numbers are offsets in this record.
/// At the first of these offsets is the pointer to the host's memory. At the second is the pointer to the object that
/// records the contents on devices (may be null).
extern "C" SINTER_EXPORT const std::size_t sinter_debugger_offsets[3];
const std::size_t sinter_debugger_offsets[3] = {offsets::record, offsets::data, offsets::places};
