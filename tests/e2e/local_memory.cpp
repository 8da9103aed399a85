// Variables of a work-group. Kernels declare them by sycl_ext_oneapi_local_memory, and command groups by
// sycl_ext_oneapi_work_group_memory.
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>
#include <sycl/ext/oneapi/group_local_memory.hpp>

#include "check.hpp"

#include <numeric>

#if SYCL_EXT_ONEAPI_LOCAL_MEMORY < 2 || SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY < 1
#error "a feature-test macro is missing"
#endif

namespace oneapi = sycl::ext::oneapi;
constexpr auto local_space = sycl::access::address_space::local_space;

namespace {

/// Runs kernel(nd_item, out) on groups * local work-items and returns their output.
template <class Kernel>
std::vector<int> run(std::size_t groups, std::size_t local, Kernel kernel) {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> out(groups * local, -1);
  {
    sycl::buffer<int> buffer(out.data(), out.size());
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(buffer, handler, sycl::write_only);
      handler.parallel_for(sycl::nd_range<1>(groups * local, local),
                           [=](sycl::nd_item<1> item) { to[item.get_global_id()] = kernel(item); });
    });
  }
  return out;
}

template <class Expected>
void check_all(const std::vector<int>& found, Expected expected) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] != expected(i)) return CHECK_EQUAL(found[i], expected(i));
  }
}

struct point {
  int x = 3, y = 4;
  point() = default;
  point(int both) : x(both), y(both) {}
};

/// Exchanges values with the work-item at the mirrored position in the group.
int swapped(const sycl::nd_item<1>& item, int value) {
  int(&values)[256] = *oneapi::group_local_memory_for_overwrite<int[256]>(item.get_group());
  const std::size_t mine = item.get_local_id(0), last = item.get_local_range(0) - 1;
  sycl::group_barrier(item.get_group());
  values[mine] = value;
  sycl::group_barrier(item.get_group());
  return values[last - mine];
}

}  // namespace

TEST("work-items of a group share an array, other groups have their own") {
  for (std::size_t local : {1u, 7u, 32u, 256u}) {
    const auto found = run(5, local, [](sycl::nd_item<1> item) {
      auto values = oneapi::group_local_memory_for_overwrite<int[256]>(item.get_group());
      const std::size_t mine = item.get_local_id(0), last = item.get_local_range(0) - 1;
      (*values)[mine] = static_cast<int>(item.get_global_id(0));
      sycl::group_barrier(item.get_group());
      return (*values)[last - mine];
    });
    check_all(found, [&](std::size_t i) { return static_cast<int>(i / local * local + (local - 1 - i % local)); });
  }
}

TEST("an object is made once, from the arguments or from none") {
  const auto found = run(6, 48, [](sycl::nd_item<1> item) {
    const sycl::group<1> group = item.get_group();
    sycl::multi_ptr<int[4], local_space> list = oneapi::group_local_memory<int[4]>(group, 1, 20, 300);
    sycl::multi_ptr<int[100], local_space> zeros = oneapi::group_local_memory<int[100]>(group);
    auto plain = oneapi::group_local_memory<point>(group);
    auto made = oneapi::group_local_memory<point>(group, static_cast<int>(item.get_group(0)));
    auto constructed = oneapi::group_local_memory_for_overwrite<point[60]>(group);
    int sum = 0;
    for (int each : *zeros) sum += each;
    for (const point& each : *constructed) sum += each.x - 3 + each.y - 4;
    for (int each : *list) sum += each;
    return sum + plain->x * 1000 + plain->y * 10000 + made->x * 100000;
  });
  check_all(found, [&](std::size_t i) { return 43321 + static_cast<int>(i / 48) * 100000; });
}

TEST("each call has memory of its own, of the alignment that its type needs") {
  struct alignas(128) wide {
    double value;
  };
  const auto found = run(3, 16, [](sycl::nd_item<1> item) {
    const sycl::group<1> group = item.get_group();
    auto a = oneapi::group_local_memory_for_overwrite<char[3]>(group);
    auto b = oneapi::group_local_memory_for_overwrite<char[3]>(group);
    auto c = oneapi::group_local_memory_for_overwrite<wide>(group);
    auto d = oneapi::group_local_memory<double>(group, 2.5);
    if (group.leader()) (*a)[2] = 1, (*b)[0] = 2, c->value = 3;
    sycl::group_barrier(group);
    const auto at = reinterpret_cast<std::uintptr_t>(c.get());
    return (*a)[2] + (*b)[0] * 10 + static_cast<int>(c->value) * 100 + (*d == 2.5 ? 1000 : 0) +
           (at % 128 == 0 ? 10000 : 0);
  });
  check_all(found, [](std::size_t) { return 11321; });
}

TEST("a call in a loop gives the same memory in each round, and group_local_memory makes it anew") {
  const auto found = run(4, 33, [](sycl::nd_item<1> item) {
    const sycl::group<1> group = item.get_group();
    int sum = 0;
    for (int round = 0; round < 5; ++round) {
      auto kept = oneapi::group_local_memory_for_overwrite<int>(group);
      auto fresh = oneapi::group_local_memory<int>(group, round * 10);
      if (group.leader()) {
        *kept = round == 0 ? 1 : *kept + 1;
        *fresh += 1;
      }
      sycl::group_barrier(group);
      sum += *kept + *fresh;
    }
    return sum;
  });
  check_all(found, [](std::size_t) { return 15 + 100 + 5; });
}

TEST("a call in a branch that all of a group take, and in functions") {
  const auto found = run(6, 64, [](sycl::nd_item<1> item) {
    const int mine = static_cast<int>(item.get_global_id(0));
    if (item.get_group(0) % 2 == 0) {
      auto only_here = oneapi::group_local_memory<int>(item.get_group(), 7);
      return *only_here;
    }
    return swapped(item, swapped(item, mine)) + swapped(item, 0);
  });
  check_all(found, [](std::size_t i) { return i / 64 % 2 == 0 ? 7 : static_cast<int>(i); });
}

