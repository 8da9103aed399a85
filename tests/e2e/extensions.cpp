// The extensions of DPC++ that programs use most (docs/extensions.md). Each test compares an extension with plain
// scalar code.
#include <sycl/detail/core.hpp>
#include <sycl/ext/intel/fpga_extensions.hpp>
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/ext/oneapi/experimental/bfloat16_math.hpp>
#include <sycl/ext/oneapi/experimental/builtins.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/functional.hpp>
#include <sycl/ext/oneapi/queue_properties.hpp>
#include <sycl/ext/oneapi/sub_group_mask.hpp>

#include "check.hpp"

#include <atomic>
#include <bit>
#include <chrono>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#if !SYCL_EXT_ONEAPI_ENQUEUE_BARRIER || !SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES || \
    SYCL_EXT_ONEAPI_SUB_GROUP_MASK < 2 || !SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS ||   \
    !SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS || !SYCL_EXT_ONEAPI_QUEUE_PRIORITY ||  \
    !SYCL_EXT_ONEAPI_DISCARD_QUEUE_EVENTS || !SYCL_EXT_ONEAPI_QUEUE_EMPTY ||     \
    !SYCL_EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS || !SYCL_EXT_INTEL_FPGA_DEVICE_SELECTOR ||   \
    !SYCL_EXT_ONEAPI_DEFAULT_CONTEXT
#error "a feature-test macro is missing"
#endif

namespace oneapi = sycl::ext::oneapi;
namespace enqueue = sycl::ext::oneapi::experimental;

namespace {

// On machines without __float128, long double mostly has 128 bits.
#if defined(__SIZEOF_FLOAT128__)
using quad = __float128;
#else
using quad = long double;
#endif

void short_while() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

/// Shared memory that is freed at the end of a test.
template <class T>
struct shared_array {
  explicit shared_array(std::size_t size, const sycl::queue& its_queue)
      : queue(its_queue), data(sycl::malloc_shared<T>(size + 1, queue)) {}
  ~shared_array() { sycl::free(data, queue); }
  sycl::queue queue;
  T* data;
};

}  // namespace

TEST("a barrier waits for all earlier commands, and all later ones wait for it") {
  sycl::queue queue = e2e::make_queue();
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> before{0}, wrong{0};
    for (int i = 0; i < 4; ++i) {
      queue.submit([&](sycl::handler& handler) {
        handler.host_task([&] {
          short_while();
          ++before;
        });
      });
    }
    const sycl::event barrier = queue.ext_oneapi_submit_barrier();
    for (int i = 0; i < 4; ++i) {
      queue.submit([&](sycl::handler& handler) { handler.host_task([&] { wrong += before != 4; }); });
    }
    sycl::event(barrier).wait();
    CHECK_EQUAL(before.load(), 4);
    queue.wait();
    CHECK_EQUAL(wrong.load(), 0);
  }
  CHECK(queue.ext_oneapi_empty());
}

TEST("a barrier with a list waits for that, and all later commands wait for it") {
  sycl::queue queue = e2e::make_queue(), other = e2e::make_queue();
  std::atomic<bool> first{false}, released{false};
  std::atomic<int> wrong{0};
  const sycl::event unrelated = queue.submit([&](sycl::handler& handler) {
    handler.host_task([&] {
      while (!released) std::this_thread::yield();
    });
  });
  const sycl::event awaited = other.submit([&](sycl::handler& handler) {
    handler.host_task([&] {
      short_while();
      first = true;
    });
  });
  sycl::event barrier = queue.ext_oneapi_submit_barrier({awaited});
  sycl::event after = queue.submit([&](sycl::handler& handler) { handler.host_task([&] { wrong += !first; }); });
  after.wait();
  barrier.wait();
  CHECK(first);
  released = true;
  queue.wait();
  CHECK_EQUAL(wrong.load(), 0);
}

TEST("barriers keep kernels in order, also on in-order queues and on those that fuse by themselves") {
  for (const sycl::property_list& properties :
       {sycl::property_list(), sycl::property_list(sycl::property::queue::in_order()),
        sycl::property_list(sycl::ext::sinter::property::queue::auto_fusion())}) {
    sycl::queue queue = e2e::make_queue(properties);
    for (const std::size_t size : e2e::sizes()) {
      const shared_array<int> memory(size, queue);
      int* const data = memory.data;
      queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]); });
      queue.ext_oneapi_submit_barrier();
      queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { data[i] = data[i] * 3 + 1; });
      queue.submit([&](sycl::handler& handler) { handler.ext_oneapi_barrier(); });
      queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { data[i] -= 2; });
      queue.wait();
      for (std::size_t i = 0; i < size; ++i) CHECK_EQUAL(data[i], static_cast<int>(i) * 3 - 1);
    }
  }
}

