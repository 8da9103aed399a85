#include <doctest/doctest.h>

#include <cstdint>

#include "passes/kernel_memory.hpp"

using namespace sinter;

TEST_CASE("copies of private arrays are as many as fit, or one") {
  CHECK(passes::copies_that_fit(0, 16) == 16);
  CHECK(passes::copies_that_fit(16384, 16) == 16);
  CHECK(passes::copies_that_fit(16385, 16) == 8);
  CHECK(passes::copies_that_fit(65536, 16) == 4);
  CHECK(passes::copies_that_fit(1 << 20, 16) == 1);
  CHECK(passes::copies_that_fit(std::uint64_t{1} << 60, 16) == 1);
  CHECK(passes::copies_that_fit(abi::too_many_bytes, 16) == 1);
}

TEST_CASE("shares of group functions and barriers lie on the stack only while all of them fit") {
  constexpr std::uint64_t large = std::uint64_t{1} << 32;
  CHECK(passes::scratch_on_stack({0, 0, 0}, 16) == 0);
  CHECK(passes::scratch_on_stack({1, 2, 8}, 16) == 17 * 16);
  CHECK(passes::scratch_on_stack({1, 1, 1024}, 32) == 0);
  // Modulo 2^64, these products are 0.
  CHECK(passes::scratch_on_stack({1, large, large}, 16) == 0);
  CHECK(passes::scratch_on_stack({1, 1, large - 1}, large) == 0);
  CHECK(passes::context_on_stack({1, 1, 10}, 100, 64) == 1128);
  CHECK(passes::context_on_stack({1, 1, 10}, abi::too_many_bytes, 64) == 0);
}

TEST_CASE("bytes read as people write them") {
  CHECK(passes::describe_bytes(100) == "100 bytes");
  CHECK(passes::describe_bytes(65536) == "64 KiB");
  CHECK(passes::describe_bytes(1025) == "1025 bytes");
  CHECK(passes::describe_bytes(abi::too_many_bytes) == "more than 2^64 bytes");
}
