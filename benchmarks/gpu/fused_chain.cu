// CUDA C++ side of fused_chain.cpp: nvcc -O3 -std=c++17 -arch=native fused_chain.cu -o fused_chain_cuda

#include <cstdio>

#include "best.hpp"

namespace {

constexpr std::size_t numbers = std::size_t{1} << 27;
constexpr int rounds = 20;

template <int Step>
__device__ float value_of(float x) {
  return x * (0.5f + 0.1f * Step) + Step;
}

template <int Step>
__global__ void step(const float* in, float* out) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < numbers) out[i] = value_of<Step>(in[i]);
}

__global__ void all_steps(const float* in, float* out) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < numbers) out[i] = value_of<5>(value_of<4>(value_of<3>(value_of<2>(value_of<1>(in[i])))));
}

template <class Run>
double per_round(cudaStream_t stream, const Run& run) {
  const auto all = [&] {
    for (int i = 0; i < rounds; ++i) run();
    cudaStreamSynchronize(stream);
  };
  for (int i = 0; i < 3; ++i) all();
  return best_of(10, all) / rounds;
}

}  // namespace

int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  float* data[6];
  for (float*& each : data) {
    cudaMalloc(&each, sizeof(float) * numbers);
    cudaMemset(each, 0, sizeof(float) * numbers);
  }
  constexpr unsigned blocks = numbers / 256;
  const double alone = per_round(stream, [&] {
    step<1><<<blocks, 256, 0, stream>>>(data[0], data[1]);
    step<2><<<blocks, 256, 0, stream>>>(data[1], data[2]);
    step<3><<<blocks, 256, 0, stream>>>(data[2], data[3]);
    step<4><<<blocks, 256, 0, stream>>>(data[3], data[4]);
    step<5><<<blocks, 256, 0, stream>>>(data[4], data[5]);
  });
  const double fused = per_round(stream, [&] { all_steps<<<blocks, 256, 0, stream>>>(data[0], data[5]); });
  std::printf("%-42s %10.1f us\n%-42s %10.1f us  %5.2f times\n", "one by one", alone, "one kernel", fused,
              alone / fused);
}
