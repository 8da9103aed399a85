#pragma once
/// Copies between memory and device globals (ext/oneapi/device_global/device_global.hpp), for handler and queue.

#include <sinter/abi/byte_count.hpp>

#include <cstddef>
#include <type_traits>

#include "../exception.hpp"
#include "element_access.hpp"
#include "export.hpp"

namespace sycl::inline _V1 {

class event;

namespace ext::oneapi::experimental {
template <class T, class Properties>
class device_global;
}

namespace detail {

/// A part of a device global: `bytes` bytes from byte `first` on.
struct device_global_part {
  const void* variable;
  std::size_t size;  ///< bytes of the whole variable
  std::size_t first, bytes;
};

/// These functions copy to and from the device global's memory on the queue's device. Both functions throw
/// errc::feature_not_supported if the device has no unified shared memory.
SINTER_EXPORT void write_device_global(handler_impl& handler, const device_global_part& to, const void* source);
SINTER_EXPORT void read_device_global(handler_impl& handler, void* destination, const device_global_part& from);

/// Throws errc::invalid. `size` is the size of the device global in bytes, for the message.
[[noreturn]] SINTER_EXPORT void throw_beyond_device_global(std::size_t size);

/// Makes objects that describe a part of a device global. Throws errc::invalid if the bytes lie beyond the end of the
/// variable.
struct device_global_access {
  template <class Global>
  static device_global_part part_of(const Global& global, std::size_t first, std::size_t bytes) {
    constexpr std::size_t whole = sizeof(global.m_value);
    if (first > whole || bytes > whole - first) {
      throw_beyond_device_global(whole);
    }
    return {&global.m_value, whole, first, bytes};
  }
};

template <class T>
inline constexpr std::size_t elements_of = sizeof(T) / sizeof(std::remove_all_extents_t<T>);

/// A base class of handler and queue, which copies to and from device globals. The copy functions of queue may take
/// events to wait for.
template <class Target>
class device_global_copies {
  template <class T, class Properties>
  using global = ext::oneapi::experimental::device_global<T, Properties>;

public:
  /// Copies `bytes` bytes to or from the variable, from byte `offset` on. Throws errc::invalid if the part lies beyond
  /// the end of the variable, and errc::feature_not_supported if the device has no unified shared memory.
  template <class T, class P, class... Events>
  auto memcpy(global<T, P>& destination, const void* source, std::size_t bytes = sizeof(T), std::size_t offset = 0,
              const Events&... events) {
    global<T, P>::check_host_writes();
    const device_global_part part = device_global_access::part_of(destination, offset, bytes);
    return submit([&](handler_impl& group) { write_device_global(group, part, source); }, events...);
  }
  template <class T, class P, class... Events>
  auto memcpy(void* destination, const global<T, P>& source, std::size_t bytes = sizeof(T), std::size_t offset = 0,
              const Events&... events) {
    global<T, P>::check_host_reads();
    const device_global_part part = device_global_access::part_of(source, offset, bytes);
    return submit([&](handler_impl& group) { read_device_global(group, destination, part); }, events...);
  }
  /// Copies `count` elements to or from the variable, from element `first` on.
  template <class T, class P, class... Events>
  auto copy(const std::remove_all_extents_t<T>* source, global<T, P>& destination, std::size_t count = elements_of<T>,
            std::size_t first = 0, const Events&... events) {
    return memcpy(destination, source, bytes_of<T>(count), bytes_of<T>(first), events...);
  }
  template <class T, class P, class... Events>
  auto copy(const global<T, P>& source, std::remove_cv_t<std::remove_all_extents_t<T>>* destination,
            std::size_t count = elements_of<T>, std::size_t first = 0, const Events&... events) {
    return memcpy(destination, source, bytes_of<T>(count), bytes_of<T>(first), events...);
  }

private:
  /// Returns the size of `elements` elements in bytes. If the product overflows, returns a size that is larger than any
  /// variable, so that the check for the end of the variable fails.
  template <class T>
  static constexpr std::size_t bytes_of(std::size_t elements) noexcept {
    return sinter::abi::multiply_bytes(elements, sizeof(std::remove_all_extents_t<T>));
  }
  template <class Copy, class... Events>
  auto submit(const Copy& copy, const Events&... events) {
    Target& target = static_cast<Target&>(*this);
    if constexpr (requires { target.is_in_order(); }) {
      return target.submit([&](auto& group) {
        (group.depends_on(events), ...);
        copy(implementation(group));
      });
    } else {
      static_assert(sizeof...(Events) == 0, "what a command group waits for is said by depends_on");
      copy(implementation(target));
    }
  }
};

}  // namespace detail
}  // namespace sycl
