#pragma once
/// Common parts of the benchmarks of the photo example's twelve kernels: a picture, two ways to develop a picture, and
/// a test whether two results are equal.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "pipeline.hpp"

namespace bench {

struct photo_request {
  std::size_t height = 0, width = 0;
  int rounds = 30;
  photo::settings one_by_one, fused;
};

/// Reads the arguments HEIGHT WIDTH ROUNDS; ends the program if they are not numbers.
inline photo_request read_photo_request(int word_count, char** words) {
  photo_request result;
  if (word_count > 1) result.height = std::strtoull(words[1], nullptr, 10);
  if (word_count > 2) result.width = std::strtoull(words[2], nullptr, 10);
  if (word_count > 3) result.rounds = std::atoi(words[3]);
  if (result.height == 0 || result.width == 0 || result.rounds < 1) {
    std::fprintf(stderr, "usage: %s HEIGHT WIDTH ROUNDS\n", words[0]);
    std::exit(2);
  }
  result.one_by_one.exposure = result.fused.exposure = 0.5f;
  result.one_by_one.sharpen = result.fused.sharpen = 0.5f;
  result.fused.fuse = true;
  return result;
}

inline photo::image make_picture(const photo_request& wanted) {
  photo::image picture{wanted.width, wanted.height, false, std::vector<photo::rgba16>(wanted.height * wanted.width)};
  std::uint32_t dice = 1;
  for (photo::rgba16& pixel : picture.pixels) {
    dice = dice * 1664525u + 1013904223u;
    const auto value = static_cast<std::uint16_t>(dice >> 16);
    pixel = {value, static_cast<std::uint16_t>(value / 2), static_cast<std::uint16_t>(65535 - value), 65535};
  }
  return picture;
}

/// Fused kernels may round once where single kernels round twice, so samples may differ by one of 256 levels.
inline bool are_near(const photo::rgba16& one, const photo::rgba16& other) {
  const auto close = [](unsigned a, unsigned b) { return (a > b ? a - b : b - a) <= 257; };
  return close(one.red, other.red) && close(one.green, other.green) && close(one.blue, other.blue);
}

}  // namespace bench
