#pragma once
/// Formulas of the pipeline that are computed once for each picture, not for each pixel.

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "pipeline.hpp"

namespace photo {

struct gains {
  float red, green, blue;
};

/// Returns the factors by which a white balance multiplies the channels. A tint towards magenta makes the factor of
/// green smaller. The brightness of grey does not change.
inline gains white_balance_gains(float temperature, float tint) {
  const float warm = std::exp2(temperature / 100.0f), magenta = std::exp2(-tint / 200.0f);
  const float red = std::sqrt(warm), green = magenta, blue = 1.0f / std::sqrt(warm);
  const float grey = 0.2126f * red + 0.7152f * green + 0.0722f * blue;
  return {red / grey, green / grey, blue / grey};
}

/// Converts an encoded sRGB value (IEC 61966-2-1) to linear light.
inline float srgb_to_linear(float encoded) {
  return encoded <= 0.04045f ? encoded / 12.92f : std::pow((encoded + 0.055f) / 1.055f, 2.4f);
}
inline float linear_to_srgb(float linear) {
  return linear <= 0.0031308f ? linear * 12.92f : 1.055f * std::pow(linear, 1.0f / 2.4f) - 0.055f;
}

/// Linear light of each 16-bit sample.
inline std::vector<float> decode_table() {
  std::vector<float> table(65536);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = srgb_to_linear(static_cast<float>(i) / 65535.0f);
  return table;
}

/// A table of encoded values. Entry i is for linear light of (i / steps)^2. With this square, the table has more
/// entries for dark values, where the curve is steep. So the error of linear interpolation is below a quarter of a
/// 16-bit step.
inline constexpr std::size_t encode_steps = 4096;
inline std::vector<float> encode_table() {
  std::vector<float> table(encode_steps + 2);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const float root = static_cast<float>(i) / static_cast<float>(encode_steps);
    table[i] = linear_to_srgb(root * root);
  }
  return table;
}

} // namespace photo
