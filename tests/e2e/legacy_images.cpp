/// Images, samplers and accessors of SYCL 1.2.1, as programs migrated from CUDA use them, against the scalar
/// implementation of image_reference.hpp.
#include "check.hpp"
#include "image_reference.hpp"

#include <sycl/legacy_image.hpp>

using namespace sycl;
using reference::encoding;

namespace {

struct layout_row {
  image_channel_order order;
  image_channel_type type;
  encoding encoded;
  int channels;
};
const layout_row layouts[] = {
    {image_channel_order::r, image_channel_type::fp32, encoding::fp32, 1},
    {image_channel_order::rg, image_channel_type::unorm_int16, encoding::unorm16, 2},
    {image_channel_order::rgba, image_channel_type::snorm_int8, encoding::snorm8, 4},
    {image_channel_order::bgra, image_channel_type::unorm_int8, encoding::unorm8, 4},
    {image_channel_order::rgba, image_channel_type::fp16, encoding::fp16, 4},
};
const reference::sampler samplers[] = {{reference::addressing::clamp_to_edge, false, true},
                                       {reference::addressing::mirrored_repeat, true, true},
                                       {reference::addressing::clamp, true, false}};

sampler sampler_of(const reference::sampler& how) {
  return {how.normalized ? coordinate_normalization_mode::normalized : coordinate_normalization_mode::unnormalized,
          static_cast<addressing_mode>(how.mode), how.linear ? filtering_mode::linear : filtering_mode::nearest};
}

}  // namespace

TEST("reads with a sampler that the kernel captured give what the formulae say") {
  queue q = e2e::make_queue();
  std::mt19937& random = e2e::random();
  constexpr std::size_t count = 50;
  for (const layout_row& row : layouts) {
    for (const reference::sampler& how : samplers) {
      const bool bgra = row.order == image_channel_order::bgra;
      reference::image from = reference::random_image(random, row.encoded, row.channels, 2, bgra, true);
      std::vector<float2> at(count);
      for (float2& each : at) {
        for (int d = 0; d < 2; ++d) each[d] = reference::random_coordinate(random, from.extent[d], how.normalized);
      }
      std::vector<float4> results(count);
      {
        image<2> pictures(static_cast<const void*>(from.bytes.data()), row.order, row.type,
                          range<2>(static_cast<std::size_t>(from.extent[0]), static_cast<std::size_t>(from.extent[1])),
                          range<1>(from.row));
        CHECK_EQUAL(pictures.get_size(), from.bytes.size());
        buffer places(at);
        buffer out(results);
        const sampler its_sampler = sampler_of(how);
        q.submit([&](handler& group) {
          auto texels = pictures.get_access<float4, access::mode::read>(group);
          accessor in(places, group, read_only);
          accessor to(out, group, write_only);
          group.parallel_for(range<1>(count), [=](id<1> i) { to[i] = texels.read(in[i], its_sampler); });
        });
      }
      for (std::size_t i = 0; i < count; ++i) {
        const float place[2] = {at[i][0], at[i][1]};
        for (int c = 0; c < 4; ++c) {
          if (c < row.channels) {
            CHECK(reference::is_right(from, place, how, c, static_cast<double>(results[i][c])));
          } else {
            CHECK_EQUAL(results[i][c], c == 3 ? 1.0f : 0.0f);
          }
        }
      }
    }
  }
}

