#pragma once
/// Reading and writing PNG files through libpng.

#include <stdexcept>
#include <string>

#include "image.hpp"

namespace photo {

/// A fault in a file. The text is for the user.
struct file_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Pictures with more pixels than this are refused, so that a forged header cannot exhaust the memory.
inline constexpr std::size_t max_pixels = std::size_t{1} << 28;

/// Reads any PNG (1 to 16 bit; grey, palette, colour; with or without alpha; interlaced or not) as 16-bit RGBA.
/// Throws file_error if the file cannot be opened, is not a PNG file, is damaged, or has more than max_pixels pixels.
image read_png(const std::string& path);

/// Writes 8 or 16 bits per sample, with an alpha channel when the picture has one. Throws file_error.
void write_png(const std::string& path, const image& picture, int bits_per_sample);

} // namespace photo
