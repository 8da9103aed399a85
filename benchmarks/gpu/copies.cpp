/// Memory, copies, and a pipeline that uses only buffers. copies.cu contains the same cases in CUDA C++; its pipeline
/// uses streams.

#include <string>
#include <vector>

#include "launches.hpp"
#include "queue.hpp"

namespace side {

sycl::queue& queue() {
  static sycl::queue queue{sycl::property::queue::in_order{}};
  return queue;
}

const char* open() {
  static const std::string name = queue().get_device().get_info<sycl::info::device::name>();
  release(allocate(1));
  return name.c_str();
}

void wait() { queue().wait_and_throw(); }
void* allocate(std::size_t bytes) { return sycl::malloc_device(bytes, queue()); }
void release(void* memory) { sycl::free(memory, queue()); }
void* allocate_pinned(std::size_t bytes) { return sycl::malloc_host(bytes, queue()); }
void release_pinned(void* memory) { sycl::free(memory, queue()); }
void copy(void* to, const void* from, std::size_t bytes) { queue().memcpy(to, from, bytes); }
void copy_pageable(void* to, const void* from, std::size_t bytes) { queue().memcpy(to, from, bytes); }
void fill(void* memory, unsigned char byte, std::size_t bytes) { queue().memset(memory, byte, bytes); }

void pipeline(float* from, float* to, std::size_t chunk, std::size_t chunks) {
  static sycl::queue any_order;
  std::vector<sycl::buffer<float>> buffers;
  buffers.reserve(2 * chunks);
  for (std::size_t k = 0; k < chunks; ++k) {
    auto& input = buffers.emplace_back(from + k * chunk, sycl::range<1>(chunk));
    auto& output = buffers.emplace_back(to + k * chunk, sycl::range<1>(chunk));
    any_order.submit([&](sycl::handler& handler) {
      sycl::accessor in(input, handler, sycl::read_only);
      sycl::accessor out(output, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(sycl::range<1>(chunk), [=](sycl::id<1> i) {
        float value = in[i];
        for (int round = 0; round < pipeline_rounds; ++round) value = value * 0.999f + 0.25f;
        out[i] = value;
      });
    });
  }
  // Each buffer writes its results back when it is destroyed. A vector destroys the first buffer first; a deque may
  // not.
}

}  // namespace side
