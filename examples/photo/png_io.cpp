#include "png_io.hpp"

#include <png.h>

#include <bit>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace photo {
namespace {

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, file_closer>;

/// libpng reports errors by longjmp, which skips destructors. So all objects with destructors are in the caller's
/// frame, and functions that call setjmp have only a reference to them.
struct reading {
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[256] = "";
  std::vector<png_bytep> rows;
  image picture;

  ~reading() { png_destroy_read_struct(&png, &info, nullptr); }
};

struct writing {
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[256] = "";
  std::vector<png_byte> row;

  ~writing() { png_destroy_write_struct(&png, &info); }
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  std::snprintf(static_cast<char*>(png_get_error_ptr(png)), sizeof(reading::message), "%s", message);
  png_longjmp(png, 1);
}

/// Ignores faults in a file that do not prevent libpng from reading it, such as a wrong checksum in a comment.
void on_warning(png_structp, png_const_charp) {}

constexpr int png_little_endian = std::endian::native == std::endian::little;

bool read_header(reading& state, std::FILE* file) {
  if (setjmp(png_jmpbuf(state.png))) return false;
  // The limit on the sides allows any shape up to max_pixels; chunks are limited because they expand when decompressed.
  png_set_user_limits(state.png, static_cast<png_uint_32>(max_pixels), static_cast<png_uint_32>(max_pixels));
  png_set_chunk_malloc_max(state.png, 16 << 20);
  png_init_io(state.png, file);
  png_read_info(state.png, state.info);
  return true;
}

bool read_pixels(reading& state) {
  if (setjmp(png_jmpbuf(state.png))) return false;
  const png_byte colours = png_get_color_type(state.png, state.info);
  png_set_expand_16(state.png);  // palette to RGB, transparent colours to alpha, and everything to 16 bits
  if ((colours & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(state.png);
  if (!state.picture.has_alpha) png_set_add_alpha(state.png, 0xffff, PNG_FILLER_AFTER);
  if (png_little_endian) png_set_swap(state.png);
  png_set_interlace_handling(state.png);
  png_read_update_info(state.png, state.info);
  if (png_get_rowbytes(state.png, state.info) != state.picture.width * sizeof(rgba16)) {
    png_error(state.png, "unexpected row size");
  }
  png_read_image(state.png, state.rows.data());
  png_read_end(state.png, nullptr);
  return true;
}

bool write_rows(writing& state, std::FILE* file, const image& picture, int bits) {
  if (setjmp(png_jmpbuf(state.png))) return false;
  const std::size_t channels = picture.has_alpha ? 4 : 3;
  png_init_io(state.png, file);
  png_set_IHDR(state.png, state.info, static_cast<png_uint_32>(picture.width), static_cast<png_uint_32>(picture.height),
               bits, picture.has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(state.png, state.info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_compression_level(state.png, 3);  // the default level takes several times as long and saves a few percent
  png_set_filter(state.png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
  png_write_info(state.png, state.info);
  for (std::size_t y = 0; y < picture.height; ++y) {
    png_bytep target = state.row.data();
    for (std::size_t x = 0; x < picture.width; ++x) {
      const rgba16& source = picture.pixels[y * picture.width + x];
      const std::uint16_t samples[4] = {source.red, source.green, source.blue, source.alpha};
      for (std::size_t c = 0; c < channels; ++c) {
        if (bits == 16) *target++ = static_cast<png_byte>(samples[c] >> 8);
        *target++ = static_cast<png_byte>(bits == 16 ? samples[c] & 255 : samples[c] / 257);
      }
    }
    png_write_row(state.png, state.row.data());
  }
  png_write_end(state.png, nullptr);
  return true;
}

} // namespace

image read_png(const std::string& path) {
  file_handle file(std::fopen(path.c_str(), "rb"));
  if (!file) throw file_error("cannot open " + path + ": " + std::strerror(errno));

  png_byte signature[8];
  const std::size_t got = std::fread(signature, 1, sizeof signature, file.get());
  if (std::ferror(file.get())) throw file_error("cannot read " + path + ": " + std::strerror(errno));
  if (got != sizeof signature || png_sig_cmp(signature, 0, sizeof signature) != 0) {
    throw file_error(path + " is not a PNG file");
  }
  std::rewind(file.get());

  reading state;
  state.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, state.message, on_error, on_warning);
  state.info = state.png ? png_create_info_struct(state.png) : nullptr;
  if (!state.info) throw file_error("libpng cannot start: out of memory or a different libpng than at compile time");
  if (!read_header(state, file.get())) throw file_error(path + " is damaged: " + state.message);

  image& picture = state.picture;
  picture.width = png_get_image_width(state.png, state.info);
  picture.height = png_get_image_height(state.png, state.info);
  if (picture.width > max_pixels / picture.height) {
    throw file_error(path + " has " + std::to_string(picture.width) + " x " + std::to_string(picture.height) +
                     " pixels; more than " + std::to_string(max_pixels) + " are not supported");
  }
  picture.has_alpha = (png_get_color_type(state.png, state.info) & PNG_COLOR_MASK_ALPHA) != 0 ||
                      png_get_valid(state.png, state.info, PNG_INFO_tRNS) != 0;
  picture.pixels.resize(picture.width * picture.height);
  state.rows.resize(picture.height);
  for (std::size_t y = 0; y < picture.height; ++y) {
    state.rows[y] = reinterpret_cast<png_bytep>(picture.pixels.data() + y * picture.width);
  }
  if (!read_pixels(state)) throw file_error(path + " is damaged: " + state.message);
  return std::move(state.picture);
}

void write_png(const std::string& path, const image& picture, int bits_per_sample) {
  file_handle file(std::fopen(path.c_str(), "wb"));
  if (!file) throw file_error("cannot create " + path + ": " + std::strerror(errno));

  writing state;
  state.row.resize(picture.width * 4 * 2);
  state.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, state.message, on_error, on_warning);
  state.info = state.png ? png_create_info_struct(state.png) : nullptr;
  if (!state.info) throw file_error("libpng cannot start: out of memory or a different libpng than at compile time");
  png_set_user_limits(state.png, 0x7fffffff, 0x7fffffff);
  bool complete = write_rows(state, file.get(), picture, bits_per_sample);
  if (std::fclose(file.release()) != 0 && complete) {
    complete = false;
    std::snprintf(state.message, sizeof state.message, "%s", std::strerror(errno));
  }
  if (!complete) {
    if (std::filesystem::is_regular_file(path)) std::remove(path.c_str());
    throw file_error("cannot write " + path + ": " + state.message);
  }
}

} // namespace photo
