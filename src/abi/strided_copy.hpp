#pragma once
/// Describes a copy of rows and planes of memory. Commands create the description, and devices make the copy.

#include <cstddef>

namespace sinter::abi {

/// Says which end of a copy is a pointer of the program; the other end is an accessor. The pointer may point to the
/// host memory from which the buffer was made. In this case, only the accessor's end refers to the buffer's current
/// contents.
enum class pointer_end : unsigned char { none, source, destination };

/// A plane has `rows` rows of `row_bytes` bytes. All other sizes are strides between rows or planes, in bytes. If the
/// destination's rows have another length, the elements are copied in linear order.
struct strided_copy {
  char* destination;
  const char* source;
  std::size_t row_bytes, rows, planes;
  std::size_t destination_row, destination_plane, source_row, source_plane;
  std::size_t destination_row_bytes = row_bytes, destination_rows = rows;

  constexpr std::size_t bytes() const noexcept { return row_bytes * rows * planes; }
  /// Makes a copy of one row.
  static strided_copy contiguous(void* destination, const void* source, std::size_t bytes) noexcept {
    return {static_cast<char*>(destination), static_cast<const char*>(source), bytes, 1, 1, bytes, bytes, bytes, bytes};
  }

  /// Calls visit(destination, source, bytes) for each contiguous part of the bytes that lies within one row of the
  /// source and one row of the destination.
  template <class Visit>
  void visit_pieces(const Visit& visit) const {
    const std::size_t all = bytes();
    // Most copies have one row in the source and in the destination. For such copies, the divisions below would take
    // longer than the copy itself.
    if (all == row_bytes && all == destination_row_bytes) {
      if (all != 0) visit(destination, source, all);
      return;
    }
    for (std::size_t done = 0, piece = 0; done < all; done += piece) {
      const std::size_t from = done / row_bytes, from_offset = done % row_bytes;
      const std::size_t to = done / destination_row_bytes, to_offset = done % destination_row_bytes;
      const std::size_t left = row_bytes - from_offset, room = destination_row_bytes - to_offset;
      piece = left < room ? left : room;
      visit(
          destination + to / destination_rows * destination_plane + to % destination_rows * destination_row + to_offset,
          source + from / rows * source_plane + from % rows * source_row + from_offset, piece);
    }
  }
};

}  // namespace sinter::abi
