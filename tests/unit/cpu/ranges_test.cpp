#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "collecting_queue.hpp"

namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 3, 7, 64, 255, 257, 1009, 4096, 65537};

std::mt19937& random() {
  static std::mt19937 engine(20260712);
  return engine;
}

std::size_t pick(std::initializer_list<std::size_t> from) {
  return from.begin()[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random())];
}

/// Returns whether each element was visited exactly once.
bool all_are_one(const std::vector<int>& visits) {
  return std::all_of(visits.begin(), visits.end(), [](int count) { return count == 1; });
}

} // namespace

TEST_CASE("a one-dimensional range visits each index once, whatever its size") {
  sycl::queue queue;
  for (std::size_t size : sizes) {
    std::vector<int> visits(size);
    int* data = visits.data();
    queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { ++data[i[0]]; }).wait();
    CAPTURE(size);
    CHECK(all_are_one(visits));
  }
}

TEST_CASE("two- and three-dimensional ranges visit each index once and know their linear id") {
  sycl::queue queue;
  for (int round = 0; round < 60; ++round) {
    const std::size_t a = pick({0, 1, 2, 5, 31, 37}), b = pick({0, 1, 3, 17, 64}), c = pick({0, 1, 2, 13, 29});
    CAPTURE(a);
    CAPTURE(b);
    CAPTURE(c);
    std::vector<int> plane(a * b), cube(a * b * c);
    int *plane_data = plane.data(), *cube_data = cube.data();
    queue.parallel_for(sycl::range<2>(a, b), [=](sycl::item<2> at) {
      plane_data[at.get_id(0) * at.get_range(1) + at.get_id(1)] += at.get_linear_id() == at[0] * b + at[1] ? 1 : 100;
    });
    queue.parallel_for(sycl::range<3>(a, b, c), [=](sycl::item<3> at) {
      cube_data[at.get_linear_id()] += at.get_linear_id() == (at[0] * b + at[1]) * c + at[2] ? 1 : 100;
    });
    queue.wait();
    CHECK(all_are_one(plane));
    CHECK(all_are_one(cube));
  }
}

TEST_CASE("a range with an offset counts from the offset") {
  sycl::queue queue;
  std::vector<int> visits(300);
  int* data = visits.data();
  queue.submit([&](sycl::handler& group) {
    group.parallel_for(sycl::range<1>(100), sycl::id<1>(150), [=](sycl::item<1> at) { data[at.get_id(0)] += 1; });
  });
  queue.wait();
  for (std::size_t i = 0; i < visits.size(); ++i) CHECK(visits[i] == (i >= 150 && i < 250 ? 1 : 0));
}

TEST_CASE("an nd_range visits each work-item once and its ids fit together") {
  sycl::queue queue;
  for (int round = 0; round < 60; ++round) {
    const sycl::range<3> local(pick({1, 2, 5}), pick({1, 3, 4}), pick({1, 7, 16}));
    const sycl::range<3> groups(pick({0, 1, 3}), pick({1, 2, 5}), pick({1, 2, 3}));
    const sycl::range<3> global(local[0] * groups[0], local[1] * groups[1], local[2] * groups[2]);
    std::vector<int> visits(global.size());
    int* data = visits.data();
    queue.parallel_for(sycl::nd_range<3>(global, local), [=](sycl::nd_item<3> at) {
      bool fits = at.get_global_linear_id() < global.size() && at.get_local_linear_id() < local.size() &&
                  at.get_group_linear_id() < groups.size();
      for (int d = 0; d < 3; ++d) {
        fits &= at.get_global_id(d) == at.get_group(d) * local[d] + at.get_local_id(d);
        fits &= at.get_global_range(d) == global[d] && at.get_local_range(d) == local[d];
        fits &= at.get_group_range(d) == groups[d];
      }
      data[at.get_global_linear_id()] += fits ? 1 : 100;
    }).wait();
    CHECK(all_are_one(visits));
  }
}

