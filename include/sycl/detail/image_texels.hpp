#pragma once
/// The encoding of texels in memory, and its conversions from and to the types that kernels compute with (OpenCL C
/// 8.3).
///
/// Kernels and the host run the same code. One integer (image_traits) encodes the format of an image. If this integer
/// is a constant in a kernel, the compiler removes the code for other formats.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../half.hpp"
#include "export.hpp"
#include "math_libm.hpp"

namespace sycl::inline _V1::detail {

/// The encoding of one channel in memory.
enum class texel_type : std::uint32_t {
  snorm8, snorm16, unorm8, unorm16, sint8, sint16, sint32, uint8, uint16, uint32, fp16, fp32
};
/// The enumerators have the values of sycl::addressing_mode.
enum class texel_addressing : std::uint32_t { mirrored_repeat, repeat, clamp_to_edge, clamp, none };

constexpr std::size_t channel_bytes(texel_type type) noexcept {
  constexpr unsigned char bytes[] = {1, 2, 1, 2, 1, 2, 4, 1, 2, 4, 2, 4};
  return bytes[static_cast<unsigned>(type)];
}
constexpr bool is_signed_integer(texel_type type) noexcept {
  return type >= texel_type::sint8 && type <= texel_type::sint32;
}
constexpr bool is_unsigned_integer(texel_type type) noexcept {
  return type >= texel_type::uint8 && type <= texel_type::uint32;
}
constexpr bool is_integer(texel_type type) noexcept { return is_signed_integer(type) || is_unsigned_integer(type); }

/// The format and the sampler of an image, in one integer (`word`). For bindless images, the integer also says how the
/// texels are accessed.
struct image_traits {
  std::uint32_t word = 0;

  constexpr image_traits() noexcept = default;
  constexpr image_traits(texel_type type, unsigned channels, bool bgra = false) noexcept
      : word(static_cast<std::uint32_t>(type) | channels << 4 | (bgra ? bgra_bit : 0) |
             static_cast<std::uint32_t>(channel_bytes(type) * channels) << first_size |
             static_cast<std::uint32_t>(channel_bytes(type)) << first_channel_size) {}
  /// Returns these traits with a sampler added.
  constexpr image_traits sampled(const texel_addressing (&modes)[3], bool normalized, bool linear,
                                 bool linear_levels = false) const noexcept {
    image_traits result = *this;
    for (int d = 0; d < 3; ++d) result.word |= static_cast<std::uint32_t>(modes[d]) << (first_mode + 3 * d);
    if (normalized) result.word |= normalized_bit;
    if (linear) result.word |= linear_bit;
    if (linear_levels) result.word |= linear_levels_bit;
    return result;
  }

  constexpr texel_type type() const noexcept { return static_cast<texel_type>(word & 15u); }
  constexpr unsigned channels() const noexcept { return word >> 4 & 7u; }
  /// The sizes of a texel and of a channel in bytes. `word` contains both sizes, because a table of sizes would have to
  /// be read from memory.
  constexpr std::size_t texel_bytes() const noexcept { return word >> first_size & 31u; }
  constexpr unsigned channel_size() const noexcept { return word >> first_channel_size & 7u; }
  constexpr bool is_bgra() const noexcept { return (word & bgra_bit) != 0; }
  constexpr texel_addressing addressing(int dimension) const noexcept {
    return static_cast<texel_addressing>(word >> (first_mode + 3 * dimension) & 7u);
  }
  constexpr bool is_normalized() const noexcept { return (word & normalized_bit) != 0; }
  constexpr bool is_linear() const noexcept { return (word & linear_bit) != 0; }
  /// Whether the byte offsets of all texels fit into 31 bits.
  constexpr bool is_small() const noexcept { return (word & small_bit) != 0; }
  constexpr image_traits small(bool is_so) const noexcept {
    image_traits result = *this;
    result.word = is_so ? word | small_bit : word & ~small_bit;
    return result;
  }
  constexpr bool has_linear_levels() const noexcept { return (word & linear_levels_bit) != 0; }

