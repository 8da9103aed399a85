/// The image classes of SYCL 2020 against a scalar implementation in double precision (image_reference.hpp): formats,
/// samplers and dimensions, in kernels, host tasks and on the host; write-back, the order of commands, properties,
/// errors.
#include "check.hpp"
#include "image_reference.hpp"

#include <memory>
#include <mutex>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <unordered_set>

using namespace sycl;
using reference::encoding;

namespace {

struct format_row {
  image_format format;
  encoding type;
  bool bgra;
};
const format_row float_formats[] = {
    {image_format::r8g8b8a8_unorm, encoding::unorm8, false},
    {image_format::r16g16b16a16_unorm, encoding::unorm16, false},
    {image_format::r16b16g16a16_sfloat, encoding::fp16, false},
    {image_format::r32g32b32a32_sfloat, encoding::fp32, false},
    {image_format::b8g8r8a8_unorm, encoding::unorm8, true},
};
const format_row signed_formats[] = {{image_format::r8g8b8a8_sint, encoding::sint8, false},
                                     {image_format::r16g16b16a16_sint, encoding::sint16, false},
                                     {image_format::r32b32g32a32_sint, encoding::sint32, false}};
const format_row unsigned_formats[] = {{image_format::r8g8b8a8_uint, encoding::uint8, false},
                                       {image_format::r16g16b16a16_uint, encoding::uint16, false},
                                       {image_format::r32b32g32a32_uint, encoding::uint32, false}};

const reference::sampler samplers[] = {
    {reference::addressing::none, false, false},         {reference::addressing::none, true, true},
    {reference::addressing::clamp_to_edge, false, false}, {reference::addressing::clamp_to_edge, false, true},
    {reference::addressing::clamp_to_edge, true, false},  {reference::addressing::clamp_to_edge, true, true},
    {reference::addressing::clamp, false, false},         {reference::addressing::clamp, false, true},
    {reference::addressing::clamp, true, false},          {reference::addressing::clamp, true, true},
    {reference::addressing::repeat, true, false},         {reference::addressing::repeat, true, true},
    {reference::addressing::mirrored_repeat, true, false}, {reference::addressing::mirrored_repeat, true, true},
};

image_sampler sampler_of(const reference::sampler& how) {
  return {static_cast<addressing_mode>(how.mode),
          how.normalized ? coordinate_normalization_mode::normalized : coordinate_normalization_mode::unnormalized,
          how.linear ? filtering_mode::linear : filtering_mode::nearest};
}

template <int Dimensions>
range<Dimensions> range_of(const reference::image& image) {
  range<Dimensions> result{};
  for (int d = 0; d < Dimensions; ++d) result[d] = static_cast<std::size_t>(image.extent[d]);
  return result;
}
template <int Dimensions>
range<(Dimensions > 1 ? Dimensions - 1 : 1)> pitch_of(const reference::image& image) {
  if constexpr (Dimensions == 3) return range<2>(image.row, image.slice);
  else return range<1>(image.row);
}

/// Returns as many elements of the vector as the image has dimensions.
template <int Dimensions, class Number>
auto coordinates(const vec<Number, 4>& from) {
  if constexpr (Dimensions == 1) return from[0];
  else if constexpr (Dimensions == 2) return vec<Number, 2>(from[0], from[1]);
  else return from;
}

template <class Image, class Pixel>
void compare(const Image& from, const std::vector<float4>& at, const reference::sampler& how, const Pixel* results,
             double ulps, const std::string& what) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const float place[3] = {at[i][0], at[i][1], at[i][2]};
    for (int c = 0; c < 4; ++c) {
      const auto result = static_cast<double>(results[i][c]);
      if (reference::is_right(from, place, how, c, result, ulps)) continue;
      char text[400];
      const double exact[3] = {place[0], place[1], place[2]};
      std::snprintf(text, sizeof(text),
                    "%s: %d-D %d x %d x %d, type %d, mode %d, normalized %d, linear %d, at %g %g %g: "
                    "channel %d is %.9g, not %.9g",
                    what.c_str(), from.dimensions, from.extent[0], from.extent[1], from.extent[2],
                    static_cast<int>(from.type), static_cast<int>(how.mode), how.normalized, how.linear, exact[0],
                    exact[1], exact[2], c, result, reference::sample(from, exact, how, c));
      return e2e::fail(__FILE__, __LINE__, text);
    }
  }
}

