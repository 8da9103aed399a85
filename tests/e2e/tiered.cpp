/// SINTER_TIERED: kernels start as host code where this code gives the same results, and the JIT's code takes over
/// when it is ready. Other kernels wait for the JIT. The program runs without a cache, so that each kernel is new.
#include "check.hpp"

#include <chrono>
#include <sycl/ext/sinter/sides.hpp>
#include <thread>
#include <vector>

using namespace sycl;

namespace {

constexpr specialization_id<int> add(3);

[[gnu::noinline]] float multiplied(float a, float b, float c) { return a * b + c; }

/// Counts, for each origin of code, how many launches ran code of this origin.
template <class Launches>
ext::sinter::launch_counts counted(const Launches& launches) {
  const auto before = ext::sinter::launch_counters();
  launches();
  const auto after = ext::sinter::launch_counters();
  return {after.host_entry - before.host_entry, after.jit - before.jit, after.cache - before.cache,
          after.host_copy - before.host_copy, after.taken_over - before.taken_over};
}

/// Checks that a single launch of a new kernel waits for the JIT.
#define CHECK_WAITS(...)                             \
  do {                                               \
    const auto ran = counted([&] { __VA_ARGS__; });  \
    CHECK_EQUAL(ran.jit, 1u);                        \
    CHECK_EQUAL(ran.host_copy + ran.taken_over, 0u); \
  } while (false)

/// Whether a single launch began in host code. Usually it also ends in host code. If the system suspends the launch's
/// thread for long, the JIT's code may take over.
template <class Launch>
bool started_on_host(const Launch& launch) {
  const auto ran = counted(launch);
  return ran.host_copy + ran.taken_over == 1;
}

/// Repeats the launch until the JIT's code has run a whole launch. Returns false if this never happens.
template <class Launch>
bool launch_until_compiled(const Launch& launch) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::seconds(120)) {
    if (counted(launch).jit == 1) return true;
  }
  return false;
}

struct numbers {
  std::vector<float> values;
  friend bool operator==(const numbers& a, const numbers& b) {
    return std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0;
  }
};

/// Whether three launches of the n-th small kernel ran only as host code.
template <int n>
bool stays_host_code(queue& q, int* data) {
  const auto ran = counted([&] {
    for (int k = 0; k < 3; ++k) {
      q.parallel_for(range<2>(8, 8), [=](item<2> i) {
         data[i.get_linear_id()] = static_cast<int>(i[0] * 100 + i[1]) + k * n;
       }).wait();
      for (int at = 0; at < 64; ++at) CHECK_EQUAL(data[at], at / 8 * 100 + at % 8 + k * n);
    }
  });
  CHECK_EQUAL(ran.host_copy + ran.taken_over + ran.jit, 3u);
  return ran.host_copy == 3;
}

}  // namespace

TEST("a small kernel runs as host code at once, and is not compiled") {
  queue q = e2e::make_queue({property::queue::in_order()});
  int* data = malloc_shared<int>(64, q);
  // If the system suspends the thread during a launch, the launch seems to take long, and kernels with long launches
  // are compiled. So one success in eight is enough.
  const bool stays = [&]<int... n>(std::integer_sequence<int, n...>) {
    return (stays_host_code<n + 1>(q, data) || ...);
  }(std::make_integer_sequence<int, 8>());
  CHECK_EQUAL(stays, true);
  free(data, q);
}