TEST_CASE("local memory and barriers in a loop add up a work-group") {
  sycl::queue queue;
  for (std::size_t local : {1u, 2u, 16u, 128u, 512u}) {
    for (std::size_t groups : {1u, 3u, 20u}) {
      std::vector<int> input(local * groups), sums(groups);
      std::iota(input.begin(), input.end(), 1);
      const int* in = input.data();
      int* out = sums.data();
      queue.submit([&](sycl::handler& group) {
        sycl::local_accessor<int> shared(sycl::range<1>(local), group);
        group.parallel_for(sycl::nd_range<1>(local * groups, local), [=](sycl::nd_item<1> at) {
          const std::size_t me = at.get_local_id(0);
          shared[me] = in[at.get_global_id(0)];
          for (std::size_t step = local / 2; step > 0; step /= 2) {
            sycl::group_barrier(at.get_group());
            if (me < step) shared[me] += shared[me + step];
          }
          sycl::group_barrier(at.get_group());
          if (me == local - 1) out[at.get_group(0)] = shared[0];
        });
      });
      queue.wait_and_throw();
      for (std::size_t g = 0; g < groups; ++g) {
        CAPTURE(local);
        CAPTURE(g);
        CHECK(sums[g] == std::accumulate(&in[g * local], &in[g * local] + local, 0));
      }
    }
  }
}

TEST_CASE("private variables live across barriers in uniform branches, and two local accessors don't overlap") {
  sycl::queue queue;
  constexpr std::size_t local = 24, groups = 7;
  std::vector<int> result(local * groups);
  int* out = result.data();
  queue.submit([&](sycl::handler& group) {
    sycl::local_accessor<char> small(sycl::range<1>(3), group);
    sycl::local_accessor<int, 2> turns(sycl::range<2>(2, local), group);
    group.parallel_for(sycl::nd_range<1>(local * groups, local), [=](sycl::nd_item<1> at) {
      const std::size_t me = at.get_local_id(0);
      int mine = static_cast<int>(me);
      if (me < 3) small[me] = 1;
      // Groups have different numbers of rounds, but the work-items of a group have the same number.
      const int rounds = at.get_group(0) % 2 == 0 ? 3 : 5;
      for (int round = 0; round < rounds; ++round) {
        turns[static_cast<std::size_t>(round % 2)][me] = mine;
        if (at.get_group(0) < 100) sycl::group_barrier(at.get_group());
        mine += turns[static_cast<std::size_t>(round % 2)][(me + 1) % local];
      }
      out[at.get_global_id(0)] = mine * 10 + small[0] + small[1] + small[2];
    });
  });
  queue.wait_and_throw();
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<int> expected(local);
    std::iota(expected.begin(), expected.end(), 0);
    for (int round = 0; round < (g % 2 == 0 ? 3 : 5); ++round) {
      const std::vector<int> before = expected;
      for (std::size_t i = 0; i < local; ++i) expected[i] += before[(i + 1) % local];
    }
    for (std::size_t i = 0; i < local; ++i) CHECK(result[g * local + i] == expected[i] * 10 + 3);
  }
}

TEST_CASE("local memory of a type with a large alignment is aligned") {
  struct alignas(128) wide {
    char bytes[128];
  };
  sycl::queue queue;
  std::uintptr_t address = 1;
  std::uintptr_t* out = &address;
  queue.submit([&](sycl::handler& group) {
    sycl::local_accessor<char> first(sycl::range<1>(1), group);
    sycl::local_accessor<wide> second(sycl::range<1>(2), group);
    group.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
      first[0] = 1;
      *out = reinterpret_cast<std::uintptr_t>(second.get_pointer().get());
    });
  });
  queue.wait();
  CHECK(address % 128 == 0);
}

TEST_CASE("a work-item that skips a barrier others wait at is an error that names the kernel, not a hang") {
  test::error_log log;
  sycl::queue queue(log.handler());
  queue.parallel_for<class skips_a_barrier>(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> at) {
    if (at.get_local_id(0) != 5) sycl::group_barrier(at.get_group());
  });
  queue.wait_and_throw();
  REQUIRE(log.entries.size() == 1);
  CHECK(log.entries[0].code == sycl::errc::kernel);
  CHECK(test::contains(log.entries[0].text, "skips_a_barrier"));
  CHECK(test::contains(log.entries[0].text, "barrier"));
}

TEST_CASE("the queue works on after a skipped barrier") {
  test::error_log log;
  sycl::queue queue(log.handler());
  for (int round = 0; round < 5; ++round) {
    queue.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> at) {
      for (std::size_t i = 0; i <= at.get_local_id(0) % 2; ++i) sycl::group_barrier(at.get_group());
    });
  }
  queue.wait_and_throw();
  CHECK(log.entries.size() == 5);
  std::vector<int> visits(64);
  int* data = visits.data();
  queue.parallel_for(sycl::nd_range<1>(64, 32), [=](sycl::nd_item<1> at) {
    sycl::group_barrier(at.get_group());
    ++data[at.get_global_id(0)];
  });
  queue.wait_and_throw();
  CHECK(log.entries.size() == 5);
  CHECK(all_are_one(visits));
}