template <int Dimensions, class Pixel>
void sample_all(queue& q, const format_row& row) {
  std::mt19937& random = e2e::random();
  constexpr std::size_t count = 61;
  for (const reference::sampler& how : samplers) {
    if (how.linear && reference::is_integer(row.type)) continue;
    const reference::image from = reference::random_image(random, row.type, 4, Dimensions, row.bgra, true);
    std::vector<float4> at(count);
    for (float4& each : at) {
      for (int d = 0; d < 4; ++d)
        each[d] = reference::random_coordinate(random, d < 3 ? from.extent[d] : 1, how.normalized);
    }
    std::vector<Pixel> on_device(count), in_task(count), on_host(count);
    sampled_image<Dimensions> image = [&] {
      if constexpr (Dimensions == 1) {
        return sampled_image<1>(from.bytes.data(), row.format, sampler_of(how), range_of<1>(from));
      } else {
        return sampled_image<Dimensions>(from.bytes.data(), row.format, sampler_of(how), range_of<Dimensions>(from),
                                         pitch_of<Dimensions>(from));
      }
    }();
    {
      buffer places(at);
      buffer results(on_device);
      q.submit([&](handler& group) {
        auto texels = image.template get_access<Pixel>(group);
        accessor in(places, group, read_only);
        accessor out(results, group, write_only);
        group.parallel_for(range<1>(count), [=](id<1> i) { out[i] = texels.read(coordinates<Dimensions>(in[i])); });
      });
      q.submit([&](handler& group) {
        auto texels = image.template get_access<Pixel, image_target::host_task>(group);
        group.host_task([&at, &in_task, texels] {
          for (std::size_t i = 0; i < count; ++i) in_task[i] = texels.read(coordinates<Dimensions>(at[i]));
        });
      });
    }
    q.wait();
    const auto texels = image.template get_host_access<Pixel>();
    for (std::size_t i = 0; i < count; ++i) on_host[i] = texels.read(coordinates<Dimensions>(at[i]));
    // Results of type half have a further rounding error.
    const double ulps = std::is_same_v<Pixel, half4> ? 8192 : 2;
    compare(from, at, how, on_device.data(), ulps, "kernel");
    compare(from, at, how, in_task.data(), ulps, "host task");
    compare(from, at, how, on_host.data(), ulps, "host");
  }
}

/// A kernel copies texels at int coordinates, some of them outside of the image. The copies must equal the
/// reference's texels.
template <int Dimensions, class Pixel>
void copy_texels(queue& q, const format_row& row) {
  std::mt19937& random = e2e::random();
  reference::image from = reference::random_image(random, row.type, 4, Dimensions, row.bgra, true);
  // Copies may change the bits of NaNs, so the image has none.
  if (row.type == encoding::fp32 || row.type == encoding::fp16) from.bytes[0] = 0;
  std::vector<unsigned char> copied(from.bytes.size(), 0xcd);
  const auto size = static_cast<std::size_t>(from.extent[0] * from.extent[1] * from.extent[2]);
  std::vector<Pixel> outside(1);
  {
    const auto make = [&](void* data) {
      if constexpr (Dimensions == 1) return unsampled_image<1>(data, row.format, range_of<1>(from));
      else return unsampled_image<Dimensions>(data, row.format, range_of<Dimensions>(from), pitch_of<Dimensions>(from));
    };
    unsampled_image<Dimensions> source = make(from.bytes.data()), target = make(copied.data());
    CHECK_EQUAL(source.size(), size);
    CHECK_EQUAL(source.byte_size(), from.bytes.size());
    CHECK(source.get_range() == range_of<Dimensions>(from));
    if constexpr (Dimensions > 1) CHECK(source.get_pitch() == pitch_of<Dimensions>(from));
    buffer beyond(outside);
    q.submit([&](handler& group) {
      auto in = source.template get_access<Pixel, access_mode::read>(group);
      unsampled_image_accessor<Pixel, Dimensions, access_mode::write> out(target, group, write_only);
      accessor border(beyond, group, write_only);
      const int width = from.extent[0], height = from.extent[1];
      CHECK_EQUAL(in.size(), size);
      group.parallel_for(range<1>(size), [=](id<1> i) {
        const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width % height,
                  z = static_cast<int>(i) / width / height;
        out.write(coordinates<Dimensions>(int4(x, y, z, 77)), in.read(coordinates<Dimensions>(int4(x, y, z, -5))));
        if (i == 0) {
          // Outside of the image, writes have no effect and reads give zeros.
          const Pixel none = in.read(coordinates<Dimensions>(int4(-1, 0, 0, 0)));
          out.write(coordinates<Dimensions>(int4(width, 0, 0, 0)), none);
          out.write(coordinates<Dimensions>(int4(-2147483647, 0, 0, 0)), none);
          border[0] = none;
        }
      });
    });
  }
  CHECK(outside[0][0] == 0 && outside[0][3] == 0);
  const std::vector<unsigned char> kept = copied;
  for (int z = 0; z < from.extent[2]; ++z) {
    for (int y = 0; y < from.extent[1]; ++y) {
      for (int x = 0; x < from.extent[0]; ++x) {
        reference::image to = from;
        to.bytes = kept;
        for (int c = 0; c < 4; ++c) {
          if (to.channel(x, y, z, c) != from.channel(x, y, z, c)) {
            return e2e::fail(__FILE__, __LINE__,
                             "copied texels differ, type " + std::to_string(static_cast<int>(row.type)));
          }
        }
      }
    }
  }
}

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

