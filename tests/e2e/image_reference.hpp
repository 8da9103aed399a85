#pragma once
/// A scalar implementation of images in double precision that shares nothing with Sinter's code. The implementation
/// supports all formats of texels, and uses the formulae of OpenCL C 8.2.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace reference {

enum class encoding { snorm8, snorm16, unorm8, unorm16, sint8, sint16, sint32, uint8, uint16, uint32, fp16, fp32 };
enum class addressing { mirrored_repeat, repeat, clamp_to_edge, clamp, none };

inline int bytes_of(encoding type) {
  switch (type) {
    case encoding::snorm8: case encoding::unorm8: case encoding::sint8: case encoding::uint8: return 1;
    case encoding::sint32: case encoding::uint32: case encoding::fp32: return 4;
    default: return 2;
  }
}
inline bool is_integer(encoding type) { return type >= encoding::sint8 && type <= encoding::uint32; }

inline double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

struct image {
  encoding type;
  int channels;
  bool bgra;
  int dimensions;
  int extent[3] = {1, 1, 1};
  std::size_t row = 0, slice = 0;
  std::vector<unsigned char> bytes = {};

  unsigned char* at(int x, int y, int z) {
    return bytes.data() + static_cast<std::size_t>(z) * slice + static_cast<std::size_t>(y) * row +
           static_cast<std::size_t>(x * channels * bytes_of(type));
  }
  /// One channel of a texel inside the image.
  double channel(int x, int y, int z, int which) const {
    if (bgra && which != 1 && which != 3) which = 2 - which;
    const unsigned char* place = const_cast<image*>(this)->at(x, y, z) + which * bytes_of(type);
    const auto as = [&](auto value) {
      std::memcpy(&value, place, sizeof(value));
      return static_cast<double>(value);
    };
    switch (type) {
      case encoding::snorm8: return std::max(as(std::int8_t()) / 127, -1.0);
      case encoding::snorm16: return std::max(as(std::int16_t()) / 32767, -1.0);
      case encoding::unorm8: return as(std::uint8_t()) / 255;
      case encoding::unorm16: return as(std::uint16_t()) / 65535;
      case encoding::sint8: return as(std::int8_t());
      case encoding::sint16: return as(std::int16_t());
      case encoding::sint32: return as(std::int32_t());
      case encoding::uint8: return as(std::uint8_t());
      case encoding::uint16: return as(std::uint16_t());
      case encoding::uint32: return as(std::uint32_t());
      case encoding::fp16: return half_value(static_cast<std::uint16_t>(as(std::uint16_t())));
      case encoding::fp32: return as(float());
    }
    return 0;
  }
  double texel_or_border(int x, int y, int z, int which) const {
    if (x < 0 || x >= extent[0] || y < 0 || y >= extent[1] || z < 0 || z >= extent[2]) return 0;
    return channel(x, y, z, which);
  }
  double largest(int which) const {
    double result = 0;
    for (int z = 0; z < extent[2]; ++z) {
      for (int y = 0; y < extent[1]; ++y) {
        for (int x = 0; x < extent[0]; ++x) result = std::max(result, std::fabs(channel(x, y, z, which)));
      }
    }
    return result;
  }
};

/// Random texels, without infinities and NaNs.
inline image random_image(std::mt19937& random, encoding type, int channels, int dimensions, bool bgra = false,
                          bool pitched = false, int most = 17) {
  image result{type, channels, bgra, dimensions};
  for (int d = 0; d < dimensions; ++d) result.extent[d] = 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  const auto texel = static_cast<std::size_t>(channels * bytes_of(type));
  result.row =
      texel * static_cast<std::size_t>(result.extent[0]) + (pitched && dimensions > 1 ? texel * (random() % 4) : 0);
  result.slice = result.row * static_cast<std::size_t>(result.extent[1]) +
                 (pitched && dimensions > 2 ? texel * (random() % 9) : 0);
  result.bytes.resize(result.slice * static_cast<std::size_t>(result.extent[2]));
  std::uniform_real_distribution<float> real(-100, 100);
  if (type == encoding::fp32) {
    for (std::size_t i = 0; i + 4 <= result.bytes.size(); i += 4) {
      const float value = real(random);
      std::memcpy(result.bytes.data() + i, &value, sizeof(value));
    }
  } else {
    for (unsigned char& each : result.bytes) each = static_cast<unsigned char>(random());
    if (type == encoding::fp16) {
      for (std::size_t i = 1; i < result.bytes.size(); i += 2) {
        if ((result.bytes[i] & 0x7c) == 0x7c) result.bytes[i] ^= 0x40;
      }
    }
  }
  return result;
}

struct sampler {
  addressing mode;
  bool normalized, linear;
};

/// A coordinate in units of texels, the nearest texel, the texels on both sides of the coordinate, and the second
/// texel's weight.
struct place {
  double u;
  int nearest, first, second;
  double weight;
};

inline int bounded(double value) {
  return std::isnan(value) ? -1000000 : static_cast<int>(std::clamp(value, -1e6, 1e6));
}

