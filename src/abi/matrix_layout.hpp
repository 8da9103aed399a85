#pragma once
/// On devices without a matrix unit, this layout distributes a matrix over the work-items of a sub-group
/// (abi/matrix_abi.hpp). Each work-item has several slots with one word each. In general, the elements of a row are in
/// the same slot of neighbouring work-items, and the elements of a column are in the slots of one work-item. The JIT's
/// code and host code use the same layout.
///
/// A word holds the elements that a vector unit multiplies and adds in one instruction. Elements of 8 or 16 bits share
/// a word with their neighbours along the inner dimension k of the product; a larger element has a word of its own.

#include <cstdint>

namespace sinter::abi {

enum class matrix_element : std::uint32_t { f16, bf16, f32, tf32, f64, s8, u8, s32 };
enum class matrix_use : std::uint32_t { a, b, accumulator };
/// `any` is for accumulators, because each load or store of an accumulator states the layout in memory.
enum class matrix_layout : std::uint32_t { row_major, column_major, packed, any };

constexpr std::uint32_t bytes_of(matrix_element element) {
  switch (element) {
    case matrix_element::s8:
    case matrix_element::u8:
      return 1;
    case matrix_element::f16:
    case matrix_element::bf16:
      return 2;
    case matrix_element::f64:
      return 8;
    default:
      return 4;
  }
}

struct matrix_type {
  matrix_element element;
  matrix_use use;
  matrix_layout layout;         ///< layout of the matrix in memory
  std::uint32_t rows, columns;  ///< 1023 at most

  friend constexpr bool operator==(const matrix_type&, const matrix_type&) = default;
};

/// Encodes the type as a number, which is an argument of device functions.
constexpr std::uint32_t number_of(const matrix_type& type) {
  return static_cast<std::uint32_t>(type.element) | static_cast<std::uint32_t>(type.use) << 8 |
         static_cast<std::uint32_t>(type.layout) << 10 | type.rows << 12 | type.columns << 22;
}
constexpr matrix_type matrix_type_of(std::uint32_t number) {
  return {static_cast<matrix_element>(number & 0xff), static_cast<matrix_use>(number >> 8 & 3),
          static_cast<matrix_layout>(number >> 10 & 3), number >> 12 & 0x3ff, number >> 22};
}

/// A product that a device's matrix units compute in sub-groups of this size: d = a * b + c, with a of m x k elements
/// and b of k x n.
struct matrix_product {
  std::uint32_t m, n, k;
  matrix_element a, b, c, d;
  std::uint32_t sub_group_size;

  friend constexpr bool operator==(const matrix_product&, const matrix_product&) = default;
};
/// The matrix units of a device whose driver takes SPIR-V.
struct matrix_units {
  const matrix_product* products;
  std::uint32_t count;
  std::uint32_t pointer_bytes;  ///< matrices begin in memory at multiples of this number
  std::uint32_t stride_bytes;   ///< strides are multiples of this number
};

struct matrix_place {
  std::uint32_t row, column;
};

/// A matrix in a sub-group of `size` work-items. Each part has `length()` elements, some of which may be unused.
struct matrix_parts {
  matrix_element element;
  matrix_use use;
  std::uint32_t size;
  std::uint32_t pack;           ///< number of elements in a word
  std::uint32_t rows, columns;  ///< numbers of rows and columns of words
  std::uint32_t rows_at_once;   ///< number of rows in a slot, if rows are shorter than the sub-group
  std::uint32_t groups;         ///< number of slots for a row, if rows are longer than the sub-group

  constexpr matrix_parts(const matrix_type& type, std::uint32_t sub_group_size)
      : element(type.element),
        use(type.use),
        size(sub_group_size),
        pack(type.use == matrix_use::accumulator || bytes_of(type.element) >= 4 ? 1 : 4 / bytes_of(type.element)),
        rows(type.use == matrix_use::b ? (type.rows + pack - 1) / pack : type.rows),
        columns(type.use == matrix_use::a ? (type.columns + pack - 1) / pack : type.columns),
        rows_at_once(columns < size && size % columns == 0 ? size / columns : 1),
        groups((columns + size - 1) / size) {}

  constexpr std::uint32_t slots() const { return (rows + rows_at_once - 1) / rows_at_once * groups; }
  constexpr std::uint32_t length() const { return slots() * pack; }

  constexpr std::uint32_t word_row(std::uint32_t slot, std::uint32_t item) const {
    return slot / groups * rows_at_once + (rows_at_once > 1 ? item / columns : 0);
  }
  constexpr std::uint32_t word_column(std::uint32_t slot, std::uint32_t item) const {
    return rows_at_once > 1 ? item % columns : slot % groups * size + item;
  }
  /// Returns whether work-item `item` has a word in the slot.
  constexpr bool holds(std::uint32_t slot, std::uint32_t item) const {
    return word_row(slot, item) < rows && word_column(slot, item) < columns;
  }
  /// Returns whether all work-items have a word in the slot.
  constexpr bool is_full(std::uint32_t slot) const {
    const bool all_rows = (slot / groups + 1) * rows_at_once <= rows;
    return all_rows && (rows_at_once > 1 || (slot % groups + 1) * size <= columns);
  }
  /// Returns the position of an element in the matrix. The element has number `within` in the word that work-item
  /// `item` has in the slot.
  constexpr matrix_place place(std::uint32_t slot, std::uint32_t within, std::uint32_t item) const {
    const std::uint32_t row = word_row(slot, item), column = word_column(slot, item);
    return {use == matrix_use::b ? row * pack + within : row, use == matrix_use::a ? column * pack + within : column};
  }
};

inline constexpr std::uint32_t least_matrix_sub_group = 8, most_matrix_sub_group = 64;

/// If a device does not support a kernel's matrices, the JIT's message begins with these words. For such a message, the
/// runtime throws errc::kernel_not_supported instead of errc::build.
inline constexpr const char* unsupported_matrix = "it has a joint_matrix that ";

/// Returns the length of the array in which a work-item keeps its part. The length is enough for every device: NVIDIA's
/// matrix units, for example, need up to 16 elements.
constexpr std::uint32_t most_matrix_length(const matrix_type& type) {
  std::uint32_t most = 16;
  for (std::uint32_t size = least_matrix_sub_group; size <= most_matrix_sub_group; size *= 2) {
    const std::uint32_t length = matrix_parts(type, size).length();
    if (length > most) most = length;
  }
  return most;
}

}  // namespace sinter::abi
