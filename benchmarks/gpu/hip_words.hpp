#pragma once
// Defines the names of CUDA C++ that the .cu files use, so that hot_loops.py can compile the device code of these files
// with clang's HIP, without AMD's headers. Math functions are clang's builtins, as in AMD's headers.

#include <cstddef>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct alignas(16) float4 {
  float x, y, z, w;
};
__host__ __device__ inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

#define SIDE_PLACE(name, function)                                           \
  struct name##_words {                                                      \
    struct word_x { __device__ operator unsigned() const { return function(x); } } x; \
    struct word_y { __device__ operator unsigned() const { return function(y); } } y; \
  };                                                                         \
  __device__ const name##_words name;
#define SIDE_THREAD(dimension) __builtin_amdgcn_workitem_id_##dimension()
#define SIDE_BLOCK(dimension) __builtin_amdgcn_workgroup_id_##dimension()
#define SIDE_BLOCK_SIZE(dimension) __builtin_amdgcn_workgroup_size_##dimension()
#define SIDE_GRID(dimension) (__builtin_amdgcn_grid_size_##dimension() / __builtin_amdgcn_workgroup_size_##dimension())
SIDE_PLACE(threadIdx, SIDE_THREAD)
SIDE_PLACE(blockIdx, SIDE_BLOCK)
SIDE_PLACE(blockDim, SIDE_BLOCK_SIZE)
SIDE_PLACE(gridDim, SIDE_GRID)

__device__ inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__device__ inline float rsqrtf(float x) { return __builtin_amdgcn_rsqf(x); }
__device__ inline float sqrtf(float x) { return __builtin_sqrtf(x); }
__device__ inline float fabsf(float x) { return __builtin_fabsf(x); }
__device__ inline float expf(float x) { return __builtin_expf(x); }
__device__ inline float logf(float x) { return __builtin_logf(x); }

// clang parses the host's code, but does not compile it.
using cudaStream_t = void*;
using cudaError_t = int;
enum { cudaSuccess };
extern "C" unsigned __hipPushCallConfiguration(dim3 blocks, dim3 threads, std::size_t shared = 0,
                                               void* stream = nullptr);
extern "C" int hipLaunchKernel(const void* function, dim3 blocks, dim3 threads, void** arguments, std::size_t shared,
                               void* stream);
const char* cudaGetErrorString(int);
