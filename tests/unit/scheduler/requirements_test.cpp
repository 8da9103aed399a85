/// Tests which commands are ordered by their accessors, and which commands are not.
#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "../cpu/collecting_queue.hpp"

using test::holds_soon;

namespace {

/// Submits two commands. The first one ends when the second one has begun. Each command gets its accessor by
/// calling a function with the handler.
template <class First, class Second>
bool overlap(const First& first, const Second& second) {
  sycl::queue queue;
  std::atomic<bool> begun = false, met = false;
  std::atomic<bool>*flag = &begun, *out = &met;
  queue.submit([&](sycl::handler& group) {
    auto memory = first(group);
    group.host_task([=] {
      (void)memory;
      *out = holds_soon([=] { return flag->load(); });
    });
  });
  queue.submit([&](sycl::handler& group) {
    auto memory = second(group);
    group.single_task([=] {
      (void)memory;
      *flag = true;
    });
  });
  queue.wait();
  return met.load();
}

/// Returns whether the second command began only after the first one had ended.
template <class First, class Second>
bool ordered(const First& first, const Second& second) {
  sycl::queue queue;
  std::atomic<bool> go = false, behind = false;
  std::atomic<bool>*flag = &go, *out = &behind;
  const sycl::event before = queue.submit([&](sycl::handler& group) {
    auto memory = first(group);
    group.host_task([=] {
      (void)memory;
      holds_soon([=] { return flag->load(); });
    });
  });
  sycl::event after = queue.submit([&](sycl::handler& group) {
    auto memory = second(group);
    group.single_task([=] {
      (void)memory;
      *out = flag->load();
    });
  });
  const std::vector<sycl::event> list = after.get_wait_list();
  go = true;
  queue.wait();
  return list.size() == 1 && list[0] == before && behind.load();
}

}  // namespace

TEST_CASE("parts of a buffer that don't meet are used at the same time") {
  sycl::buffer<int> line{sycl::range<1>(100)};
  auto from = [&](std::size_t offset, std::size_t count) {
    return [&line, offset, count](sycl::handler& group) {
      return sycl::accessor(line, group, sycl::range<1>(count), sycl::id<1>(offset), sycl::read_write);
    };
  };
  CHECK(overlap(from(0, 50), from(50, 50)));
  CHECK(overlap(from(99, 1), from(0, 99)));
  CHECK(overlap(from(10, 0), from(0, 100)));
  CHECK(ordered(from(0, 51), from(50, 50)));
  CHECK(ordered(from(20, 10), from(0, 100)));
}

TEST_CASE("boxes of a buffer that don't meet are used at the same time") {
  sycl::buffer<int, 2> table{sycl::range<2>(10, 10)};
  auto box = [&](std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) {
    return [=, &table](sycl::handler& group) {
      return sycl::accessor(table, group, sycl::range<2>(rows, columns), sycl::id<2>(row, column), sycl::write_only);
    };
  };
  CHECK(overlap(box(0, 0, 10, 5), box(0, 5, 10, 5)));
  CHECK(overlap(box(0, 0, 3, 10), box(3, 0, 7, 10)));
  CHECK(overlap(box(2, 2, 2, 2), box(2, 4, 2, 2)));
  CHECK(ordered(box(0, 0, 10, 6), box(0, 5, 10, 5)));
  CHECK(ordered(box(2, 2, 2, 2), box(3, 3, 1, 1)));
  // In a view of the buffer as one line of elements, each accessor covers a contiguous part.
  auto line = table.reinterpret<int, 1>(sycl::range<1>(100));
  auto element = [&](std::size_t at) {
    return [&line, at](sycl::handler& group) {
      return sycl::accessor(line, group, sycl::range<1>(1), sycl::id<1>(at), sycl::read_write);
    };
  };
  CHECK(overlap(box(2, 0, 2, 10), element(41)));
  CHECK(ordered(box(2, 0, 2, 10), element(33)));
  sycl::buffer<int, 3> cube{sycl::range<3>(4, 5, 6)};
  auto slab = [&](std::size_t first) {
    return [&cube, first](sycl::handler& group) {
      return sycl::accessor(cube, group, sycl::range<3>(4, 5, 3), sycl::id<3>(0, 0, first), sycl::write_only);
    };
  };
  CHECK(overlap(slab(0), slab(3)));
  CHECK(ordered(slab(1), slab(3)));
}