TEST("images are written and read by integers, on the host as well, and arrays slice by slice") {
  queue q = e2e::make_queue();
  std::vector<int> data(5 * 3 * 4);
  {
    cl::sycl::image<2> picture(data.data(), image_channel_order::rgba, image_channel_type::signed_int32,
                               range<2>(5, 3));
    q.submit([&](handler& group) {
      accessor<int4, 2, access::mode::discard_write, access::target::image> out(picture, group);
      CHECK_EQUAL(out.get_count(), std::size_t(15));
      group.parallel_for(range<2>(3, 5), [=](id<2> i) {
        const int x = static_cast<int>(i[1]), y = static_cast<int>(i[0]);
        out.write(int2(x, y), int4(x, y, x * y, -1));
      });
    });
    auto host = picture.get_access<int4, access::mode::read>();
    CHECK_EQUAL(host.read(int2(4, 2))[2], 8);
    CHECK_EQUAL(host.read(int2(4, 3))[2], 0);
  }
  CHECK_EQUAL(data[(2 * 5 + 3) * 4], 3);
  std::vector<int> sums(3);
  {
    image<2> rows(data.data(), image_channel_order::rgba, image_channel_type::signed_int32, range<2>(5, 3));
    buffer out(sums);
    q.submit([&](handler& group) {
      accessor<int4, 1, access::mode::read, access::target::image_array> in(rows, group);
      accessor to(out, group, write_only);
      group.parallel_for(range<1>(3), [=](id<1> i) {
        int sum = 0;
        for (int x = 0; x < 5; ++x) sum += in[i[0]].read(x)[2];
        to[i] = sum;
      });
    });
  }
  for (int y = 0; y < 3; ++y) CHECK_EQUAL(sums[static_cast<std::size_t>(y)], 10 * y);
}

namespace migrated {

// Migrated programs wrap textures in this way. They refer to the wrapper by its base class, which does not know
// the image's type. The image is made after the wrapper.
struct texture_base {
  virtual ~texture_base() = default;
  sampler how{coordinate_normalization_mode::unnormalized, addressing_mode::clamp_to_edge, filtering_mode::nearest};
};
template <class Pixel, int Dimensions>
struct texture : texture_base {
  using accessor_type = accessor<Pixel, Dimensions, access_mode::read, access::target::image>;
  image<Dimensions>* pixels = nullptr;
  ~texture() override { delete pixels; }
  void attach(void* data, image_channel_type type, range<2> size, std::size_t pitch) {
    delete pixels;
    pixels = new image<Dimensions>(data, image_channel_order::rgba, type, size, range<1>(pitch));
  }
  accessor_type get(handler& group) { return pixels->template get_access<Pixel, access_mode::read>(group); }
};
/// The kernel captures this object, which holds the accessor and the sampler.
template <class Pixel>
struct texture_view {
  typename texture<Pixel, 2>::accessor_type pixels;
  sampler how;
  Pixel read(float x, float y) const { return pixels.read(float2(x, y), how); }
};

}  // namespace migrated

TEST("wrappers that keep an image behind a base and its accessor beside a sampler compile and run") {
  queue q = e2e::make_queue();
  std::vector<float> data(4 * 8 * 3), results(7 * 3);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  migrated::texture<float4, 2> texture;
  migrated::texture_base& base = texture;
  base.how = sampler(coordinate_normalization_mode::unnormalized, addressing_mode::clamp, filtering_mode::linear);
  texture.attach(data.data(), image_channel_type::fp32, range<2>(7, 3), 4 * 8 * sizeof(float));
  {
    buffer out(results);
    q.submit([&](handler& group) {
      const migrated::texture_view<float4> view{texture.get(group), base.how};
      accessor to(out, group, write_only);
      group.parallel_for(range<2>(3, 7), [=](id<2> i) {
        to[i[0] * 7 + i[1]] = view.read(static_cast<float>(i[1]) + 1, static_cast<float>(i[0]) + 0.5f)[2];
      });
    });
  }
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 7; ++x) {
      const auto at = [&](std::size_t column) { return column < 7 ? data[4 * (8 * y + column) + 2] : 0; };
      CHECK_EQUAL(results[y * 7 + x], 0.5f * at(x) + 0.5f * at(x + 1));
    }
  }
}

TEST("samplers are values, and layouts that are not there are refused") {
  const sampler a(coordinate_normalization_mode::normalized, addressing_mode::repeat, filtering_mode::linear), b = a;
  CHECK(a == b && std::hash<sampler>()(a) == std::hash<sampler>()(b));
  CHECK(a.get_addressing_mode() == addressing_mode::repeat && a.get_filtering_mode() == filtering_mode::linear);
  try {
    image<1> none(image_channel_order::luminance, image_channel_type::fp32, range<1>(4));
    CHECK(!"no exception");
  } catch (const exception& error) {
    CHECK(error.code() == errc::feature_not_supported);
  }
}

E2E_MAIN
