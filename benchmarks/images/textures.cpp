/// Measures bindless images: filtered reads of planes and volumes, writes of texels, and a renderer that reads a
/// thousand textures, where each work-item uses another handle. textures.cu contains the same cases with CUDA's texture
/// objects. On the CPU, a kernel that filters plain memory is measured as well. usage: images_textures [N [TEXTURES]]:
/// sides of planes, number of textures. Prints a line for each case: the name, the milliseconds of a launch (best of
/// seven), and the sum of some results.

#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include <sycl/ext/oneapi/bindless_images.hpp>

namespace {

namespace oneapi = sycl::ext::oneapi::experimental;
using sycl::float2, sycl::float3, sycl::float4;

constexpr float cosine = 0.99862953f, sine = 0.05233596f;
constexpr unsigned texture_side = 256, reads = 8;

/// Makes a number from an index. The numbers look random.
std::uint32_t scrambled(std::uint32_t value) {
  value = (value ^ value >> 16) * 0x7feb352du;
  value = (value ^ value >> 15) * 0x846ca68bu;
  return value ^ value >> 16;
}
float fraction_of(std::uint32_t value) { return static_cast<float>(value >> 8) * 0x1p-24f; }

float2 turned(std::size_t x, std::size_t y, float middle) {
  const float across = static_cast<float>(x) + 0.5f - middle, down = static_cast<float>(y) + 0.5f - middle;
  return {cosine * across + sine * down + middle, cosine * down - sine * across + middle};
}

template <class Launch>
void measure(sycl::queue& queue, const char* name, const float4* results, std::size_t count, const Launch& launch) {
  double best = 1e9;
  const int launches = queue.get_device().is_cpu() ? 1 : 20;
  for (int round = 0; round < 8; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i) launch();
    queue.wait();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    if (round > 0) best = std::min(best, taken.count() / launches);
  }
  std::vector<float4> some(std::min<std::size_t>(count, 65536));
  queue.copy(results, some.data(), some.size()).wait();
  double sum = 0;
  for (const float4& each : some) sum += static_cast<double>(each[0] + each[1] + each[2] + each[3]);
  std::printf("%s %.4f %.6g\n", name, best, sum);
  std::fflush(stdout);
}

/// A picture's texels, both as bytes and as numbers. Images and the program's own loops read these texels.
struct plane {
  std::vector<std::uint32_t> bytes;
  std::vector<float4> numbers;
  explicit plane(std::size_t texels) : bytes(texels), numbers(texels) {
    for (std::size_t i = 0; i < texels; ++i) {
      bytes[i] = scrambled(static_cast<std::uint32_t>(i));
      for (int c = 0; c < 4; ++c) numbers[i][c] = fraction_of(bytes[i] * static_cast<std::uint32_t>(2 * c + 1));
    }
  }
};

float4 number_of(const float4& texel) { return texel; }
float4 number_of(std::uint32_t texel) {
  return {static_cast<float>(texel & 255), static_cast<float>(texel >> 8 & 255),
          static_cast<float>(texel >> 16 & 255), static_cast<float>(texel >> 24)};
}

/// A linear filter in ordinary arithmetic, with coordinates clamped to the edges. A texel is four bytes or a float4.
template <class Texel>
float4 filtered(const Texel* texels, int n, float2 place) {
  const float x = place[0] - 0.5f, y = place[1] - 0.5f;
  const float left = sycl::floor(x), top = sycl::floor(y), a = x - left, b = y - top;
  const auto inside = [&](int i) { return sycl::clamp(i, 0, n - 1); };
  const int x0 = inside(static_cast<int>(left)), x1 = inside(static_cast<int>(left) + 1);
  const int y0 = inside(static_cast<int>(top)), y1 = inside(static_cast<int>(top) + 1);
  const auto texel = [&](int at_x, int at_y) { return number_of(texels[at_y * n + at_x]); };
  constexpr float scale = std::is_same_v<Texel, float4> ? 1.0f : 1 / 255.0f;
  return ((1 - a) * (1 - b) * texel(x0, y0) + a * (1 - b) * texel(x1, y0) + (1 - a) * b * texel(x0, y1) +
          a * b * texel(x1, y1)) * scale;
}

