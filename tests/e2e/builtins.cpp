// Built-in functions of the compiler, which kernels call or optimisers insert: some targets have instructions for them,
// and other targets have none.
#include "check.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

using namespace sycl;

namespace {

template <class T>
T reversed_bits(T value) {
  T result = 0;
  for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit) {
    result = static_cast<T>(result << 1 | (value >> bit & 1));
  }
  return result;
}
template <class T>
T reversed_bytes(T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::reverse(std::begin(bytes), std::end(bytes));
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

struct numbers {
  std::uint8_t of_8;
  std::uint16_t of_16;
  std::uint32_t of_32;
  std::uint64_t of_64;
};

/// The memory orders are known only at run time, so the code branches to separate code for each order. After the
/// branches, their results are merged.
template <class T>
void check_exchanges(queue& q, memory_order success, memory_order failure) {
  T* data = malloc_shared<T>(2, q);
  bool* results = malloc_shared<bool>(4, q);
  data[0] = 0;
  data[1] = 5;
  q.single_task([=] {
     atomic_ref<T, memory_order::relaxed, memory_scope::device> first(data[0]), second(data[1]);
     T expected = 0;
     results[0] = first.compare_exchange_strong(expected, T{1}, success, failure);
     results[1] = first.compare_exchange_strong(expected, T{2}, success, failure);
     // The failed exchange above has stored the value 1 to `expected`, so this exchange succeeds.
     results[2] = expected == T{1} && first.compare_exchange_strong(expected, T{3}, success, memory_scope::device);
     expected = 5;
     results[3] = second.compare_exchange_strong(expected, T{7}, success);
   }).wait();
  CHECK_EQUAL(results[0], true);
  CHECK_EQUAL(results[1], false);
  CHECK_EQUAL(results[2], true);
  CHECK_EQUAL(results[3], true);
  CHECK_EQUAL(data[0], T{3});
  CHECK_EQUAL(data[1], T{7});
  free(data, q);
  free(results, q);
}

}  // namespace

TEST("bytes and bits in the other order") {
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t count = 200;
  numbers* in = malloc_shared<numbers>(count, q);
  numbers* bits = malloc_shared<numbers>(count, q);
  numbers* bytes = malloc_shared<numbers>(count, q);
  std::uint64_t state = 12345;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    in[i] = {static_cast<std::uint8_t>(state >> 40), static_cast<std::uint16_t>(state >> 30),
             static_cast<std::uint32_t>(state >> 20), state};
  }
  q.parallel_for(range<1>(count), [=](id<1> i) {
     bits[i] = {__builtin_bitreverse8(in[i].of_8), __builtin_bitreverse16(in[i].of_16),
                __builtin_bitreverse32(in[i].of_32), __builtin_bitreverse64(in[i].of_64)};
     bytes[i] = {in[i].of_8, __builtin_bswap16(in[i].of_16), __builtin_bswap32(in[i].of_32),
                 __builtin_bswap64(in[i].of_64)};
     __builtin_prefetch(&in[i]);
   }).wait();
  for (std::size_t i = 0; i < count; ++i) {
    CHECK_EQUAL(bits[i].of_8, reversed_bits(in[i].of_8));
    CHECK_EQUAL(bits[i].of_16, reversed_bits(in[i].of_16));
    CHECK_EQUAL(bits[i].of_32, reversed_bits(in[i].of_32));
    CHECK_EQUAL(bits[i].of_64, reversed_bits(in[i].of_64));
    CHECK_EQUAL(bytes[i].of_16, reversed_bytes(in[i].of_16));
    CHECK_EQUAL(bytes[i].of_32, reversed_bytes(in[i].of_32));
    CHECK_EQUAL(bytes[i].of_64, reversed_bytes(in[i].of_64));
  }
  free(in, q);
  free(bits, q);
  free(bytes, q);
}

