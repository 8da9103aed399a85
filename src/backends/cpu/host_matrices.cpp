/// Implements the matrix functions of abi/matrix_abi.hpp for host code. The matrices have the layout of
/// abi/matrix_layout.hpp, like in the JIT's code for devices without matrix units.
#include <abi/matrix_abi.hpp>
#include <abi/matrix_layout.hpp>
#include <base/panic.hpp>
#include <bit>
#include <cstring>
#include <vector>

#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/half.hpp>

#define SINTER_DEVICE_EXPORT extern "C" __attribute__((visibility("default")))

namespace sinter {
namespace {

using abi::matrix_element;
using abi::matrix_layout;
using abi::matrix_parts;
using abi::matrix_place;
using abi::matrix_use;

matrix_parts parts_of(std::uint32_t type) {
  const std::uint32_t size = __sinter_sub_group_size();
  if (size < abi::least_matrix_sub_group || size > abi::most_matrix_sub_group) {
    panic(
        "joint_matrix: matrices are held by sub-groups of 8 to 64 work-items; require such a size "
        "(reqd_sub_group_size)");
  }
  return {abi::matrix_type_of(type), size};
}

template <class Function>
auto with_element(matrix_element element, const Function& function) {
  switch (element) {
    case matrix_element::f16:
      return function(sycl::half());
    case matrix_element::bf16:
      return function(sycl::ext::oneapi::bfloat16());
    case matrix_element::f64:
      return function(double());
    case matrix_element::s8:
      return function(std::int8_t());
    case matrix_element::u8:
      return function(std::uint8_t());
    case matrix_element::s32:
      return function(std::int32_t());
    default:
      return function(float());
  }
}

/// Returns an element as a double, which represents the elements of all types exactly.
double number_at(const void* elements, matrix_element element, std::size_t index) {
  return with_element(element, [&](auto sample) {
    std::memcpy(&sample, static_cast<const char*>(elements) + index * sizeof(sample), sizeof(sample));
    if constexpr (std::is_arithmetic_v<decltype(sample)>) {
      return static_cast<double>(sample);
    } else {
      return static_cast<double>(static_cast<float>(sample));
    }
  });
}

void set_number(void* elements, matrix_element element, std::size_t index, double value) {
  with_element(element, [&](auto sample) {
    using type = decltype(sample);
    if constexpr (std::is_integral_v<type>) {
      sample = static_cast<type>(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_same_v<type, double>) {
      sample = value;
    } else {
      sample = static_cast<type>(static_cast<float>(value));
    }
    std::memcpy(static_cast<char*>(elements) + index * sizeof(sample), &sample, sizeof(sample));
    return 0;
  });
}

/// Calls function(index in the part, index in memory) for each matrix element in the calling work-item's part.
template <class Function>
void for_elements(const matrix_parts& parts, std::size_t stride, std::uint32_t layout, const Function& function) {
  const std::uint32_t own = __sinter_sub_group_local_id();
  for (std::uint32_t i = 0; i < parts.length(); ++i) {
    const std::uint32_t slot = i / parts.pack;
    if (!parts.holds(slot, own)) continue;
    const matrix_place where = parts.place(slot, i % parts.pack, own);
    std::size_t at = where.row * stride + where.column;
    if (layout == static_cast<std::uint32_t>(matrix_layout::column_major)) at = where.column * stride + where.row;
    if (layout == static_cast<std::uint32_t>(matrix_layout::packed)) {
      at = where.row / parts.pack * stride + where.column * parts.pack + where.row % parts.pack;
    }
    function(i, at);
  }
}

double from_item(double value, std::uint32_t source) {
  return std::bit_cast<double>(__sinter_sub_group_shuffle_64(std::bit_cast<std::uint64_t>(value), source));
}

/// Returns all elements of a matrix, row by row.
std::vector<double> gathered(const void* part, const abi::matrix_type& type, const matrix_parts& parts) {
  std::vector<double> all(std::size_t{type.rows} * type.columns);
  for (std::uint32_t i = 0; i < parts.length(); ++i) {
    const double own = number_at(part, parts.element, i);
    for (std::uint32_t item = 0; item < parts.size; ++item) {
      const double each = from_item(own, item);
      if (!parts.holds(i / parts.pack, item)) continue;
      const matrix_place where = parts.place(i / parts.pack, i % parts.pack, item);
      if (where.row < type.rows && where.column < type.columns) {
        all[std::size_t{where.row} * type.columns + where.column] = each;
      }
    }
  }
  return all;
}

template <class Function>
void for_held(const matrix_parts& parts, const Function& function) {
  const std::uint32_t own = __sinter_sub_group_local_id();
  for (std::uint32_t i = 0; i < parts.length(); ++i) {
    if (parts.holds(i / parts.pack, own)) function(i, parts.place(i / parts.pack, i % parts.pack, own));
  }
}

}  // namespace
}  // namespace sinter

SINTER_DEVICE_EXPORT void __sinter_matrix_load(void* part, std::uint32_t type, const void* from, std::size_t stride,
                                               std::uint32_t layout) noexcept {
  const sinter::matrix_parts parts = sinter::parts_of(type);
  const std::size_t bytes = sinter::abi::bytes_of(parts.element);
  sinter::for_elements(parts, stride, layout, [&](std::size_t index, std::size_t at) {
    std::memcpy(static_cast<char*>(part) + index * bytes, static_cast<const char*>(from) + at * bytes, bytes);
  });
}

SINTER_DEVICE_EXPORT void __sinter_matrix_store(const void* part, std::uint32_t type, void* to, std::size_t stride,
                                                std::uint32_t layout) noexcept {
  const sinter::matrix_parts parts = sinter::parts_of(type);
  const std::size_t bytes = sinter::abi::bytes_of(parts.element);
  sinter::for_elements(parts, stride, layout, [&](std::size_t index, std::size_t at) {
    std::memcpy(static_cast<char*>(to) + at * bytes, static_cast<const char*>(part) + index * bytes, bytes);
  });
}

SINTER_DEVICE_EXPORT void __sinter_matrix_multiply(void* d, std::uint32_t d_type, const void* a, std::uint32_t a_type,
                                                   const void* b, std::uint32_t b_type, const void* c,
                                                   std::uint32_t c_type) noexcept {
  const sinter::abi::matrix_type left = sinter::abi::matrix_type_of(a_type),
                                 right = sinter::abi::matrix_type_of(b_type);
  const std::vector<double> all_left = sinter::gathered(a, left, sinter::parts_of(a_type));
  const std::vector<double> all_right = sinter::gathered(b, right, sinter::parts_of(b_type));
  const sinter::matrix_parts parts = sinter::parts_of(d_type);
  const sinter::matrix_element added = sinter::abi::matrix_type_of(c_type).element;
  sinter::for_held(parts, [&](std::uint32_t index, sinter::matrix_place where) {
    double sum = sinter::number_at(c, added, index);
    for (std::size_t k = 0; k < left.columns; ++k) {
      sum += all_left[where.row * std::size_t{left.columns} + k] * all_right[k * right.columns + where.column];
    }
    sinter::set_number(d, parts.element, index, sum);
  });
}

SINTER_DEVICE_EXPORT void __sinter_matrix_copy(void* to, std::uint32_t to_type, const void* from,
                                               std::uint32_t from_type) noexcept {
  const sinter::abi::matrix_type source = sinter::abi::matrix_type_of(from_type);
  const std::vector<double> all = sinter::gathered(from, source, sinter::parts_of(from_type));
  const sinter::matrix_parts parts = sinter::parts_of(to_type);
  sinter::for_held(parts, [&](std::uint32_t index, sinter::matrix_place where) {
    sinter::set_number(to, parts.element, index, all[where.row * std::size_t{source.columns} + where.column]);
  });
}

SINTER_DEVICE_EXPORT std::uint32_t __sinter_matrix_length(std::uint32_t type) noexcept {
  return sinter::parts_of(type).length();
}
SINTER_DEVICE_EXPORT bool __sinter_matrix_holds(std::uint32_t type, std::uint32_t index) noexcept {
  const sinter::matrix_parts parts = sinter::parts_of(type);
  return parts.holds(index / parts.pack, __sinter_sub_group_local_id());
}
SINTER_DEVICE_EXPORT std::uint32_t __sinter_matrix_place(std::uint32_t type, std::uint32_t index) noexcept {
  const sinter::matrix_parts parts = sinter::parts_of(type);
  const sinter::matrix_place where = parts.place(index / parts.pack, index % parts.pack, __sinter_sub_group_local_id());
  return where.row << 16 | where.column;
}