TEST("an in-order queue gives its last event, and takes one from outside for its next command") {
  sycl::queue queue = e2e::make_queue({sycl::property::queue::in_order()}), other = e2e::make_queue();
  CHECK(!queue.ext_oneapi_get_last_event().has_value());
  for (int round = 0; round < 10; ++round) {
    std::atomic<bool> first{false};
    std::atomic<int> wrong{0};
    queue.ext_oneapi_set_external_event(other.submit([&](sycl::handler& handler) {
      handler.host_task([&] {
        short_while();
        first = true;
      });
    }));
    queue.submit([&](sycl::handler& handler) { handler.host_task([&] { wrong += !first; }); });
    std::optional<sycl::event> last = queue.ext_oneapi_get_last_event();
    CHECK(last.has_value());
    last->wait();
    CHECK(queue.ext_oneapi_get_last_event().has_value());
    CHECK_EQUAL(wrong.load(), 0);
    CHECK(first);
  }
  const shared_array<int> memory(1, queue);
  int* const data = memory.data;
  data[0] = 0;
  for (int i = 0; i < 100; ++i) queue.single_task([=] { ++data[0]; });
  queue.ext_oneapi_get_last_event().value().wait();
  CHECK_EQUAL(data[0], 100);
  for (int call = 0; call < 2; ++call) {
    try {
      call == 0 ? void(other.ext_oneapi_get_last_event()) : other.ext_oneapi_set_external_event({});
      CHECK(!"an out-of-order queue has no last command");
    } catch (const sycl::exception& error) {
      CHECK(error.code() == sycl::errc::invalid);
    }
  }
}

TEST("functions ask for their work-item") {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t groups : {1, 3, 17}) {
    const std::size_t size = groups * 24;
    const shared_array<std::size_t> memory(3 * size, queue);
    std::size_t* const data = memory.data;
    queue
        .parallel_for(sycl::nd_range<2>({groups * 4, 6}, {4, 6}),
                      [=](sycl::nd_item<2> item) {
                        const auto i = item.get_global_linear_id();
                        data[i * 3] = oneapi::this_work_item::get_nd_item<2>().get_global_linear_id();
                        data[i * 3 + 1] = oneapi::this_work_item::get_work_group<2>().get_group_linear_id();
                        data[i * 3 + 2] = oneapi::this_work_item::get_sub_group().get_local_linear_id() +
                                          64 * oneapi::experimental::this_sub_group().get_group_linear_id() -
                                          item.get_sub_group().get_local_linear_id() -
                                          64 * item.get_sub_group().get_group_linear_id();
                      })
        .wait();
    for (std::size_t i = 0; i < size; ++i) {
      CHECK_EQUAL(data[i * 3], i);
      CHECK_EQUAL(data[i * 3 + 1], i / 24);
      CHECK_EQUAL(data[i * 3 + 2], std::size_t{0});
    }
  }
}

// A lock as libraries write it. Any kernel may use it, because no work-item waits for another work-item of its own
// sub-group.
inline void add_locked(int* lock, int* sum, int value) {
  const sycl::sub_group lanes = oneapi::this_work_item::get_sub_group();
  const oneapi::sub_group_mask all = oneapi::group_ballot(lanes, true);
  for (bool done = false; oneapi::group_ballot(lanes, done) != all;) {
    using lock_ref = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>;
    if (!done && lock_ref(*lock).exchange(1, sycl::memory_order::acquire) == 0) {
      *sum += sycl::shift_group_left(lanes, value, 0);
      done = true;
      lock_ref(*lock).store(0, sycl::memory_order::release);
    }
    sycl::group_barrier(lanes);
  }
}

TEST("work-items of kernels without groups are sub-groups of their own") {
  CPU_ONLY;
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t size : {0, 1, 5, 333}) {
    const std::vector<int> input = e2e::random_values<int>(size);
    const shared_array<int> values(size + 1, queue), memory(2, queue);
    int *const data = values.data, *const lock = memory.data, *const sum = memory.data + 1;
    std::copy(input.begin(), input.end(), data);
    *lock = *sum = 0;
    int expected = 17;
    for (const int value : input) expected += value % 1000;
    queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { add_locked(lock, sum, data[i] % 1000); }).wait();
    queue.single_task([=] { add_locked(lock, sum, 17); }).wait();
    CHECK_EQUAL(*sum, expected);
  }
}