TEST("sampled images of normalized and floating-point numbers give what the formulae say") {
  queue q = e2e::make_queue();
  for (const format_row& row : float_formats) {
    sample_all<1, float4>(q, row);
    sample_all<2, float4>(q, row);
    sample_all<3, float4>(q, row);
  }
}

TEST("sampled images of halves and of integers do as well") {
  queue q = e2e::make_queue();
  // Pixel types differ in their conversions, not in their coordinates, so one number of dimensions for each type is
  // enough.
  if (q.get_device().has(aspect::fp16)) sample_all<2, half4>(q, float_formats[2]);
  for (const format_row& row : signed_formats) sample_all<1, int4>(q, row), sample_all<3, int4>(q, row);
  for (const format_row& row : unsigned_formats) sample_all<2, uint4>(q, row);
}

TEST("texels that are read and written by integer coordinates keep their values, and nothing outside changes") {
  queue q = e2e::make_queue();
  for (const format_row& row : float_formats) {
    copy_texels<1, float4>(q, row);
    copy_texels<2, float4>(q, row);
    copy_texels<3, float4>(q, row);
  }
  for (const format_row& row : signed_formats) copy_texels<2, int4>(q, row);
  for (const format_row& row : unsigned_formats) copy_texels<3, uint4>(q, row);
}

TEST("numbers are rounded to the nearest of the format, ties to even, and those beyond it to its ends") {
  queue q = e2e::make_queue();
  const std::vector<float> values = {0,     1,    -1,    0.5f,     2.5f / 255, 3.5f / 255, 1.5f / 65535,
                                     2,     -2,   300,   INFINITY, -INFINITY,  NAN,        65504,
                                     65520, 1e6f, 1e-8f, 6e-8f,    3e-8f,      -0.0f,      0.1f};
  for (const format_row& row : float_formats) {
    std::vector<unsigned char> bytes(values.size() * 4 * static_cast<std::size_t>(reference::bytes_of(row.type)));
    {
      unsampled_image<1> image(bytes.data(), row.format, range<1>(values.size()));
      buffer in(values);
      q.submit([&](handler& group) {
        accessor from(in, group, read_only);
        auto to = image.get_access<float4>(group);
        group.parallel_for(range<1>(values.size()), [=](id<1> i) {
          to.write(static_cast<int>(i[0]), float4(from[i], 0, from[i], 0));
        });
      });
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float value = values[i];
      const unsigned char* at = bytes.data() + i * 4 * static_cast<std::size_t>(reference::bytes_of(row.type));
      if (row.type == encoding::unorm8 || row.type == encoding::unorm16) {
        const double most = row.type == encoding::unorm8 ? 255 : 65535;
        const float product = value * static_cast<float>(most);
        const double wanted =
            std::isnan(value) ? 0 : std::clamp(std::nearbyint(static_cast<double>(product)), 0.0, most);
        const double got = row.type == encoding::unorm8 ? at[0] : at[0] + 256 * at[1];
        CHECK_EQUAL(got, wanted);
      } else if (row.type == encoding::fp32) {
        CHECK(std::memcmp(at, &value, 4) == 0 || std::isnan(value));
      } else {
        std::uint16_t bits = 0;
        std::memcpy(&bits, at, 2);
        const half wanted(value);
        if (std::isnan(value)) CHECK((bits & 0x7fff) > 0x7c00);
        else CHECK(std::memcmp(&bits, &wanted, 2) == 0);
      }
    }
  }
}

