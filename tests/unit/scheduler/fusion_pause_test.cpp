/// Tests when an automatic queue stops collecting kernels for a while.
#include <doctest/doctest.h>

#include <iterator>
#include <scheduler/fusion_pause.hpp>
#include <set>

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
  CHECK(kernels_left(pause) == fusion_pause::lengths[0]);
}

TEST_CASE("each pause is longer than the one before it, up to the longest pause, and a fused list ends all this") {
  fusion_pause pause;
  refuse(pause, fusion_pause::patience);
  for (const int expected : fusion_pause::lengths) {
    CHECK(kernels_left(pause) == expected);
    refuse(pause, 1);
  }
  for (int round = 0; round < 100; ++round) {
    CHECK(kernels_left(pause) == *std::rbegin(fusion_pause::lengths));
    refuse(pause, 1);
  }
  (void)kernels_left(pause);
  pause.note_list(true);
  refuse(pause, 1);
  CHECK_FALSE(pause.is_on());
}

TEST_CASE("lists behind pauses begin with each kernel of a repeated sequence") {
  for (int sequence = 2; sequence <= 16; ++sequence) {
    fusion_pause pause;
    refuse(pause, fusion_pause::patience);
    std::set<int> firsts;
    for (int pauses = 0, at = 0; pauses < 3 * sequence; ++pauses) {
      at = (at + kernels_left(pause)) % sequence;
      firsts.insert(at);
      at = (at + 16) % sequence;  // the kernels of a list
      refuse(pause, 1);
    }
    CHECK(firsts.size() == static_cast<std::size_t>(sequence));
  }
}

TEST_CASE("lists whose code is not compiled yet lead to pauses until the compiler has finished some code") {
  fusion_pause pause;
  const auto note = [&](std::uint32_t lists) {
    for (std::uint32_t i = 0; i < lists; ++i) pause.note_not_compiled();
  };
  note(fusion_pause::patience_with_compiler - 1);
  CHECK_FALSE(pause.is_on());
  note(1);
  for (int round = 0; round < 10; ++round) {
    CHECK(pause.is_on());
    if (round % 2) {
      fusion_pause::note_compiled();
      CHECK(kernels_left(pause) == 0);
    } else {
      CHECK(kernels_left(pause) == *std::rbegin(fusion_pause::lengths));
    }
    note(fusion_pause::tried_again - 1);
    CHECK_FALSE(pause.is_on());
    note(1);
  }
  fusion_pause::note_compiled();
  pause.note_list(true);
  note(1);
  CHECK_FALSE(pause.is_on());
}

TEST_CASE("pauses after refused lists don't end when code is compiled") {
  fusion_pause pause;
  refuse(pause, fusion_pause::patience);
  fusion_pause::note_compiled();
  CHECK(kernels_left(pause) == fusion_pause::lengths[0]);
}
