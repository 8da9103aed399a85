#pragma once
/// Images (SYCL 2020 4.7.3). No device has aspect::image: making an image or an accessor to one throws
/// errc::feature_not_supported, as the specification asks of such devices.

#include <cstddef>
#include <cstdint>

#include "access.hpp"
#include "context.hpp"
#include "detail/export.hpp"
#include "property_list.hpp"
#include "range.hpp"
#include "vec.hpp"

namespace sycl {

class handler;

enum class image_format : unsigned int {
  r8g8b8a8_unorm,
  r16g16b16a16_unorm,
  r8g8b8a8_sint,
  r16g16b16a16_sint,
  r32b32g32a32_sint,
  r8g8b8a8_uint,
  r16g16b16a16_uint,
  r32b32g32a32_uint,
  r16b16g16a16_sfloat,
  r32g32b32a32_sfloat,
  b8g8r8a8_unorm
};
enum class addressing_mode : unsigned int { mirrored_repeat, repeat, clamp_to_edge, clamp, none };
enum class filtering_mode : unsigned int { nearest, linear };
enum class coordinate_normalization_mode : unsigned int { normalized, unnormalized };
enum class image_target : unsigned int { device, host_task };

struct image_sampler {
  addressing_mode addressing;
  coordinate_normalization_mode coordinate;
  filtering_mode filtering;
};

namespace detail {
/// errc::feature_not_supported
[[noreturn]] SINTER_EXPORT void refuse_images(const char* what);
}  // namespace detail

template <int Dimensions = 1, class Allocator = std::allocator<std::byte>>
class unsampled_image {
public:
  template <class... Arguments>
    requires(sizeof...(Arguments) >= 2)
  explicit unsampled_image(Arguments&&...) {
    detail::refuse_images("unsampled_image");
  }
};
template <int Dimensions = 1, class Allocator = std::allocator<std::byte>>
class sampled_image {
public:
  template <class... Arguments>
    requires(sizeof...(Arguments) >= 2)
  explicit sampled_image(Arguments&&...) {
    detail::refuse_images("sampled_image");
  }
};

template <class T, int Dimensions, access_mode Mode, image_target Target = image_target::device>
class unsampled_image_accessor {
public:
  template <class Allocator, class... Options>
  explicit unsampled_image_accessor(unsampled_image<Dimensions, Allocator>&, handler&, const Options&...) {
    detail::refuse_images("unsampled_image_accessor");
  }
};
template <class T, int Dimensions, image_target Target = image_target::device>
class sampled_image_accessor {
public:
  template <class Allocator, class... Options>
  explicit sampled_image_accessor(sampled_image<Dimensions, Allocator>&, handler&, const Options&...) {
    detail::refuse_images("sampled_image_accessor");
  }
};
template <class T, int Dimensions = 1, access_mode Mode = access_mode::read_write>
class host_unsampled_image_accessor {
public:
  template <class Allocator, class... Options>
  explicit host_unsampled_image_accessor(unsampled_image<Dimensions, Allocator>&, const Options&...) {
    detail::refuse_images("host_unsampled_image_accessor");
  }
};
template <class T, int Dimensions>
class host_sampled_image_accessor {
public:
  template <class Allocator, class... Options>
  explicit host_sampled_image_accessor(sampled_image<Dimensions, Allocator>&, const Options&...) {
    detail::refuse_images("host_sampled_image_accessor");
  }
};

}  // namespace sycl
