/// Runs the photo example's kernels in interleaved rounds: one by one, fused by hand, and fused by the runtime.
///
/// usage: photo_pipeline HEIGHT WIDTH ROUNDS; prints one line of JSON per round, milliseconds per picture:
/// {"unfused", "fused", "automatic", "traffic"}.

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "../photo_settings.hpp"
#include "rounds.hpp"
#include "traffic.hpp"

namespace {

bool are_near(const photo::image& one, const photo::image& other) {
  return std::equal(one.pixels.begin(), one.pixels.end(), other.pixels.begin(), other.pixels.end(), bench::are_near);
}

}  // namespace

int main(int word_count, char** words) {
  openmp_asleep();
  const bench::photo_request wanted = bench::read_photo_request(word_count, words);
  const photo::image picture = bench::make_picture(wanted);
  sycl::queue plain, fusing{sycl::ext::codeplay::experimental::property::queue::enable_fusion{}};
  sycl::queue automatic{sycl::ext::sinter::property::queue::auto_fusion{}};
  photo::image results[3];
  const auto unfused = [&] { results[0] = photo::develop(plain, picture, wanted.one_by_one, nullptr); };
  const auto by_hand = [&] { results[1] = photo::develop(fusing, picture, wanted.fused, nullptr); };
  const auto by_itself = [&] { results[2] = photo::develop(automatic, picture, wanted.one_by_one, nullptr); };
  // The least number of bytes per pixel that the two fused lists and the sharpening between them read and write.
  constexpr std::size_t read = 8 + 16 + 20, written = 16 + 12 + 8;
  const std::size_t pixels = wanted.height * wanted.width;
  const std::vector<char> from(pixels * read + 64);
  std::vector<char> to(pixels * written + 64);
  const auto limit = [&] { traffic(from.data(), to.data(), pixels * read, pixels * written); };
  // Automatic lists are compiled in the background, so the automatic variant runs many times before the measurement.
  for (int i = 0; i < 20; ++i) by_itself();
  unfused();
  by_hand();
  if (!are_near(results[0], results[1]) || !are_near(results[0], results[2])) {
    std::fputs("photo_pipeline: the fused pictures differ\n", stderr);
    return 1;
  }
  print_rounds(wanted.rounds, 1,
               {{"unfused", unfused}, {"fused", by_hand}, {"automatic", by_itself}, {"traffic", limit, true}});
}
