/// Tests when an automatic queue stops collecting kernels for a while.
#include <doctest/doctest.h>

#include <scheduler/fusion_pause.hpp>

using sycl::detail::fusion_pause;

namespace {

void refuse(fusion_pause& pause, std::uint32_t lists) {
  for (std::uint32_t i = 0; i < lists; ++i) pause.note_list(false);
}

/// Counts the kernels that run without a list until the pause is over.
int kernels_left(fusion_pause& pause) {
  int kernels = 0;
  for (; pause.is_on(); ++kernels) pause.note_kernel();
  return kernels;
}

}  // namespace

TEST_CASE("fusion pauses after several lists in a row that were not fused") {
  fusion_pause pause;
  refuse(pause, fusion_pause::patience - 1);
  CHECK_FALSE(pause.is_on());
  pause.note_list(true);
  refuse(pause, fusion_pause::patience - 1);
  CHECK_FALSE(pause.is_on());
  refuse(pause, 1);
  CHECK(kernels_left(pause) == fusion_pause::shortest);
}

TEST_CASE("each pause is twice as long as the one before it, up to the longest pause, and a fused list ends all this") {
  fusion_pause pause;
  refuse(pause, fusion_pause::patience);
  for (int expected = fusion_pause::shortest; expected < fusion_pause::longest; expected *= 2) {
    CHECK(kernels_left(pause) == expected);
    refuse(pause, 1);
  }
  for (int round = 0; round < 100; ++round) {
    CHECK(kernels_left(pause) == fusion_pause::longest);
    refuse(pause, 1);
  }
  (void)kernels_left(pause);
  pause.note_list(true);
  refuse(pause, 1);
  CHECK_FALSE(pause.is_on());
}
