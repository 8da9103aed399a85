/// Which lists nobody asked to fuse take tiles.

#include <doctest/doctest.h>

#include <passes/stencils/tile_gain.hpp>

using namespace sinter::passes;

TEST_CASE("tiles have to spare memory traffic that caches don't, and much more than they cost") {
  constexpr std::uint64_t cache = 32 << 20;
  const tile_estimate gains{10, 2, 64 << 20};
  CHECK(why_tiles_do_not_pay(gains, cache).empty());
  tile_estimate small = gains, costly = gains, by_barriers = gains;
  small.largest_result = cache / 4;
  CHECK(why_tiles_do_not_pay(small, cache) == "results of 8192 KiB stay in the cache between kernels");
  by_barriers.rows_are_loops = false;
  CHECK(why_tiles_do_not_pay(by_barriers, cache).find("rows are no loops") != std::string::npos);
  costly.extra_cycles = 9;
  CHECK(why_tiles_do_not_pay(costly, cache) == "tiles save 10.0 cycles of each work-item and cost 9.0");
}