TEST("commands that use an image are ordered, and its contents go where they are to go") {
  queue q = e2e::make_queue();
  constexpr int width = 37, height = 5;
  std::vector<float> host(4 * width * height, 1.0f), final_data(host.size());
  const auto step = [&](unsampled_image<2>& from, unsampled_image<2>& to) {
    q.submit([&](handler& group) {
      auto in = from.get_access<float4, access_mode::read>(group);
      auto out = to.get_access<float4>(group);
      group.parallel_for(range<2>(height, width), [=](item<2> i) {
        const int2 at(static_cast<int>(i[1]), static_cast<int>(i[0]));
        out.write(at, in.read(at) * 2.0f + static_cast<float>(i[1]));
      });
    });
  };
  const auto value = [](int rounds, int x) {
    float result = 1;
    for (int i = 0; i < rounds; ++i) result = result * 2 + static_cast<float>(x);
    return result;
  };
  {
    unsampled_image<2> a(host.data(), image_format::r32g32b32a32_sfloat, range<2>(width, height));
    unsampled_image<2> b(image_format::r32g32b32a32_sfloat, range<2>(width, height));
    unsampled_image<2> same = a;
    CHECK(same == a && same != b && std::hash<unsampled_image<2>>()(same) == std::hash<unsampled_image<2>>()(a));
    step(a, b);
    step(b, same);
    {
      auto look = a.get_host_access<float4>();
      for (int x = 0; x < width; ++x) CHECK_EQUAL(look.read(int2(x, 2))[1], value(2, x));
      look.write(int2(3, 3), float4(1.0f));
    }
    step(a, b);
    b.set_final_data(final_data.data());
    step(b, a);
  }
  CHECK_EQUAL(host[4 * 5], value(4, 5));
  CHECK_EQUAL(host[4 * (3 * width + 3)], value(2, 3));
  CHECK_EQUAL(final_data[4 * 5], value(3, 5));
  {
    unsampled_image<2> a(host.data(), image_format::r32g32b32a32_sfloat, range<2>(width, height));
    a.set_write_back(false);
    unsampled_image<2> b(nullptr, image_format::r32g32b32a32_sfloat, range<2>(width, height));
    step(a, b);
    step(b, a);
  }
  CHECK_EQUAL(host[4 * 5], value(4, 5));
  auto owned = std::shared_ptr<void>(std::malloc(4 * 4 * 4), std::free);
  std::weak_ptr<void> watched = owned;
  {
    unsampled_image<1> image(owned, image_format::r32b32g32a32_uint, range<1>(4));
    owned.reset();
    CHECK(!watched.expired());
    q.submit([&](handler& group) {
      auto out = image.get_access<uint4>(group);
      group.parallel_for(range<1>(4), [=](id<1> i) { out.write(static_cast<int>(i[0]), uint4(7)); });
    });
  }
}

TEST("images work in graphs and in fused kernels") {
  constexpr int size = 64;
  namespace graphs = ext::oneapi::experimental;
  namespace fused = ext::codeplay::experimental;
  std::vector<float> host(4 * size, 1.0f), results(4 * size);
  const auto submit_all = [&](queue& q, unsampled_image<1>& a, unsampled_image<1>& b) {
    q.submit([&](handler& group) {
      auto in = a.get_access<float4, access_mode::read>(group);
      auto out = b.get_access<float4>(group);
      group.parallel_for(range<1>(size), [=](id<1> i) {
        out.write(static_cast<int>(i[0]), in.read(static_cast<int>(i[0])) + 1.0f);
      });
    });
    q.submit([&](handler& group) {
      auto in = b.get_access<float4, access_mode::read>(group);
      auto out = a.get_access<float4>(group);
      group.parallel_for(range<1>(size), [=](id<1> i) {
        out.write(static_cast<int>(i[0]), in.read(static_cast<int>(i[0])) * 2.0f);
      });
    });
  };
  {
    queue q = e2e::make_queue(
        property_list{fused::property::queue::enable_fusion{}, ext::sinter::property::fusion::trust_accesses{}});
    unsampled_image<1> a(host.data(), image_format::r32g32b32a32_sfloat, range<1>(size));
    unsampled_image<1> b(image_format::r32g32b32a32_sfloat, range<1>(size));
    fused::fusion_wrapper fusion(q);
    fusion.start_fusion();
    submit_all(q, a, b);
    fusion.complete_fusion();
    q.wait();
  }
  for (float each : host) CHECK_EQUAL(each, 4.0f);
  {
    queue q = e2e::make_queue();
    unsampled_image<1> a(image_format::r32g32b32a32_sfloat, range<1>(size)),
        b(image_format::r32g32b32a32_sfloat, range<1>(size));
    {
      auto fill = a.get_host_access<float4>();
      for (int i = 0; i < size; ++i) fill.write(i, float4(1.0f));
    }
    graphs::command_graph graph(q.get_context(), q.get_device(),
                                {graphs::property::graph::assume_buffer_outlives_graph{}});
    graph.begin_recording(q);
    submit_all(q, a, b);
    graph.end_recording(q);
    auto made = graph.finalize();
    for (int round = 0; round < 3; ++round) q.ext_oneapi_graph(made);
    q.wait();
    CHECK_EQUAL((a.get_host_access<float4, access_mode::read>().read(5)[2]), 22.0f);
  }
}

