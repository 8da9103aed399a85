/// Turns a photograph by an angle and removes the barrel distortion of its lens, with a sampled image. Each pixel of
/// the result needs the colour at a position between pixels of the photograph, and the sampler computes this colour.
/// Prints how long the kernel took, and compares some pixels with plain code.
///
///   lens INPUT.png OUTPUT.png [DEGREES [DISTORTION]]

#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "png_io.hpp"

namespace {

/// Maps positions in the result to positions in the photograph. Coordinates are relative to the middle; the unit is
/// half of the diagonal.
struct lens {
  float cosine, sine, distortion, scale;

  sycl::float2 source_of(float x, float y) const {
    const float turned_x = scale * (cosine * x + sine * y), turned_y = scale * (cosine * y - sine * x);
    const float radius = turned_x * turned_x + turned_y * turned_y;
    const float stretch = 1.0f + distortion * (radius - 1.0f);
    return {turned_x * stretch, turned_y * stretch};
  }
};

photo::image correct(sycl::queue& queue, photo::image& input, const lens& how) {
  const std::size_t width = input.width, height = input.height;
  photo::image output{width, height, input.has_alpha, std::vector<photo::rgba16>(width * height)};
  const auto w = static_cast<float>(width), h = static_cast<float>(height);
  const float half_diagonal = 0.5f * std::sqrt(w * w + h * h);
  sycl::event done;
  {
    // The image has 16 bits per channel. The sampler interpolates linearly and returns black outside of the photograph.
    sycl::sampled_image<2> photograph(
        input.pixels.data(), sycl::image_format::r16g16b16a16_unorm,
        {sycl::addressing_mode::clamp, sycl::coordinate_normalization_mode::unnormalized, sycl::filtering_mode::linear},
        sycl::range<2>(width, height));
    sycl::unsampled_image<2> result(output.pixels.data(), sycl::image_format::r16g16b16a16_unorm,
                                    sycl::range<2>(width, height));
    done = queue.submit([&](sycl::handler& handler) {
      auto in = photograph.get_access<sycl::float4>(handler);
      auto out = result.get_access<sycl::float4>(handler);
      handler.parallel_for(sycl::range<2>(height, width), [=](sycl::item<2> item) {
        const auto x = static_cast<float>(item[1]) + 0.5f, y = static_cast<float>(item[0]) + 0.5f;
        const sycl::float2 source = how.source_of((x - 0.5f * w) / half_diagonal, (y - 0.5f * h) / half_diagonal);
        out.write(sycl::int2(static_cast<int>(item[1]), static_cast<int>(item[0])),
                  in.read(sycl::float2(source[0] * half_diagonal + 0.5f * w, source[1] * half_diagonal + 0.5f * h)));
      });
    });
  }  // the image waits for the kernel and writes the result back
  const auto start = done.get_profiling_info<sycl::info::event_profiling::command_start>();
  const auto end = done.get_profiling_info<sycl::info::event_profiling::command_end>();
  std::printf("%zu x %zu pixels in %.2f ms on %s\n", width, height, static_cast<double>(end - start) * 1e-6,
              queue.get_device().get_info<sycl::info::device::name>().c_str());
  return output;
}

/// The red channel of a pixel of the result, computed by plain code.
double expected_red(const photo::image& input, const lens& how, std::size_t column, std::size_t row) {
  const auto w = static_cast<float>(input.width), h = static_cast<float>(input.height);
  const float half_diagonal = 0.5f * std::sqrt(w * w + h * h);
  const sycl::float2 source = how.source_of((static_cast<float>(column) + 0.5f - 0.5f * w) / half_diagonal,
                                            (static_cast<float>(row) + 0.5f - 0.5f * h) / half_diagonal);
  const double u = static_cast<double>(source[0] * half_diagonal + 0.5f * w) - 0.5;
  const double v = static_cast<double>(source[1] * half_diagonal + 0.5f * h) - 0.5;
  double sum = 0;
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 2; ++i) {
      const double x = std::floor(u) + i, y = std::floor(v) + j;
      if (x < 0 || y < 0 || x >= static_cast<double>(w) || y >= static_cast<double>(h)) continue;
      const double weight = (1 - std::fabs(u - x)) * (1 - std::fabs(v - y));
      sum += weight * input.pixels[static_cast<std::size_t>(y) * input.width + static_cast<std::size_t>(x)].red;
    }
  }
  return sum;
}

}  // namespace

int main(int count, char** words) try {
  if (count < 3) return std::fprintf(stderr, "usage: lens INPUT.png OUTPUT.png [DEGREES [DISTORTION]]\n"), 2;
  const float angle = (count > 3 ? std::strtof(words[3], nullptr) : 3.0f) * 3.14159265f / 180.0f;
  const float distortion = count > 4 ? std::strtof(words[4], nullptr) : -0.06f;
  const lens how{std::cos(angle), std::sin(angle), distortion, 1.0f};
  photo::image input = photo::read_png(words[1]);
  sycl::queue queue{sycl::property::queue::enable_profiling{}};
  const photo::image output = correct(queue, input, how);
  for (std::size_t i = 0; i < 1000 && i < output.pixels.size(); ++i) {
    const std::size_t at = i * 7919 % output.pixels.size();
    const double red = expected_red(input, how, at % output.width, at / output.width);
    // Coordinates are rounded, so near a sharp edge a colour may differ by a few of 65535 steps.
    if (std::fabs(red - output.pixels[at].red) > 66) return std::fprintf(stderr, "lens: pixel %zu is wrong\n", at), 1;
  }
  photo::write_png(words[2], output, 8);
} catch (const std::exception& error) {
  return std::fprintf(stderr, "lens: %s\n", error.what()), 1;
}
