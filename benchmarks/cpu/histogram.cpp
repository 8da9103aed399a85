/// Counts how often each value of a byte occurs. Each group first counts with atomic additions in local memory. Then it
/// makes one atomic addition to global memory for each bin.
///
/// usage: histogram [PAIRS [COUNT]]

#include "measure.hpp"

constexpr std::size_t bin_count = 256, group_size = 256, bytes_per_item = 64;

template <sycl::memory_scope Scope, sycl::access::address_space Space>
using counter = sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, Scope, Space>;

int main(int word_count, char** words) {
  bench::program program(word_count, words, {1 << 25});
  sycl::queue& queue = program.queue;
  const std::size_t count = program.size(0);
  const std::size_t groups = (count + group_size * bytes_per_item - 1) / (group_size * bytes_per_item);
  std::uint8_t* values = program.allocate<std::uint8_t>(count);
  std::uint32_t* bins = program.allocate<std::uint32_t>(bin_count);
  bench::dice dice;
  std::vector<std::uint32_t> expected(bin_count);
  for (std::size_t i = 0; i < count; ++i) {
    // Each value is one byte of the product of two random numbers. So some values of the byte are more frequent than
    // others.
    values[i] = static_cast<std::uint8_t>(((dice.next() >> 24) * (dice.next() >> 24)) >> 8);
    ++expected[values[i]];
  }
  const auto sinter = [&] {
    queue.parallel_for(sycl::range<1>(bin_count), [=](sycl::id<1> i) { bins[i] = 0; });
    queue
        .submit([&](sycl::handler& handler) {
          sycl::local_accessor<std::uint32_t, 1> local(sycl::range<1>(bin_count), handler);
          handler.parallel_for(sycl::nd_range<1>(groups * group_size, group_size), [=](sycl::nd_item<1> item) {
            const std::size_t l = item.get_local_id(0);
            local[l] = 0;
            sycl::group_barrier(item.get_group());
            for (std::size_t i = item.get_global_id(0); i < count; i += item.get_global_range(0)) {
              counter<sycl::memory_scope::work_group, sycl::access::address_space::local_space>(local[values[i]])
                  .fetch_add(1);
            }
            sycl::group_barrier(item.get_group());
            counter<sycl::memory_scope::device, sycl::access::address_space::global_space>(bins[l]).fetch_add(local[l]);
          });
        })
        .wait();
  };
  program.measure({
      .name = "histogram",
      .sides = {{"sinter", sinter}, {"openmp", [&] { bench::histogram_private(values, bins, count); }}},
      .spoil = [&] { std::fill_n(bins, bin_count, 12345u); },
      .is_right = [&] { return bench::are_close(bins, expected.data(), bin_count, 0); },
      .memory = {.from = {values}, .reads = 1, .bytes = count},
  });
}
