#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "collecting_queue.hpp"

namespace {

// Copies from 1 MiB on use several threads.
constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t sizes[] = {0, 1, 63, 4097, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte + 7};

std::vector<unsigned char> pattern(std::size_t size) {
  std::vector<unsigned char> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 31 + (i >> 8) + 1);
  return bytes;
}

} // namespace

TEST_CASE("memcpy copies all bytes and none more, around the size where threads share it") {
  sycl::queue queue;
  for (std::size_t size : sizes) {
    const auto source = pattern(size);
    std::vector<unsigned char> target(size + 2, 0xee);
    queue.memcpy(target.data() + 1, source.data(), size).wait();
    CAPTURE(size);
    CHECK(std::equal(source.begin(), source.end(), target.begin() + 1));
    CHECK(target.front() == 0xee);
    CHECK(target.back() == 0xee);
  }
}

TEST_CASE("memcpy within one allocation moves overlapping bytes rightly") {
  sycl::queue queue;
  for (std::size_t size : {std::size_t{1000}, 2 * mebibyte}) {
    for (const auto& [from, to] : {std::pair{0, 10}, std::pair{10, 0}}) {
      auto memory = pattern(size + 10);
      auto expected = memory;
      std::memmove(expected.data() + to, expected.data() + from, size);
      queue.memcpy(memory.data() + to, memory.data() + from, size).wait();
      CHECK(memory == expected);
    }
  }
}

TEST_CASE("memset and fill write all bytes and none more") {
  sycl::queue queue;
  for (std::size_t size : sizes) {
    CAPTURE(size);
    std::vector<unsigned char> bytes(size + 2, 0xee);
    queue.memset(bytes.data() + 1, 0x1a5, size).wait();
    CHECK(std::count(bytes.begin() + 1, bytes.end() - 1, 0xa5) == static_cast<std::ptrdiff_t>(size));
    CHECK(bytes.front() == 0xee);
    CHECK(bytes.back() == 0xee);

    using three = std::array<std::uint16_t, 3>;
    const std::size_t count = size / sizeof(three);
    std::vector<three> elements(count + 1, three{1, 1, 1});
    queue.fill(elements.data(), three{7, 8, 9}, count).wait();
    CHECK(std::count(elements.begin(), elements.end() - 1, three{7, 8, 9}) == static_cast<std::ptrdiff_t>(count));
    CHECK(elements.back() == three{1, 1, 1});
  }
}

TEST_CASE("copy counts elements and prefetch and mem_advise leave the data alone") {
  sycl::queue queue;
  std::vector<double> source(1000), target(1000);
  std::iota(source.begin(), source.end(), 0.5);
  const sycl::event copied = queue.copy(source.data(), target.data(), source.size());
  const sycl::event fetched = queue.prefetch(target.data(), 8000, copied);
  queue.mem_advise(target.data(), 8000, 0, fetched).wait();
  CHECK(source == target);
}

TEST_CASE("USM pointers know their kind and device, also in their middle; other pointers are unknown") {
  sycl::queue queue;
  const sycl::context context = queue.get_context();
  const struct {
    sycl::usm::alloc kind;
    char* memory;
  } allocations[] = {{sycl::usm::alloc::device, sycl::malloc_device<char>(100, queue)},
                     {sycl::usm::alloc::shared, sycl::malloc_shared<char>(100, queue)},
                     {sycl::usm::alloc::host, sycl::malloc_host<char>(100, queue)}};
  for (const auto& [kind, memory] : allocations) {
    REQUIRE(memory != nullptr);
    CHECK(sycl::get_pointer_type(memory, context) == kind);
    CHECK(sycl::get_pointer_type(memory + 99, context) == kind);
    CHECK(sycl::get_pointer_device(memory, context) == queue.get_device());
    sycl::free(memory, queue);
    CHECK(sycl::get_pointer_type(memory, context) == sycl::usm::alloc::unknown);
  }
  int local = 0;
  CHECK(sycl::get_pointer_type(&local, context) == sycl::usm::alloc::unknown);
  CHECK(sycl::get_pointer_type(nullptr, context) == sycl::usm::alloc::unknown);
}

TEST_CASE("aligned allocations are aligned") {
  sycl::queue queue;
  for (std::size_t alignment : {1u, 64u, 256u, 4096u}) {
    void* memory = sycl::aligned_alloc_shared(alignment, 10, queue);
    CHECK(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0);
    sycl::free(memory, queue);
  }
}

TEST_CASE("usm_allocator serves a vector that kernels use") {
  sycl::queue queue;
  sycl::usm_allocator<int, sycl::usm::alloc::shared> allocator(queue);
  std::vector<int, decltype(allocator)> values(1000, 1, allocator);
  int* data = values.data();
  queue.parallel_for(sycl::range<1>(1000), [=](sycl::id<1> i) { data[i[0]] += static_cast<int>(i[0]); }).wait();
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == static_cast<int>(i) + 1);
}
