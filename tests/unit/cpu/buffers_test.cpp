#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <list>
#include <memory>
#include <numeric>
#include <thread>

#include "collecting_queue.hpp"

namespace {

/// Submits a kernel that adds a number to each element of a buffer.
template <class Buffer>
sycl::event add(sycl::queue& queue, Buffer& buffer, int amount) {
  return queue.submit([&](sycl::handler& group) {
    sycl::accessor memory(buffer, group, sycl::read_write);
    group.parallel_for(buffer.get_range(), [=](auto i) { memory[i] += amount; });
  });
}

} // namespace

TEST_CASE("a buffer over host memory has written back when it is destroyed") {
  sycl::queue queue;
  std::vector<int> values(1000, 1);
  {
    sycl::buffer buffer(values);
    for (int i = 0; i < 5; ++i) add(queue, buffer, 1);
  }
  CHECK(std::count(values.begin(), values.end(), 6) == 1000);
}

TEST_CASE("a buffer over const data never writes to it") {
  sycl::queue queue;
  const std::vector<int> values(100, 1);
  {
    sycl::buffer<int> buffer(values.data(), sycl::range<1>(100));
    add(queue, buffer, 1);
    sycl::host_accessor result(buffer, sycl::read_only);
    CHECK(result[99] == 2);
  }
  CHECK(std::count(values.begin(), values.end(), 1) == 100);
}

TEST_CASE("a buffer over an iterator pair starts with the elements and leaves them") {
  sycl::queue queue;
  std::list<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  {
    sycl::buffer<int> buffer(values.begin(), values.end());
    CHECK(buffer.size() == 100);
    add(queue, buffer, 5);
    sycl::host_accessor result(buffer, sycl::read_only);
    CHECK(result[42] == 47);
  }
  CHECK(values.front() == 0);
  CHECK(values.back() == 99);
}

TEST_CASE("a buffer over a shared_ptr keeps the memory and writes to it") {
  sycl::queue queue;
  std::shared_ptr<int[]> memory(new int[64]());
  const std::weak_ptr<int[]> watch = memory;
  {
    sycl::buffer<int> buffer(memory, sycl::range<1>(64));
    add(queue, buffer, 3);
  }
  CHECK(memory[0] == 3);
  CHECK(memory[63] == 3);
  auto buffer = std::make_unique<sycl::buffer<int>>(memory, sycl::range<1>(64));
  memory.reset();
  CHECK_FALSE(watch.expired());
  add(queue, *buffer, 3).wait();
  CHECK(sycl::host_accessor(*buffer, sycl::read_only)[5] == 6);
}

TEST_CASE("set_final_data sends the contents to a pointer, an iterator, a weak_ptr or nowhere") {
  sycl::queue queue;
  std::vector<int> pointer(10), iterator;
  auto shared = std::make_shared<std::array<int, 10>>();
  std::shared_ptr<int> first(shared, shared->data());
  std::shared_ptr<int> dead(new int(1));
  {
    sycl::buffer<int> a(sycl::range<1>(10)), b(sycl::range<1>(10)), c(sycl::range<1>(10)), d(sycl::range<1>(1));
    a.set_final_data(pointer.data());
    b.set_final_data(std::back_inserter(iterator));
    c.set_final_data(std::weak_ptr<int>(first));
    d.set_final_data(std::weak_ptr<int>(dead));
    for (auto* each : {&a, &b, &c, &d}) {
      queue.submit([&](sycl::handler& group) {
        sycl::accessor memory(*each, group, sycl::write_only, sycl::no_init);
        group.parallel_for(each->get_range(), [=](sycl::id<1> i) { memory[i] = 4; });
      });
    }
    queue.wait();
    dead.reset();
  }
  CHECK(pointer == std::vector<int>(10, 4));
  CHECK(iterator == std::vector<int>(10, 4));
}

