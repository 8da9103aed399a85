/// sycl_ext_oneapi_bindless_images against a scalar implementation in double precision (image_reference.hpp): all types
/// and numbers of channels, samplers, arrays, mip maps, cubemaps, images in USM memory, handles in memory, copies.
#include "check.hpp"
#include "image_reference.hpp"

#include <sycl/ext/oneapi/bindless_images.hpp>

using namespace sycl;
namespace oneapi = sycl::ext::oneapi::experimental;
using reference::encoding;

namespace {

image_channel_type type_of(encoding type) {
  using all = image_channel_type;
  constexpr all types[] = {all::snorm_int8,    all::snorm_int16,    all::unorm_int8,     all::unorm_int16,
                           all::signed_int8,   all::signed_int16,   all::signed_int32,   all::unsigned_int8,
                           all::unsigned_int16, all::unsigned_int32, all::fp16,           all::fp32};
  return types[static_cast<int>(type)];
}

oneapi::image_descriptor descriptor_of(const reference::image& image) {
  const auto extent = [&](int d) { return d < image.dimensions ? static_cast<std::size_t>(image.extent[d]) : 0; };
  return {range<3>(extent(0), extent(1), extent(2)), static_cast<unsigned>(image.channels), type_of(image.type)};
}

oneapi::bindless_image_sampler sampler_of(const reference::sampler& how) {
  return {static_cast<addressing_mode>(how.mode),
          how.normalized ? coordinate_normalization_mode::normalized : coordinate_normalization_mode::unnormalized,
          how.linear ? filtering_mode::linear : filtering_mode::nearest};
}

/// The fraction of a texel to which the device rounds coordinates. 0 if the device does not round them.
double step_of(const queue& q) {
  const char* switched = std::getenv("SINTER_TEXTURES");
  const bool by_units = q.get_backend() == backend::ext_oneapi_cuda && !(switched && *switched == '0');
  return by_units ? 1.0 / 256 : 0;
}

template <int Dimensions, class Vector>
auto first_of(const Vector& from) {
  if constexpr (Dimensions == 1) return from[0];
  else if constexpr (Dimensions == 2) return vec<typename Vector::value_type, 2>(from[0], from[1]);
  else return vec<typename Vector::value_type, 3>(from[0], from[1], from[2]);
}

/// One kernel reads images of all `types` with all samplers, because the handle tells the kernel the type and the
/// sampler.
template <class Value, int Dimensions>
void sample_all(queue& q, int channels, std::initializer_list<encoding> types) {
  std::mt19937& random = e2e::random();
  constexpr std::size_t count = 40;
  auto* at = malloc_shared<float3>(count, q);
  auto* results = malloc_shared<Value>(count, q);
  auto* handle = malloc_shared<oneapi::sampled_image_handle>(1, q);
  for (const encoding type : types) {
    for (int round = 0; round < 6; ++round) {
      const bool normalized = round % 3 != 0, linear = round % 2 == 0 && !reference::is_integer(type);
      const auto mode = static_cast<reference::addressing>(normalized ? random() % 4 : 2 + random() % 2);
      const reference::sampler how{mode, normalized, linear};
      reference::image from = reference::random_image(random, type, channels, Dimensions);
      const oneapi::image_descriptor shape = descriptor_of(from);
      oneapi::image_mem memory(shape, q);
      q.ext_oneapi_copy(from.bytes.data(), memory.get_handle(), shape).wait();
      *handle = oneapi::create_image(memory, sampler_of(how), shape, q);
      for (std::size_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) at[i][d] = reference::random_coordinate(random, from.extent[d], normalized);
      }
      q.parallel_for(range<1>(count), [=](id<1> i) {
         results[i] = oneapi::sample_image<Value>(*handle, first_of<Dimensions>(at[i]));
       }).wait();
      for (std::size_t i = 0; i < count; ++i) {
        const float place[3] = {at[i][0], at[i][1], at[i][2]};
        for (int c = 0; c < channels; ++c) {
          double result = 0;
          if constexpr (std::is_arithmetic_v<Value>) result = static_cast<double>(results[i]);
          else result = static_cast<double>(results[i][c]);
          if (reference::is_right(from, place, how, c, result, 2, step_of(q))) continue;
          const double exact[3] = {place[0], place[1], place[2]};
          std::string text = "a sample is wrong: channels " + std::to_string(channels) + ", type " +
                             std::to_string(static_cast<int>(type)) + ", mode " +
                             std::to_string(static_cast<int>(how.mode)) + (normalized ? ", normalized" : "") +
                             (linear ? ", linear" : "") + ", at";
          for (int d = 0; d < Dimensions; ++d) {
            text += " " + std::to_string(place[d]) + " of " + std::to_string(from.extent[d]);
          }
          e2e::fail(__FILE__, __LINE__, text + ": " + std::to_string(result) + ", not " +
                                            std::to_string(reference::sample(from, exact, how, c)));
        }
      }
      oneapi::destroy_image_handle(*handle, q);
      CHECK_EQUAL(handle->raw_handle, std::uint64_t(0));
    }
  }
  free(at, q), free(results, q), free(handle, q);
}

