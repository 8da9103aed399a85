#pragma once
/// sycl::buffer: data whose accesses determine the order of commands (SYCL 2020 4.7.2).
///
/// The CPU device works on the memory at the host pointer, without a copy, whenever the pointer's alignment allows it.

#include <cstring>
#include <type_traits>
#include <vector>

#include "access.hpp"
#include "context.hpp"
#include "detail/buffer_arguments.hpp"
#include "detail/compiled_core.hpp"
#include "detail/mistake.hpp"
#include "detail/shared.hpp"
#include "detail/standard.hpp"
#include "id.hpp"
#include "property_list.hpp"
#include "range.hpp"

namespace sycl::inline _V1 {

namespace property::buffer {
/// The buffer uses the memory at the host pointer, so a host_accessor has the same addresses.
struct use_host_ptr : detail::property_of_kind<detail::property_kind::use_host_ptr> {};
/// The runtime locks the mutex while it copies the contents back to the host memory.
struct use_mutex : detail::property_of_kind<detail::property_kind::use_mutex> {
  explicit use_mutex(std::mutex& mutex) noexcept : m_mutex(&mutex) {}
  std::mutex* get_mutex_ptr() const noexcept { return m_mutex; }

private:
  std::mutex* m_mutex;
};
struct context_bound : detail::property_of_kind<detail::property_kind::context_bound> {
  explicit context_bound(sycl::context bound) : m_context(std::move(bound)) {}
  sycl::context get_context() const { return m_context; }

private:
  sycl::context m_context;
};
}  // namespace property::buffer
// Images have the same properties as buffers.
namespace property::image {
using property::buffer::context_bound;
using property::buffer::use_host_ptr;
using property::buffer::use_mutex;
}  // namespace property::image

class handler;
template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder IsPlaceholder>
class accessor;
template <class T, int Dimensions, access_mode Mode>
class host_accessor;

/// Another name of the allocator type, deprecated in SYCL 2020.
template <class T>
using buffer_allocator = std::allocator<std::remove_const_t<T>>;

namespace detail {

struct buffer_access;
}

template <class T, int Dimensions = 1, class Allocator = buffer_allocator<T>>
class buffer : public detail::with_properties {
  static_assert(std::is_trivially_copyable_v<T> || std::is_class_v<T>, "buffer elements must be device copyable");

public:
  using value_type = T;
  using reference = value_type&;
  using const_reference = const value_type&;
  using allocator_type = Allocator;

  /// Makes a buffer with uninitialised memory. The buffer's destructor does not wait for commands.
  buffer(const range<Dimensions>& size, const property_list& properties = {}) : buffer(size, Allocator(), properties) {}
  buffer(const range<Dimensions>& size, Allocator allocator, const property_list& properties = {})
      : buffer(size,
               {.bytes = detail::bytes_of(size, sizeof(T)), .alignment = alignof(T), .wait_at_end = false},
               allocator, properties) {}

  /// Makes a buffer with the contents of the host data. The buffer's destructor writes the contents back.
  buffer(T* host_data, const range<Dimensions>& size, const property_list& properties = {})
      : buffer(host_data, size, Allocator(), properties) {}
  buffer(T* host_data, const range<Dimensions>& size, Allocator allocator, const property_list& properties = {})
      : buffer(size,
               {.bytes = detail::bytes_of(size, sizeof(T)),
                .alignment = alignof(T),
                .initial = host_data,
                .write_back = const_cast<std::remove_const_t<T>*>(std::is_const_v<T> ? nullptr : host_data),
                .in_place = !std::is_const_v<T>},
               allocator, properties) {}
  /// Makes a buffer without host data. A null pointer of type T* or const T* makes such a buffer, too.
  buffer(std::nullptr_t, const range<Dimensions>& size, const property_list& properties = {})
      : buffer(static_cast<T*>(nullptr), size, Allocator(), properties) {}
  buffer(std::nullptr_t, const range<Dimensions>& size, Allocator allocator, const property_list& properties = {})
      : buffer(static_cast<T*>(nullptr), size, allocator, properties) {}
  /// Makes a buffer with the contents of the host data. The buffer never writes the contents back.
  buffer(const T* host_data, const range<Dimensions>& size, const property_list& properties = {})
    requires(!std::is_const_v<T>)
      : buffer(host_data, size, Allocator(), properties) {}
  buffer(const T* host_data, const range<Dimensions>& size, Allocator allocator, const property_list& properties = {})
    requires(!std::is_const_v<T>)
      : buffer(size,
               {.bytes = detail::bytes_of(size, sizeof(T)), .alignment = alignof(T), .initial = host_data},
               allocator, properties) {}