TEST_CASE("set_write_back(false) keeps the final data where it was") {
  sycl::queue queue;
  std::vector<int> target(10, 1);
  {
    sycl::buffer<int> buffer(sycl::range<1>(10));
    buffer.set_final_data(target.data());
    buffer.set_write_back(false);
    queue.submit([&](sycl::handler& group) {
      sycl::accessor memory(buffer, group, sycl::write_only, sycl::no_init);
      group.fill(memory, 9);
    });
  }
  CHECK(target == std::vector<int>(10, 1));
}

TEST_CASE("copies of a buffer share its memory, and the last one writes back") {
  sycl::queue queue;
  std::vector<int> values(10, 1);
  auto first = std::make_unique<sycl::buffer<int>>(values);
  auto second = std::make_unique<sycl::buffer<int>>(*first);
  CHECK(*first == *second);
  first.reset();
  add(queue, *second, 1);
  second.reset();
  CHECK(values == std::vector<int>(10, 2));
}

TEST_CASE("a sub-buffer is part of its buffer and orders with it") {
  sycl::queue queue;
  std::vector<int> values(100, 0);
  {
    sycl::buffer<int> whole(values);
    sycl::buffer<int> part(whole, sycl::id<1>(20), sycl::range<1>(30));
    CHECK(part.is_sub_buffer());
    CHECK(part.size() == 30);
    for (int i = 0; i < 50; ++i) {
      add(queue, whole, 1);
      add(queue, part, 10);
    }
  }
  for (std::size_t i = 0; i < 100; ++i) CHECK(values[i] == (i >= 20 && i < 50 ? 550 : 50));
}

TEST_CASE("reinterpret shows the same memory with another type or shape") {
  sycl::queue queue;
  std::vector<std::uint32_t> values(24);
  std::iota(values.begin(), values.end(), 0u);
  {
    sycl::buffer<std::uint32_t> buffer(values);
    auto table = buffer.reinterpret<std::uint32_t, 2>(sycl::range<2>(4, 6));
    auto bytes = buffer.reinterpret<unsigned char>();
    CHECK(bytes.size() == 96);
    add(queue, table, 1000);
    sycl::host_accessor seen(table, sycl::read_only);
    CHECK(seen[2][3] == 1015);
    CHECK(seen[sycl::id<2>(3, 5)] == 1023);
  }
  CHECK(values[23] == 1023);
}

TEST_CASE("a multi-dimensional ranged accessor indexes from its offset") {
  sycl::queue queue;
  std::vector<int> values(6 * 8, 0);
  {
    sycl::buffer<int, 2> buffer(values.data(), sycl::range<2>(6, 8));
    queue.submit([&](sycl::handler& group) {
      sycl::accessor part(buffer, group, sycl::range<2>(2, 3), sycl::id<2>(1, 4));
      CHECK(part.get_range() == sycl::range<2>(2, 3));
      group.parallel_for(part.get_range(), [=](sycl::id<2> i) { part[i] = static_cast<int>(i[0] * 10 + i[1] + 1); });
    });
  }
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t column = 0; column < 8; ++column) {
      const bool inside = row >= 1 && row < 3 && column >= 4 && column < 7;
      CHECK(values[row * 8 + column] == (inside ? static_cast<int>((row - 1) * 10 + column - 4 + 1) : 0));
    }
  }
}

TEST_CASE("a host accessor waits for the commands before it, and those after it wait for its end") {
  sycl::queue queue;
  sycl::buffer<int> buffer(sycl::range<1>(1));
  std::atomic<bool> ran = false;
  sycl::event after;
  {
    sycl::host_accessor start(buffer, sycl::write_only);
    start[0] = 1;
    after = queue.submit([&](sycl::handler& group) {
      sycl::accessor memory(buffer, group);
      std::atomic<bool>* flag = &ran;
      group.single_task([=] {
        memory[0] *= 10;
        *flag = true;
      });
    });
    CHECK(after.get_wait_list().size() == 1);
    CHECK(after.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::submitted);
    CHECK_FALSE(ran.load());
    start[0] = 2;
  }
  sycl::host_accessor end(buffer, sycl::read_only);
  CHECK(end[0] == 20);
  CHECK(ran.load());
}