TEST("beside a local accessor and group functions, in three dimensions") {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> out(4 * 6 * 8, -1);
  {
    sycl::buffer<int> buffer(out.data(), out.size());
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(buffer, handler, sycl::write_only);
      sycl::local_accessor<int> accessed(24, handler);
      handler.parallel_for(sycl::nd_range<3>({4, 6, 8}, {2, 3, 4}), [=](sycl::nd_item<3> item) {
        const auto group = item.get_group();
        const std::size_t mine = item.get_local_linear_id();
        auto values = oneapi::group_local_memory<int[24]>(group);
        accessed[mine] = 100;
        (*values)[mine] += static_cast<int>(mine);
        const int sum = sycl::reduce_over_group(group, static_cast<int>(mine), sycl::plus<>());
        int all = 0;
        for (int each : *values) all += each;
        to[item.get_global_linear_id()] = sum == all ? accessed[23 - mine] + all : -2;
      });
    });
  }
  check_all(out, [](std::size_t) { return 100 + 276; });
}

TEST("a histogram by atomics") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t size = 4096;
  std::vector<int> counts(16, 0);
  {
    sycl::buffer<int> buffer(counts.data(), counts.size());
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(buffer, handler, sycl::read_write);
      handler.parallel_for(sycl::nd_range<1>(size, 128), [=](sycl::nd_item<1> item) {
        const auto group = item.get_group();
        auto& mine = *oneapi::group_local_memory<int[16]>(group);
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group, local_space>(
            mine[item.get_global_id(0) * 7 % 16])
            .fetch_add(1);
        sycl::group_barrier(group);
        if (item.get_local_id(0) < 16) {
          sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(to[item.get_local_id(0)])
              .fetch_add(mine[item.get_local_id(0)]);
        }
      });
    });
  }
  for (int each : counts) CHECK_EQUAL(each, static_cast<int>(size / 16));
}

TEST("two launches of one kernel that fuse don't share it") {
  namespace cx = sycl::ext::codeplay::experimental;
  sycl::queue queue{cx::property::queue::enable_fusion{}};
  constexpr std::size_t size = 1024;
  std::vector<int> values(size);
  std::iota(values.begin(), values.end(), 0);
  {
    sycl::buffer<int> buffer(values.data(), size);
    cx::fusion_wrapper fusion(queue);
    fusion.start_fusion();
    for (int i = 0; i < 2; ++i) {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor data(buffer, handler, sycl::read_write);
        handler.parallel_for(sycl::nd_range<1>(size, 64), [=](sycl::nd_item<1> item) {
          auto& held = *oneapi::group_local_memory_for_overwrite<int[64]>(item.get_group());
          const std::size_t mine = item.get_local_id(0);
          held[mine] = data[item.get_global_id(0)];
          sycl::group_barrier(item.get_group());
          const int other = held[(mine + 1) % 64];
          data[item.get_global_id(0)] = other;
        });
      });
    }
    fusion.complete_fusion();
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (values[i] != static_cast<int>(i / 64 * 64 + (i + 2) % 64)) return CHECK_EQUAL(values[i], -1);
  }
}

namespace {
union either {
  point as_point;
  int as_numbers[2];
};
static_assert(!std::is_default_constructible_v<either>);
}  // namespace

TEST("what has no default constructor stays as it is") {
  const auto found = run(2, 8, [](sycl::nd_item<1> item) {
    const auto shared = oneapi::group_local_memory_for_overwrite<either>(item.get_group());
    if (item.get_group().leader()) shared->as_numbers[1] = static_cast<int>(item.get_group(0)) + 5;
    sycl::group_barrier(item.get_group());
    return shared->as_numbers[1];
  });
  check_all(found, [](std::size_t i) { return static_cast<int>(i / 8) + 5; });
}

E2E_MAIN

TEST("objects and arrays of a group that the command group makes") {
  namespace ex = oneapi::experimental;
  constexpr std::size_t local = 16, groups = 3;
  sycl::queue queue = e2e::make_queue();
  std::vector<int> out(groups * local);
  {
    sycl::buffer<int> buffer(out.data(), out.size());
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(buffer, handler, sycl::write_only);
      ex::work_group_memory<int> number(handler);
      ex::work_group_memory<point> both(handler);
      ex::work_group_memory<int[2][local]> table(handler);
      ex::work_group_memory<int[]> row(local, handler);
      ex::work_group_memory<int> later(ex::indeterminate);
      later = number;
      handler.parallel_for(sycl::nd_range<1>(groups * local, local), [=](sycl::nd_item<1> item) {
        const std::size_t mine = item.get_local_id(0), last = local - 1;
        if (mine == 0) {
          number = static_cast<int>(item.get_group(0));
          both = point(static_cast<int>(item.get_group(0)) * 10);
        }
        table[0][mine] = static_cast<int>(mine);
        table[1][mine] = 1;
        row.get_multi_ptr<sycl::access::decorated::no>()[mine] = 2 * static_cast<int>(mine);
        sycl::group_barrier(item.get_group());
        const point found = both;
        to[item.get_global_id()] = number + found.x + (&both)->y + table[0][last - mine] + table[1][mine] +
                                   row[last - mine] + (&later == &number ? 1000 : 0);
      });
    });
  }
  check_all(out, [](std::size_t i) {
    const auto group = static_cast<int>(i / local), opposite = static_cast<int>(local - 1 - i % local);
    return group + 20 * group + 3 * opposite + 1 + 1000;
  });
}
