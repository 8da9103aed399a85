/// Compares the pipeline of examples/photo with plain scalar code on random pictures of many sizes.
#include <algorithm>

#include "check.hpp"
#include "curves.hpp"
#include "pipeline.hpp"

namespace {

using photo::image;
using photo::rgba16;
using photo::settings;

struct light {
  double red, green, blue;
};

image random_image(std::size_t width, std::size_t height) {
  image picture{width, height, true, std::vector<rgba16>(width * height)};
  for (rgba16& pixel : picture.pixels) {
    const auto sample = [] { return static_cast<std::uint16_t>(e2e::random()() & 0xffff); };
    pixel = {sample(), sample(), sample(), sample()};
  }
  return picture;
}

/// Computes the whole pipeline in double precision, from its description.
image reference(const image& picture, const settings& how) {
  const auto width = static_cast<long>(picture.width), height = static_cast<long>(picture.height);
  std::vector<light> pixels(picture.pixels.size());
  const photo::gains balance = photo::white_balance_gains(how.temperature, how.tint);
  const double exposure = std::exp2(static_cast<double>(how.exposure));
  const auto grey_of = [](const light& p) { return 0.2126 * p.red + 0.7152 * p.green + 0.0722 * p.blue; };
  const auto each = [](light p, auto function) { return light{function(p.red), function(p.green), function(p.blue)}; };
  const double middle_y = (height - 1) / 2.0, middle_x = (width - 1) / 2.0;
  const double scale = 1 / std::max(middle_y * middle_y + middle_x * middle_x, 1.0);

  std::vector<double> grey(pixels.size());
  for (long y = 0; y < height; ++y) {
    for (long x = 0; x < width; ++x) {
      const auto at = static_cast<std::size_t>(y * width + x);
      const rgba16& source = picture.pixels[at];
      const auto decode = [](std::uint16_t s) {
        const double v = s / 65535.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
      };
      light p{decode(source.red) * balance.red, decode(source.green) * balance.green,
              decode(source.blue) * balance.blue};
      p = each(p, [&](double v) {
        v *= exposure;
        const double filmic = std::clamp(v * (2.51 * v + 0.03) / (v * (2.43 * v + 0.59) + 0.14), 0.0, 1.0);
        return v + how.contrast * (filmic - v);
      });
      const double mean = grey_of(p);
      p = each(p, [&](double v) { return std::max(mean + how.saturation * (v - mean), 0.0); });
      const double distance = ((y - middle_y) * (y - middle_y) + (x - middle_x) * (x - middle_x)) * scale;
      p = each(p, [&](double v) { return v * (1 - how.vignette * distance * distance); });
      pixels[at] = p;
      grey[at] = grey_of(p);
    }
  }

  image result = picture;
  const int bayer[8][8] = {{0, 32, 8, 40, 2, 34, 10, 42},  {48, 16, 56, 24, 50, 18, 58, 26},
                           {12, 44, 4, 36, 14, 46, 6, 38}, {60, 28, 52, 20, 62, 30, 54, 22},
                           {3, 35, 11, 43, 1, 33, 9, 41},  {51, 19, 59, 27, 49, 17, 57, 25},
                           {15, 47, 7, 39, 13, 45, 5, 37}, {63, 31, 55, 23, 61, 29, 53, 21}};
  const double levels = how.output_bits == 16 ? 65535 : 255;
  for (long y = 0; y < height; ++y) {
    for (long x = 0; x < width; ++x) {
      const int weight[5] = {1, 4, 6, 4, 1};
      double blurred = 0;
      for (long dy = -2; dy <= 2; ++dy) {
        for (long dx = -2; dx <= 2; ++dx) {
          const long row = std::clamp(y + dy, 0l, height - 1), column = std::clamp(x + dx, 0l, width - 1);
          blurred += grey[static_cast<std::size_t>(row * width + column)] * weight[dy + 2] * weight[dx + 2] / 256;
        }
      }
      const auto at = static_cast<std::size_t>(y * width + x);
      const double detail = how.sharpen * (grey[at] - blurred);
      const double threshold = (bayer[y % 8][x % 8] + 0.5) / 64;
      const auto finish = [&](double v) {
        v = std::clamp(v + detail, 0.0, 1.0);
        v = v <= 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
        return static_cast<std::uint16_t>(std::clamp(std::floor(v * levels + threshold), 0.0, levels) *
                                          (65535 / levels));
      };
      const light p = pixels[at];
      const int alpha = picture.pixels[at].alpha;
      result.pixels[at] = {finish(p.red), finish(p.green), finish(p.blue),
                           static_cast<std::uint16_t>(how.output_bits == 16 ? alpha : (alpha + 128) / 257 * 257)};
    }
  }
  return result;
}

/// One side uses single precision and the other one double precision, so samples may be rounded to different steps. A
/// difference of one step (of 8 bits) or 40 steps (of 16 bits) is allowed, and with 8 bits nearly all samples must be
/// equal.
void compare(const image& got, const image& expected, const settings& how, const char* what) {
  const int allowed = how.output_bits == 16 ? 40 : 257;
  std::size_t different = 0;
  for (std::size_t i = 0; i < got.pixels.size(); ++i) {
    const rgba16 &a = got.pixels[i], &b = expected.pixels[i];
    const int distance = std::max({std::abs(a.red - b.red), std::abs(a.green - b.green), std::abs(a.blue - b.blue)});
    different += distance != 0;
    if (distance > allowed || a.alpha != b.alpha) {
      e2e::fail(__FILE__, __LINE__,
                std::string(what) + ": pixel " + std::to_string(i) + " of " + std::to_string(got.width) + " x " +
                    std::to_string(got.height) + " is " + std::to_string(distance) + " off");
      return;
    }
  }
  if (how.output_bits == 8) CHECK(different <= 2 + got.pixels.size() / 100);
}

const std::pair<std::size_t, std::size_t> shapes[] = {{1, 1},   {1, 2},   {2, 1},   {1, 100}, {100, 1},
                                                      {3, 3},   {15, 17}, {16, 16}, {17, 15}, {16, 33},
                                                      {64, 48}, {65, 49}, {129, 31}};

} // namespace