TEST("sub-groups vote, and their masks are sets of work-items") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t local = 72, groups = 5;
  const std::vector<int> values = e2e::random_values<int>(local * groups);
  struct result {
    std::uint64_t bits, without_first, inserted;
    std::uint32_t count, size, low, high, sub_group;
    bool any, all, none, mine, equal;
  };
  const shared_array<result> memory(values.size(), queue);
  const shared_array<int> input(values.size(), queue);
  result* const out = memory.data;
  int* const in = input.data;
  std::copy(values.begin(), values.end(), in);
  queue
      .parallel_for(sycl::nd_range<1>(values.size(), local),
                    [=](sycl::nd_item<1> item) {
                      const sycl::sub_group group = item.get_sub_group();
                      const std::size_t i = item.get_global_id(0);
                      const oneapi::sub_group_mask mask = oneapi::group_ballot(group, in[i] > 0);
                      result& mine = out[i];
                      mask.extract_bits(mine.bits);
                      oneapi::sub_group_mask changed = mask;
                      changed.reset_low();
                      changed.extract_bits(mine.without_first);
                      changed = (mask << 1) >> 1;
                      changed[group.get_local_id()] = !changed[group.get_local_id()];
                      changed.insert_bits(static_cast<unsigned char>(5), 0);
                      changed.extract_bits(mine.inserted);
                      mine.count = mask.count(), mine.size = mask.size();
                      mine.low = static_cast<std::uint32_t>(mask.find_low()[0]);
                      mine.high = static_cast<std::uint32_t>(mask.find_high()[0]);
                      mine.sub_group = group.get_group_linear_id();
                      mine.any = mask.any(), mine.all = mask.all(), mine.none = mask.none();
                      mine.mine = mask[group.get_local_id()];
                      mine.equal =
                          ~~mask == mask && (mask & ~mask).none() && (mask | ~mask).all() && (mask ^ mask).none();
                    })
      .wait();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t size = out[i].size, lane = i % local % size, first = i - lane, end = i / local * local + local;
    std::uint64_t bits = 0;
    for (std::size_t k = first; k < std::min(first + size, end); ++k)
      bits |= std::uint64_t{values[k] > 0} << (k - first);
    const std::uint64_t every = ~std::uint64_t{0} >> (64 - size);
    CHECK_EQUAL(out[i].bits, bits);
    CHECK_EQUAL(out[i].without_first, bits & (bits - 1));
    CHECK_EQUAL(out[i].count, static_cast<std::uint32_t>(std::popcount(bits)));
    CHECK_EQUAL(out[i].low, static_cast<std::uint32_t>(bits ? std::countr_zero(bits) : size));
    CHECK_EQUAL(out[i].high, static_cast<std::uint32_t>(bits ? 63 - std::countl_zero(bits) : size));
    CHECK_EQUAL(out[i].any, bits != 0);
    CHECK_EQUAL(out[i].none, bits == 0);
    CHECK_EQUAL(out[i].all, bits == every);
    CHECK_EQUAL(out[i].mine, values[i] > 0);
    CHECK(out[i].equal);
    const std::uint64_t shifted = (bits << 1 & every) >> 1, flipped = shifted ^ std::uint64_t{1} << lane;
    CHECK_EQUAL(out[i].inserted, ((flipped & ~std::uint64_t{255}) | 5) & every);
  }
}

TEST("sub-groups load and store rows of elements") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t local = 128, groups = 3, size = local * groups;
  const std::vector<float> values = e2e::random_values<float>(2 * size);
  const shared_array<float> input(2 * size, queue), output(2 * size, queue);
  const shared_array<float> singles(size, queue);
  float *const in = input.data, *const out = output.data, *const single = singles.data;
  std::copy(values.begin(), values.end(), in);
  queue
      .parallel_for(sycl::nd_range<1>(size, local),
                    [=](sycl::nd_item<1> item) {
                      const sycl::sub_group group = item.get_sub_group();
                      const std::size_t first =
                          item.get_group(0) * local + group.get_group_linear_id() * group.get_max_local_range()[0];
                      group.store(single + first, group.load(in + first) + 1);
                      const sycl::float2 both = group.load<2>(sycl::global_ptr<const float>(in + 2 * first));
                      group.store(sycl::global_ptr<float>(out + 2 * first), both * 2.0f);
                    })
      .wait();
  for (std::size_t i = 0; i < size; ++i) CHECK_EQUAL(single[i], values[i] + 1);
  for (std::size_t i = 0; i < 2 * size; ++i) CHECK_EQUAL(out[i], values[i] * 2);
}

