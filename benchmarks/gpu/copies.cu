// The copies of copies.cpp in CUDA C++. The pipeline uses streams and events.

#include "launches.hpp"
#include "stream.cuh"

namespace side {
namespace {

__global__ void pipeline_kernel(const float* in, float* out, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i >= count) return;
  float value = in[i];
  for (int round = 0; round < pipeline_rounds; ++round) value = value * 0.999f + 0.25f;
  out[i] = value;
}

}  // namespace

cudaStream_t stream() {
  static const cudaStream_t made = [] {
    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return stream;
  }();
  return made;
}

const char* open() {
  static cudaDeviceProp properties;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return nullptr;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  check(cudaStreamSynchronize(stream()), "opening the device");
  return properties.name;
}

void wait() {
  check(cudaGetLastError(), "launching");
  check(cudaStreamSynchronize(stream()), "waiting");
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return memory;
}

void release(void* memory) { check(cudaFree(memory), "cudaFree"); }

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  return memory;
}

void release_pinned(void* memory) { check(cudaFreeHost(memory), "cudaFreeHost"); }

void copy(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream()), "cudaMemcpyAsync");
}

void copy_pageable(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
}

void fill(void* memory, unsigned char byte, std::size_t bytes) {
  check(cudaMemsetAsync(memory, byte, bytes, stream()), "cudaMemsetAsync");
}

void pipeline(float* from, float* to, std::size_t chunk, std::size_t chunks) {
  constexpr std::size_t stages = 4;
  static cudaStream_t streams[stages];
  static float *in[stages], *out[stages];
  static std::size_t room = 0;
  if (room < chunk) {
    for (std::size_t k = 0; k < stages; ++k) {
      if (room == 0) {
        check(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
      } else {
        release(in[k]);
        release(out[k]);
      }
      in[k] = static_cast<float*>(allocate(chunk * sizeof(float)));
      out[k] = static_cast<float*>(allocate(chunk * sizeof(float)));
    }
    room = chunk;
  }
  const std::size_t bytes = chunk * sizeof(float);
  for (std::size_t k = 0; k < chunks; ++k) {
    const std::size_t s = k % stages;
    check(cudaMemcpyAsync(in[s], from + k * chunk, bytes, cudaMemcpyDefault, streams[s]), "cudaMemcpyAsync");
    pipeline_kernel<<<static_cast<unsigned>((chunk + 255) / 256), 256, 0, streams[s]>>>(in[s], out[s], chunk);
    check(cudaMemcpyAsync(to + k * chunk, out[s], bytes, cudaMemcpyDefault, streams[s]), "cudaMemcpyAsync");
  }
  for (cudaStream_t each : streams) check(cudaStreamSynchronize(each), "cudaStreamSynchronize");
}

}  // namespace side
