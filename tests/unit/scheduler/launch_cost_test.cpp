/// Tests the estimated cost of a kernel after launches of known duration.
#include <doctest/doctest.h>

#include <initializer_list>
#include <scheduler/launch_cost.hpp>

using namespace sycl::detail;

namespace {

/// Returns a kernel that was never launched. The estimates use only the address of its descriptor, and do not
/// read the descriptor.
sinter::kernel_launch new_kernel(std::uint64_t items = 100) {
  static sinter::abi::kernel_descriptor kernels[64];
  static std::size_t next = 0;
  sinter::kernel_launch launch{};
  launch.kernel = &kernels[next++];
  launch.global_range[0] = launch.global_range[1] = 1;
  launch.global_range[2] = items;
  return launch;
}

cost after(std::initializer_list<cost> measured) {
  const sinter::kernel_launch launch = new_kernel();
  for (const cost each : measured) note_launch(launch, each);
  return estimate_launch(launch);
}

/// Compares costs. Measured costs are rounded down to three significant binary digits.
bool is_about(cost found, cost exact) { return found <= exact && found > exact / 4 * 3; }

}  // namespace

TEST_CASE("before the first launch nobody knows what a kernel costs") {
  CHECK(estimate_launch(new_kernel()) == unknown_cost);
  CHECK(is_about(after({300}), 300));
}

TEST_CASE("a first launch that was compiled, or had to wait, is forgotten with the second") {
  CHECK(is_about(after({20'000'000, 300}), 300));
  CHECK(is_about(after({20'000'000, 9'000, 300}), 9'000));
  CHECK(is_about(after({20'000'000, 9'000, 300, 310}), 310));
}

TEST_CASE("one launch that takes long, or next to no time, changes nothing") {
  CHECK(is_about(after({300, 310, 320}), 310));
  CHECK(is_about(after({300, 310, 4'000'000'000}), 310));
  CHECK(is_about(after({300, 310, 4'000'000'000, 305}), 310));
  CHECK(is_about(after({300, 310, 4'000'000'000, 305, 306}), 306));
  CHECK(is_about(after({5'000, 5'000, 1}), 5'000));
}

TEST_CASE("a kernel that takes long from now on is believed the second time") {
  CHECK(is_about(after({300, 300, 300, 90'000}), 300));
  CHECK(is_about(after({300, 300, 300, 90'000, 80'000}), 80'000));
  CHECK(is_about(after({90'000, 90'000, 90'000, 300, 310}), 310));
}

TEST_CASE("larger ranges cost more in proportion, smaller ones perhaps as much") {
  sinter::kernel_launch launch = new_kernel(100);
  note_launch(launch, 1'000);
  launch.global_range[2] = 1'000;
  CHECK(is_about(estimate_launch(launch), 10'000));
  launch.global_range[2] = 1;
  CHECK(is_about(estimate_launch(launch), 1'000));
  note_launch(launch, 10);
  CHECK(is_about(estimate_launch(launch), 10));
  launch.global_range[0] = launch.global_range[1] = launch.global_range[2] = std::uint64_t{1} << 40;
  CHECK(estimate_launch(launch) > unknown_cost);
}

TEST_CASE("what takes longer than can be noted counts as the most") {
  CHECK(is_about(after({~cost{0}, ~cost{0}, ~cost{0}}), 0xffffffffu));
  CHECK(after({0, 0, 0}) == 1);
}
