#pragma once
/// sycl::stream (SYCL 2020 4.16): kernels write text to the standard output.
///
/// A kernel only appends records, with values and manipulators, to memory that belongs to the command. When the kernel
/// has ended, the host converts the records to text. The text that a work-item writes before a flush or endl is printed
/// without other text in between. When the memory is full, later records are lost.

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include <sinter/abi/device_abi.hpp>

#include "detail/compiled_core.hpp"
#include "half.hpp"
#include "hierarchical.hpp"
#include "multi_ptr.hpp"
#include "nd_item.hpp"
#include "property_list.hpp"
#include "vec.hpp"

namespace sycl::inline _V1 {

class handler;

enum class stream_manipulator : std::uint32_t {
  flush,
  dec,
  hex,
  oct,
  noshowbase,
  showbase,
  noshowpos,
  showpos,
  endl,
  fixed,
  scientific,
  hexfloat,
  defaultfloat
};
inline constexpr stream_manipulator flush = stream_manipulator::flush;
inline constexpr stream_manipulator dec = stream_manipulator::dec;
inline constexpr stream_manipulator hex = stream_manipulator::hex;
inline constexpr stream_manipulator oct = stream_manipulator::oct;
inline constexpr stream_manipulator noshowbase = stream_manipulator::noshowbase;
inline constexpr stream_manipulator showbase = stream_manipulator::showbase;
inline constexpr stream_manipulator noshowpos = stream_manipulator::noshowpos;
inline constexpr stream_manipulator showpos = stream_manipulator::showpos;
inline constexpr stream_manipulator endl = stream_manipulator::endl;
inline constexpr stream_manipulator fixed = stream_manipulator::fixed;
inline constexpr stream_manipulator scientific = stream_manipulator::scientific;
inline constexpr stream_manipulator hexfloat = stream_manipulator::hexfloat;
inline constexpr stream_manipulator defaultfloat = stream_manipulator::defaultfloat;

namespace detail {

enum class stream_record_kind : std::uint32_t {
  text,
  character,
  boolean,
  signed_integer,
  unsigned_integer,
  floating,  ///< a float or a double; the number of bytes tells which
  pointer,
  manipulator,
  precision,
  width
};
/// The header of each record, which precedes the value. Values are padded to 8 bytes. A record of 0 bytes ends the
/// list.
struct stream_record {
  std::uint64_t work_item;
  stream_record_kind kind;
  std::uint32_t bytes;  ///< size of the value; at least 1
};
struct stream_memory {
  std::uint64_t used;  ///< number of bytes of all records; larger than the capacity if records were lost
  std::uint64_t capacity;  ///< number of bytes of memory after this structure, which are initially zero
};
/// Allocates the memory of a stream. The runtime prints the stream's text when the command has ended.
SINTER_EXPORT stream_memory* make_stream(handler_impl& group, std::size_t total, std::size_t work_item);
SINTER_EXPORT handler_impl& implementation(handler& group) noexcept;

struct stream_setting {
  stream_record_kind kind;
  int value;
};

}  // namespace detail

inline detail::stream_setting setprecision(int precision) noexcept {
  return {detail::stream_record_kind::precision, precision};
}
inline detail::stream_setting setw(int width) noexcept { return {detail::stream_record_kind::width, width}; }

namespace detail {

/// Contains the properties of a stream. Kernels copy streams, too, but their copies have no properties, because only
/// the host can count the owners.
class stream_properties {
public:
  template <class Property>
  bool has_property() const noexcept {
    return m_properties.has_property<Property>();
  }
  /// Throws errc::invalid if the object was made without the property.
  template <class Property>
  Property get_property() const {
    return m_properties.get_property<Property>();
  }

protected:
  explicit stream_properties(const property_list& properties) noexcept : m_properties(properties) {}
  stream_properties(const stream_properties& other) noexcept {
    if (!__sinter_on_device()) new (&m_properties) property_list(other.m_properties);
  }
  stream_properties& operator=(const stream_properties& other) noexcept {
    if (!__sinter_on_device()) m_properties = other.m_properties;
    return *this;
  }
  ~stream_properties() {
    if (!__sinter_on_device()) m_properties.~property_list();
  }

private:
  union {
    property_list m_properties;  ///< empty in the copies that kernels have
  };
};

}  // namespace detail

class stream : public detail::stream_properties {
public:
  /// Makes a stream that has memory for `total` characters. A work-item may write up to `work_item` characters between
  /// two flushes.
  stream(std::size_t total, std::size_t work_item, handler& group, const property_list& properties = {})
      : stream_properties(properties),
        m_memory(detail::make_stream(detail::implementation(group), total, work_item)),
        m_total(total),
        m_work_item(work_item) {}

  std::size_t size() const noexcept { return m_total; }
  std::size_t get_work_item_buffer_size() const noexcept { return m_work_item; }
  /// Deprecated in SYCL 2020.
  std::size_t get_size() const noexcept { return m_total; }
  std::size_t get_max_statement_size() const noexcept { return m_work_item; }

  friend bool operator==(const stream& a, const stream& b) noexcept { return a.m_memory == b.m_memory; }
  friend bool operator!=(const stream& a, const stream& b) noexcept { return !(a == b); }