TEST("properties, hashes and mutexes are those of buffers") {
  queue q = e2e::make_queue();
  std::mutex mutex;
  std::vector<unsigned char> bytes(4 * 6 * 3);
  {
    unsampled_image<2> image(bytes.data(), image_format::r8g8b8a8_unorm, range<2>(6, 3),
                             property::image::use_mutex(mutex));
    CHECK(image.has_property<property::image::use_mutex>() && !image.has_property<property::image::use_host_ptr>());
    CHECK(image.get_property<property::image::use_mutex>().get_mutex_ptr() == &mutex);
    host_unsampled_image_accessor<float4, 2, access_mode::write> all(image, write_only, no_init);
    CHECK(all.has_property<property::no_init>() && all.size() == 18);
    all.write(int2(5, 2), float4(1.0f));
  }
  CHECK_EQUAL(static_cast<int>(bytes[4 * 17]), 255);
  sampled_image<2> image(bytes.data(), image_format::r8g8b8a8_unorm, sampler_of(samplers[2]), range<2>(6, 3));
  std::unordered_set<sampled_image<2>> set{image, image};
  CHECK_EQUAL(set.size(), std::size_t(1));
  q.submit([&](handler& group) {
    auto first = image.get_access<float4>(group), second = first;
    CHECK(first == second);
    CHECK(std::hash<decltype(first)>()(first) == std::hash<decltype(first)>()(second));
    group.single_task([=] { (void)first.read(float2(0, 0)); });
  });
  q.wait();
}

TEST("what can't be an image, or an accessor of one, is refused by a sentence") {
  queue q = e2e::make_queue();
  const auto format = image_format::r8g8b8a8_unorm;
  CHECK(refuses(errc::invalid, "zero texels", [&] { unsampled_image<2>(format, range<2>(4, 0)); }));
  CHECK(refuses(errc::invalid, "too many", [&] { unsampled_image<1>(format, range<1>(std::size_t{1} << 40)); }));
  CHECK(refuses(errc::invalid, "pitch", [&] { unsampled_image<2>(format, range<2>(4, 4), range<1>(12)); }));
  CHECK(refuses(errc::invalid, "multiple", [&] { unsampled_image<2>(format, range<2>(4, 4), range<1>(17)); }));
  CHECK(refuses(errc::invalid, "pitch of slices",
                [&] { unsampled_image<3>(format, range<3>(4, 4, 4), range<2>(16, 60)); }));
  CHECK(refuses(errc::memory_allocation, "bytes", [&] {
    unsampled_image<3>(image_format::r32g32b32a32_sfloat, range<3>(1 << 30, 1 << 30, 1 << 10));
  }));
  const image_sampler repeats{addressing_mode::repeat, coordinate_normalization_mode::unnormalized,
                              filtering_mode::nearest};
  CHECK(refuses(errc::invalid, "normalize them", [&] { sampled_image<1>(nullptr, format, repeats, range<1>(4)); }));
  const image_sampler linear{addressing_mode::clamp, coordinate_normalization_mode::unnormalized,
                             filtering_mode::linear};
  CHECK(refuses(errc::invalid, "linear", [&] {
    sampled_image<1>(nullptr, image_format::r8g8b8a8_sint, linear, range<1>(4));
  }));
  unsampled_image<1> image(format, range<1>(4));
  CHECK(refuses(errc::invalid, "float4", [&] { (void)image.get_host_access<int4>(); }));
  CHECK(refuses(errc::invalid, "float4", [&] { (void)image.get_host_access<half4>(); }));
  CHECK(refuses(errc::invalid, "float4", [&] {
    q.submit([&](handler& group) { (void)image.get_access<uint4>(group); });
  }));
  CHECK(q.get_device().has(aspect::image) && q.get_device().has(aspect::ext_intel_legacy_image));
  CHECK(q.get_device().get_info<info::device::image_support>());
  CHECK(q.get_device().get_info<info::device::image2d_max_width>() >= 8192);
}

E2E_MAIN
