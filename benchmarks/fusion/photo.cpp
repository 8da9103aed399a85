/// The photo example's kernels, one by one, fused by hand and fused by the runtime, in interleaved rounds.
///
/// usage: photo_pipeline HEIGHT WIDTH ROUNDS; prints one line of JSON per round, milliseconds per picture:
/// {"unfused", "fused", "automatic", "traffic"}.

#include <sycl/sycl.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "pipeline.hpp"
#include "rounds.hpp"
#include "traffic.hpp"

namespace {

photo::image make_picture(std::size_t height, std::size_t width) {
  photo::image picture{width, height, false, std::vector<photo::rgba16>(height * width)};
  std::uint32_t dice = 1;
  for (photo::rgba16& pixel : picture.pixels) {
    dice = dice * 1664525u + 1013904223u;
    const auto value = static_cast<std::uint16_t>(dice >> 16);
    pixel = {value, static_cast<std::uint16_t>(value / 2), static_cast<std::uint16_t>(65535 - value), 65535};
  }
  return picture;
}

bool near(const photo::image& one, const photo::image& other) {
  // Fused kernels may contract what single ones round twice: the last of 256 levels may differ.
  const auto close = [](unsigned a, unsigned b) { return (a > b ? a - b : b - a) <= 257; };
  for (std::size_t i = 0; i < one.pixels.size(); ++i) {
    const photo::rgba16 &a = one.pixels[i], &b = other.pixels[i];
    if (!close(a.red, b.red) || !close(a.green, b.green) || !close(a.blue, b.blue)) return false;
  }
  return true;
}

}  // namespace

int main(int word_count, char** words) {
  const std::size_t height = word_count > 1 ? std::strtoull(words[1], nullptr, 10) : 0;
  const std::size_t width = word_count > 2 ? std::strtoull(words[2], nullptr, 10) : 0;
  const int rounds = word_count > 3 ? std::atoi(words[3]) : 30;
  if (height == 0 || width == 0 || rounds < 1) {
    std::fputs("usage: photo_pipeline HEIGHT WIDTH ROUNDS\n", stderr);
    return 2;
  }
  openmp_asleep();
  const photo::image picture = make_picture(height, width);
  sycl::queue plain, fusing{sycl::ext::codeplay::experimental::property::queue::enable_fusion{}};
  sycl::queue automatic{sycl::ext::sinter::property::queue::auto_fusion{}};
  photo::settings one_by_one, fused;
  one_by_one.exposure = fused.exposure = 0.5f;
  one_by_one.sharpen = fused.sharpen = 0.5f;
  fused.fuse = true;
  photo::image results[3];
  const auto unfused = [&] { results[0] = photo::develop(plain, picture, one_by_one, nullptr); };
  const auto by_hand = [&] { results[1] = photo::develop(fusing, picture, fused, nullptr); };
  const auto by_itself = [&] { results[2] = photo::develop(automatic, picture, one_by_one, nullptr); };
  // Bytes per pixel that the two fused lists and the sharpening between them read and write at least.
  constexpr std::size_t read = 8 + 16 + 20, written = 16 + 12 + 8;
  const std::size_t pixels = height * width;
  const std::vector<char> from(pixels * read + 64);
  std::vector<char> to(pixels * written + 64);
  const auto limit = [&] { traffic(from.data(), to.data(), pixels * read, pixels * written); };
  // Automatic lists are compiled in the background.
  for (int i = 0; i < 20; ++i) by_itself();
  unfused();
  by_hand();
  if (!near(results[0], results[1]) || !near(results[0], results[2])) {
    std::fputs("photo_pipeline: the fused pictures differ\n", stderr);
    return 1;
  }
  print_rounds(rounds, 1,
               {{"unfused", unfused}, {"fused", by_hand}, {"automatic", by_itself}, {"traffic", limit, true}});
}
