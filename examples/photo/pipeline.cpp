#include "pipeline.hpp"

#include <cstdint>
#include <optional>

#include "curves.hpp"

namespace photo {
namespace {

using plane = sycl::buffer<float, 2>;

/// The picture on the device. Each colour has a plane of linear light.
struct planes {
  plane red, green, blue;
  explicit planes(sycl::range<2> size) : red(size), green(size), blue(size) {}
};

/// The planes with intermediate results, which one kernel writes and a later kernel reads.
struct planes_between {
  planes colours;
  plane luminance, rows, blurred;
  explicit planes_between(sycl::range<2> size) : colours(size), luminance(size), rows(size), blurred(size) {}
};

/// Access to the three planes inside a kernel.
template <sycl::access_mode Mode>
struct plane_access {
  sycl::accessor<float, 2, Mode> red, green, blue;
  template <class Tag>
  plane_access(planes& picture, sycl::handler& handler, Tag tag)
      : red(picture.red, handler, tag), green(picture.green, handler, tag), blue(picture.blue, handler, tag) {}
};
using plane_update = plane_access<sycl::access_mode::read_write>;
using plane_reader = plane_access<sycl::access_mode::read>;
using plane_writer = plane_access<sycl::access_mode::write>;

inline float luminance_of(float red, float green, float blue) {
  return 0.2126f * red + 0.7152f * green + 0.0722f * blue;
}

/// Narkowicz's fit to the filmic curve of ACES. The curve has a toe, a straight middle and a shoulder that keeps
/// highlights.
inline float filmic(float x) {
  return sycl::clamp((x * (2.51f * x + 0.03f)) / (x * (2.43f * x + 0.59f) + 0.14f), 0.0f, 1.0f);
}

/// The threshold of the ordered 8 x 8 dither (Bayer) at this pixel, strictly between 0 and 1.
inline float dither_threshold(std::size_t y, std::size_t x) {
  const auto a = static_cast<std::uint32_t>(x ^ y), b = static_cast<std::uint32_t>(y);
  const std::uint32_t rank = (a & 1) << 5 | (b & 1) << 4 | (a & 2) << 2 | (b & 2) << 1 | (a & 4) >> 1 | (b & 4) >> 2;
  return (static_cast<float>(rank) + 0.5f) / 64.0f;
}

/// Submits the kernels of one picture, in order, and remembers their events.
class chain {
public:
  chain(sycl::queue& queue, sycl::range<2> size, bool fuse) : m_queue(queue), m_size(size), m_fuse(fuse) {
    if (fuse) queue.ext_codeplay_start_fusion();
  }

  /// Fuses all kernels, if the settings say so. The planes with intermediate results are destroyed before the kernel
  /// has to run, so that the fused kernel keeps them in the caches, tile by tile.
  void end() {
    m_between.reset();
    if (!m_fuse) return;
    stage whole{std::string(m_stages.front().name) + " ... " + m_stages.back().name, 0,
                m_queue.ext_codeplay_complete_fusion()};
    for (const stage& each : m_stages) whole.bytes_per_pixel += each.bytes_per_pixel;
    m_stages = {whole};
  }

  void decode(sycl::buffer<rgba16, 2>& source, sycl::buffer<float, 1>& table) {
    run("decode", 8 + 12, [&](sycl::handler& handler) {
      sycl::accessor in(source, handler, sycl::read_only);
      sycl::accessor light(table, handler, sycl::read_only);
      plane_writer out(m_between->colours, handler, sycl::write_only);
      handler.parallel_for(m_size, [=](sycl::id<2> at) {
        const rgba16 pixel = in[at];
        out.red[at] = light[pixel.red];
        out.green[at] = light[pixel.green];
        out.blue[at] = light[pixel.blue];
      });
    });
  }

  void white_balance(gains factor) {
    run("white balance", 24, [&](sycl::handler& handler) {
      plane_update picture(m_between->colours, handler, sycl::read_write);
      handler.parallel_for(m_size, [=](sycl::id<2> at) {
        picture.red[at] *= factor.red;
        picture.green[at] *= factor.green;
        picture.blue[at] *= factor.blue;
      });
    });
  }

  void exposure(float factor) {
    run("exposure", 24, [&](sycl::handler& handler) {
      plane_update picture(m_between->colours, handler, sycl::read_write);
      handler.parallel_for(m_size, [=](sycl::id<2> at) {
        picture.red[at] *= factor;
        picture.green[at] *= factor;
        picture.blue[at] *= factor;
      });
    });
  }