inline place find(double s, int n, const sampler& how) {
  place result{};
  double u = how.normalized ? s * n : s;
  if (how.mode == addressing::repeat) u = (s - std::floor(s)) * n;
  if (how.mode == addressing::mirrored_repeat) u = std::fabs(s - 2 * std::rint(0.5 * s)) * n;
  result.u = u;
  result.nearest = bounded(std::floor(u));
  result.first = bounded(std::floor(u - 0.5));
  result.second = result.first + 1;
  result.weight = (u - 0.5) - std::floor(u - 0.5);
  const auto edge = [&](int i) { return std::clamp(i, 0, n - 1); };
  const auto border = [&](int i) { return std::clamp(i, -1, n); };
  switch (how.mode) {
    case addressing::clamp:
      result = {u, border(result.nearest), border(result.first), border(result.second), result.weight};
      break;
    case addressing::repeat:
      if (result.nearest > n - 1) result.nearest -= n;
      if (result.first < 0) result.first += n;
      if (result.second > n - 1) result.second -= n;
      break;
    default: result = {u, edge(result.nearest), edge(result.first), edge(result.second), result.weight};
  }
  return result;
}

/// Computes one channel of a sample.
inline double sample(const image& from, const double* coordinates, const sampler& how, int which) {
  place at[3] = {};
  for (int d = 0; d < from.dimensions; ++d) at[d] = find(coordinates[d], from.extent[d], how);
  if (!how.linear) return from.texel_or_border(at[0].nearest, at[1].nearest, at[2].nearest, which);
  double sum = 0;
  for (int k = 0; k < (from.dimensions > 2 ? 2 : 1); ++k) {
    for (int j = 0; j < (from.dimensions > 1 ? 2 : 1); ++j) {
      for (int i = 0; i < 2; ++i) {
        const double weight = (i ? at[0].weight : 1 - at[0].weight) *
                              (from.dimensions < 2 ? 1 : j ? at[1].weight : 1 - at[1].weight) *
                              (from.dimensions < 3 ? 1 : k ? at[2].weight : 1 - at[2].weight);
        if (weight == 0) continue;
        sum += weight * from.texel_or_border(i ? at[0].second : at[0].first, j ? at[1].second : at[1].first,
                                             k ? at[2].second : at[2].first, which);
      }
    }
  }
  return sum;
}

/// The distance from the number to the next float of this size.
inline double ulp(double value) {
  const float size = std::fabs(static_cast<float>(value));
  return static_cast<double>(std::nextafter(size, INFINITY)) - static_cast<double>(size);
}

/// Whether a kernel's result is right. The result may differ from the exact value by at most `ulps` units in the last
/// place of the largest texel. The conversion of normalized coordinates to texels rounds once more, so results at
/// coordinates within that rounding error are right, too. Texture units also round coordinates to multiples of `step`
/// texels, and their filters round texels.
inline bool is_right(const image& from, const float* coordinates, const sampler& how, int which, double result,
                     double ulps = 2, double step = 0) {
  if (std::isnan(result)) return false;
  const double largest = from.largest(which);
  const double of_texel = ulps * ulp(largest) + (how.linear && step != 0 ? largest * 0x1p-17 : 0);
  double exact = is_integer(from.type) ? 0 : of_texel;
  double middle[3] = {}, shift[3] = {};
  for (int d = 0; d < from.dimensions; ++d) {
    middle[d] = static_cast<double>(coordinates[d]);
    const int n = from.extent[d];
    // The largest rounding error of the coordinate u.
    const double u = how.normalized ? middle[d] * n : middle[d];
    if (!std::isfinite(middle[d]) || std::fabs(u) > 1e6) return std::fabs(result) <= largest + of_texel;
    double rounding = how.normalized ? std::ldexp(std::max(std::fabs(u), 1.0 * n), -23)
                            : how.linear   ? 0x1p-24
                                           : 0;
    rounding = std::max(rounding, step);
    shift[d] = how.normalized ? rounding / n : rounding;
    // The result of a linear filter may be largest at the centre of a texel, which may lie between the coordinates that
    // the code below tries.
    if (how.linear) exact += 2 * largest * rounding;
  }
  double low = INFINITY, high = -INFINITY;
  int steps = 1;
  for (int d = 0; d < from.dimensions; ++d) steps *= 3;
  for (int step = 0; step < steps; ++step) {
    double moved[3] = {};
    for (int d = 0, rest = step; d < from.dimensions; ++d, rest /= 3) moved[d] = middle[d] + (rest % 3 - 1) * shift[d];
    const double value = sample(from, moved, how, which);
    if (!how.linear && std::fabs(result - value) <= exact) return true;
    low = std::min(low, value), high = std::max(high, value);
  }
  return how.linear && result >= low - exact && result <= high + exact;
}

/// Returns coordinates worth testing: in and around the image, on edges and centres of texels, far away, and NaN.
inline float random_coordinate(std::mt19937& random, int extent, bool normalized) {
  const float scale = normalized ? 1.0f / static_cast<float>(extent) : 1.0f;
  const auto n = static_cast<float>(extent);
  switch (random() % 8) {
    case 0: return static_cast<float>(static_cast<int>(random() % static_cast<unsigned>(3 * extent)) - extent) * scale;
    case 1: return (static_cast<float>(random() % static_cast<unsigned>(extent)) + 0.5f) * scale;
    case 2: {
      const float odd[] = {
          INFINITY, -INFINITY,          NAN,       1e30f,         -1e30f,      -0.0f, 3e9f, -3e9f, 1e-40f,
          -1e-40f,  (n - 0.5f) * scale, n * scale, -0.5f * scale, 0.5f * scale};
      return odd[random() % std::size(odd)];
    }
    default: return std::uniform_real_distribution<float>(-3, 3)(random) * (normalized ? 1.0f : n);
  }
}

}  // namespace reference