TEST_CASE("host accessors that only read don't exclude commands that only read") {
  sycl::queue queue;
  std::vector<int> values(10, 3);
  sycl::buffer<int> buffer(values);
  sycl::host_accessor first(buffer, sycl::read_only);
  sycl::host_accessor second(buffer, sycl::read_only);
  int seen = 0;
  int* out = &seen;
  queue.submit([&](sycl::handler& group) {
    sycl::accessor memory(buffer, group, sycl::read_only);
    group.single_task([=] { *out = memory[9]; });
  }).wait();
  CHECK(seen + first[0] + second[1] == 9);
}

TEST_CASE("commands of two queues that write one buffer run in the order of their submission") {
  sycl::queue first, second;
  std::vector<int> values(100, 0);
  {
    sycl::buffer<int> buffer(values);
    for (int i = 0; i < 100; ++i) {
      (i % 2 ? first : second).submit([&](sycl::handler& group) {
        sycl::accessor memory(buffer, group);
        group.parallel_for(sycl::range<1>(100), [=](sycl::id<1> at) { memory[at] = memory[at] * 3 % 1000003 + i; });
      });
    }
  }
  int expected = 0;
  for (int i = 0; i < 100; ++i) expected = static_cast<int>(std::int64_t{expected} * 3 % 1000003) + i;
  CHECK(std::count(values.begin(), values.end(), expected) == 100);
}

TEST_CASE("a placeholder accessor is bound by require, also in several groups") {
  sycl::queue queue;
  std::vector<int> values(50, 1);
  {
    sycl::buffer<int> buffer(values);
    sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::device, sycl::access::placeholder::true_t>
        memory(buffer);
    CHECK(memory.is_placeholder());
    for (int round = 0; round < 20; ++round) {
      queue.submit([&](sycl::handler& group) {
        group.require(memory);
        group.parallel_for(sycl::range<1>(50), [=](sycl::id<1> i) { memory[i] += 1; });
      });
    }
  }
  CHECK(std::count(values.begin(), values.end(), 21) == 50);
}

TEST_CASE("accessor copies move data between accessors and host memory, with their ranges") {
  sycl::queue queue;
  std::vector<int> values(24), packed(6, -1);
  std::iota(values.begin(), values.end(), 0);
  sycl::buffer<int, 2> source(values.data(), sycl::range<2>(4, 6)), target(sycl::range<2>(4, 6));
  queue.submit([&](sycl::handler& group) {
    group.copy(sycl::accessor(source, group, sycl::range<2>(2, 3), sycl::id<2>(1, 2), sycl::read_only), packed.data());
  });
  queue.submit([&](sycl::handler& group) {
    group.copy(sycl::accessor(source, group, sycl::read_only), sycl::accessor(target, group, sycl::write_only));
  });
  queue.wait();
  CHECK(packed == std::vector<int>{8, 9, 10, 14, 15, 16});
  sycl::host_accessor seen(target, sycl::read_only);
  CHECK(std::equal(seen.begin(), seen.end(), values.begin()));
}

TEST_CASE("buffers without elements work") {
  sycl::queue queue;
  std::vector<int> none;
  {
    sycl::buffer<int> buffer(none.data(), sycl::range<1>(0));
    add(queue, buffer, 1);
    sycl::host_accessor seen(buffer);
    CHECK(seen.empty());
  }
  queue.wait();
}

TEST_CASE("a buffer that was only read is not written back") {
  sycl::queue queue;
  std::vector<int> target(4, 7);
  {
    const std::vector<int> values(4, 1);
    sycl::buffer<int> buffer(values.data(), sycl::range<1>(4));
    buffer.set_final_data(target.data());
    sycl::host_accessor seen(buffer, sycl::read_only);
    CHECK(seen[0] == 1);
  }
  CHECK(target == std::vector<int>(4, 7));
}