/// Writes i to texel i, and reads the texel back through a sampled and through an unsampled handle.
template <class Value, class Hint = Value, class Make>
void write_and_fetch(queue& q, unsigned channels, oneapi::image_channel_type type, const Make& value) {
  const range<2> size(7, 5);
  const oneapi::image_descriptor shape(size, channels, type);
  oneapi::image_mem memory(shape, q.get_device(), q.get_context());
  auto unsampled = oneapi::create_image(memory, shape, q);
  auto sampled = oneapi::create_image(memory, shape, sampler_of({reference::addressing::clamp, false, false}), q);
  q.parallel_for(range<2>(5, 7), [=](id<2> i) {
    const int x = static_cast<int>(i[1]), y = static_cast<int>(i[0]);
    oneapi::write_image<Hint>(unsampled, int2(x, y), value(y * 7 + x));
    oneapi::write_image<Hint>(unsampled, int2(x, y + 5), value(1));
  }).wait();
  auto* wrong = malloc_shared<int>(35, q);
  q.parallel_for(range<2>(5, 7), [=](id<2> i) {
    const int x = static_cast<int>(i[1]), y = static_cast<int>(i[0]);
    const Value wanted = value(y * 7 + x);
    const Value first = oneapi::fetch_image<Value, Hint>(unsampled, int2(x, y));
    const Value second = oneapi::fetch_image<Value, Hint>(sampled, int2(x, y));
    const auto* a = reinterpret_cast<const unsigned char*>(&wanted);
    const auto* b = reinterpret_cast<const unsigned char*>(&first);
    const auto* c = reinterpret_cast<const unsigned char*>(&second);
    int differ = 0;
    const int bytes = static_cast<int>(channels) * (sizeof(Value) >= channels * 4   ? 4
                                                    : sizeof(Value) >= channels * 2 ? 2
                                                                                    : 1);
    for (int k = 0; k < bytes; ++k) differ += a[k] != b[k] || a[k] != c[k];
    wrong[y * 7 + x] = differ;
  }).wait();
  for (int i = 0; i < 35; ++i) CHECK_EQUAL(wrong[i], 0);
  free(wrong, q);
  oneapi::destroy_image_handle(unsampled, q);
  oneapi::destroy_image_handle(sampled, q);
}

struct own_pixel {
  float a, b, c, d;
};

bool refuses(errc code, const char* word, auto&& act) {
  try {
    act();
  } catch (const exception& error) {
    if (error.code() == code && std::strstr(error.what(), word)) return true;
    std::printf("%s\n", error.what());
  }
  return false;
}

}  // namespace

#define NEEDS_IMAGES(q) \
  if (!q.get_device().has(aspect::ext_oneapi_bindless_images)) return

TEST("samples of all types of channels and numbers of them are those of the formulae") {
  queue q = e2e::make_queue();
  NEEDS_IMAGES(q);
  const auto floats = {encoding::snorm8,  encoding::snorm16, encoding::unorm8,
                       encoding::unorm16, encoding::fp16,    encoding::fp32};
  const auto ints = {encoding::sint8, encoding::sint16, encoding::sint32};
  const auto uints = {encoding::uint8, encoding::uint16, encoding::uint32};
  sample_all<float, 1>(q, 1, floats);
  sample_all<float, 2>(q, 1, floats);
  sample_all<float2, 2>(q, 2, floats);
  sample_all<float3, 3>(q, 3, floats);
  sample_all<float4, 2>(q, 4, floats);
  sample_all<float4, 3>(q, 4, floats);
  sample_all<int, 2>(q, 1, ints);
  sample_all<uint4, 1>(q, 4, uints);
}

