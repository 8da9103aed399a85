/// Kernels whose work-items cooperate: in local memory, by group algorithms, and by reductions. groups.cu contains
/// these kernels in CUDA C++, with cub for group algorithms and reductions.

#include <algorithm>
#include <utility>

#include "launches.hpp"
#include "queue.hpp"

namespace side {
namespace {

template <sycl::memory_scope Scope, sycl::access::address_space Space>
using counter = sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, Scope, Space>;

/// Scans each group by itself, with distances that double, and writes the last sums to `totals`.
void scan_groups(const std::uint32_t* values, std::uint32_t* sums, std::uint32_t* totals, std::size_t count) {
  const std::size_t groups = (count + group_size - 1) / group_size;
  queue().submit([&](sycl::handler& handler) {
    sycl::local_accessor<std::uint32_t, 2> near(sycl::range<2>(2, group_size), handler);
    handler.parallel_for(sycl::nd_range<1>(groups * group_size, group_size), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_global_id(0), l = item.get_local_id(0);
      std::size_t now = 0;
      near[0][l] = i < count ? values[i] : 0;
      for (std::size_t distance = 1; distance < group_size; distance *= 2) {
        sycl::group_barrier(item.get_group());
        near[1 - now][l] = near[now][l] + (l >= distance ? near[now][l - distance] : 0);
        now = 1 - now;
      }
      if (i < count) sums[i] = near[now][l];
      if (l == group_size - 1) totals[item.get_group(0)] = near[now][l];
    });
  });
}

std::size_t pair_start(std::size_t i, std::size_t stride) { return 2 * i - (i & (stride - 1)); }

void put_in_order(std::uint32_t& first, std::uint32_t& second, bool ascending) {
  if ((first > second) == ascending) std::swap(first, second);
}

/// Does the steps that make sorted runs of `from_size` to `to_size` elements, as far as the steps' strides are shorter
/// than a block.
void sort_in_blocks(const std::uint32_t* from, std::uint32_t* to, std::size_t count, std::size_t from_size,
                    std::size_t to_size) {
  queue().submit([&](sycl::handler& handler) {
    sycl::local_accessor<std::uint32_t, 1> near(sycl::range<1>(sort_block), handler);
    handler.parallel_for(sycl::nd_range<1>(count / 2, group_size), [=](sycl::nd_item<1> item) {
      const std::size_t l = item.get_local_id(0), start = item.get_group(0) * sort_block;
      near[l] = from[start + l];
      near[l + group_size] = from[start + l + group_size];
      for (std::size_t size = from_size; size <= to_size; size *= 2) {
        for (std::size_t stride = size < sort_block ? size / 2 : sort_block / 2; stride > 0; stride /= 2) {
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

void histogram(const std::uint8_t* values, std::uint32_t* bins, std::size_t count) {
  const std::size_t groups = (count + group_size * bytes_per_item - 1) / (group_size * bytes_per_item);
  queue().fill(bins, std::uint32_t{0}, bin_count);
  queue().submit([&](sycl::handler& handler) {
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
  });
}

void scan(const std::uint32_t* values, std::uint32_t* sums, std::uint32_t* space, std::size_t count) {
  const std::size_t groups = (count + group_size - 1) / group_size;
  scan_groups(values, sums, space, count);
  if (groups == 1) return;
  scan(space, space, space + groups, groups);
  queue().parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
    if (i >= group_size) sums[i] += space[i / group_size - 1];
  });
}

void bitonic(const std::uint32_t* values, std::uint32_t* sorted, std::size_t count) {
  sort_in_blocks(values, sorted, count, 2, sort_block);
  for (std::size_t size = 2 * sort_block; size <= count; size *= 2) {
    for (std::size_t stride = size / 2; stride >= sort_block; stride /= 2) {
      queue().parallel_for(sycl::range<1>(count / 2), [=](sycl::id<1> pair) {
        const std::size_t i = pair_start(pair[0], stride);
        put_in_order(sorted[i], sorted[i + stride], (i & size) == 0);
      });
    }
    sort_in_blocks(sorted, sorted, count, size, size);
  }
}

void reduce_sum(const float* values, float* sum, std::size_t count) {
  queue().parallel_for(sycl::range<1>(count),
                       sycl::reduction(sum, sycl::plus<float>(), sycl::property::reduction::initialize_to_identity()),
                       [=](sycl::id<1> i, auto& total) { total += values[i]; });
}

void reduce_max(const std::int32_t* values, std::int32_t* most, std::size_t count, std::size_t of_each) {
  const auto largest =
      sycl::reduction(most, sycl::maximum<std::int32_t>(), sycl::property::reduction::initialize_to_identity());
  const sycl::nd_range<1> items(std::max(count / of_each, group_size), group_size);
  if (of_each == 1) {
    queue().parallel_for(items, largest,
                         [=](sycl::nd_item<1> item, auto& total) { total.combine(values[item.get_global_id(0)]); });
    return;
  }
  queue().parallel_for(items, largest, [=](sycl::nd_item<1> item, auto& total) {
    for (std::size_t i = item.get_global_id(0); i < count; i += item.get_global_range(0)) total.combine(values[i]);
  });
}

void group_sums(const float* values, float* sums, std::size_t count) {
  queue().parallel_for(sycl::nd_range<1>(count, group_size), [=](sycl::nd_item<1> item) {
    const float sum = sycl::reduce_over_group(item.get_group(), values[item.get_global_id(0)], sycl::plus<float>());
    if (item.get_local_id(0) == 0) sums[item.get_group(0)] = sum;
  });
}

void group_inclusive_scans(const std::uint32_t* values, std::uint32_t* sums, std::size_t count) {
  queue().parallel_for(sycl::nd_range<1>(count, group_size), [=](sycl::nd_item<1> item) {
    const std::size_t i = item.get_global_id(0);
    sums[i] = sycl::inclusive_scan_over_group(item.get_group(), values[i], sycl::plus<std::uint32_t>());
  });
}

void group_exclusive_scans(const std::uint32_t* values, std::uint32_t* sums, std::size_t count) {
  queue().parallel_for(sycl::nd_range<1>(count, group_size), [=](sycl::nd_item<1> item) {
    const std::size_t i = item.get_global_id(0);
    sums[i] = sycl::exclusive_scan_over_group(item.get_group(), values[i], sycl::plus<std::uint32_t>());
  });
}

void group_sums_in_registers(const std::uint32_t* values, std::uint32_t* results, std::size_t count) {
  queue().parallel_for(sycl::nd_range<1>(count, group_size), [=](sycl::nd_item<1> item) {
    const std::size_t i = item.get_global_id(0);
    std::uint32_t value = values[i];
    for (int round = 0; round < rounds; ++round) {
      value ^= sycl::reduce_over_group(item.get_group(), value, sycl::plus<std::uint32_t>());
    }
    results[i] = value;
  });
}

void group_scans_in_registers(const std::uint32_t* values, std::uint32_t* results, std::size_t count) {
  queue().parallel_for(sycl::nd_range<1>(count, group_size), [=](sycl::nd_item<1> item) {
    const std::size_t i = item.get_global_id(0);
    std::uint32_t value = values[i];
    for (int round = 0; round < rounds; ++round) {
      value = sycl::inclusive_scan_over_group(item.get_group(), value, sycl::plus<std::uint32_t>());
    }
    results[i] = value;
  });
}

}  // namespace side
