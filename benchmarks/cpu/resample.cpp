/// Turns a picture by a small angle, with linear interpolation: by a sampled image, by a kernel over USM memory that
/// does the arithmetic of the sampler, and by a loop in plain C++.
///
/// usage: resample [PAIRS [N]]

#include "measure.hpp"
#include "references.hpp"

namespace {

constexpr float cosine = 0.99862953f, sine = 0.05233596f;

/// The coordinates of a texel's middle in the input picture.
struct turned {
  float u, v;
  turned(std::size_t x, std::size_t y, float middle) {
    const float from_x = static_cast<float>(x) + 0.5f - middle, from_y = static_cast<float>(y) + 0.5f - middle;
    u = cosine * from_x + sine * from_y + middle;
    v = cosine * from_y - sine * from_x + middle;
  }
};

sycl::float4 unpack(std::uint32_t texel) {
  constexpr float scale = 1 / 255.0f;
  return {static_cast<float>(texel & 255u) * scale, static_cast<float>(texel >> 8 & 255u) * scale,
          static_cast<float>(texel >> 16 & 255u) * scale, static_cast<float>(texel >> 24) * scale};
}
sycl::float4 unpack(const sycl::float4& texel) { return texel; }

/// Reads a texel with coordinates clamped to the edge.
template <class Texel>
sycl::float4 sample(const Texel* texels, int n, float u, float v) {
  const float x = u - 0.5f, y = v - 0.5f, left = sycl::floor(x), top = sycl::floor(y);
  const float a = x - left, b = y - top;
  const auto inside = [&](float place) {
    return sycl::min(sycl::max(static_cast<int>(place), 0), n - 1);
  };
  const int x0 = inside(left), x1 = inside(left + 1), y0 = inside(top), y1 = inside(top + 1);
  return unpack(texels[y0 * n + x0]) * ((1 - a) * (1 - b)) + unpack(texels[y0 * n + x1]) * (a * (1 - b)) +
         unpack(texels[y1 * n + x0]) * ((1 - a) * b) + unpack(texels[y1 * n + x1]) * (a * b);
}

template <class Texel>
void measure(bench::program& program, std::size_t n, const char* name, sycl::image_format format) {
  sycl::queue& queue = program.queue;
  std::vector<Texel> texels(n * n);
  bench::dice dice;
  auto* bytes = reinterpret_cast<unsigned char*>(texels.data());
  for (std::size_t i = 0; i < n * n * sizeof(Texel); ++i) bytes[i] = static_cast<unsigned char>(dice.between(0, 256));
  if constexpr (!std::is_integral_v<Texel>) {
    for (Texel& each : texels) each = {dice.between(0, 1), dice.between(0, 1), dice.between(0, 1), dice.between(0, 1)};
  }
  auto* to = program.allocate<sycl::float4>(n * n);
  auto* from = program.allocate<Texel>(n * n);
  std::copy(texels.begin(), texels.end(), from);
  const float middle = 0.5f * static_cast<float>(n);
  std::vector<sycl::float4> expected(n * n);
  for (std::size_t i = 0; i < n * n; ++i) {
    const turned place(i % n, i / n, middle);
    expected[i] = sample(texels.data(), static_cast<int>(n), place.u, place.v);
  }
  sycl::sampled_image<2> image(texels.data(), format,
                               {sycl::addressing_mode::clamp_to_edge, sycl::coordinate_normalization_mode::unnormalized,
                                sycl::filtering_mode::linear},
                               sycl::range<2>(n, n));
  const auto by_image = [&] {
    queue
        .submit([&](sycl::handler& group) {
          auto in = image.template get_access<sycl::float4>(group);
          group.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> i) {
            const turned place(i[1], i[0], middle);
            to[i[0] * n + i[1]] = in.read(sycl::float2(place.u, place.v));
          });
        })
        .wait();
  };
  const auto by_hand = [&] {
    queue
        .parallel_for(sycl::range<2>(n, n),
                      [=](sycl::id<2> i) {
                        const turned place(i[1], i[0], middle);
                        to[i[0] * n + i[1]] = sample(from, static_cast<int>(n), place.u, place.v);
                      })
        .wait();
  };
  const auto by_loop = [&] {
    if constexpr (std::is_integral_v<Texel>) {
      bench::resample_openmp(from, reinterpret_cast<float*>(to), static_cast<int>(n));
    } else {
      bench::resample_openmp(reinterpret_cast<const float*>(from), reinterpret_cast<float*>(to), static_cast<int>(n));
    }
  };
  const auto* floats = reinterpret_cast<const float*>(to);
  program.measure({
      .name = std::string("resampling ") + name + ", " + std::to_string(n) + " x " + std::to_string(n),
      .sides = {{"sinter", by_image}, {"by_hand", by_hand}, {"openmp", by_loop}},
      .spoil = [&] { std::fill_n(to, n * n, sycl::float4(-1.0f)); },
      .is_right =
          [&] { return bench::are_close(floats, reinterpret_cast<const float*>(expected.data()), 4 * n * n, 1e-3); },
      .memory = {.from = {reinterpret_cast<float*>(from)},
                 .reads = sizeof(Texel) == sizeof(sycl::float4) ? 1 : 0,  // reads of bytes are few and not counted
                 .to = {reinterpret_cast<float*>(to)},
                 .writes = 1,
                 .bytes = n * n * sizeof(sycl::float4)},
  });
  sycl::free(from, queue), sycl::free(to, queue);
}

}  // namespace

int main(int word_count, char** words) {
  bench::program program(word_count, words, {4096});
  const std::size_t n = std::max<std::size_t>(program.size(0), 1);
  measure<std::uint32_t>(program, n, "rgba8", sycl::image_format::r8g8b8a8_unorm);
  measure<sycl::float4>(program, n, "rgba32f", sycl::image_format::r32g32b32a32_sfloat);
}