  /// The elements of the container are the host data. The container must outlive the buffer.
  template <class Container>
    requires(
        Dimensions == 1 && detail::contiguous_container<Container> &&
        std::is_convertible_v<std::remove_pointer_t<decltype(std::declval<Container&>().data())> (*)[], const T (*)[]>)
  buffer(Container& container, const property_list& properties = {})
      : buffer(container.data(), range<1>(container.size()), properties) {}
  template <class Container>
    requires(
        Dimensions == 1 && detail::contiguous_container<Container> &&
        std::is_convertible_v<std::remove_pointer_t<decltype(std::declval<Container&>().data())> (*)[], const T (*)[]>)
  buffer(Container& container, Allocator allocator, const property_list& properties = {})
      : buffer(container.data(), range<1>(container.size()), allocator, properties) {}

  /// Takes the host data as std::shared_ptr<T> or std::shared_ptr<T[]>.
  template <detail::shared_pointer Pointer>
    requires(std::is_same_v<std::remove_const_t<typename Pointer::element_type>, std::remove_const_t<T>>)
  buffer(const Pointer& host_data, const range<Dimensions>& size, const property_list& properties = {})
      : buffer(host_data, size, Allocator(), properties) {}
  template <detail::shared_pointer Pointer>
    requires(std::is_same_v<std::remove_const_t<typename Pointer::element_type>, std::remove_const_t<T>>)
  buffer(const Pointer& host_data, const range<Dimensions>& size, Allocator allocator,
         const property_list& properties = {})
      : buffer(size,
               {.bytes = detail::bytes_of(size, sizeof(T)),
                .alignment = alignof(T),
                .initial = host_data.get(),
                .write_back = std::is_const_v<typename Pointer::element_type>
                                  ? nullptr
                                  : const_cast<std::remove_const_t<T>*>(host_data.get()),
                .in_place = !std::is_const_v<typename Pointer::element_type>,
                .keep = detail::make_counted<detail::holder<Pointer>>(host_data)},
               allocator, properties) {}

  /// Copies the elements and never writes back.
  template <class Iterator>
    requires(Dimensions == 1 && detail::input_iterator<Iterator>)
  buffer(Iterator first, Iterator last, const property_list& properties = {})
      : buffer(first, last, static_cast<std::size_t>(std::distance(first, last)), Allocator(), properties) {}
  template <class Iterator>
    requires(Dimensions == 1 && detail::input_iterator<Iterator>)
  buffer(Iterator first, Iterator last, Allocator allocator, const property_list& properties = {})
      : buffer(first, last, static_cast<std::size_t>(std::distance(first, last)), allocator, properties) {}

  /// Makes a sub-buffer, which shares the memory of its parent. Throws errc::invalid if the sub-buffer is not
  /// contiguous, if it is out of bounds, or if the parent is a sub-buffer.
  buffer(buffer& parent, const id<Dimensions>& base, const range<Dimensions>& size)
      : with_properties(parent),
        m_owner(parent.m_owner),
        m_range(size),
        m_byte_offset(detail::sub_buffer_offset(parent.shape(), detail::extents_of(base), detail::extents_of(size),
                                                parent.m_is_sub_buffer) *
                      sizeof(T)),
        m_is_sub_buffer(true),
        m_allocator(parent.m_allocator) {}