  void tone_curve(float amount) {
    run("tone curve", 24, [&](sycl::handler& handler) {
      plane_update picture(m_between->colours, handler, sycl::read_write);
      const auto curve = [=](float x) { return x + amount * (filmic(x) - x); };
      handler.parallel_for(m_size, [=](sycl::id<2> at) {
        picture.red[at] = curve(picture.red[at]);
        picture.green[at] = curve(picture.green[at]);
        picture.blue[at] = curve(picture.blue[at]);
      });
    });
  }

  void saturation(float amount) {
    run("saturation", 24, [&](sycl::handler& handler) {
      plane_update picture(m_between->colours, handler, sycl::read_write);
      handler.parallel_for(m_size, [=](sycl::id<2> at) {
        const float red = picture.red[at], green = picture.green[at], blue = picture.blue[at];
        const float grey = luminance_of(red, green, blue);
        picture.red[at] = sycl::fmax(grey + amount * (red - grey), 0.0f);
        picture.green[at] = sycl::fmax(grey + amount * (green - grey), 0.0f);
        picture.blue[at] = sycl::fmax(grey + amount * (blue - grey), 0.0f);
      });
    });
  }

  void vignette(float amount) {
    // The distance from the centre, which is 1 in the corners; pixels are squares, so this also works for a picture of
    // one row.
    const float middle_y = static_cast<float>(m_size[0] - 1) / 2, middle_x = static_cast<float>(m_size[1] - 1) / 2;
    const float scale = 1.0f / sycl::fmax(middle_y * middle_y + middle_x * middle_x, 1.0f);
    run("vignette", 24, [&](sycl::handler& handler) {
      plane_update picture(m_between->colours, handler, sycl::read_write);
      handler.parallel_for(m_size, [=](sycl::item<2> item) {
        const float y = static_cast<float>(item[0]) - middle_y, x = static_cast<float>(item[1]) - middle_x;
        const float distance = (y * y + x * x) * scale;
        const float factor = 1.0f - amount * distance * distance;
        const sycl::id<2> at = item.get_id();
        picture.red[at] *= factor;
        picture.green[at] *= factor;
        picture.blue[at] *= factor;
      });
    });
  }