TEST("handles among the arguments of kernels are read by code for their images, and for any once there are many") {
  queue q = e2e::make_queue();
  std::mt19937& random = e2e::random();
  constexpr std::size_t count = 40;
  auto* at = malloc_shared<float2>(count, q);
  auto* results = malloc_shared<float4>(2 * count, q);
  const encoding types[] = {encoding::unorm8, encoding::fp32, encoding::snorm16, encoding::fp16, encoding::unorm16,
                            encoding::unorm8};
  for (const encoding type : types) {
    // One kernel reads two images, only one of which has a linear filter.
    const reference::sampler how[2] = {{reference::addressing::mirrored_repeat, true, true},
                                       {reference::addressing::clamp, false, false}};
    const reference::image from[2] = {reference::random_image(random, type, 4, 2),
                                      reference::random_image(random, encoding::unorm8, 4, 2)};
    std::vector<oneapi::image_mem> memory;
    oneapi::sampled_image_handle handles[2];
    for (int k = 0; k < 2; ++k) {
      const oneapi::image_descriptor shape = descriptor_of(from[k]);
      memory.emplace_back(shape, q);
      q.ext_oneapi_copy(from[k].bytes.data(), memory[k].get_handle(), shape).wait();
      handles[k] = oneapi::create_image(memory[k], sampler_of(how[k]), shape, q);
    }
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < count; ++i) {
        for (int d = 0; d < 2; ++d) at[i][d] = reference::random_coordinate(random, from[0].extent[d], true);
      }
      // The second handle is a plain number, because programs keep handles as numbers in their own data.
      q.parallel_for(range<1>(count), [=, first = handles[0], second = handles[1].raw_handle](id<1> i) {
         results[i] = oneapi::sample_image<float4>(first, at[i]);
         results[i + count] = oneapi::sample_image<float4>(oneapi::sampled_image_handle(second), at[i] * 5.0f);
       }).wait();
      for (std::size_t i = 0; i < 2 * count; ++i) {
        const int k = i < count ? 0 : 1;
        const float scale = k == 0 ? 1.0f : 5.0f;
        const float place[3] = {at[i % count][0] * scale, at[i % count][1] * scale, 0};
        for (int c = 0; c < 4; ++c) {
          CHECK(reference::is_right(from[k], place, how[k], c, static_cast<double>(results[i][c]), 2, step_of(q)));
        }
      }
    }
    for (auto& each : handles) oneapi::destroy_image_handle(each, q);
  }
  free(at, q), free(results, q);
}

TEST("what is written by a handle is fetched by others, as numbers, vectors and types of the program's own") {
  queue q = e2e::make_queue();
  NEEDS_IMAGES(q);
  using type = oneapi::image_channel_type;
  write_and_fetch<float>(q, 1, type::fp32, [](int i) { return static_cast<float>(i) * 0.5f; });
  write_and_fetch<float4>(q, 4, type::fp32, [](int i) { return float4(static_cast<float>(i), 1, 2, -3); });
  write_and_fetch<vec<std::uint8_t, 4>>(q, 4, type::unsigned_int8, [](int i) {
    return vec<std::uint8_t, 4>(static_cast<std::uint8_t>(i), 255, 0, 1);
  });
  write_and_fetch<vec<std::int16_t, 2>>(q, 2, type::signed_int16, [](int i) {
    return vec<std::int16_t, 2>(static_cast<std::int16_t>(-i), 32767);
  });
  write_and_fetch<vec<std::uint8_t, 4>>(q, 4, type::unorm_int8, [](int i) {
    return vec<std::uint8_t, 4>(static_cast<std::uint8_t>(i), 255, 0, 1);
  });
  write_and_fetch<int>(q, 1, type::signed_int32, [](int i) { return -i * 1000003; });
  write_and_fetch<own_pixel, float4>(q, 4, type::fp32, [](int i) { return own_pixel{static_cast<float>(i), 1, 2, 3}; });
}

TEST("handles are numbers: each work-item may have another, from memory of the program") {
  queue q = e2e::make_queue();
  NEEDS_IMAGES(q);
  constexpr int count = 50;
  std::vector<oneapi::image_mem> memory;
  auto* numbers = malloc_shared<std::uint64_t>(count, q);
  auto* results = malloc_shared<float>(count, q);
  for (int i = 0; i < count; ++i) {
    // The images have different sizes and types.
    const bool bytes = i % 2 == 0;
    const oneapi::image_descriptor shape(
        range<2>(1 + i % 7, 1 + i % 3), 1,
        bytes ? oneapi::image_channel_type::unorm_int8 : oneapi::image_channel_type::fp32);
    memory.emplace_back(shape, q);
    std::vector<float> texels(21, static_cast<float>(i));
    std::vector<unsigned char> small(21, static_cast<unsigned char>(i));
    q.ext_oneapi_copy(bytes ? static_cast<const void*>(small.data()) : texels.data(), memory.back().get_handle(), shape)
        .wait();
    numbers[i] =
        oneapi::create_image(memory.back(), sampler_of({reference::addressing::repeat, true, i % 3 == 0}), shape, q)
            .raw_handle;
  }
  q.parallel_for(range<1>(count), [=](id<1> i) {
     results[i] =
         oneapi::sample_image<float>(oneapi::sampled_image_handle(numbers[(i * 7) % count]), float2(0.3f, 1.9f));
   }).wait();
  for (int i = 0; i < count; ++i) {
    const int which = i * 7 % count;
    const float wanted = which % 2 == 0 ? static_cast<float>(which) / 255 : static_cast<float>(which);
    CHECK(std::fabs(results[i] - wanted) <= 1e-6f * wanted);
  }
  for (int i = 0; i < count; ++i) {
    oneapi::sampled_image_handle handle(numbers[i]);
    oneapi::destroy_image_handle(handle, q);
  }
  free(numbers, q), free(results, q);
}

