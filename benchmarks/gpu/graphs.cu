// CUDA C++ side of graphs.cpp: nvcc -O3 -std=c++17 -arch=native graphs.cu -o graphs_cuda

#include <cstdio>
#include <vector>

#include "best.hpp"

namespace {

constexpr int nodes = 100, replays = 100;

__global__ void set(int* memory) { *memory = 1; }

void print(const char* what, double value, const char* unit) { std::printf("%-42s %10.3f %s\n", what, value, unit); }

}  // namespace

int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  int* memory;
  cudaMalloc(&memory, 4096);
  int* argument = memory;
  void* arguments[] = {&argument};
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(set);
  parameters.gridDim = parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  const auto add = [&](cudaGraph_t graph, const std::vector<cudaGraphNode_t>& before) {
    cudaGraphNode_t node;
    cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &parameters);
    return node;
  };
  const auto replay = [&](cudaGraphExec_t executable) {
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    return best_of(20, [&] {
      for (int i = 0; i < replays; ++i) cudaGraphLaunch(executable, stream);
      cudaStreamSynchronize(stream);
    }) / replays;
  };
  cudaGraph_t line, diamond;
  cudaGraphCreate(&line, 0);
  cudaGraphCreate(&diamond, 0);
  cudaGraphNode_t node = add(line, {}), first_of_line = node;
  for (int i = 1; i < nodes; ++i) node = add(line, {node});
  const cudaGraphNode_t first = add(diamond, {});
  std::vector<cudaGraphNode_t> between;
  for (int i = 2; i < nodes; ++i) between.push_back(add(diamond, {first}));
  add(diamond, between);
  cudaGraphExec_t line_executable, diamond_executable;
  cudaGraphInstantiate(&line_executable, line, 0);
  cudaGraphInstantiate(&diamond_executable, diamond, 0);
  print("line of 100 kernels", replay(line_executable), "us");
  print("diamond of 100 kernels", replay(diamond_executable), "us");
  print("update of one parameter", best_of(200, [&] {
    for (int i = 0; i < replays; ++i) {
      argument = memory + i % 2;
      cudaGraphExecKernelNodeSetParams(line_executable, first_of_line, &parameters);
    }
  }) / replays, "us");
}
