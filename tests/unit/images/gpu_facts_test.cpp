/// Tests that facts about programs for devices can be read back from the cache, and that malformed facts are refused.
#include <doctest/doctest.h>

#include <images/gpu_facts.hpp>
#include <random>

namespace {

bool reads(const std::string& text, bool has_groups = false) {
  sinter::gpu_program program;
  return sinter::read_gpu_facts(text, has_groups, program);
}

}  // namespace

TEST_CASE("what is written is read") {
  sinter::gpu_program written, read;
  written.entry = "sinter_kernel";
  written.block = {2, 4, 32};
  written.scratch_bytes_per_item = 24;
  written.variable_bytes = 128;
  written.linear_groups = written.groups_meet = true;
  written.pointers = {8, 24};
  written.globals = {3};
  REQUIRE(sinter::read_gpu_facts(sinter::gpu_facts(written), false, read));
  CHECK(read.entry == written.entry);
  CHECK((read.block == written.block));
  CHECK(read.scratch_bytes_per_item == 24);
  CHECK(read.variable_bytes == 128);
  CHECK(read.linear_groups);
  CHECK(read.groups_meet);
  CHECK_FALSE(read.can_fail);
  CHECK((read.pointers == written.pointers));
  CHECK((read.globals == written.globals));
}

TEST_CASE("nonsense is refused") {
  CHECK(reads("gpu-5 k 1 1 256 0 0 0 0 0 0 0 0"));
  CHECK(reads("gpu-5 k 0 0 0 8 128 1 1 0 0 0 0", /*has_groups=*/true));
  CHECK(reads("gpu-5 k 1 1 256 0 0 0 0 0 0 2 8 16 1 4"));
  for (const char* text :
       {"", "gpu-5", "gpu-4 k 1 1 256 0 0 0 0 0 0 0", "gpu-5 k 1 1 256", "gpu-5 k 1 1 256 0 0 0 0 0 0 0 0 7",
        "gpu-5 k 0 0 0 0 0 0 0 0 0 0 0", "gpu-5 k 1 0 256 0 0 0 0 0 0 0 0", "gpu-5 k 2 512 512 0 0 0 0 0 0 0 0",
        "gpu-5 k 1 1 4294967296 0 0 0 0 0 0 0 0", "gpu-5 k -1 1 1 0 0 0 0 0 0 0 0",
        "gpu-5 k 1 1 256 99999999999 0 0 0 0 0 0 0", "gpu-5 k 1 1 256 0 99999999999 0 0 0 0 0 0",
        "gpu-5 k 1 1 256 0 0 2 0 0 0 0 0", "gpu-5 k 1 1 256 0 0 0 0 0 2 0 0", "gpu-5 k a b c d e f g 0 0 0 0",
        "gpu-5 k 1 1 256 0 0 0 0 0 0 2 8 0", "gpu-5 k 1 1 256 0 0 0 0 0 0 1 8 16 0",
        "gpu-5 k 1 1 256 0 0 0 0 0 0 99999999999 0", "gpu-5 k 1 1 256 0 0 0 0 0 0 -1 0",
        "gpu-5 k 1 1 256 0 0 0 0 0 0 1 99999999999 0", "gpu-5 k 1 1 256 0 0 0 0 0 0 0",
        "gpu-5 k 1 1 256 0 0 0 0 0 0 0 1",
        "gpu-5 k 1 1 256 0 0 0 0 0 0 0 1 2 3", "gpu-5 k 1 1 256 0 0 0 0 0 0 0 -1",
        "gpu-5 k 1 1 256 0 0 0 0 0 0 0 99999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(reads(text));
  }
}

TEST_CASE("random bytes do no harm") {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text = "gpu-5 kernel 1 1 256 16 256 0 1 0 0 2 8 24 1 3";
    for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    sinter::gpu_program program;
    if (!sinter::read_gpu_facts(text, false, program)) continue;
    CHECK(program.block[0] * program.block[1] * program.block[2] - 1 < 1 << 16);
  }
}