TEST_CASE("sub-buffers are parts of their buffer") {
  sycl::buffer<int> whole{sycl::range<1>(100)};
  sycl::buffer<int> left(whole, sycl::id<1>(0), sycl::range<1>(50)), right(whole, sycl::id<1>(50), sycl::range<1>(50));
  auto of = [](sycl::buffer<int>& memory) {
    return [&memory](sycl::handler& group) { return sycl::accessor(memory, group, sycl::read_write); };
  };
  CHECK(overlap(of(left), of(right)));
  CHECK(ordered(of(left), of(whole)));
  CHECK(ordered(of(whole), of(right)));
}

TEST_CASE("readers don't wait for each other, writers wait for all of them") {
  sycl::buffer<int> memory{sycl::range<1>(10)};
  auto with = [&](auto tag) {
    return [&memory, tag](sycl::handler& group) { return sycl::accessor(memory, group, tag); };
  };
  CHECK(overlap(with(sycl::read_only), with(sycl::read_only)));
  CHECK(ordered(with(sycl::read_only), with(sycl::write_only)));
  CHECK(ordered(with(sycl::write_only), with(sycl::read_only)));
}

TEST_CASE("a placeholder orders from require on, with the part it reaches") {
  sycl::buffer<int> memory{sycl::range<1>(10)};
  auto required = [&](std::size_t offset) {
    return [&memory, offset](sycl::handler& group) {
      sycl::accessor placeholder(memory, sycl::range<1>(5), sycl::id<1>(offset), sycl::read_write);
      group.require(placeholder);
      return placeholder;
    };
  };
  CHECK(overlap(required(0), required(5)));
  CHECK(ordered(required(0), required(4)));
}

TEST_CASE("the host uses one part of a buffer while a command uses another") {
  sycl::queue queue;
  sycl::buffer<int> memory{sycl::range<1>(10)};
  std::atomic<bool> seen = false, met = false;
  std::atomic<bool>*flag = &seen, *out = &met;
  queue.submit([&](sycl::handler& group) {
    sycl::accessor half(memory, group, sycl::range<1>(5), sycl::write_only);
    group.host_task([=] {
      (void)half;
      *out = holds_soon([=] { return flag->load(); });
    });
  });
  {
    sycl::host_accessor other(memory, sycl::range<1>(5), sycl::id<1>(5), sycl::read_write);
    other[0] = 1;
    seen = true;
  }
  queue.wait();
  CHECK(met.load());
}

TEST_CASE("a command waits for the host accessor of its part, and only for that") {
  sycl::queue queue;
  sycl::buffer<int> memory{sycl::range<1>(10)};
  std::optional<sycl::host_accessor<int>> host(std::in_place, memory, sycl::range<1>(5));
  std::atomic<int> ran = 0;
  std::atomic<int>* out = &ran;
  auto use = [&](std::size_t offset, int bit) {
    return queue.submit([&](sycl::handler& group) {
      sycl::accessor part(memory, group, sycl::range<1>(5), sycl::id<1>(offset), sycl::read_write);
      group.single_task([=] {
        part[0] = 1;
        *out |= bit;
      });
    });
  };
  const sycl::event behind = use(0, 1);
  use(5, 2).wait();
  CHECK(ran.load() == 2);
  CHECK(behind.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::submitted);
  host.reset();
  queue.wait();
  CHECK(ran.load() == 3);
}

TEST_CASE("threads that use the same buffers in different order never wait for each other in a circle") {
  sycl::queue first{sycl::property::queue::in_order()}, second{sycl::property::queue::in_order()}, third;
  sycl::queue* queues[] = {&first, &second, &third};
  sycl::buffer<int> a{sycl::range<1>(1)}, b{sycl::range<1>(1)}, c{sycl::range<1>(1)};
  sycl::buffer<int>* buffers[] = {&a, &b, &c};
  for (sycl::buffer<int>* each : buffers) sycl::host_accessor(*each, sycl::write_only)[0] = 0;
  constexpr int threads = 4, rounds = 200;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        queues[(t + i) % 3]->submit([&](sycl::handler& group) {
          sycl::accessor one(*buffers[(t + i) % 3], group, sycl::read_write);
          sycl::accessor two(*buffers[(t * 2 + i + 1) % 3], group, sycl::read_write);
          sycl::accessor three(*buffers[(t + 2 * i + 2) % 3], group, sycl::read_write);
          group.single_task([=] {
            one[0] += 1;
            two[0] += 1;
            three[0] += 1;
          });
        });
      }
    });
  }
  for (std::thread& each : all) each.join();
  int sum = 0;
  for (sycl::buffer<int>* each : buffers) sum += sycl::host_accessor(*each, sycl::read_only)[0];
  CHECK(sum == 3 * threads * rounds);
}
