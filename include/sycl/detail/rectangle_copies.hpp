#pragma once
/// sycl_ext_oneapi_memcpy2d: copies and fills of rectangles in memory whose rows have padding. handler and queue derive
/// from these classes.

#include <cstddef>
#include <type_traits>
#include <vector>

#include "../event.hpp"
#include "../is_device_copyable.hpp"
#include "../item.hpp"
#include "../range.hpp"
#include "compiled_core.hpp"

#define SYCL_EXT_ONEAPI_MEMCPY2D 1

namespace sycl::inline _V1::detail {

/// Throws errc::invalid if a row is longer than the pitch.
inline void check_pitch(std::size_t width, std::size_t pitch) {
  if (width > pitch) {
    throw_invalid("ext_oneapi_memcpy2d, copy2d, memset2d or fill2d: the width of a row is more than a pitch, which is "
                  "the distance from row to row");
  }
}

/// Fills with a kernel, because the devices' own fill commands can fill only memory without gaps.
template <class T>
struct fill_rectangle {
  T* destination;
  std::size_t pitch;
  T pattern;
  void operator()(item<2> place) const { destination[place.get_id(0) * pitch + place.get_id(1)] = pattern; }
};

/// This class is a base class of handler. Its functions copy and fill rectangles.
template <class Handler>
class rectangle_copies {
public:
  /// Copies `height` rows of `width` bytes. Source rows begin `source_pitch` bytes apart, and destination rows begin
  /// `destination_pitch` bytes apart. Throws errc::invalid if the width exceeds one of the pitches.
  void ext_oneapi_memcpy2d(void* destination, std::size_t destination_pitch, const void* source,
                           std::size_t source_pitch, std::size_t width, std::size_t height) {
    check_pitch(width, destination_pitch);
    check_pitch(width, source_pitch);
    set_rectangle_copy(implementation(self()), destination, destination_pitch, source, source_pitch, width, height);
  }
  /// Like ext_oneapi_memcpy2d, but width and pitches are in elements.
  template <class T>
  void ext_oneapi_copy2d(const T* source, std::size_t source_pitch, T* destination, std::size_t destination_pitch,
                         std::size_t width, std::size_t height) {
    check_pitch(width, destination_pitch);
    check_pitch(width, source_pitch);
    using sinter::abi::multiply_bytes;
    set_rectangle_copy(implementation(self()), destination, multiply_bytes(destination_pitch, sizeof(T)), source,
                       multiply_bytes(source_pitch, sizeof(T)), multiply_bytes(width, sizeof(T)), height);
  }
  /// Sets all bytes of `height` rows of `width` bytes. Throws errc::invalid if the width exceeds the pitch.
  template <class = void>
  void ext_oneapi_memset2d(void* destination, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    fill(static_cast<unsigned char*>(destination), pitch, static_cast<unsigned char>(value), width, height);
  }
  /// Width and pitch are in elements of the pattern's type.
  template <class T>
  void ext_oneapi_fill2d(void* destination, std::size_t pitch, const T& pattern, std::size_t width,
                         std::size_t height) {
    static_assert(is_device_copyable_v<T>, "fill needs a device copyable pattern");
    fill(static_cast<T*>(destination), pitch, pattern, width, height);
  }

private:
  template <class T>
  void fill(T* destination, std::size_t pitch, const T& pattern, std::size_t width, std::size_t height) {
    check_pitch(width, pitch);
    if (width == pitch || height <= 1 || width == 0) {
      return self().fill(destination, pattern, sinter::abi::multiply_bytes(width, height));
    }
    self().parallel_for(range<2>(height, width), fill_rectangle<T>{destination, pitch, pattern});
  }
  Handler& self() noexcept { return static_cast<Handler&>(*this); }
};

/// This class is a base class of queue. Its functions copy and fill rectangles. Each call submits one command, which
/// waits for the given events.
template <class Queue>
class rectangle_shortcuts {
public:
  template <class... Dependencies>
    requires(sizeof...(Dependencies) <= 1)
  event ext_oneapi_memcpy2d(void* destination, std::size_t destination_pitch, const void* source,
                            std::size_t source_pitch, std::size_t width, std::size_t height,
                            const Dependencies&... dependencies) {
    return run([&](auto& group) {
      group.ext_oneapi_memcpy2d(destination, destination_pitch, source, source_pitch, width, height);
    }, dependencies...);
  }
  template <class T, class... Dependencies>
    requires(sizeof...(Dependencies) <= 1)
  event ext_oneapi_copy2d(const T* source, std::size_t source_pitch, T* destination, std::size_t destination_pitch,
                          std::size_t width, std::size_t height, const Dependencies&... dependencies) {
    return run([&](auto& group) {
      group.ext_oneapi_copy2d(source, source_pitch, destination, destination_pitch, width, height);
    }, dependencies...);
  }
  template <class... Dependencies>
    requires(sizeof...(Dependencies) <= 1)
  event ext_oneapi_memset2d(void* destination, std::size_t pitch, int value, std::size_t width, std::size_t height,
                            const Dependencies&... dependencies) {
    return run([&](auto& group) { group.ext_oneapi_memset2d(destination, pitch, value, width, height); },
               dependencies...);
  }
  template <class T, class... Dependencies>
    requires(sizeof...(Dependencies) <= 1)
  event ext_oneapi_fill2d(void* destination, std::size_t pitch, const T& pattern, std::size_t width,
                          std::size_t height, const Dependencies&... dependencies) {
    return run([&](auto& group) { group.ext_oneapi_fill2d(destination, pitch, pattern, width, height); },
               dependencies...);
  }

private:
  template <class Call>
  event run(const Call& call) {
    return static_cast<Queue&>(*this).submit([&](handler& group) { call(group); });
  }
  template <class Call>
  event run(const Call& call, const event& dependency) {
    return run_after(call, dependency);
  }
  template <class Call>
  event run(const Call& call, const std::vector<event>& dependencies) {
    return run_after(call, dependencies);
  }
  template <class Call, class Dependency>
  event run_after(const Call& call, const Dependency& dependency) {
    return static_cast<Queue&>(*this).submit([&](auto& group) {
      group.depends_on(dependency);
      call(group);
    });
  }
};

}  // namespace sycl::detail
