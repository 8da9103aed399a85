// The kernels of groups.cpp in CUDA C++. The library cub does reductions and group algorithms.

#include <cub/cub.cuh>

#include "launches.hpp"
#include "stream.cuh"

namespace side {
namespace {

unsigned blocks_of(std::size_t count) { return static_cast<unsigned>((count + group_size - 1) / group_size); }
__device__ std::size_t global_id() { return blockIdx.x * group_size + threadIdx.x; }

__global__ void histogram_kernel(const std::uint8_t* values, std::uint32_t* bins, std::size_t count) {
  __shared__ std::uint32_t local[bin_count];
  const unsigned l = threadIdx.x;
  local[l] = 0;
  __syncthreads();
  for (std::size_t i = global_id(); i < count; i += gridDim.x * group_size) atomicAdd(&local[values[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[l], local[l]);
}

__global__ void scan_groups(const std::uint32_t* values, std::uint32_t* sums, std::uint32_t* totals,
                            std::size_t count) {
  __shared__ std::uint32_t near[2][group_size];
  const std::size_t i = global_id();
  const unsigned l = threadIdx.x;
  unsigned now = 0;
  near[0][l] = i < count ? values[i] : 0;
  for (unsigned distance = 1; distance < group_size; distance *= 2) {
    __syncthreads();
    near[1 - now][l] = near[now][l] + (l >= distance ? near[now][l - distance] : 0);
    now = 1 - now;
  }
  if (i < count) sums[i] = near[now][l];
  if (l == group_size - 1) totals[blockIdx.x] = near[now][l];
}

__global__ void add_totals(std::uint32_t* sums, const std::uint32_t* totals, std::size_t count) {
  const std::size_t i = global_id();
  if (i < count && i >= group_size) sums[i] += totals[i / group_size - 1];
}

__device__ std::size_t pair_start(std::size_t i, std::size_t stride) { return 2 * i - (i & (stride - 1)); }

__device__ void put_in_order(std::uint32_t& first, std::uint32_t& second, bool ascending) {
  if ((first > second) == ascending) {
    const std::uint32_t kept = first;
    first = second;
    second = kept;
  }
}

__global__ void sort_in_blocks(const std::uint32_t* from, std::uint32_t* to, std::size_t from_size,
                               std::size_t to_size) {
  __shared__ std::uint32_t near[sort_block];
  const std::size_t l = threadIdx.x, start = blockIdx.x * sort_block;
  near[l] = from[start + l];
  near[l + group_size] = from[start + l + group_size];
  for (std::size_t size = from_size; size <= to_size; size *= 2) {
    for (std::size_t stride = size < sort_block ? size / 2 : sort_block / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const std::size_t i = pair_start(l, stride);
      put_in_order(near[i], near[i + stride], ((start + i) & size) == 0);
    }
  }
  __syncthreads();
  to[start + l] = near[l];
  to[start + l + group_size] = near[l + group_size];
}

__global__ void sort_stride(std::uint32_t* sorted, std::size_t pairs, std::size_t size, std::size_t stride) {
  const std::size_t pair = global_id();
  if (pair >= pairs) return;
  const std::size_t i = pair_start(pair, stride);
  put_in_order(sorted[i], sorted[i + stride], (i & size) == 0);
}

__global__ void sums_kernel(const float* values, float* sums) {
  using algorithm = cub::BlockReduce<float, group_size>;
  __shared__ typename algorithm::TempStorage space;
  const float sum = algorithm(space).Sum(values[global_id()]);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <bool Inclusive>
__global__ void scans_kernel(const std::uint32_t* values, std::uint32_t* sums) {
  using algorithm = cub::BlockScan<std::uint32_t, group_size>;
  __shared__ typename algorithm::TempStorage space;
  const std::size_t i = global_id();
  std::uint32_t sum;
  if constexpr (Inclusive) {
    algorithm(space).InclusiveSum(values[i], sum);
  } else {
    algorithm(space).ExclusiveSum(values[i], sum);
  }
  sums[i] = sum;
}

// cub returns the sum to one thread only. This kernel passes the sum to all threads, as reduce_over_group does.
__global__ void sums_in_registers_kernel(const std::uint32_t* values, std::uint32_t* results) {
  using algorithm = cub::BlockReduce<std::uint32_t, group_size>;
  __shared__ typename algorithm::TempStorage space;
  __shared__ std::uint32_t all;
  const std::size_t i = global_id();
  std::uint32_t value = values[i];
  for (int round = 0; round < rounds; ++round) {
    const std::uint32_t sum = algorithm(space).Sum(value);
    if (threadIdx.x == 0) all = sum;
    __syncthreads();
    value ^= all;
  }
  results[i] = value;
}

__global__ void scans_in_registers_kernel(const std::uint32_t* values, std::uint32_t* results) {
  using algorithm = cub::BlockScan<std::uint32_t, group_size>;
  __shared__ typename algorithm::TempStorage space;
  const std::size_t i = global_id();
  std::uint32_t value = values[i];
  for (int round = 0; round < rounds; ++round) {
    algorithm(space).InclusiveSum(value, value);
    __syncthreads();
  }
  results[i] = value;
}

// Temporary memory for cub, which is kept from the first call on.
struct temporary {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

template <class Call>
void with_temporary(temporary& kept, const Call& call) {
  if (!kept.memory) {
    check(call(nullptr, kept.bytes), "asking cub");
    kept.memory = allocate(kept.bytes);
  }
  check(call(kept.memory, kept.bytes), "cub");
}

}  // namespace

void histogram(const std::uint8_t* values, std::uint32_t* bins, std::size_t count) {
  check(cudaMemsetAsync(bins, 0, bin_count * sizeof(std::uint32_t), stream()), "cudaMemsetAsync");
  const std::size_t groups = (count + group_size * bytes_per_item - 1) / (group_size * bytes_per_item);
  histogram_kernel<<<static_cast<unsigned>(groups), group_size, 0, stream()>>>(values, bins, count);
}

void scan(const std::uint32_t* values, std::uint32_t* sums, std::uint32_t* space, std::size_t count) {
  const unsigned groups = blocks_of(count);
  scan_groups<<<groups, group_size, 0, stream()>>>(values, sums, space, count);
  if (groups == 1) return;
  scan(space, space, space + groups, groups);
  add_totals<<<groups, group_size, 0, stream()>>>(sums, space, count);
}

void bitonic(const std::uint32_t* values, std::uint32_t* sorted, std::size_t count) {
  const unsigned groups = blocks_of(count / 2);
  sort_in_blocks<<<groups, group_size, 0, stream()>>>(values, sorted, 2, sort_block);
  for (std::size_t size = 2 * sort_block; size <= count; size *= 2) {
    for (std::size_t stride = size / 2; stride >= sort_block; stride /= 2) {
      sort_stride<<<groups, group_size, 0, stream()>>>(sorted, count / 2, size, stride);
    }
    sort_in_blocks<<<groups, group_size, 0, stream()>>>(sorted, sorted, size, size);
  }
}

void reduce_sum(const float* values, float* sum, std::size_t count) {
  static temporary kept;
  with_temporary(kept, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(memory, bytes, values, sum, count, stream());
  });
}

void reduce_max(const std::int32_t* values, std::int32_t* most, std::size_t count, std::size_t) {
  static temporary kept;
  with_temporary(kept, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Max(memory, bytes, values, most, count, stream());
  });
}

void group_sums(const float* values, float* sums, std::size_t count) {
  sums_kernel<<<blocks_of(count), group_size, 0, stream()>>>(values, sums);
}

void group_inclusive_scans(const std::uint32_t* values, std::uint32_t* sums, std::size_t count) {
  scans_kernel<true><<<blocks_of(count), group_size, 0, stream()>>>(values, sums);
}

void group_exclusive_scans(const std::uint32_t* values, std::uint32_t* sums, std::size_t count) {
  scans_kernel<false><<<blocks_of(count), group_size, 0, stream()>>>(values, sums);
}

void group_sums_in_registers(const std::uint32_t* values, std::uint32_t* results, std::size_t count) {
  sums_in_registers_kernel<<<blocks_of(count), group_size, 0, stream()>>>(values, results);
}

void group_scans_in_registers(const std::uint32_t* values, std::uint32_t* results, std::size_t count) {
  scans_in_registers_kernel<<<blocks_of(count), group_size, 0, stream()>>>(values, results);
}

}  // namespace side