TEST("arrays, cubemaps and levels of mip maps are found") {
  queue q = e2e::make_queue();
  NEEDS_IMAGES(q);
  auto* results = malloc_shared<float>(64, q);
  {
    const oneapi::image_descriptor shape(range<2>(3, 2), 1, oneapi::image_channel_type::fp32, oneapi::image_type::array,
                                         1, 4);
    oneapi::image_mem memory(shape, q);
    std::vector<float> texels(24);
    for (int i = 0; i < 24; ++i) texels[static_cast<std::size_t>(i)] = static_cast<float>(i);
    q.ext_oneapi_copy(texels.data(), memory.get_handle(), shape).wait();
    auto handle = oneapi::create_image(memory, shape, q);
    auto sampled =
        oneapi::create_image(memory, sampler_of({reference::addressing::clamp_to_edge, false, true}), shape, q);
    q.single_task([=] {
       results[0] = oneapi::fetch_image_array<float>(handle, int2(2, 1), 3);
       results[1] = oneapi::sample_image_array<float>(sampled, float2(1, 0.5f), 2);
       oneapi::write_image_array(handle, int2(0, 0), 1, 100.0f);
       oneapi::write_image_array(handle, int2(0, 0), 4, 100.0f);
     }).wait();
    CHECK_EQUAL(results[0], 23.0f);
    CHECK_EQUAL(results[1], 12.5f);
    q.ext_oneapi_copy(memory.get_handle(), texels.data(), shape).wait();
    CHECK_EQUAL(texels[6], 100.0f);
    oneapi::destroy_image_handle(handle, q), oneapi::destroy_image_handle(sampled, q);
  }
  {
    const oneapi::image_descriptor shape(range<2>(2, 2), 1, oneapi::image_channel_type::fp32,
                                         oneapi::image_type::cubemap, 1, 6);
    oneapi::image_mem memory(shape, q);
    auto handle = oneapi::create_image(memory, shape, q);
    auto sampled =
        oneapi::create_image(memory, sampler_of({reference::addressing::clamp_to_edge, true, false}), shape, q);
    q.parallel_for(range<1>(24), [=](id<1> i) {
       const int at = static_cast<int>(i);
       oneapi::write_cubemap(handle, int2(at % 2, at / 2 % 2), at / 4, static_cast<float>(at));
     }).wait();
    q.single_task([=] {
       const float3 directions[] = {{1, 0.5f, 0.5f},  {-1, 0.5f, 0.5f}, {0.5f, 1, 0.5f},
                                    {0.5f, -1, 0.5f}, {0.5f, 0.5f, 1},  {0.5f, 0.5f, -1}};
       for (int i = 0; i < 6; ++i) results[i] = oneapi::sample_cubemap<float>(sampled, directions[i]);
       results[6] = oneapi::fetch_cubemap<float>(handle, int2(1, 0), 4);
     }).wait();
    // On the face +x, s is -z and t is -y, so both are below the middle of the face. The rules for
    // the other faces give the other expected numbers.
    const float wanted[] = {0, 5, 11, 13, 17, 20, 17};
    for (int i = 0; i < 7; ++i) CHECK_EQUAL(results[i], wanted[i]);
    oneapi::destroy_image_handle(handle, q), oneapi::destroy_image_handle(sampled, q);
  }
  {
    const oneapi::image_descriptor shape(range<2>(13, 6), 1, oneapi::image_channel_type::fp32,
                                         oneapi::image_type::mipmap, 4);
    oneapi::image_mem memory(shape, q);
    for (unsigned level = 0; level < 4; ++level) {
      const auto part = shape.get_mip_level_desc(level);
      CHECK_EQUAL(part.width, std::size_t(13) >> level);
      std::vector<float> texels(part.width * part.height, static_cast<float>(10 * level));
      if (level < 3) texels.back() += 1;
      q.ext_oneapi_copy(texels.data(), memory.get_mip_level_mem_handle(level), part).wait();
    }
    const oneapi::bindless_image_sampler how(addressing_mode::clamp_to_edge, coordinate_normalization_mode::normalized,
                                             filtering_mode::nearest, filtering_mode::linear, 0, 3, 1);
    const oneapi::bindless_image_sampler nearest(addressing_mode::clamp_to_edge,
                                                 coordinate_normalization_mode::normalized, filtering_mode::linear,
                                                 filtering_mode::nearest, 1, 2, 1);
    auto handle = oneapi::create_image(memory, how, shape, q),
         bounded = oneapi::create_image(memory, nearest, shape, q);
    q.single_task([=] {
       const float levels[] = {0, 1, 2, 3, 0.25f, 2.5f, -5, 9};
       for (int i = 0; i < 8; ++i) {
         results[i] = oneapi::sample_mipmap<float>(handle, float2(0.1f, 0.1f), levels[i]);
         results[8 + i] = oneapi::sample_mipmap<float>(handle, float2(0.999f, 0.999f), levels[i]);
         results[16 + i] = oneapi::sample_mipmap<float>(bounded, float2(0, 0), levels[i]);
       }
       results[24] =
           oneapi::sample_mipmap<float>(handle, float2(0.1f, 0.1f), float2(2.0f / 13, 0), float2(0, 0.1f / 6));
     }).wait();
    const float wanted[] = {0, 10, 20, 30, 2.5f, 25, 0, 30}, of_last[] = {1, 11, 21, 30, 3.5f, 25.5f, 1, 30};
    const float within[] = {10, 10, 20, 20, 10, 20, 10, 20};
    for (int i = 0; i < 8; ++i) {
      CHECK(std::fabs(results[i] - wanted[i]) < 1e-4f);
      CHECK(std::fabs(results[8 + i] - of_last[i]) < 1e-4f);
      CHECK(std::fabs(results[16 + i] - within[i]) < 1e-4f);
    }
    CHECK(std::fabs(results[24] - 10) < 1e-3f + 10 * static_cast<float>(step_of(q)));
    CHECK(refuses(errc::runtime, "sampler", [&] { (void)oneapi::create_image(memory, shape, q); }));
    oneapi::destroy_image_handle(handle, q), oneapi::destroy_image_handle(bounded, q);
  }
  free(results, q);
}