TEST("compiled code takes over, in the middle of a launch as well, and each work-item runs once") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t size = std::size_t{1} << 18;
  unsigned* data = malloc_shared<unsigned>(size, q);
  const auto launch = [&](unsigned rounds, int shape) {
    std::memset(data, 0, size * sizeof(unsigned));
    const auto mix = [=](std::size_t at) {
      unsigned value = static_cast<unsigned>(at);
      for (unsigned k = 0; k < rounds; ++k) value = value * 1664525u + 1013904223u;
      data[at] += value | 1;
    };
    if (shape == 0) q.parallel_for<class line>(range<1>(size - 3), [=](id<1> i) { mix(i[0]); });
    if (shape == 1) {
      q.parallel_for<class boxes>(range<3>(4, 256, 256), [=](item<3> i) { mix(i.get_linear_id()); });
    }
    if (shape == 2) {
      q.parallel_for<class groups>(
          nd_range<1>(size, 64), [=](nd_item<1> i) { mix(i.get_group(0) * i.get_local_range(0) + i.get_local_id(0)); });
    }
    q.wait();
  };
  for (int shape = 0; shape < 3; ++shape) {
    const std::size_t last = shape == 0 ? size - 3 : size;
    const auto check = [&](unsigned rounds) {
      // Combines all rounds into one product and one sum, so this check takes hardly any time. Otherwise the JIT could
      // finish during the check, but it has to finish during a launch.
      unsigned factor = 1, summand = 0;
      for (unsigned k = 0; k < rounds; ++k) {
        factor *= 1664525u;
        summand = summand * 1664525u + 1013904223u;
      }
      bool right = true;
      for (std::size_t at = 0; at < size; ++at) {
        right &= data[at] == (at < last ? (static_cast<unsigned>(at) * factor + summand) | 1 : 0);
      }
      CHECK_EQUAL(right, true);
    };
    bool taken_over = false, compiled = false;
    for (unsigned rounds = 4000; !taken_over && !compiled; rounds = std::min(rounds * 2, 64000u)) {
      const auto ran = counted([&] { launch(rounds, shape); });
      taken_over = ran.taken_over != 0;
      compiled = ran.jit != 0;
      check(rounds);
    }
    CHECK_EQUAL(taken_over, true);
    CHECK_EQUAL(counted([&] { launch(5, shape); }).jit, 1u);
    check(5);
  }
  free(data, q);
}

TEST("numbers have the same bits in host code and in compiled code") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t size = 3000;
  const std::vector<float> given = e2e::random_values<float>(size, -1e3, 1e3);
  float *in = malloc_shared<float>(size, q), *out = malloc_shared<float>(size, q);
  std::copy(given.begin(), given.end(), in);
  const auto launch = [&] {
    q.parallel_for(range<1>(size), [=](id<1> i) {
       const float x = in[i], y = in[size - 1 - i];
       const float quotient = x / y, product = x * y;
       const double wide = static_cast<double>(x) / 3.0;
       out[i] = sycl::sqrt(sycl::fabs(quotient)) - static_cast<float>(wide) / (y + 0.1f) + sycl::floor(product);
     }).wait();
  };
  CHECK_EQUAL(started_on_host(launch), true);
  const numbers of_host{{out, out + size}};
  if (launch_until_compiled(launch)) {
    CHECK_EQUAL(of_host == (numbers{{out, out + size}}), true);
  } else {
    CHECK_EQUAL("compiled code", "never ran");
  }
  free(in, q);
  free(out, q);
}

TEST("products that are added are rounded as compiled code rounds them, and in other host code as ever") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t size = 3000;
  const std::vector<float> given = e2e::random_values<float>(size);
  const std::vector<double> wide_given = e2e::random_values<double>(size);
  float* data = malloc_shared<float>(size, q);
  double* wide = malloc_shared<double>(size, q);
  const auto launch = [&] {
    std::copy(given.begin(), given.end(), data);
    std::copy(wide_given.begin(), wide_given.end(), wide);
    q.parallel_for(range<1>(size), [=](id<1> i) {
       data[i] = multiplied(data[i], data[i], data[i]);
       wide[i] = wide[i] * 3.1 + data[i] * wide[i];
     }).wait();
  };
  const auto results = [&] {
    numbers all{{data, data + size}};
    // The bits of all other elements have to be right, too.
    const auto* bits = reinterpret_cast<const float*>(wide);
    all.values.insert(all.values.end(), bits, bits + 2 * size);
    return all;
  };
  CHECK_EQUAL(started_on_host(launch), true);
  const numbers first = results();
  CHECK_EQUAL(launch_until_compiled(launch), true);
  CHECK_EQUAL(first == results(), true);
#ifndef __FMA__
  for (const float each : given) {
    volatile float product = each * each;
    CHECK_EQUAL(multiplied(each, each, each), product + each);
  }
#endif
  free(data, q);
  free(wide, q);
}