const oneapi::bindless_image_sampler linear(sycl::addressing_mode::clamp_to_edge,
                                            sycl::coordinate_normalization_mode::unnormalized,
                                            sycl::filtering_mode::linear);

struct benchmark {
  sycl::queue queue{sycl::property::queue::in_order()};
  std::size_t n;
  float4* results;

  explicit benchmark(std::size_t side) : n(side), results(sycl::malloc_device<float4>(side * side, queue)) {}
  ~benchmark() { sycl::free(results, queue); }

  void turn(const char* name, const void* texels, sycl::image_channel_type type) {
    const oneapi::image_descriptor shape(sycl::range<2>(n, n), 4, type);
    const oneapi::image_mem memory(shape, queue);
    queue.ext_oneapi_copy(texels, memory.get_handle(), shape).wait();
    auto handle = oneapi::create_image(memory, linear, shape, queue);
    const float middle = 0.5f * static_cast<float>(n);
    measure(queue, name, results, n * n, [&, out = results, side = n] {
      queue.parallel_for(sycl::range<2>(side, side), [=](sycl::id<2> at) {
        out[at[0] * side + at[1]] = oneapi::sample_image<float4>(handle, turned(at[1], at[0], middle));
      });
    });
    oneapi::destroy_image_handle(handle, queue);
  }
  /// Neighbouring work-items read texels of one column, so the picture's columns become rows of the result.
  void flip(const plane& from) {
    const oneapi::image_descriptor shape(sycl::range<2>(n, n), 4, sycl::image_channel_type::unorm_int8);
    const oneapi::image_mem memory(shape, queue);
    queue.ext_oneapi_copy(from.bytes.data(), memory.get_handle(), shape).wait();
    auto handle = oneapi::create_image(memory, linear, shape, queue);
    measure(queue, "flip_rgba8", results, n * n, [&, out = results, side = n] {
      queue.parallel_for(sycl::range<2>(side, side), [=](sycl::id<2> at) {
        out[at[0] * side + at[1]] = oneapi::sample_image<float4>(
            handle, float2(static_cast<float>(at[0]) + 0.25f, static_cast<float>(at[1]) + 0.25f));
      });
    });
    oneapi::destroy_image_handle(handle, queue);
  }
  template <class Texel>
  void turn_by_hand(const char* name, const std::vector<Texel>& from) {
    auto* texels = sycl::malloc_device<Texel>(n * n, queue);
    queue.copy(from.data(), texels, n * n).wait();
    const float middle = 0.5f * static_cast<float>(n);
    measure(queue, name, results, n * n, [&, out = results, side = n] {
      queue.parallel_for(sycl::range<2>(side, side), [=](sycl::id<2> at) {
        out[at[0] * side + at[1]] = filtered(texels, static_cast<int>(side), turned(at[1], at[0], middle));
      });
    });
    sycl::free(texels, queue);
  }