namespace {

/// One of several images that lie one after the other in memory.
reference::image slice_of(const reference::image& all, int which, int dimensions) {
  reference::image result{all.type, all.channels, false, dimensions};
  result.extent[0] = all.extent[0], result.extent[1] = dimensions > 1 ? all.extent[1] : 1;
  result.row = all.row, result.slice = all.slice;
  const unsigned char* const from = const_cast<reference::image&>(all).at(0, 0, which);
  result.bytes.assign(from, from + all.slice);
  return result;
}

const encoding stacked_types[] = {encoding::unorm8, encoding::fp32, encoding::snorm16, encoding::fp16};

}  // namespace

TEST("samples of layers, of faces of cubes and of levels are those of the formulae") {
  queue q = e2e::make_queue();
  NEEDS_IMAGES(q);
  std::mt19937& random = e2e::random();
  constexpr std::size_t count = 40;
  auto* at = malloc_shared<float3>(count, q);
  auto* levels = malloc_shared<float>(count, q);
  auto* results = malloc_shared<float4>(count, q);
  const auto real = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  const auto any_sampler = [&] {
    return reference::sampler{static_cast<reference::addressing>(random() % 4), true, random() % 2 == 0};
  };
  for (const encoding type : stacked_types) {
    reference::image all = reference::random_image(random, type, 4, 3);
    while (all.extent[2] < 2) all = reference::random_image(random, type, 4, 3);
    for (std::size_t i = 0; i < count; ++i) {
      levels[i] = static_cast<float>(random() % static_cast<unsigned>(all.extent[2]));
      for (int d = 0; d < 3; ++d) at[i][d] = reference::random_coordinate(random, all.extent[d], true);
    }
    const auto compare = [&](const auto& layer_of, const reference::sampler& how) {
      for (std::size_t i = 0; i < count; ++i) {
        const float place[3] = {at[i][0], at[i][1], 0};
        for (int c = 0; c < 4; ++c) {
          CHECK(reference::is_right(layer_of(i), place, how, c, static_cast<double>(results[i][c]), 2, step_of(q)));
        }
      }
    };
    {
      const oneapi::image_descriptor shape(range<2>(static_cast<std::size_t>(all.extent[0]),
                                                    static_cast<std::size_t>(all.extent[1])),
                                           4, type_of(type), oneapi::image_type::array, 1,
                                           static_cast<unsigned>(all.extent[2]));
      const oneapi::image_mem memory(shape, q);
      q.ext_oneapi_copy(all.bytes.data(), memory.get_handle(), shape).wait();
      const reference::sampler how = any_sampler();
      auto handle = oneapi::create_image(memory, sampler_of(how), shape, q);
      q.parallel_for(range<1>(count), [=](id<1> i) {
         results[i] = oneapi::sample_image_array<float4>(handle, float2(at[i][0], at[i][1]),
                                                         static_cast<unsigned>(levels[i]));
       }).wait();
      compare([&](std::size_t i) { return slice_of(all, static_cast<int>(levels[i]), 2); }, how);
      oneapi::destroy_image_handle(handle, q);
    }
    {
      const auto n = static_cast<std::size_t>(1 + random() % 9);
      reference::image faces{type, 4, false, 3};
      faces.extent[0] = faces.extent[1] = static_cast<int>(n), faces.extent[2] = 6;
      faces.row = n * 4 * static_cast<std::size_t>(reference::bytes_of(type)), faces.slice = faces.row * n;
      for (std::size_t i = 0; i < faces.slice * 6; ++i) faces.bytes.push_back(all.bytes[i % all.bytes.size()]);
      const oneapi::image_descriptor shape(range<2>(n, n), 4, type_of(type), oneapi::image_type::cubemap, 1, 6);
      const oneapi::image_mem memory(shape, q);
      q.ext_oneapi_copy(faces.bytes.data(), memory.get_handle(), shape).wait();
      const reference::sampler how{reference::addressing::clamp_to_edge, true, random() % 2 == 0};
      auto handle = oneapi::create_image(memory, sampler_of(how), shape, q);
      for (std::size_t i = 0; i < count; ++i) at[i] = float3(real(-2, 2), real(-2, 2), real(-2, 2));
      q.parallel_for(range<1>(count), [=](id<1> i) { results[i] = oneapi::sample_cubemap<float4>(handle, at[i]); })
          .wait();
      for (std::size_t i = 0; i < count; ++i) {
        const double x = at[i][0], y = at[i][1], z = at[i][2], ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
        // This code follows OpenGL's table of cube map faces: it finds the major axis, then sc and tc.
        const int axis = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
        const double major = axis == 0 ? x : axis == 1 ? y : z;
        const double sc = axis == 0 ? (x > 0 ? -z : z) : axis == 1 ? x : z > 0 ? x : -x;
        const double tc = axis == 1 ? (y > 0 ? z : -z) : -y;
        const reference::image face = slice_of(faces, 2 * axis + (major < 0), 2);
        const float place[3] = {static_cast<float>((sc / std::fabs(major) + 1) / 2),
                                static_cast<float>((tc / std::fabs(major) + 1) / 2), 0};
        for (int c = 0; c < 4; ++c) {
          CHECK(reference::is_right(face, place, how, c, static_cast<double>(results[i][c]), 2, step_of(q)));
        }
      }
      oneapi::destroy_image_handle(handle, q);
    }
    {
      const oneapi::image_descriptor shape(range<3>(5 + random() % 20, 1 + random() % 20, 1 + random() % 5), 4,
                                           type_of(type), oneapi::image_type::mipmap, 3);
      const oneapi::image_mem memory(shape, q);
      std::vector<reference::image> parts;
      for (unsigned level = 0; level < 3; ++level) {
        const auto part = shape.get_mip_level_desc(level);
        reference::image& next = parts.emplace_back(reference::image{type, 4, false, 3});
        const std::size_t extents[3] = {part.width, part.height, part.depth};
        for (int d = 0; d < 3; ++d) next.extent[d] = static_cast<int>(extents[d]);
        next.row = part.width * 4 * static_cast<std::size_t>(reference::bytes_of(type));
        next.slice = next.row * part.height;
        for (std::size_t i = 0; i < next.slice * part.depth; ++i) {
          next.bytes.push_back(all.bytes[(i + level * 4096) % all.bytes.size()]);
        }
        q.ext_oneapi_copy(next.bytes.data(), memory.get_mip_level_mem_handle(level), part).wait();
      }
      const reference::sampler how{static_cast<reference::addressing>(random() % 4), true, true};
      const oneapi::bindless_image_sampler with_levels(static_cast<addressing_mode>(how.mode),
                                                       coordinate_normalization_mode::normalized,
                                                       filtering_mode::linear, filtering_mode::linear, 0, 2, 1);
      auto handle = oneapi::create_image(memory, with_levels, shape, q);
      for (std::size_t i = 0; i < count; ++i) {
        at[i] = float3(real(-2, 2), real(-2, 2), real(-2, 2));
        levels[i] = real(-0.5f, 2.5f);
      }
      q.parallel_for(range<1>(count), [=](id<1> i) {
         results[i] = oneapi::sample_mipmap<float4>(handle, at[i], levels[i]);
       }).wait();
      for (std::size_t i = 0; i < count; ++i) {
        const double level = std::clamp(static_cast<double>(levels[i]), 0.0, 2.0);
        const double place[3] = {at[i][0], at[i][1], at[i][2]};
        const auto first = static_cast<std::size_t>(level);
        const double weight = level - static_cast<double>(first);
        for (int c = 0; c < 4; ++c) {
          double wanted = (1 - weight) * reference::sample(parts[first], place, how, c);
          if (weight > 0) wanted += weight * reference::sample(parts[first + 1], place, how, c);
          const double allowed = step_of(q) != 0 ? 5 * step_of(q) : 1e-4;
          CHECK(std::fabs(static_cast<double>(results[i][c]) - wanted) <= allowed * (1 + parts[0].largest(c)));
        }
      }
      oneapi::destroy_image_handle(handle, q);
    }
  }
  free(at, q), free(levels, q), free(results, q);
}

