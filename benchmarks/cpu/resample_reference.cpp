#include <algorithm>
#include <cmath>

#include "references.hpp"

namespace bench {
namespace {

constexpr float cosine = 0.99862953f, sine = 0.05233596f;

struct color {
  float channel[4];
};
color unpack(const std::uint32_t* texels, int at) {
  constexpr float scale = 1 / 255.0f;
  const std::uint32_t texel = texels[at];
  const auto channel = [&](int shift) { return static_cast<float>(static_cast<int>(texel >> shift & 255u)) * scale; };
  return {{channel(0), channel(8), channel(16), channel(24)}};
}
color unpack(const float* texels, int at) {
  return {{texels[4 * at], texels[4 * at + 1], texels[4 * at + 2], texels[4 * at + 3]}};
}

template <class Texel>
void resample(const Texel* texels, float* to, int n) {
  const float middle = 0.5f * static_cast<float>(n);
#pragma omp parallel for schedule(static)
  for (int y = 0; y < n; ++y) {
#pragma clang loop vectorize(assume_safety)
    for (int x = 0; x < n; ++x) {
      const float from_x = static_cast<float>(x) + 0.5f - middle, from_y = static_cast<float>(y) + 0.5f - middle;
      const float u = cosine * from_x + sine * from_y + middle - 0.5f;
      const float v = cosine * from_y - sine * from_x + middle - 0.5f;
      const float left = std::floor(u), top = std::floor(v), a = u - left, b = v - top;
      const auto inside = [&](float place) { return std::min(std::max(static_cast<int>(place), 0), n - 1); };
      const int x0 = inside(left), x1 = inside(left + 1), y0 = inside(top), y1 = inside(top + 1);
      const color corners[] = {unpack(texels, y0 * n + x0), unpack(texels, y0 * n + x1), unpack(texels, y1 * n + x0),
                               unpack(texels, y1 * n + x1)};
      const float weights[] = {(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b};
      for (int c = 0; c < 4; ++c) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += corners[k].channel[c] * weights[k];
        to[4 * (y * n + x) + c] = sum;
      }
    }
  }
}

}  // namespace

void resample_openmp(const std::uint32_t* texels, float* to, int n) { resample(texels, to, n); }
void resample_openmp(const float* texels, float* to, int n) { resample(texels, to, n); }

}  // namespace bench