  template <class First, class... Rest>
    requires(detail::mistakes_of_buffer<T, Dimensions, First, Rest...>())
  SINTER_MISTAKE_OF_CONSTRUCTOR(
      "a buffer is made from a range of as many dimensions; from a pointer and such a range; or, in one dimension, "
      "from a container that keeps such elements in an array and lives on, so no temporary, and no std::vector<bool>")
  explicit buffer(First&&, Rest&&...) {}

  range<Dimensions> get_range() const noexcept { return m_range; }
  std::size_t size() const noexcept { return m_range.size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  std::size_t get_count() const noexcept { return size(); }
  std::size_t get_size() const noexcept { return byte_size(); }
  Allocator get_allocator() const { return m_allocator; }
  bool is_sub_buffer() const noexcept { return m_is_sub_buffer; }

  template <access_mode Mode = access_mode::read_write, target Target = target::device>
  auto get_access(handler& group, const property_list& properties = {}) {
    return accessor<T, Dimensions, Mode, Target, access::placeholder::false_t>(*this, group, properties);
  }
  template <access_mode Mode = access_mode::read_write, target Target = target::device>
  auto get_access(handler& group, range<Dimensions> extent, id<Dimensions> offset = {}) {
    return accessor<T, Dimensions, Mode, Target, access::placeholder::false_t>(*this, group, extent, offset);
  }
  /// Makes a host accessor; deprecated in SYCL 2020.
  template <access_mode Mode>
  auto get_access() {
    return accessor<T, Dimensions, Mode, target::host_buffer, access::placeholder::false_t>(*this);
  }
  template <access_mode Mode>
  auto get_access(range<Dimensions> extent, id<Dimensions> offset = {}) {
    return accessor<T, Dimensions, Mode, target::host_buffer, access::placeholder::false_t>(*this, extent, offset);
  }
  /// Constructs a sycl::accessor from the buffer and the arguments. Without arguments, the accessor is a placeholder.
  auto get_access() { return sycl::accessor(*this); }
  template <class... Arguments>
    requires(sizeof...(Arguments) > 0)
  auto get_access(Arguments&&... arguments) {
    return sycl::accessor(*this, std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  auto get_host_access(Arguments&&... arguments) {
    return sycl::host_accessor(*this, std::forward<Arguments>(arguments)...);
  }

  /// Sets where the destructor writes the contents: to a pointer, an output iterator or a weak_ptr. With nullptr, the
  /// destructor writes nothing.
  template <class Destination = std::nullptr_t>
  void set_final_data(Destination destination = nullptr) {
    if constexpr (std::is_null_pointer_v<Destination>) {
      detail::set_write_back(m_owner, nullptr);
    } else if constexpr (std::is_void_v<std::remove_pointer_t<Destination>>) {  // a void* becomes a T*
      set_final_data(static_cast<std::remove_const_t<T>*>(destination));
    } else if constexpr (requires { typename Destination::weak_type; }) {  // a shared_ptr becomes a weak_ptr
      set_final_data(typename Destination::weak_type(destination));
    } else if constexpr (requires { destination.lock(); }) {
      detail::set_write_back(m_owner, [destination](const void* data, std::size_t bytes) {
        if (auto target = destination.lock()) std::memcpy(target.get(), data, bytes);
      });
    } else {
      if constexpr (std::is_pointer_v<Destination>) {
        if (!destination) return detail::set_write_back(m_owner, nullptr);
      }
      detail::set_write_back(m_owner, [destination](const void* data, std::size_t bytes) {
        auto output = destination;
        const T* values = static_cast<const T*>(data);
        for (std::size_t i = 0; i < bytes / sizeof(T); ++i) *output++ = values[i];
      });
    }
  }
  void set_write_back(bool enabled = true) { detail::enable_write_back(m_owner, enabled); }

  /// Makes a buffer of another element type that shares this buffer's memory. Throws errc::invalid if the byte sizes
  /// differ.
  template <class Other, int OtherDimensions>
  auto reinterpret(range<OtherDimensions> extent) const {
    using allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<std::remove_const_t<Other>>;
    if (detail::bytes_of(extent, sizeof(Other)) != byte_size()) {
      detail::throw_invalid(
          "buffer::reinterpret: the sizes in bytes differ; the new range has to cover the same memory");
    }
    return buffer<Other, OtherDimensions, allocator>(*this, m_owner, extent, m_byte_offset, m_is_sub_buffer,
                                                     m_allocator);
  }
  template <class Other, int OtherDimensions = Dimensions>
    requires(OtherDimensions == 1 || (OtherDimensions == Dimensions && sizeof(Other) == sizeof(T)))
  auto reinterpret() const {
    if constexpr (OtherDimensions == 1) {
      if (byte_size() % sizeof(Other) != 0)
        detail::throw_invalid("reinterpret: the size in bytes is no multiple of the new element");
      return reinterpret<Other, 1>(range<1>(byte_size() / sizeof(Other)));
    } else {
      return reinterpret<Other, Dimensions>(m_range);
    }
  }

  friend bool operator==(const buffer& a, const buffer& b) noexcept {
    return a.m_owner == b.m_owner && a.m_byte_offset == b.m_byte_offset && a.m_range == b.m_range;
  }
  friend bool operator!=(const buffer& a, const buffer& b) noexcept { return !(a == b); }

private:
  friend struct detail::buffer_access;
  template <class, int, class>
  friend class buffer;

  buffer(const range<Dimensions>& size, detail::buffer_source source, const Allocator& allocator,
         const property_list& properties)
      : with_properties(properties),
        m_owner(detail::make_buffer({detail::extents_of(size), Dimensions}, sizeof(T), std::move(source), properties)),
        m_range(size),
        m_allocator(allocator) {}
  template <class Iterator>
  buffer(Iterator first, Iterator last, std::size_t count, const Allocator& allocator, const property_list& properties)
      : with_properties(properties), m_range(range_of(count)), m_allocator(allocator) {
    // A structure wraps the element, because a std::vector<bool> would not store its elements as an array.
    struct element {
      explicit element(const std::remove_const_t<T>& initial) : value(initial) {}
      std::remove_const_t<T> value;
    };
    auto copy = detail::make_counted<detail::holder<std::vector<element>>>(first, last);
    m_owner = detail::make_buffer(shape(), sizeof(T),
                                  {.bytes = count * sizeof(T),
                                   .alignment = alignof(T),
                                   .initial = copy->value.data(),
                                   .in_place = true,
                                   .wait_at_end = false,
                                   .keep = copy},
                                  properties);
  }
  template <class OtherAllocator>
  buffer(const with_properties& properties, const detail::shared<detail::buffer_owner>& owner,
         const range<Dimensions>& size, std::size_t byte_offset, bool sub, const OtherAllocator& allocator)
      : with_properties(properties),
        m_owner(owner),
        m_range(size),
        m_byte_offset(byte_offset),
        m_is_sub_buffer(sub),
        m_allocator(allocator) {}

  static range<Dimensions> range_of(std::size_t count) {
    range<Dimensions> result{};
    result[0] = count;
    return result;
  }
  detail::buffer_shape shape() const noexcept { return {detail::extents_of(m_range), Dimensions}; }

  detail::shared<detail::buffer_owner> m_owner;
  range<Dimensions> m_range;
  std::size_t m_byte_offset = 0;
  bool m_is_sub_buffer = false;
  [[no_unique_address]] Allocator m_allocator{};
};

template <class T, int Dimensions>
buffer(const T*, const range<Dimensions>&, const property_list& = {}) -> buffer<T, Dimensions>;
template <class T, int Dimensions, class Allocator>
buffer(const T*, const range<Dimensions>&, Allocator, const property_list& = {}) -> buffer<T, Dimensions, Allocator>;
template <class Container>
  requires(detail::contiguous_container<Container>)
buffer(Container&, const property_list& = {}) -> buffer<typename Container::value_type, 1>;
template <class Container, class Allocator>
  requires(detail::contiguous_container<Container>)
buffer(Container&, Allocator, const property_list& = {}) -> buffer<typename Container::value_type, 1, Allocator>;
template <detail::input_iterator Iterator>
buffer(Iterator, Iterator, const property_list& = {})
    -> buffer<std::remove_const_t<typename std::iterator_traits<Iterator>::value_type>, 1>;
template <detail::input_iterator Iterator, class Allocator>
buffer(Iterator, Iterator, Allocator, const property_list& = {})
    -> buffer<std::remove_const_t<typename std::iterator_traits<Iterator>::value_type>, 1, Allocator>;
template <detail::shared_pointer Pointer, int Dimensions>
buffer(const Pointer&, const range<Dimensions>&, const property_list& = {})
    -> buffer<typename Pointer::element_type, Dimensions>;
template <detail::shared_pointer Pointer, int Dimensions, class Allocator>
buffer(const Pointer&, const range<Dimensions>&, Allocator, const property_list& = {})
    -> buffer<typename Pointer::element_type, Dimensions, Allocator>;
#if defined(__clang__)
template <int Dimensions, class... Rest>
SINTER_MISTAKE_OF_GUIDE("a buffer without data says which elements it has: sycl::buffer<float, 2>(range)")
buffer(const range<Dimensions>&, const Rest&...) -> buffer<int, Dimensions>;
template <class T>
SINTER_MISTAKE_OF_GUIDE("behind a pointer, a buffer takes the range: sycl::buffer(pointer, sycl::range(1024))")
buffer(const T*) -> buffer<T, 1>;
template <class T, class Size, class... Rest>
  requires(std::is_integral_v<Size>)
SINTER_MISTAKE_OF_GUIDE("behind a pointer, a buffer takes the range: sycl::buffer(pointer, sycl::range(1024))")
buffer(const T*, Size, const Rest&...) -> buffer<T, 1>;
template <class Container, class... Rest>
  requires(std::is_class_v<Container> && detail::iterated<Container> && !detail::contiguous_container<Container>)
SINTER_MISTAKE_OF_GUIDE("the container of a buffer keeps its elements in an array, which std::vector<bool> does not")
buffer(const Container&, const Rest&...) -> buffer<int, 1>;
#endif

namespace detail {

/// Gives other classes access to a buffer's internals.
struct buffer_access {
  /// Returns a buffer that covers all memory of the owner.
  template <class Buffer>
  static Buffer whole(const shared<buffer_owner>& owner, std::size_t count) {
    return Buffer(with_properties(), owner, range<1>(count), 0, false, typename Buffer::allocator_type());
  }
  template <class Buffer>
  static buffer_record* record(const Buffer& buffer) noexcept {
    return record_of(buffer.m_owner);
  }
  template <class Buffer>
  static typename Buffer::value_type* data(const Buffer& buffer) noexcept {
    return reinterpret_cast<typename Buffer::value_type*>(static_cast<char*>(buffer_data(buffer.m_owner)) +
                                                          buffer.m_byte_offset);
  }
};

}  // namespace detail
}  // namespace sycl

template <class T, int Dimensions, class Allocator>
struct std::hash<sycl::buffer<T, Dimensions, Allocator>> {
  std::size_t operator()(const sycl::buffer<T, Dimensions, Allocator>& object) const noexcept {
    return std::hash<const void*>()(sycl::detail::buffer_access::record(object));
  }
};