TEST("gathers give a channel of the four texels that a filter would read") {
  queue q = e2e::make_queue();
  NEEDS_IMAGES(q);
  CHECK(q.get_device().has(aspect::ext_oneapi_bindless_images_gather));
  std::mt19937& random = e2e::random();
  constexpr std::size_t count = 60;
  auto* at = malloc_shared<float2>(count, q);
  auto* floats = malloc_shared<float4>(count, q);
  auto* numbers = malloc_shared<int4>(count, q);
  for (const encoding type : {encoding::unorm8, encoding::fp16, encoding::snorm16, encoding::sint8, encoding::sint32}) {
    for (const auto mode : {reference::addressing::clamp, reference::addressing::clamp_to_edge}) {
      const reference::image from = reference::random_image(random, type, 1 + static_cast<int>(random() % 4), 2);
      oneapi::image_descriptor shape = descriptor_of(from);
      shape.type = oneapi::image_type::gather;
      const oneapi::image_mem memory(shape, q);
      q.ext_oneapi_copy(from.bytes.data(), memory.get_handle(), shape).wait();
      const reference::sampler how{mode, false, false};
      auto handle = oneapi::create_image(memory, sampler_of(how), shape, q);
      for (std::size_t i = 0; i < count; ++i) {
        // Coordinates are multiples of 1/8, which are exact.
        for (int d = 0; d < 2; ++d) at[i][d] = static_cast<float>(static_cast<int>(random() % 200) - 20) / 8;
      }
      const unsigned channel = random() % static_cast<unsigned>(from.channels);
      const bool integers = reference::is_integer(type);
      q.parallel_for(range<1>(count), [=](id<1> i) {
         if (integers) numbers[i] = oneapi::gather_image<int4>(handle, at[i], channel);
         else floats[i] = oneapi::gather_image<float4>(handle, at[i], channel);
       }).wait();
      for (std::size_t i = 0; i < count; ++i) {
        const reference::place x = reference::find(at[i][0], from.extent[0], {mode, false, true}),
                               y = reference::find(at[i][1], from.extent[1], {mode, false, true});
        const int of_x[] = {x.first, x.second, x.second, x.first}, of_y[] = {y.second, y.second, y.first, y.first};
        for (int k = 0; k < 4; ++k) {
          const double wanted = from.texel_or_border(of_x[k], of_y[k], 0, static_cast<int>(channel));
          const double result = integers ? static_cast<double>(numbers[i][k]) : static_cast<double>(floats[i][k]);
          CHECK(std::fabs(result - wanted) <= 1e-6 * std::fabs(wanted));
        }
      }
      oneapi::destroy_image_handle(handle, q);
    }
  }
  free(at, q), free(floats, q), free(numbers, q);
}

