#include <abi/byte_count.hpp>
#include <algorithm>
#include <string>

#include <sycl/exception.hpp>
#include <sycl/image.hpp>
#include <sycl/legacy_image.hpp>

#include "handler_impl.hpp"
#include "object_access.hpp"
#include "texel_types.hpp"

namespace sycl::inline _V1::detail {

namespace {

[[noreturn]] void refuse(const image_request& request, const std::string& why) {
  throw_error(errc::invalid, std::string(request.kind) + ": " + why);
}

image_traits traits_of(const image_request& request) {
  if (request.traits.channels() != 0) return request.traits;
  const image_traits traits = traits_of_format(request.format);
  if (traits.channels() != 0) return traits;
  refuse(request, "the format is none of image_format");
}

image_traits with_sampler(const image_request& request, image_traits traits) {
  const image_sampler& sampler = *request.sampler;
  const bool normalized = sampler.coordinate == coordinate_normalization_mode::normalized;
  const bool linear = sampler.filtering == filtering_mode::linear;
  if (sampler.addressing > addressing_mode::none) refuse(request, "the addressing mode is none of addressing_mode");
  const bool repeats = sampler.addressing <= addressing_mode::repeat;
  if (repeats && !normalized) {
    refuse(request, "addressing_mode::repeat and mirrored_repeat are undefined for unnormalized coordinates; "
                    "normalize them, or use clamp_to_edge");
  }
  if (linear && is_integer(traits.type())) {
    refuse(request, "linear filtering of integer formats is undefined; use filtering_mode::nearest, or a format of "
                    "normalized or floating-point numbers");
  }
  const auto mode = static_cast<texel_addressing>(sampler.addressing);
  return traits.sampled({mode, mode, mode}, normalized, linear);
}

void check_pitch(const image_request& request, const char* of, std::size_t pitch, std::size_t least,
                 std::size_t texel_bytes) {
  if (pitch < least) {
    refuse(request, "the pitch of " + std::string(of) + " is " + std::to_string(pitch) + " bytes, but they have " +
                        std::to_string(least));
  }
  if (pitch % texel_bytes != 0) {
    refuse(request, "the pitch of " + std::string(of) + ", " + std::to_string(pitch) +
                        " bytes, is no multiple of a texel of " + std::to_string(texel_bytes) + " bytes");
  }
}

const char* format_text(image_traits traits) {
  if (is_signed_integer(traits.type())) return "signed integers: use int4";
  if (is_unsigned_integer(traits.type())) return "unsigned integers: use uint4";
  if (traits.type() == texel_type::fp16) return "half numbers: use float4 or half4";
  return "normalized or floating-point numbers: use float4";
}

}  // namespace

image_layout layout_of_image(const image_request& request) {
  image_layout layout;
  layout.traits = traits_of(request);
  if (request.sampler) layout.traits = with_sampler(request, layout.traits);
  for (int d = 0; d < request.dimensions; ++d) {
    if (request.extents[d] == 0) refuse(request, "the range has a dimension of zero texels");
    if (request.extents[d] > most_texels) {
      refuse(request, std::to_string(request.extents[d]) + " texels along a dimension are too many; " +
                          std::to_string(most_texels) + " are the most");
    }
    layout.extent[d] = static_cast<std::int32_t>(request.extents[d]);
  }
  const std::size_t texel = layout.traits.texel_bytes();
  layout.row_pitch = request.extents[0] * texel;
  if (request.pitch && request.dimensions > 1) {
    check_pitch(request, "rows", request.pitch[0], layout.row_pitch, texel);
    layout.row_pitch = request.pitch[0];
  }
  layout.slice_pitch = sinter::abi::multiply_bytes(layout.row_pitch, static_cast<std::size_t>(layout.extent[1]));
  if (request.pitch && request.dimensions > 2) {
    check_pitch(request, "slices", request.pitch[1], layout.slice_pitch, texel);
    layout.slice_pitch = request.pitch[1];
  }
  const std::size_t bytes =
      sinter::abi::multiply_bytes(layout.slice_pitch, static_cast<std::size_t>(layout.extent[2]));
  if (bytes == sinter::abi::too_many_bytes) {
    throw_error(errc::memory_allocation, std::string(request.kind) + ": it has more bytes than memory can have");
  }
  layout.traits = layout.traits.small(bytes < std::size_t{1} << 31);
  return layout;
}

shared<buffer_owner> make_image_memory(const image_layout& layout, buffer_source&& source,
                                       const property_list& properties) {
  source.bytes = layout.slice_pitch * static_cast<std::size_t>(layout.extent[2]);
  source.alignment = layout.traits.texel_bytes();
  const std::size_t bytes = source.bytes;
  return make_buffer({&bytes, 1}, 1, std::move(source), properties);
}

image_traits legacy_traits(image_channel_order order, image_channel_type type) {
  const bool bgra = order == image_channel_order::bgra;
  const unsigned channels = order == image_channel_order::r              ? 1
                            : order == image_channel_order::rg           ? 2
                            : order == image_channel_order::rgba || bgra ? 4
                                                                         : 0;
  if (channels == 0 || (bgra && type != image_channel_type::unorm_int8)) {
    throw_error(errc::feature_not_supported,
                "image: channels are in the order r, rg or rgba, or bgra with unorm_int8; convert the texels");
  }
  const std::optional<texel_type> known = texel_type_of(type);
  if (!known) {
    throw_error(
        errc::feature_not_supported,
        "image: channels of unorm_short_565, unorm_short_555 and unorm_int_101010 are not there; use unorm_int8");
  }
  return {*known, channels, bgra};
}

void check_pixels(const char* accessor, image_traits traits, pixel_kind kind) {
  const texel_type type = traits.type();
  const bool fits = kind == pixel_kind::signed_integers     ? is_signed_integer(type)
                    : kind == pixel_kind::unsigned_integers ? is_unsigned_integer(type)
                    : kind == pixel_kind::halves            ? type == texel_type::fp16
                                                            : !is_integer(type);
  if (fits) return;
  throw_error(errc::invalid, std::string(accessor) + ": its pixels do not go with the image's format, which has " +
                                 format_text(traits));
}

void check_images_of(handler_impl& handler, const char* accessor) {
  const sinter::device_facts& facts = handler.queue().backend().facts();
  handler.use_images();
  if (std::ranges::count(facts.aspects, static_cast<std::uint32_t>(aspect::image)) != 0) return;
  throw_error(errc::feature_not_supported, std::string(accessor) + ": device '" + facts.name +
                                               "' has no images (aspect::image); use a buffer, or accessors for the "
                                               "host");
}

}  // namespace sycl::detail
