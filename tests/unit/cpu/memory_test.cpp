#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>

#include "collecting_queue.hpp"

namespace {

// Copies of 1 MiB and more use several threads.
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

namespace {

/// Submits a command that writes `data[0]` when `go` is set.
void write_late(sycl::queue& queue, std::atomic<bool>* go, int* data, bool in_host_task = false) {
  const auto work = [=] {
    test::holds_soon([=] { return go->load(); });
    data[0] = 41;
  };
  if (in_host_task) {
    queue.submit([&](sycl::handler& group) { group.host_task(work); });
  } else {
    queue.single_task(work);
  }
}

}  // namespace

TEST_CASE("memory freed under a command that uses it stays until that command is complete") {
  constexpr std::size_t count = 1000;
  for (const bool in_order : {true, false}) {
    for (const bool in_host_task : {false, true}) {
      sycl::queue queue = in_order ? sycl::queue{sycl::property::queue::in_order()} : sycl::queue();
      int* data = sycl::malloc_shared<int>(count, queue);
      std::atomic<bool> go = false;
      write_late(queue, &go, data, in_host_task);
      // Between the first command and the free, another command is submitted, so that the allocation has several users.
      queue.single_task([=] {});
      sycl::free(data, queue);
      CHECK(sycl::get_pointer_type(data, queue.get_context()) == sycl::usm::alloc::unknown);
      // While commands use the freed memory, no new allocation may get it.
      std::vector<int*> others;
      for (int i = 0; i < 50; ++i) {
        others.push_back(sycl::malloc_shared<int>(count, queue));
        CHECK(others.back() != data);
        std::fill(others.back(), others.back() + count, 7);
      }
      go = true;
      queue.wait();
      for (int* each : others) {
        CHECK(std::count(each, each + count, 7) == count);
        sycl::free(each, queue);
      }
    }
  }
}

TEST_CASE("memory that nobody uses is freed at once, and the other as soon as it can be") {
  // The C library gives each allocation of this size a mapping of its own, and mallinfo2 reports the size of such
  // mappings.
  constexpr std::size_t bytes = std::size_t{64} << 20;
  const auto mapped = [] { return mallinfo2().hblkhd; };
  sycl::queue queue, other{sycl::context(), queue.get_device()};
  std::atomic<bool> go = false, end = false;
  const std::size_t before = mapped();
  // Commands of other contexts can't use the memory, so it is freed at once.
  std::atomic<bool>*gone = &end, *flag = &go;
  other.single_task([=] { test::holds_soon([=] { return gone->load(); }); });
  sycl::free(sycl::malloc_device(bytes, queue), queue);
  CHECK(mapped() <= before);
  queue.single_task([=] { test::holds_soon([=] { return flag->load(); }); });
  for (int i = 0; i < 3; ++i) sycl::free(sycl::malloc_device(bytes, queue), queue);
  CHECK((mapped() == 0 || mapped() >= before + 3 * bytes));
  go = true;
  queue.wait();
  CHECK(test::holds_soon([&] { return mapped() <= before; }));
  end = true;
  other.wait();
}

TEST_CASE("a host task frees memory of its queue, and its queue may be gone") {
  for (const bool in_order : {true, false}) {
    std::atomic<int> freed = 0;
    std::atomic<int>* out = &freed;
    sycl::event last;
    {
      sycl::queue queue = in_order ? sycl::queue{sycl::property::queue::in_order()} : sycl::queue();
      int* data = sycl::malloc_shared<int>(100, queue);
      const sycl::context home = queue.get_context();
      const sycl::event before = queue.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { data[i] = 1; });
      last = queue.submit([&](sycl::handler& group) {
        group.depends_on(before);
        group.host_task([=] {
          *out += data[99];
          sycl::free(data, home);
        });
      });
    }
    last.wait();
    CHECK(freed.load() == 1);
  }
}
