// CUDA C++ side of overheads.cpp: nvcc -O3 -std=c++17 -arch=native overheads.cu -o overheads_cuda

#include <cstdio>
#include <vector>

#include "best.hpp"

namespace {

constexpr int launches = 500;
constexpr std::size_t numbers = std::size_t{1} << 28;

__global__ void set(int* memory) { *memory = 1; }
__global__ void add_one(int* data) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < 1024) data[k] += 1;
}
__global__ void triad(double* a, const double* b, const double* c) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < numbers) a[i] = b[i] + 3 * c[i];
}

void print(const char* what, double value, const char* unit) { std::printf("%-42s %10.2f %s\n", what, value, unit); }

}  // namespace

int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  int* memory;
  cudaMalloc(&memory, 4096);
  const auto many = [&](auto launch) {
    launch();
    cudaStreamSynchronize(stream);
    return best_of(20, [&] {
      for (int i = 0; i < launches; ++i) launch();
      cudaStreamSynchronize(stream);
    }) / launches;
  };
  print("launch, in order", many([&] { set<<<1, 1, 0, stream>>>(memory); }), "us");
  print("submit and wait", best_of(200, [&] {
    set<<<1, 1, 0, stream>>>(memory);
    cudaStreamSynchronize(stream);
  }), "us");
  print("chain through accessors, in order", many([&] { add_one<<<4, 256, 0, stream>>>(memory); }), "us");
  double *a, *b, *c;
  for (double** each : {&a, &b, &c}) {
    cudaMalloc(each, sizeof(double) * numbers);
    cudaMemset(*each, 0, sizeof(double) * numbers);
  }
  const double time = best_of(10, [&] {
    triad<<<numbers / 256, 256, 0, stream>>>(a, b, c);
    cudaStreamSynchronize(stream);
  });
  print("triad", 3 * sizeof(double) * numbers / time / 1e6, "TB/s");
  void* pinned;
  cudaMallocHost(&pinned, numbers);
  std::vector<char> pageable(numbers);
  const auto copy = [&](void* to, const void* from) {
    return numbers / 1e3 / best_of(5, [&] {
      cudaMemcpyAsync(to, from, numbers, cudaMemcpyDefault, stream);
      cudaStreamSynchronize(stream);
    });
  };
  print("copy up, page-locked", copy(a, pinned), "GB/s");
  print("copy down, page-locked", copy(pinned, a), "GB/s");
  print("copy up, pageable", copy(a, pageable.data()), "GB/s");
  print("copy down, pageable", copy(pageable.data(), a), "GB/s");
}