TEST("several compare-and-swaps in a kernel, with orders known at run time") {
  queue q = e2e::make_queue({property::queue::in_order()});
  for (const memory_order order : {memory_order::relaxed, memory_order::acq_rel, memory_order::seq_cst}) {
    const auto orders = q.get_device().get_info<info::device::atomic_memory_order_capabilities>();
    if (std::find(orders.begin(), orders.end(), order) == orders.end()) continue;
    check_exchanges<int>(q, order, memory_order::relaxed);
    check_exchanges<unsigned>(q, order, memory_order::relaxed);
    check_exchanges<float>(q, order, memory_order::relaxed);
    if (!q.get_device().has(aspect::atomic64)) continue;
    check_exchanges<long long>(q, order, memory_order::relaxed);
    if (q.get_device().has(aspect::fp64)) check_exchanges<double>(q, order, memory_order::relaxed);
  }
}

TEST("a kernel that jumps to where a pointer says runs or is refused, and the next one runs") {
  queue q = e2e::make_queue({property::queue::in_order()});
  int* data = malloc_shared<int>(1, q);
  *data = 5;
  try {
    q.single_task([=] {
       static const void* const places[] = {&&even, &&odd};
       goto* places[*data & 1];
     even:
       *data = 10;
       return;
     odd:
       *data = 20;
     }).wait();
    CHECK_EQUAL(*data, 20);
  } catch (const exception& error) {
    CHECK(error.code() == errc::build || error.code() == errc::kernel_not_supported ||
          error.code() == errc::feature_not_supported);
  }
  q.single_task([=] { *data = 3; }).wait();
  CHECK_EQUAL(*data, 3);
  free(data, q);
}

TEST("values of 16 bytes go round in the largest groups that the device offers") {
  queue q = e2e::make_queue({property::queue::in_order()});
  // Group functions use some local memory for each work-item.
  const std::size_t size = std::min<std::size_t>(q.get_device().get_info<info::device::max_work_group_size>(),
                                                 q.get_device().get_info<info::device::local_mem_size>() / 128);
  uint4* result = malloc_shared<uint4>(1, q);
  q.parallel_for(nd_range<1>(size, size), [=](nd_item<1> item) {
     const auto own = static_cast<unsigned>(item.get_global_linear_id());
     const uint4 other = group_broadcast(item.get_group(), uint4(own, own + 1, own + 2, own + 3), 3);
     if (own + 1 == item.get_global_range(0)) *result = other;
   }).wait();
  for (unsigned k = 0; k < 4; ++k) CHECK_EQUAL((*result)[k], 3 + k);
  free(result, q);
}

/// The structure is too large to be copied word by word.
struct large {
  long values[40];
};

TEST("large values move between all kinds of memory, over each other as well") {
  queue q = e2e::make_queue({property::queue::in_order()});
  large* all = malloc_shared<large>(4, q);
  for (int i = 0; i < 160; ++i) all[i / 40].values[i % 40] = i;
  const std::size_t bytes = sizeof(large);
  q.submit([&](handler& h) {
     local_accessor<large> local(2, h);
     h.parallel_for(nd_range<1>(4, 4), [=](nd_item<1> item) {
       if (item.get_global_id(0) != 0) return;
       __builtin_memmove(&local[0], &all[0], bytes);
       __builtin_memmove(&local[1].values[1], &local[0].values[0], 39 * sizeof(long));
       local[1].values[0] = -1;
       __builtin_memmove(&all[2], &local[1], bytes);
       large own;
       __builtin_memmove(&own, &all[1], bytes);
       own.values[all[0].values[3]] = 77;
       large* either = all[0].values[1] == 1 ? &own : &local[0];
       __builtin_memmove(&all[3], either, bytes);
       __builtin_memmove(either, &all[2], bytes);
       all[1].values[0] = own.values[39];
       __builtin_memmove(&all[1].values[1], &all[1].values[3], 20 * sizeof(long));
     });
   }).wait();
  for (int i = 0; i < 40; ++i) {
    CHECK_EQUAL(all[2].values[i], i - 1);
    CHECK_EQUAL(all[3].values[i], i == 3 ? 77 : 40 + i);
    CHECK_EQUAL(all[1].values[i], i == 0 ? 38 : i <= 20 ? 42 + i : 40 + i);
  }
  free(all, q);
}

E2E_MAIN