  /// Whether texture units sample the image (has_texture), whether texture units read and write its texels
  /// (has_surface), and whether the texels also have addresses. These bits are in `word`, too, so that `word` alone
  /// decides which code the compiler keeps.
  constexpr bool has_texture() const noexcept { return (word & texture_bit) != 0; }
  constexpr bool has_surface() const noexcept { return (word & surface_bit) != 0; }
  constexpr bool has_addresses() const noexcept { return (word & addresses_bit) != 0; }
  constexpr image_traits reached(bool by_texture, bool by_surface, bool by_address) const noexcept {
    image_traits result = *this;
    result.word &= ~(texture_bit | surface_bit | addresses_bit);
    result.word |= (by_texture ? texture_bit : 0) | (by_surface ? surface_bit : 0) | (by_address ? addresses_bit : 0);
    return result;
  }

private:
  static constexpr std::uint32_t bgra_bit = 1u << 7, normalized_bit = 1u << 17, linear_bit = 1u << 18,
                                 linear_levels_bit = 1u << 19, small_bit = 1u << 28, texture_bit = 1u << 29,
                                 surface_bit = 1u << 30, addresses_bit = 1u << 31;
  static constexpr int first_mode = 8, first_size = 20, first_channel_size = 25;
};

/// The channels of one texel as the kernel sees them: float, int32_t or uint32_t.
template <class T, int Channels>
struct texel {
  T channel[Channels];
};

/// The channels of a texel as they are encoded in memory. Texels of 1, 2 and 4 channels are aligned to their size;
/// texels of 3 channels are aligned to the size of a channel.
template <class Word, int Channels>
struct texel_words {
  Word word[Channels];

  static constexpr std::size_t alignment = sizeof(Word) * (Channels == 3 ? 1 : Channels);
  SINTER_DEVICE_INLINE static texel_words load(const unsigned char* at) noexcept {
    texel_words result;
    __builtin_memcpy(&result, __builtin_assume_aligned(at, alignment), sizeof(result));
    return result;
  }
  SINTER_DEVICE_INLINE void store(unsigned char* at) const noexcept {
    __builtin_memcpy(__builtin_assume_aligned(at, alignment), this, sizeof(*this));
  }
};

// ----------------------------------------------------------------------------------------------- from memory

/// Returns the number that memory has for a normalized channel, not multiplied by the scale. Filters multiply their sum
/// by the scale only once, at the end.
SINTER_DEVICE_INLINE float unscaled(std::uint8_t value) noexcept { return static_cast<float>(value); }
SINTER_DEVICE_INLINE float unscaled(std::uint16_t value) noexcept { return static_cast<float>(value); }
SINTER_DEVICE_INLINE float unscaled(std::int8_t value) noexcept {
  return static_cast<float>(value < -127 ? -127 : value);
}
SINTER_DEVICE_INLINE float unscaled(std::int16_t value) noexcept {
  return static_cast<float>(value < -32767 ? -32767 : value);
}
/// The factor by which unscaled numbers are multiplied.
SINTER_DEVICE_INLINE float scale_of(texel_type type) noexcept {
  switch (type) {
    case texel_type::snorm8: return 1 / 127.0f;
    case texel_type::snorm16: return 1 / 32767.0f;
    case texel_type::unorm8: return 1 / 255.0f;
    case texel_type::unorm16: return 1 / 65535.0f;
    default: return 1;
  }
}

template <class T, int Channels, class Word, class Convert>
SINTER_DEVICE_INLINE texel<T, Channels> load_as(const unsigned char* at, const Convert& convert) noexcept {
  const auto words = texel_words<Word, Channels>::load(at);
  texel<T, Channels> result;
  for (int i = 0; i < Channels; ++i) result.channel[i] = static_cast<T>(convert(words.word[i]));
  return result;
}

/// Reads a texel whose normalized channels the caller still has to multiply by scale_of. T has to fit the format: float
/// for normalized and floating-point channels, otherwise std::int32_t or std::uint32_t. For other T, the result has no
/// meaning.
template <class T, int Channels>
SINTER_DEVICE_INLINE texel<T, Channels> load_unscaled(const unsigned char* at, image_traits traits) noexcept {
  const auto same = [](auto value) { return value; };
  if constexpr (std::is_same_v<T, float>) {
    const auto as_number = [](auto value) { return unscaled(value); };
    switch (traits.type()) {
      case texel_type::snorm8: return load_as<T, Channels, std::int8_t>(at, as_number);
      case texel_type::snorm16: return load_as<T, Channels, std::int16_t>(at, as_number);
      case texel_type::unorm16: return load_as<T, Channels, std::uint16_t>(at, as_number);
      case texel_type::fp16:
        // Converts without the type half: if half were used, kernels that read images would require aspect::fp16,
        // whatever the format of the images.
        return load_as<T, Channels, std::uint16_t>(at, number_of_half);
      case texel_type::fp32: return load_as<T, Channels, float>(at, same);
      default: break;
    }
    auto result = load_as<T, Channels, std::uint8_t>(at, as_number);
    if constexpr (Channels == 4) {
      if (traits.is_bgra()) {
        const float blue = result.channel[0];
        result.channel[0] = result.channel[2];
        result.channel[2] = blue;
      }
    }
    return result;
  } else {
    // If the channels are not integers, the result has the bits of the channels.
    using byte = std::conditional_t<std::is_signed_v<T>, std::int8_t, std::uint8_t>;
    using two_bytes = std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;
    switch (traits.channel_size()) {
      case 1: return load_as<T, Channels, byte>(at, same);
      case 2: return load_as<T, Channels, two_bytes>(at, same);
      default: return load_as<T, Channels, T>(at, same);
    }
  }
}

template <class T, int Channels>
SINTER_DEVICE_INLINE texel<T, Channels> scaled(texel<T, Channels> value, image_traits traits) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    const float scale = scale_of(traits.type());
    for (int i = 0; i < Channels; ++i) value.channel[i] *= scale;
  }
  return value;
}