TEST("pictures of all sizes come out as the scalar reference says") {
  sycl::queue queue = e2e::make_queue();
  settings how;
  how.temperature = 12, how.tint = -7, how.exposure = 0.4f, how.contrast = 0.7f;
  how.saturation = 1.3f, how.vignette = 0.5f, how.sharpen = 0.9f;
  for (int bits : {8, 16}) {
    how.output_bits = bits;
    for (auto [width, height] : shapes) {
      const image picture = random_image(width, height);
      compare(photo::develop(queue, picture, how), reference(picture, how), how, "random settings");
    }
  }
}

TEST("neutral settings change nothing but the rounding") {
  sycl::queue queue = e2e::make_queue();
  settings how;
  how.contrast = 0;
  how.output_bits = 16;
  const image picture = random_image(37, 21);
  const image result = photo::develop(queue, picture, how);
  compare(result, picture, how, "neutral settings");
}

TEST("extreme settings stay within bounds") {
  sycl::queue queue = e2e::make_queue();
  for (float exposure : {-8.0f, 8.0f}) {
    settings how;
    how.exposure = exposure, how.saturation = 4, how.vignette = 1, how.contrast = 1, how.temperature = -100,
    how.tint = 100;
    const image picture = random_image(20, 20);
    compare(photo::develop(queue, picture, how), reference(picture, how), how, "extreme settings");
  }
}

TEST("a queue with profiling times every kernel") {
  sycl::queue queue = e2e::make_queue({sycl::property::queue::enable_profiling{}});
  std::vector<photo::stage_time> times;
  photo::develop(queue, random_image(50, 50), settings{}, &times);
  CHECK(times.size() >= 8);
  for (const photo::stage_time& one : times) CHECK(one.milliseconds >= 0 && one.bytes_per_pixel > 0);
}

E2E_MAIN