  void luminance() {
    run("luminance", 16, [&](sycl::handler& handler) {
      plane_reader picture(m_between->colours, handler, sycl::read_only);
      sycl::accessor out(m_between->luminance, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(m_size, [=](sycl::id<2> at) {
        out[at] = luminance_of(picture.red[at], picture.green[at], picture.blue[at]);
      });
    });
  }

  /// Blurs the luminance with a Gaussian curve, first along rows and then along columns.
  void blur() {
    blur_along<1>("blur rows", m_between->luminance, m_between->rows);
    blur_along<0>("blur columns", m_between->rows, m_between->blurred);
  }

  /// Unsharp mask on luminance: adds `amount` times the difference between the luminance and its blurred copy.
  void sharpen(float amount) {
    run("sharpen", 32, [&](sycl::handler& handler) {
      sycl::accessor grey(m_between->luminance, handler, sycl::read_only);
      sycl::accessor smooth(m_between->blurred, handler, sycl::read_only);
      plane_update picture(m_between->colours, handler, sycl::read_write);
      handler.parallel_for(m_size, [=](sycl::id<2> at) {
        const float detail = amount * (grey[at] - smooth[at]);
        picture.red[at] = sycl::fmax(picture.red[at] + detail, 0.0f);
        picture.green[at] = sycl::fmax(picture.green[at] + detail, 0.0f);
        picture.blue[at] = sycl::fmax(picture.blue[at] + detail, 0.0f);
      });
    });
  }

  /// Converts linear light to sRGB.
  void encode(sycl::buffer<float, 1>& table) {
    run("encode", 24, [&](sycl::handler& handler) {
      plane_update picture(m_between->colours, handler, sycl::read_write);
      sycl::accessor curve(table, handler, sycl::read_only);
      const auto encoded = [=](float light) {
        const float place = sycl::sqrt(sycl::clamp(light, 0.0f, 1.0f)) * static_cast<float>(encode_steps);
        const auto step = static_cast<std::uint32_t>(place);
        const float fraction = place - static_cast<float>(step);
        return curve[step] + fraction * (curve[step + 1] - curve[step]);
      };
      handler.parallel_for(m_size, [=](sycl::id<2> at) {
        picture.red[at] = encoded(picture.red[at]);
        picture.green[at] = encoded(picture.green[at]);
        picture.blue[at] = encoded(picture.blue[at]);
      });
    });
  }

  void dither_and_quantise(sycl::buffer<rgba16, 2>& source, sycl::buffer<rgba16, 2>& result, int bits) {
    run("dither, quantise", 12 + 8 + 8, [&](sycl::handler& handler) {
      plane_reader picture(m_between->colours, handler, sycl::read_only);
      sycl::accessor in(source, handler, sycl::read_only);
      sycl::accessor out(result, handler, sycl::write_only, sycl::no_init);
      const float levels = bits == 16 ? 65535.0f : 255.0f;
      const std::uint32_t step = bits == 16 ? 1 : 257;
      const auto quantised = [=](float value, float threshold) {
        const float level = sycl::clamp(sycl::floor(value * levels + threshold), 0.0f, levels);
        return static_cast<std::uint16_t>(static_cast<std::uint32_t>(level) * step);
      };
      handler.parallel_for(m_size, [=](sycl::item<2> item) {
        const sycl::id<2> at = item.get_id();
        const float threshold = dither_threshold(at[0], at[1]);
        const std::uint32_t alpha = (in[at].alpha + step / 2) / step * step;
        out[at] = {quantised(picture.red[at], threshold), quantised(picture.green[at], threshold),
                   quantised(picture.blue[at], threshold), static_cast<std::uint16_t>(alpha)};
      });
    });
  }

  std::vector<stage_time> times() const {
    std::vector<stage_time> result;
    std::uint64_t last_start = 0;
    for (const stage& one : m_stages) {
      const auto start = one.event.get_profiling_info<sycl::info::event_profiling::command_start>();
      const auto end = one.event.get_profiling_info<sycl::info::event_profiling::command_end>();
      if (start == last_start) {
        // The stage ran as one kernel with the stage before.
        result.back().name = result.back().name.substr(0, result.back().name.find(" ...")) + " ... " + one.name;
        result.back().bytes_per_pixel += one.bytes_per_pixel;
        continue;
      }
      last_start = start;
      result.push_back({one.name, static_cast<double>(end - start) * 1e-6, one.bytes_per_pixel});
    }
    return result;
  }

private:
  /// Weighs five pixels along one dimension; the picture's edge pixels are repeated outwards.
  template <int Along>
  void blur_along(const char* name, plane& from, plane& to) {
    run(name, 8, [&](sycl::handler& handler) {
      sycl::accessor in(from, handler, sycl::read_only);
      sycl::accessor out(to, handler, sycl::write_only, sycl::no_init);
      const int last = static_cast<int>(m_size[Along]) - 1;
      handler.parallel_for(m_size, [=](sycl::id<2> at) {
        const float weights[] = {1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16};
        float sum = 0;
        for (int by = -2; by <= 2; ++by) {
          sycl::id<2> there = at;
          there[Along] = static_cast<std::size_t>(sycl::clamp(static_cast<int>(at[Along]) + by, 0, last));
          sum += weights[by + 2] * in[there];
        }
        out[at] = sum;
      });
    });
  }

  struct stage {
    std::string name;
    double bytes_per_pixel;
    sycl::event event;
  };

  template <class CommandGroup>
  void run(const char* name, double bytes_per_pixel, CommandGroup&& submit) {
    m_stages.push_back({name, bytes_per_pixel, m_queue.submit(submit)});
  }

  sycl::queue& m_queue;
  sycl::range<2> m_size;
  std::optional<planes_between> m_between{m_size};
  bool m_fuse;
  std::vector<stage> m_stages;
};

void submit(chain& kernels, device_picture& picture, const settings& how) {
  kernels.decode(picture.source, picture.decode);
  kernels.white_balance(white_balance_gains(how.temperature, how.tint));
  kernels.exposure(std::exp2(how.exposure));
  kernels.tone_curve(how.contrast);
  kernels.saturation(how.saturation);
  kernels.vignette(how.vignette);
  kernels.luminance();
  kernels.blur();
  kernels.sharpen(how.sharpen);
  kernels.encode(picture.encode);
  kernels.dither_and_quantise(picture.source, picture.target, how.output_bits);
  kernels.end();
}

sycl::buffer<float, 1> on_device(const std::vector<float>& table) {
  return {table.begin(), table.end()};
}

} // namespace

device_picture::device_picture(const image& picture)
    : size(picture.height, picture.width),
      source(picture.pixels.data(), size),
      target(size),
      decode(on_device(decode_table())),
      encode(on_device(encode_table())) {}

void submit_chain(sycl::queue& queue, device_picture& picture, const settings& how) {
  chain kernels(queue, picture.size, how.fuse);
  submit(kernels, picture, how);
}

image develop(sycl::queue& queue, const image& picture, const settings& how, std::vector<stage_time>* times) {
  image result{picture.width, picture.height, picture.has_alpha, std::vector<rgba16>(picture.pixels.size())};
  {
    device_picture on_it(picture);
    on_it.target = sycl::buffer<rgba16, 2>(result.pixels.data(), on_it.size);
    chain kernels(queue, on_it.size, how.fuse);
    submit(kernels, on_it, how);
    queue.wait_and_throw();
    if (times) *times = kernels.times();
  }
  return result;
}

} // namespace photo