// ------------------------------------------------------------------------------------------------- to memory

/// Rounds to the nearest integer, ties to even. NaN becomes 0.
template <class Word>
SINTER_DEVICE_INLINE Word to_normalized(float value) noexcept {
  constexpr float least = std::is_signed_v<Word> ? -1.0f : 0.0f;
  constexpr float scale = static_cast<float>((std::uint32_t{1} << (8 * sizeof(Word) - std::is_signed_v<Word>)) - 1);
  // This line turns NaN into 0. Without this line, a NaN would become the smallest number of the type, because
  // comparisons with NaN are false. For unsigned types, the smallest number is 0 anyway.
  const float number = !std::is_signed_v<Word> || value == value ? value : 0.0f;
  const float low = number > least ? number : least;
  return static_cast<Word>(static_cast<std::int32_t>(sycl::rint((low < 1.0f ? low : 1.0f) * scale)));
}
template <class Word, class T>
SINTER_DEVICE_INLINE Word saturated(T value) noexcept {
  constexpr T most = static_cast<T>((std::uint64_t{1} << (8 * sizeof(Word) - std::is_signed_v<Word>)) - 1);
  constexpr T least = std::is_signed_v<Word> ? static_cast<T>(-1 - most) : T(0);
  const T low = value > least ? value : least;
  return static_cast<Word>(low < most ? low : most);
}

template <class Word, class T, int Channels, class Convert>
SINTER_DEVICE_INLINE void store_as(unsigned char* at, const texel<T, Channels>& value,
                                   const Convert& convert) noexcept {
  texel_words<Word, Channels> words;
  for (int i = 0; i < Channels; ++i) words.word[i] = convert(value.channel[i]);
  words.store(at);
}

/// Stores a texel; this is the inverse of load_unscaled and scaled.
template <class T, int Channels>
SINTER_DEVICE_INLINE void store_texel(unsigned char* at, image_traits traits, texel<T, Channels> value) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    switch (traits.type()) {
      case texel_type::snorm8: return store_as<std::int8_t>(at, value, to_normalized<std::int8_t>);
      case texel_type::snorm16: return store_as<std::int16_t>(at, value, to_normalized<std::int16_t>);
      case texel_type::unorm16: return store_as<std::uint16_t>(at, value, to_normalized<std::uint16_t>);
      case texel_type::fp16:
        return store_as<std::uint16_t>(at, value, half_bits);
      case texel_type::fp32: return store_as<float>(at, value, [](float number) { return number; });
      default: break;
    }
    if constexpr (Channels == 4) {
      if (traits.is_bgra()) {
        const float red = value.channel[0];
        value.channel[0] = value.channel[2];
        value.channel[2] = red;
      }
    }
    store_as<std::uint8_t>(at, value, to_normalized<std::uint8_t>);
  } else {
    using byte = std::conditional_t<std::is_signed_v<T>, std::int8_t, std::uint8_t>;
    using two_bytes = std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;
    switch (traits.channel_size()) {
      case 1: return store_as<byte>(at, value, saturated<byte, T>);
      case 2: return store_as<two_bytes>(at, value, saturated<two_bytes, T>);
      default: return store_as<T>(at, value, saturated<T, T>);
    }
  }
}

}  // namespace sycl::detail
