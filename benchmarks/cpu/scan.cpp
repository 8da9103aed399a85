/// Inclusive sums of an array: scans of groups, a scan of the groups' sums, and the addition of these sums.
///
/// usage: scan [PAIRS [COUNT]]

#include "measure.hpp"

constexpr std::size_t group_size = 256;

int main(int word_count, char** words) {
  bench::program program(word_count, words, {1 << 24});
  sycl::queue& queue = program.queue;
  const std::size_t count = program.size(0), groups = (count + group_size - 1) / group_size;
  std::uint32_t* values = program.allocate<std::uint32_t>(count);
  std::uint32_t* sums = program.allocate<std::uint32_t>(count);
  std::uint32_t* group_sums = program.allocate<std::uint32_t>(groups);
  std::uint32_t* group_starts = program.allocate<std::uint32_t>(groups);
  bench::dice dice;
  std::vector<std::uint32_t> expected(count);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) expected[i] = sum += values[i] = dice.next();

  const auto sinter = [&] {
    queue.parallel_for(sycl::nd_range<1>(groups * group_size, group_size), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_global_id(0);
      const std::uint32_t value = i < count ? values[i] : 0;
      const std::uint32_t scanned =
          sycl::inclusive_scan_over_group(item.get_group(), value, sycl::plus<std::uint32_t>());
      if (i < count) sums[i] = scanned;
      if (item.get_local_id(0) == group_size - 1) group_sums[item.get_group(0)] = scanned;
    });
    queue.parallel_for(sycl::nd_range<1>(group_size, group_size), [=](sycl::nd_item<1> item) {
      sycl::joint_exclusive_scan(item.get_group(), group_sums, group_sums + groups, group_starts,
                                 sycl::plus<std::uint32_t>());
    });
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { sums[i] += group_starts[i / group_size]; }).wait();
  };
  program.measure({
      .name = "scan",
      .sides = {{"sinter", sinter}, {"openmp", [&] { bench::scan_chunks(values, sums, count); }}},
      .spoil = [&] { std::fill_n(sums, count, 0xdeadbeef); },
      .is_right = [&] { return bench::are_close(sums, expected.data(), count, 0); },
      .memory = {.from = {values}, .reads = 1, .to = {sums}, .writes = 1, .bytes = count * sizeof(std::uint32_t)},
  });
}
