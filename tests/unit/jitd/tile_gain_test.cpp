/// Tests which lists are fused by tiles although the program does not request it.

#include <doctest/doctest.h>

#include <passes/stencils/tile_gain.hpp>

using namespace sinter::passes;

TEST_CASE("tiles have to spare memory traffic that caches don't, and much more than they cost") {
  const tile_machine machine{2, 32 << 20, 1 << 20};
  const tile_estimate gains{30, 2, 64 << 20};
  using kind = gain_verdict::kind;
  CHECK(verdict_on_tiles(gains, machine).is == kind::faster);
  tile_estimate cached = gains, small = gains, costly = gains;
  cached.largest_result = 8 << 20;
  CHECK(verdict_on_tiles(cached, machine).is == kind::likely);
  cached.extra_cycles = 0.1;  // the caches hold the data, so the gain is not certain
  CHECK(verdict_on_tiles(cached, machine).is == kind::likely);
  cached.extra_cycles = 3;
  CHECK(verdict_on_tiles(cached, machine).is == kind::unlikely);
  CHECK(verdict_on_tiles(cached, machine).why == "tiles save 3.8 cycles of each work-item and cost 3.0");
  small.largest_result = 128 << 10;
  CHECK(verdict_on_tiles(small, machine).is == kind::unlikely);
  CHECK(verdict_on_tiles(small, machine).why == "results of 128 KiB stay in a core's cache between kernels");
  small.largest_result = 16 << 10;
  CHECK(verdict_on_tiles(small, machine).is == kind::slower);
  costly.extra_cycles = 9;
  CHECK(verdict_on_tiles(costly, machine).why == "tiles save 10.0 cycles of each work-item and cost 9.0");
  CHECK(verdict_on_tiles(costly, machine).is == kind::unlikely);
  costly.extra_cycles = 16;
  CHECK(verdict_on_tiles(costly, machine).is == kind::slower);
}

TEST_CASE("on GPUs, tiles of results that their caches may hold are measured") {
  stencil_fusion stencils;
  stencils.stages.resize(2);
  stencils.plan.stages.resize(2);  // this test needs no stages, so they cost nothing
  stencils.request.results = {{0, 4}};
  const auto set_size = [&](std::uint64_t height) {
    for (auto& each : stencils.stages) {
      each.range.dimensions = 2;
      each.range.global[1] = height, each.range.global[2] = 4096;
    }
    stencils.saved_bytes = 8 * height * 4096;
  };
  using kind = gain_verdict::kind;
  set_size(511);
  CHECK(verdict_on_group_tiles(stencils).is == kind::likely);
  CHECK(verdict_on_group_tiles(stencils).why.find("8176 KiB stay in the GPU's cache") != std::string::npos);
  set_size(512);
  CHECK(verdict_on_group_tiles(stencils).is == kind::faster);
  set_size(4096);
  CHECK(verdict_on_group_tiles(stencils).is == kind::faster);
}