TEST("commands are submitted by functions") {
  for (const sycl::property_list& properties :
       {sycl::property_list(),
        sycl::property_list(oneapi::property::queue::priority_high(), oneapi::property::queue::discard_events(),
                            sycl::ext::intel::property::queue::no_immediate_command_list())}) {
    sycl::queue queue = e2e::make_queue(properties);
    for (const std::size_t size : e2e::sizes()) {
      using number = std::uint32_t;  // sums wrap around
      const std::vector<number> values = e2e::random_values<number>(size);
      const shared_array<number> memory(size, queue), copies(size, queue), sums(2, queue);
      number *const data = memory.data, *const copy = copies.data, *const sum = sums.data;
      enqueue::copy(queue, values.data(), data, size);
      enqueue::fill(queue, sum, number{0}, 2);
      enqueue::memset(queue, copy, 1, sizeof(number) * size);
      enqueue::barrier(queue);
      enqueue::parallel_for(queue, sycl::range<1>(size), [=](sycl::id<1> i) { data[i] += copy[i]; });
      enqueue::barrier(queue);
      enqueue::parallel_for(
          queue, sycl::range<1>(size), [=](sycl::id<1> i, auto& total) { total += data[i]; },
          sycl::reduction(sum, oneapi::plus<number>()));
      const sycl::event done = enqueue::submit_with_event(queue, [&](sycl::handler& handler) {
        const enqueue::launch_config config(sycl::nd_range<1>(size * 2, 2));
        enqueue::nd_launch(handler, config, [=](sycl::nd_item<1> item) {
          if (item.get_local_id(0) == 1) copy[item.get_group(0)] = data[item.get_group(0)] * 2;
        });
      });
      enqueue::partial_barrier(queue, {done});
      enqueue::single_task(queue, [=] { sum[1] = size == 0 ? number{7} : copy[size - 1]; });
      enqueue::submit(queue, [&](sycl::handler& handler) { enqueue::barrier(handler); });
      queue.wait();
      number expected = 0;
      for (std::size_t i = 0; i < size; ++i) {
        CHECK_EQUAL(data[i], values[i] + 0x01010101);
        CHECK_EQUAL(copy[i], data[i] * 2);
        expected += data[i];
      }
      CHECK_EQUAL(sum[0], expected);
      CHECK_EQUAL(sum[1], size == 0 ? number{7} : copy[size - 1]);
    }
  }
}

TEST("enumerators print by name") {
  CPU_ONLY;
  std::ostringstream text;
  text << sycl::backend::ext_oneapi_cuda << ' ' << sycl::info::device_type::gpu << ' ' << sycl::usm::alloc::shared
       << ' ' << sycl::aspect::fp64 << ' ' << e2e::make_queue().get_backend();
  CHECK_EQUAL(text.str(), std::string("ext_oneapi_cuda gpu shared fp64 sinter_cpu"));
}

