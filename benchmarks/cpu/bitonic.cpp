/// Bitonic sort: blocks and short strides in local memory with barriers, long strides by one kernel each.
///
/// usage: bitonic [PAIRS [COUNT]]; COUNT is rounded up to a power of two of at least 512.

#include "measure.hpp"

constexpr std::size_t group_size = 256, block = 2 * group_size;

namespace {

/// The index of the first element of pair i, for this stride.
inline std::size_t pair_start(std::size_t i, std::size_t stride) { return 2 * i - (i & (stride - 1)); }

inline void put_in_order(std::uint32_t& first, std::uint32_t& second, bool ascending) {
  if ((first > second) == ascending) {
    const std::uint32_t kept = first;
    first = second;
    second = kept;
  }
}

/// Does the steps that make sorted runs of `from_size` to `to_size` elements, as far as the steps' strides are shorter
/// than a block.
void sort_in_blocks(sycl::queue& queue, const std::uint32_t* from, std::uint32_t* to, std::size_t count,
                    std::size_t from_size, std::size_t to_size) {
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<std::uint32_t, 1> near(sycl::range<1>(block), handler);
    handler.parallel_for(sycl::nd_range<1>(count / 2, group_size), [=](sycl::nd_item<1> item) {
      const std::size_t l = item.get_local_id(0), start = item.get_group(0) * block;
      near[l] = from[start + l];
      near[l + group_size] = from[start + l + group_size];
      for (std::size_t size = from_size; size <= to_size; size *= 2) {
        for (std::size_t stride = size < block ? size / 2 : block / 2; stride > 0; stride /= 2) {
          sycl::group_barrier(item.get_group());
          const std::size_t i = pair_start(l, stride);
          put_in_order(near[i], near[i + stride], ((start + i) & size) == 0);
        }
      }
      sycl::group_barrier(item.get_group());
      to[start + l] = near[l];
      to[start + l + group_size] = near[l + group_size];
    });
  });
}

}  // namespace

int main(int word_count, char** words) {
  bench::program program(word_count, words, {1 << 20});
  sycl::queue& queue = program.queue;
  std::size_t count = block;
  while (count < program.size(0)) count *= 2;
  std::uint32_t* values = program.allocate<std::uint32_t>(count);
  std::uint32_t* sorted = program.allocate<std::uint32_t>(count);
  bench::dice dice;
  for (std::size_t i = 0; i < count; ++i) values[i] = dice.next();
  std::vector<std::uint32_t> expected(values, values + count);
  std::sort(expected.begin(), expected.end());

  const auto sinter = [&] {
    sort_in_blocks(queue, values, sorted, count, 2, block);
    for (std::size_t size = 2 * block; size <= count; size *= 2) {
      for (std::size_t stride = size / 2; stride >= block; stride /= 2) {
        queue.parallel_for(sycl::range<1>(count / 2), [=](sycl::id<1> pair) {
          const std::size_t i = pair_start(pair[0], stride);
          put_in_order(sorted[i], sorted[i + stride], (i & size) == 0);
        });
      }
      sort_in_blocks(queue, sorted, sorted, count, size, size);
    }
    queue.wait();
  };
  program.measure({
      .name = "bitonic",
      .sides = {{"sinter", sinter}, {"openmp", [&] { bench::bitonic_network(values, sorted, count); }}},
      .spoil = [&] { std::fill_n(sorted, count, 0u); },
      .is_right = [&] { return bench::are_close(sorted, expected.data(), count, 0); },
      .memory = {.from = {values}, .reads = 1, .to = {sorted}, .writes = 1, .bytes = count * sizeof(std::uint32_t)},
  });
}
