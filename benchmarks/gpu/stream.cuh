#pragma once
// The stream of the CUDA side.

#include <cstdio>
#include <cstdlib>

namespace side {

cudaStream_t stream();

inline void check(cudaError_t result, const char* doing) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s failed: %s\n", doing, cudaGetErrorString(result));
  std::exit(1);
}

}  // namespace side