  void volume(const plane& from) {
    constexpr std::size_t side = 128;
    const oneapi::image_descriptor shape(sycl::range<3>(side, side, side), 4, sycl::image_channel_type::fp32);
    const oneapi::image_mem memory(shape, queue);
    queue.ext_oneapi_copy(from.numbers.data(), memory.get_handle(), shape).wait();
    auto handle = oneapi::create_image(memory, linear, shape, queue);
    const std::size_t count = std::min<std::size_t>(n * n, std::size_t{1} << 23);
    measure(queue, "volume_rgba32f", results, count, [&, out = results] {
      queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
        const auto x = static_cast<float>(i[0] % side), y = static_cast<float>(i[0] / side % side),
                   z = static_cast<float>(i[0] / (side * side) % side);
        out[i] = oneapi::sample_image<float4>(handle, float3(x + 0.25f * z, y + 0.3f, z + 0.6f));
      });
    });
    oneapi::destroy_image_handle(handle, queue);
  }

  void write() {
    const oneapi::image_descriptor shape(sycl::range<2>(n, n), 4, sycl::image_channel_type::unorm_int8);
    const oneapi::image_mem memory(shape, queue);
    auto handle = oneapi::create_image(memory, shape, queue);
    measure(queue, "write_rgba8", results, 4, [&, side = n] {
      queue.parallel_for(sycl::range<2>(side, side), [=](sycl::id<2> at) {
        const auto x = static_cast<float>(at[1]) / static_cast<float>(side);
        oneapi::write_image(handle, sycl::int2(static_cast<int>(at[1]), static_cast<int>(at[0])),
                            float4(x, 1 - x, 0.5f, 1));
      });
    });
    oneapi::destroy_image_handle(handle, queue);
  }

  void render(const plane& from, std::size_t textures) {
    const oneapi::image_descriptor shape(sycl::range<2>(texture_side, texture_side), 4,
                                         sycl::image_channel_type::unorm_int8);
    std::vector<oneapi::image_mem> memory;
    std::vector<oneapi::sampled_image_handle> handles;
    for (std::size_t i = 0; i < textures; ++i) {
      memory.emplace_back(shape, queue);
      queue.ext_oneapi_copy(from.bytes.data() + 64 * i, memory.back().get_handle(), shape).wait();
      handles.push_back(oneapi::create_image(memory.back(), linear, shape, queue));
    }
    auto* known = sycl::malloc_device<oneapi::sampled_image_handle>(textures, queue);
    queue.copy(handles.data(), known, textures).wait();
    const std::size_t count = n * n / 4;
    measure(queue, "render", results, count, [&, out = results, all = static_cast<std::uint32_t>(textures)] {
      queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
        float4 sum(0.0f);
        for (std::uint32_t k = 0; k < reads; ++k) {
          const std::uint32_t number = scrambled(static_cast<std::uint32_t>(i[0]) * reads + k);
          const float2 place(fraction_of(number * 3) * texture_side, fraction_of(number * 5) * texture_side);
          sum += oneapi::sample_image<float4>(known[number % all], place);
        }
        out[i] = sum;
      });
    });
    sycl::free(known, queue);
    for (auto& each : handles) oneapi::destroy_image_handle(each, queue);
  }
  void render_by_hand(const plane& from, std::size_t textures) {
    constexpr std::size_t texels = std::size_t{texture_side} * texture_side;
    // Each texture has separate memory, like an image_mem. A single allocation for all textures would get huge pages.
    std::vector<std::uint32_t*> pointers;
    for (std::size_t i = 0; i < textures; ++i) {
      pointers.push_back(sycl::malloc_device<std::uint32_t>(texels, queue));
      queue.copy(from.bytes.data() + 64 * i, pointers.back(), texels).wait();
    }
    auto* known = sycl::malloc_device<std::uint32_t*>(textures, queue);
    queue.copy(pointers.data(), known, textures).wait();
    const std::size_t count = n * n / 4;
    measure(queue, "render_by_hand", results, count, [&, out = results, all = static_cast<std::uint32_t>(textures)] {
      queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
        float4 sum(0.0f);
        for (std::uint32_t k = 0; k < reads; ++k) {
          const std::uint32_t number = scrambled(static_cast<std::uint32_t>(i[0]) * reads + k);
          const float2 place(fraction_of(number * 3) * texture_side, fraction_of(number * 5) * texture_side);
          sum += filtered(known[number % all], texture_side, place);
        }
        out[i] = sum;
      });
    });
    sycl::free(known, queue);
    for (std::uint32_t* each : pointers) sycl::free(each, queue);
  }
};

}  // namespace

int main(int count, char** arguments) try {
  const std::size_t n = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 4096;
  const std::size_t textures = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1000;
  benchmark run(n);
  std::printf("# %s\n", run.queue.get_device().get_info<sycl::info::device::name>().c_str());
  const plane from(std::max({n * n, std::size_t{128} * 128 * 128, 64 * textures + texture_side * texture_side}));
  run.turn("turn_rgba8", from.bytes.data(), sycl::image_channel_type::unorm_int8);
  run.turn_by_hand("turn_rgba8_by_hand", from.bytes);
  run.flip(from);
  run.turn("turn_rgba32f", from.numbers.data(), sycl::image_channel_type::fp32);
  run.turn_by_hand("turn_rgba32f_by_hand", from.numbers);
  run.volume(from);
  run.write();
  run.render(from, textures);
  run.render_by_hand(from, textures);
} catch (const sycl::exception& error) {
  return std::fprintf(stderr, "images_textures: %s\n", error.what()), 1;
}
