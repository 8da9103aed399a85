/// Tests which freed blocks are kept and used again.
#include <doctest/doctest.h>

#include <base/kept_blocks.hpp>
#include <vector>

namespace {

char memory[8];

std::vector<void*> memory_of(const std::vector<sinter::kept_blocks::block>& blocks) {
  std::vector<void*> all;
  for (const auto& each : blocks) all.push_back(each.memory);
  return all;
}

}  // namespace

TEST_CASE("a block is used again for exactly its size, the one that was freed last first") {
  sinter::kept_blocks kept;
  CHECK(kept.take(16) == nullptr);
  for (int i = 0; i < 4; ++i) CHECK(kept.add({&memory[i], i == 2 ? 32u : 16u}, 1000).empty());
  CHECK(kept.take(24) == nullptr);
  CHECK(kept.take(16) == &memory[3]);
  CHECK(kept.take(16) == &memory[1]);
  CHECK(kept.take(32) == &memory[2]);
  CHECK(kept.take(32) == nullptr);
  CHECK(memory_of(kept.blocks()) == std::vector<void*>{&memory[0]});
}

TEST_CASE("blocks beyond the limits are returned, the one that was freed first first") {
  sinter::kept_blocks kept;
  for (int i = 0; i < 3; ++i) CHECK(kept.add({&memory[i], 16}, 48).empty());
  CHECK(memory_of(kept.add({&memory[3], 32}, 48)) == std::vector<void*>{&memory[0], &memory[1]});
  CHECK(memory_of(kept.add({&memory[4], 100}, 48)) == std::vector<void*>{&memory[2], &memory[3], &memory[4]});
  CHECK(kept.blocks().empty());
  // Blocks that were taken don't count.
  CHECK(kept.add({&memory[0], 40}, 48).empty());
  CHECK(kept.take(40) == &memory[0]);
  CHECK(kept.add({&memory[1], 48}, 48).empty());
  CHECK(memory_of(kept.add({&memory[2], 0}, 48, 1)) == std::vector<void*>{&memory[1]});
}