TEST("memory of USM with a pitch is an image, and copies reach parts of all kinds of memory") {
  queue q = e2e::make_queue();
  NEEDS_IMAGES(q);
  const range<2> size(11, 6);
  const oneapi::image_descriptor shape(size, 2, oneapi::image_channel_type::fp32);
  std::size_t pitch = 0;
  void* usm = oneapi::pitched_alloc_device(&pitch, shape, q);
  CHECK(pitch >= 88 && pitch % q.get_device().get_info<oneapi::info::device::image_row_pitch_align>() == 0);
  std::vector<float2> host(66), back(66), small(12), expected;
  for (int i = 0; i < 66; ++i) host[static_cast<std::size_t>(i)] = float2(static_cast<float>(i), 1);
  event copied = q.ext_oneapi_copy(host.data(), usm, shape, pitch);
  auto handle =
      oneapi::create_image(usm, pitch, sampler_of({reference::addressing::clamp_to_edge, false, false}), shape, q);
  auto* result = malloc_shared<float>(1, q);
  copied.wait();
  q.single_task([=] { *result = oneapi::sample_image<float2>(handle, float2(10.5f, 4.5f))[0]; }).wait();
  CHECK_EQUAL(*result, 54.0f);
  q.ext_oneapi_copy(usm, back.data(), shape, pitch, std::vector<event>{copied}).wait();
  for (std::size_t i = 0; i < 66; ++i) CHECK_EQUAL(back[i][0], host[i][0]);
  // Copies a part of 4 x 3 texels from image to image, then to the program's memory, where a frame surrounds it.
  oneapi::image_mem a(shape, q), b(shape, q);
  event first = q.ext_oneapi_copy(host.data(), a.get_handle(), shape);
  event second = q.ext_oneapi_copy(host.data(), b.get_handle(), shape, first);
  event third =
      q.ext_oneapi_copy(a.get_handle(), {5, 2, 0}, shape, b.get_handle(), {1, 1, 0}, shape, {4, 3, 1}, second);
  std::vector<float2> framed(8 * 5, float2(-1.0f));
  q.ext_oneapi_copy(b.get_handle(), {0, 0, 0}, shape, framed.data(), {2, 1, 0}, {8, 5, 0}, {6, 4, 1}, third).wait();
  const auto wanted = [&](int x, int y) {
    return x >= 1 && x < 5 && y >= 1 && y < 4 ? (y + 1) * 11 + x + 4 : y * 11 + x;
  };
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 8; ++x) {
      const float value = framed[static_cast<std::size_t>(y * 8 + x)][0];
      CHECK_EQUAL(value, x >= 2 && y >= 1 ? static_cast<float>(wanted(x - 2, y - 1)) : -1.0f);
    }
  }
  q.submit([&](handler& group) {
    group.ext_oneapi_copy(framed.data(), {2, 1, 0}, {8, 5, 0}, a.get_handle(), {9, 0, 0}, shape, {2, 1, 0});
  }).wait();
  q.ext_oneapi_copy(a.get_handle(), back.data(), shape).wait();
  CHECK(back[9][0] == 0.0f && back[10][0] == 1.0f && back[8][0] == 8.0f);
  oneapi::destroy_image_handle(handle, q);
  free(usm, q), free(result, q);
}