TEST("functions of bfloat16, and fma rounded once") {
  using oneapi::bfloat16;
  constexpr std::size_t size = 1 << 16;
  sycl::queue queue = e2e::make_queue();
  // The inputs are all bfloat16 values, in several orders. In every fifth sum a * b + c, c is tiny: if the product lies
  // in the middle between two bfloat16 values, c decides the direction of rounding.
  shared_array<bfloat16> a(size, queue), b(size, queue), c(size, queue), fused(size, queue), most(size, queue);
  shared_array<bfloat16> root(size, queue), absolute(size, queue);
  shared_array<int> wrong(1, queue);
  std::mt19937 random(7);
  for (std::size_t i = 0; i < size; ++i) {
    a.data[i] = std::bit_cast<bfloat16>(static_cast<std::uint16_t>(i));
    b.data[i] = std::bit_cast<bfloat16>(static_cast<std::uint16_t>(random()));
    c.data[i] = i % 3 == 0 ? bfloat16(float(a.data[i]) * float(b.data[i]) / 512)
                           : std::bit_cast<bfloat16>(static_cast<std::uint16_t>(random()));
    if (i % 5 == 0) c.data[i] = bfloat16(-float(a.data[i]) * float(b.data[i]) * 0x1p-40f);
  }
  bfloat16 *pa = a.data, *pb = b.data, *pc = c.data, *pf = fused.data, *pm = most.data, *pr = root.data,
           *ps = absolute.data;
  int* failures = wrong.data;
  *failures = 0;
  queue.parallel_for(size, [=](sycl::id<1> i) {
    pf[i] = enqueue::fma(pa[i], pb[i], pc[i]);
    pm[i] = enqueue::fmax(pa[i], pb[i]);
    pr[i] = enqueue::sqrt(pa[i]);
    ps[i] = enqueue::fabs(pa[i]);
    const sycl::marray<bfloat16, 2> pair(pa[i], pb[i]);
    const sycl::marray<bfloat16, 2> floors = enqueue::floor(pair);
    const auto nans = enqueue::isnan(pair);
    const bool is_nan = float(pa[i]) != float(pa[i]);
    if (nans[0] != is_nan || (!is_nan && float(floors[0]) != sycl::floor(float(pa[i])))) {
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*failures).fetch_add(1);
    }
  });
  queue.wait();
  CHECK_EQUAL(*failures, 0);
  for (std::size_t i = 0; i < size; ++i) {
    const float x = pa[i], y = pb[i], z = pc[i];
    // Computes the sum as two numbers of 113 bits each: a rounded sum and the rest.
    const auto product = static_cast<quad>(x) * y, exact = product + z, of_z = exact - product;
    const quad rest = (product - (exact - of_z)) + (z - of_z);
    if (std::isfinite(x) && std::isfinite(y) && std::isfinite(z)) {
      bfloat16 expected = static_cast<float>(exact);
      // The conversion above rounds twice. If a neighbour is nearer, rounding once to nearest even gives that
      // neighbour.
      for (int step : {-1, 1}) {
        const auto near =
            std::bit_cast<bfloat16>(static_cast<std::uint16_t>(std::bit_cast<std::uint16_t>(expected) + step));
        if (!std::isfinite(float(near)) || !std::isfinite(float(expected))) continue;
        if ((float(near) < 0) != (float(expected) < 0)) continue;
        const auto distance = [&](bfloat16 value) {
          const quad apart = static_cast<quad>(float(value)) - exact;
          return apart < 0 ? -apart : apart;
        };
        const bool even = (std::bit_cast<std::uint16_t>(near) & 1) == 0;
        const bool tie = distance(near) == distance(expected);
        const bool on_side_of_rest = rest == 0 ? even : (rest > 0) == (float(near) > float(expected));
        if (distance(near) < distance(expected) || (tie && on_side_of_rest)) expected = near;
      }
      if (float(pf[i]) != float(expected)) return CHECK_EQUAL(float(pf[i]), float(expected));
    }
    if (!std::isnan(x)) {
      if (!std::isnan(y) && float(pm[i]) != std::fmax(x, y)) return CHECK_EQUAL(float(pm[i]), std::fmax(x, y));
      if (float(ps[i]) != std::fabs(x)) return CHECK_EQUAL(float(ps[i]), std::fabs(x));
      if (x >= 0 && float(pr[i]) != float(bfloat16(std::sqrt(x)))) return CHECK_EQUAL(float(pr[i]), std::sqrt(x));
    }
  }
}

TEST("FPGA selectors: the emulator is the CPU, others find nothing") {
  CPU_ONLY;
  CHECK(sycl::device(sycl::ext::intel::fpga_emulator_selector_v).is_cpu());
  CHECK(sycl::queue(sycl::ext::intel::fpga_emulator_selector{}).get_device().is_cpu());
  bool refused = false;
  try {
    sycl::device device(sycl::ext::intel::fpga_selector_v);
  } catch (const sycl::exception& failure) {
    refused = failure.code() == sycl::errc::runtime;
  }
  CHECK(refused);
}

TEST("aspects.def lists the enumerators") {
  std::size_t count = 0;
#define __SYCL_ASPECT(name, value) CHECK(static_cast<int>(sycl::aspect::name) == value), ++count;
#include <sycl/info/aspects.def>
#undef __SYCL_ASPECT
  CHECK(count >= 20);
}

TEST("the default context is that of queues made without one") {
  sycl::queue queue = e2e::make_queue();
  CHECK(queue.get_device().get_platform().ext_oneapi_get_default_context() ==
        sycl::queue(queue.get_device()).get_context());
}

E2E_MAIN