TEST("what host code can't do alike waits for the JIT") {
  queue q = e2e::make_queue({property::queue::in_order()});
  int* data = malloc_shared<int>(64, q);
  float* reals = malloc_shared<float>(64, q);
  for (int k = 0; k < 64; ++k) reals[k] = static_cast<float>(k);
  CHECK_WAITS(q.parallel_for(nd_range<1>(64, 16), [=](nd_item<1> i) {
                 data[i.get_global_id(0)] = reduce_over_group(i.get_group(), 1, plus<int>());
               }).wait());
  CHECK_EQUAL(data[63], 16);
  CHECK_WAITS(q.parallel_for(nd_range<1>(64, 16), [=](nd_item<1> i) {
                 data[i.get_global_id(0)] = static_cast<int>(i.get_sub_group().get_local_linear_id());
               }).wait());
  CHECK_WAITS(q.submit([&](handler& h) {
                 local_accessor<int> local(16, h);
                 h.parallel_for(nd_range<1>(64, 16), [=](nd_item<1> i) {
                   local[i.get_local_id(0)] = static_cast<int>(i.get_global_id(0));
                   group_barrier(i.get_group());
                   data[i.get_global_id(0)] = local[15 - i.get_local_id(0)];
                 });
               }).wait());
  CHECK_EQUAL(data[0], 15);
  CHECK_WAITS(q.parallel_for(range<1>(64), [=](id<1> i) { reals[i] = sycl::sin(reals[i]); }).wait());
  CHECK_WAITS(q.parallel_for(range<1>(64), [=](id<1> i) { data[i] = ext::sinter::on_device() ? 1 : 2; }).wait());
  CHECK_EQUAL(data[5], 1);
  CHECK_WAITS(q.submit([&](handler& h) {
                 h.set_specialization_constant<add>(8);
                 h.parallel_for(range<1>(64), [=](id<1> i, kernel_handler values) {
                   data[i] = values.get_specialization_constant<add>();
                 });
               }).wait());
  CHECK_EQUAL(data[63], 8);
  // The JIT's code can't take over in the middle of a work-item, so the launch of this loop waits for the JIT.
  CHECK_WAITS(q.single_task([=] {
                 for (int k = 0; k < 64; ++k) data[k] = data[63 - k] * k;
               }).wait());
  // Only the JIT has a workaround for a defect of LLVM with restrict in loops (docs/llvm_defects.md), so the launch
  // waits for the JIT.
  const auto add_threes = [&](auto add_once) {
    for (int k = 0; k < 64; ++k) data[k] = k;
    q.parallel_for(range<1>(60), [=, last = data[63]](id<1> i) {
       for (int k = 61; k <= last; ++k) add_once(&data[i], &data[k]);
     }).wait();
  };
  CHECK_WAITS(add_threes([](int* __restrict to, const int* __restrict from) { *to += *from; }));
  CHECK_EQUAL(data[1], 1 + 61 + 62 + 63);
  CHECK_EQUAL(started_on_host([&] { add_threes([](int* to, const int* from) { *to += *from; }); }), true);
  free(data, q);
  free(reals, q);
}

TEST("buffers, reductions and many queues at once") {
  std::vector<std::thread> threads;
  std::vector<long> sums(4);
  for (std::size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&sum = sums[t]] {
      queue q = e2e::make_queue();
      buffer<int> all(5000);
      buffer<long> total(1);
      for (int round = 0; round < 5; ++round) {
        q.submit([&](handler& h) {
          accessor out(all, h, read_write);
          h.parallel_for(range<1>(5000), [=](id<1> i) { out[i] = round == 0 ? static_cast<int>(i[0]) : out[i] + 1; });
        });
      }
      q.submit([&](handler& h) {
        accessor in(all, h, read_only);
        auto reduced = reduction(total, h, plus<long>(), property::reduction::initialize_to_identity());
        h.parallel_for(range<1>(5000), reduced, [=](id<1> i, auto& into) { into += in[i]; });
      });
      sum = host_accessor(total)[0];
    });
  }
  for (std::thread& each : threads) each.join();
  for (const long sum : sums) CHECK_EQUAL(sum, 5000L * 4999 / 2 + 4 * 5000);
}

E2E_MAIN
