#include <abi/byte_count.hpp>
#include <doctest/doctest.h>

#include <cstdint>
#include <random>

using namespace sinter::abi;

namespace {

__extension__ using wide = unsigned __int128;

std::uint64_t narrow(wide exact) { return exact > too_many_bytes ? too_many_bytes : static_cast<std::uint64_t>(exact); }

}  // namespace

TEST_CASE("sums, products and alignments of sizes are exact, or stay too many") {
  std::mt19937_64 random(7);
  // Tests numbers of all magnitudes, including the smallest and the largest number.
  const auto any = [&] {
    const std::uint64_t value = random() >> random() % 64;
    return random() % 8 == 0 ? 0 : random() % 8 == 0 ? too_many_bytes - random() % 3 : value;
  };
  for (int round = 0; round < 100000; ++round) {
    const std::uint64_t a = any(), b = any();
    CHECK(add_bytes(a, b) == narrow(wide(a) + b));
    CHECK(multiply_bytes(a, b) == narrow(wide(a) * b));
    const std::uint64_t alignment = std::uint64_t{1} << random() % 20;
    const std::uint64_t aligned = align_bytes(a, alignment);
    if (wide(a) + alignment - 1 >= too_many_bytes) {
      CHECK(aligned == too_many_bytes);
    } else {
      CHECK(aligned == (a + alignment - 1) / alignment * alignment);
    }
  }
}

TEST_CASE("what is too many once stays so, but nothing of it is nothing") {
  CHECK(add_bytes(too_many_bytes, 1) == too_many_bytes);
  CHECK(multiply_bytes(too_many_bytes, 2) == too_many_bytes);
  CHECK(multiply_bytes(too_many_bytes, 0) == 0);
  CHECK(align_bytes(too_many_bytes, 64) == too_many_bytes);
}