  template <class T>
    requires(std::is_arithmetic_v<T>)
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, T value) {
    using kind = detail::stream_record_kind;
    if constexpr (std::is_same_v<T, bool>) {
      return out.put(kind::boolean, static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, char>) {
      return out.put(kind::character, static_cast<std::uint64_t>(static_cast<unsigned char>(value)));
    } else if constexpr (std::is_same_v<T, float>) {
      return out.put(kind::floating, value);  // not as double, which devices may lack
    } else if constexpr (std::is_floating_point_v<T>) {
      return out.put(kind::floating, static_cast<double>(value));
    } else if constexpr (std::is_signed_v<T>) {
      return out.put(kind::signed_integer, static_cast<std::int64_t>(value));
    } else {
      return out.put(kind::unsigned_integer, static_cast<std::uint64_t>(value));
    }
  }
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, half value) {
    return out << static_cast<float>(value);
  }
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, const char* text) {
    std::uint32_t length = 0;
    while (text[length] != '\0') ++length;
    return length == 0 ? out : out.append(detail::stream_record_kind::text, text, length);
  }
  template <class Text>
    requires(requires(const Text& text) { text.c_str(); })
  SINTER_MISTAKE("kernels print text that is a const char*: a std::string is for the host")
  friend const stream& operator<<(const stream& out, const Text&) {
    return out;
  }
  template <class T>
    requires(!std::is_same_v<std::remove_const_t<T>, char> && !std::is_function_v<T>)
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, T* pointer) {
    return out.put(detail::stream_record_kind::pointer, reinterpret_cast<std::uint64_t>(pointer));
  }
  template <class T, access::address_space Space, access::decorated Decorated>
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out,
                                                       const multi_ptr<T, Space, Decorated>& pointer) {
    return out << pointer.get_raw();
  }
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, stream_manipulator manipulator) {
    return out.put(detail::stream_record_kind::manipulator, static_cast<std::uint64_t>(manipulator));
  }
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, const detail::stream_setting& setting) {
    return out.put(setting.kind, static_cast<std::int64_t>(setting.value));
  }
  template <class T, int Count>
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, const vec<T, Count>& values) {
    for (int i = 0; i < Count; ++i) {
      if (i > 0) out << ", ";
      out << values[i];
    }
    return out;
  }
  /// Prints a swizzle like a vec of its elements. A swizzle with one element is printed like that element.
  template <class Vector, class Result, int... Indices>
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out,
                                                       const detail::swizzled<Vector, Result, Indices...>& values) {
    return out << Result(values);
  }
  template <class Vector, int Index>
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out,
                                                       const detail::swizzled_element<Vector, Index>& value) {
    return out << value[0];
  }
  template <int Dimensions>
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, const id<Dimensions>& values) {
    return out.braces<Dimensions>(values);
  }
  template <int Dimensions>
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, const range<Dimensions>& values) {
    return out.braces<Dimensions>(values);
  }
  template <int Dimensions, bool WithOffset>
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, const item<Dimensions, WithOffset>& value) {
    out << "item(range: " << value.get_range() << ", id: " << value.get_id();
    if constexpr (WithOffset) out << ", offset: " << value.get_offset();
    return out << ")";
  }
  template <int Dimensions>
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, const nd_range<Dimensions>& value) {
    return out << "nd_range(global_range: " << value.get_global_range() << ", local_range: " << value.get_local_range()
               << ", offset: " << value.get_offset() << ")";
  }
  template <int Dimensions>
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, const nd_item<Dimensions>& value) {
    return out << "nd_item(global_id: " << value.get_global_id() << ", local_id: " << value.get_local_id() << ")";
  }
  template <int Dimensions>
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, const group<Dimensions>& value) {
    return out << "group(id: " << value.get_group_id() << ", local_range: " << value.get_local_range()
               << ", group_range: " << value.get_group_range() << ")";
  }
  template <int Dimensions>
  friend SINTER_DEVICE_INLINE const stream& operator<<(const stream& out, const h_item<Dimensions>& value) {
    return out << "h_item(global: " << value.get_global() << ", logical_local: " << value.get_logical_local()
               << ", physical_local: " << value.get_physical_local() << ")";
  }

private:
  friend struct std::hash<stream>;
  friend struct detail::accessor_layout_check;

  template <int Dimensions, class Values>
  SINTER_DEVICE_INLINE const stream& braces(const Values& values) const {
    *this << "{";
    for (int d = 0; d < Dimensions; ++d) {
      if (d > 0) *this << ", ";
      *this << values[d];
    }
    return *this << "}";
  }
  template <class Value>
  SINTER_DEVICE_INLINE const stream& put(detail::stream_record_kind kind, const Value& value) const {
    return append(kind, &value, sizeof(value));
  }
  SINTER_DEVICE_INLINE const stream& append(detail::stream_record_kind kind, const void* value,
                                            std::uint32_t bytes) const {
    const std::uint64_t whole = sizeof(detail::stream_record) + ((std::uint64_t{bytes} + 7) / 8) * 8;
    const std::uint64_t at = __atomic_fetch_add(&m_memory->used, whole, __ATOMIC_RELAXED);
    if (at + whole > m_memory->capacity) return *this;
    const std::uint64_t item =
        (__sinter_global_id(0) * __sinter_global_range(1) + __sinter_global_id(1)) * __sinter_global_range(2) +
        __sinter_global_id(2);
    auto* record = reinterpret_cast<detail::stream_record*>(reinterpret_cast<char*>(m_memory + 1) + at);
    record->work_item = item;
    record->kind = kind;
    record->bytes = bytes;
    __builtin_memcpy(record + 1, value, bytes);
    return *this;
  }

  detail::stream_memory* m_memory;  ///< the JIT reads this member in argument blocks (sinter/abi/accessor_layout.hpp)
  std::size_t m_total;
  std::size_t m_work_item;
};

}  // namespace sycl

template <>
struct std::hash<sycl::stream> {
  std::size_t operator()(const sycl::stream& object) const noexcept {
    return reinterpret_cast<std::uintptr_t>(object.m_memory);
  }
};