TEST("what can't be is refused by a sentence") {
  queue q = e2e::make_queue();
  NEEDS_IMAGES(q);
  using oneapi::image_descriptor;
  const auto type = oneapi::image_channel_type::fp32;
  CHECK(refuses(errc::invalid, "width", [] { image_descriptor().verify(); }));
  CHECK(refuses(errc::invalid, "channels", [&] { image_descriptor(range<1>(4), 5, type).verify(); }));
  CHECK(refuses(errc::invalid, "one level",
                [&] { image_descriptor(range<1>(4), 1, type, oneapi::image_type::standard, 2).verify(); }));
  CHECK(refuses(errc::invalid, "six",
                [&] { image_descriptor(range<2>(4, 4), 1, type, oneapi::image_type::cubemap, 1, 5).verify(); }));
  CHECK(refuses(errc::invalid, "levels",
                [&] { image_descriptor(range<1>(4), 1, type, oneapi::image_type::mipmap, 9).verify(); }));
  const image_descriptor shape(range<2>(4, 4), 1, type);
  std::vector<float> texels(16);
  oneapi::image_mem memory(shape, q);
  CHECK(refuses(errc::invalid, "null",
                [&] { q.ext_oneapi_copy(static_cast<void*>(nullptr), memory.get_handle(), shape); }));
  CHECK(refuses(errc::invalid, "inside", [&] {
    q.ext_oneapi_copy(texels.data(), {0, 0, 0}, {4, 4, 0}, memory.get_handle(), {1, 0, 0}, shape, {4, 4, 1});
  }));
  CHECK(refuses(errc::invalid, "no memory of an image",
                [&] { q.ext_oneapi_copy(texels.data(), oneapi::image_mem_handle{}, shape); }));
  CHECK(refuses(errc::invalid, "bytes",
                [&] { (void)oneapi::create_image(memory, image_descriptor(range<2>(4, 5), 1, type), q); }));
  const bool seamless = q.get_device().has(aspect::ext_oneapi_cubemap_seamless_filtering);
  CHECK(seamless || refuses(errc::feature_not_supported, "faces", [&] {
          (void)oneapi::create_image(memory,
                                     {addressing_mode::clamp, coordinate_normalization_mode::normalized,
                                      filtering_mode::linear, oneapi::cubemap_filtering_mode::seamless},
                                     shape, q);
        }));
  CHECK(q.get_device().has(aspect::ext_oneapi_mipmap));
  auto* small = malloc_device<float>(12, q);
  CHECK(refuses(errc::invalid, "allocation", [&] { (void)oneapi::create_image(small, 16, shape, q); }));
  CHECK(refuses(errc::invalid, "source is memory of USM",
                [&] { q.ext_oneapi_copy(static_cast<const void*>(small), memory.get_handle(), shape); }));
  CHECK(refuses(errc::invalid, "destination is memory of USM", [&] {
    q.ext_oneapi_copy(memory.get_handle(), {0, 0, 0}, shape, small, {0, 0, 0}, {4, 4, 0}, {1, 4, 1});
  }));
  // The program's memory may be smaller than the stated extent (here 3 of 4 rows), if it contains all texels that are
  // copied.
  q.ext_oneapi_copy(memory.get_handle(), {0, 0, 0}, shape, small, {0, 0, 0}, {4, 4, 0}, {4, 3, 1}).wait();
  free(small, q);
  CHECK(refuses(errc::invalid, "packed",
                [&] { image_descriptor(range<1>(4), 1, image_channel_type::unorm_short_565).verify(); }));
  if (!q.get_device().has(aspect::ext_oneapi_external_memory_import)) {
    CHECK(refuses(errc::feature_not_supported, "graphics", [&] {
      using oneapi::external_mem_handle_type;
      (void)oneapi::import_external_memory(
          oneapi::external_mem_descriptor<oneapi::resource_fd>{{3}, external_mem_handle_type::opaque_fd, 64}, q);
    }));
    CHECK(refuses(errc::feature_not_supported, "graphics",
                  [&] { q.ext_oneapi_wait_external_semaphore(oneapi::external_semaphore{}); }));
  }
  oneapi::sampled_image_handle never(12345);
  CHECK(refuses(errc::invalid, "no handle", [&] { oneapi::destroy_image_handle(never, q); }));
  CHECK_EQUAL(oneapi::get_image_range(memory.get_handle(), q)[1], std::size_t(4));
}

E2E_MAIN
