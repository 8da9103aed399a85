/// atomic_ref and atomic_fence: every operation, on global and local memory, from many work-items at once.
#include <algorithm>
#include <type_traits>

#include "check.hpp"

namespace {

template <class T>
using global_ref = sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device,
                                    sycl::access::address_space::global_space>;
template <class T>
using ordered_ref = sycl::atomic_ref<T, sycl::memory_order::acq_rel, sycl::memory_scope::system>;
template <class T>
using local_ref = sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                                   sycl::access::address_space::local_space>;

static_assert(ordered_ref<int>::default_read_order == sycl::memory_order::acquire);
static_assert(ordered_ref<int>::default_write_order == sycl::memory_order::release);
static_assert(global_ref<int>::default_read_modify_write_order == sycl::memory_order::relaxed);
static_assert(global_ref<int>::default_scope == sycl::memory_scope::device);
static_assert(std::is_same_v<global_ref<int*>::difference_type, std::ptrdiff_t>);

/// USM memory of a queue, which is freed at the end of the test.
template <class T>
class memory {
public:
  memory(sycl::queue& queue, std::size_t count, T value = T())
      : m_queue(queue), m_count(count), m_data(sycl::malloc_shared<T>(count, queue)) {
    std::fill(m_data, m_data + count, value);
  }
  ~memory() { sycl::free(m_data, m_queue); }
  T* get() const { return m_data; }
  T& operator[](std::size_t i) const { return m_data[i]; }
  std::vector<T> values() const { return {m_data, m_data + m_count}; }

private:
  sycl::queue& m_queue;
  std::size_t m_count;
  T* m_data;
};

/// Each commutative operation combines one value of each work-item. The values are whole numbers, so their sums are
/// exact in any order.
template <class T>
void check_totals(std::size_t size) {
  sycl::queue queue = e2e::make_queue();
  memory<T> values(queue, size), results(queue, 4);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<T>(e2e::random()() % 300) - static_cast<T>(100);
  results[2] = results[3] = static_cast<T>(100);
  T *in = values.get(), *out = results.get();
  queue
      .parallel_for(sycl::range<1>(size),
                    [=](sycl::id<1> i) {
                      global_ref<T>(out[0]).fetch_add(in[i]);
                      ordered_ref<T>(out[1]).fetch_sub(in[i]);
                      global_ref<T>(out[2]).fetch_min(in[i]);
                      ordered_ref<T>(out[3]).fetch_max(in[i], sycl::memory_order::seq_cst, sycl::memory_scope::device);
                    })
      .wait();
  T sum{}, difference{}, least = static_cast<T>(100), most = static_cast<T>(100);
  for (std::size_t i = 0; i < size; ++i) {
    sum = static_cast<T>(sum + in[i]);
    difference = static_cast<T>(difference - in[i]);
    least = std::min(least, in[i]);
    most = std::max(most, in[i]);
  }
  CHECK_EQUAL(results[0], sum);
  CHECK_EQUAL(results[1], difference);
  CHECK_EQUAL(results[2], least);
  CHECK_EQUAL(results[3], most);
}

/// One work-item does all operations one after the other and stores their results.
template <class T>
void check_single_operations() {
  sycl::queue queue = e2e::make_queue();
  memory<T> object(queue, 1, T(10)), results(queue, 16);
  T *at = object.get(), *out = results.get();
  queue
      .single_task([=] {
        ordered_ref<T> ref(*at);
        int n = 0;
        out[n++] = ref.load();
        ref.store(T(20));
        out[n++] = ref;
        out[n++] = ref = T(30);
        out[n++] = ref.exchange(T(40));
        T expected = T(41);
        out[n++] = ref.compare_exchange_strong(expected, T(50)) ? T(1) : T(0);
        out[n++] = expected;
        out[n++] =
            ref.compare_exchange_strong(expected, T(50), sycl::memory_order::seq_cst, sycl::memory_order::relaxed)
                ? T(1)
                : T(0);
        expected = T(50);
        while (!ref.compare_exchange_weak(expected, T(60))) {
        }
        out[n++] = ref += T(5);
        out[n++] = ref -= T(1);
        out[n++] = ref.fetch_add(T(1));
        out[n++] = ref.fetch_sub(T(2));
        out[n++] = ref.fetch_max(T(70));
        out[n++] = ref.fetch_min(T(3));
        out[n++] = *at;
        out[n++] = ref.is_lock_free() ? T(1) : T(0);
      })
      .wait();
  const std::vector<T> expected = {T(10), T(20), T(30), T(30), T(0),  T(40), T(1), T(65),
                                   T(64), T(64), T(65), T(63), T(70), T(3),  T(1), T(0)};
  CHECK_ALL_EQUAL(results.values(), expected);
}

}  // namespace

TEST("additions, minima and maxima of many work-items") {
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{13}, std::size_t{1009}, std::size_t{100003}}) {
    check_totals<int>(size);
    check_totals<unsigned>(size);
    check_totals<long>(size);
    check_totals<unsigned long long>(size);
    check_totals<float>(size);
    check_totals<double>(size);
  }
}

TEST("each operation gives the old or the new value") {
  check_single_operations<int>();
  check_single_operations<unsigned>();
  check_single_operations<long>();
  check_single_operations<float>();
  check_single_operations<double>();
}

TEST("bit operations and counters") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t size : {std::size_t{1}, std::size_t{31}, std::size_t{5003}}) {
    memory<std::uint32_t> words(queue, 8, 0);
    words[1] = ~0u;
    std::uint32_t* out = words.get();
    queue
        .parallel_for(sycl::range<1>(size),
                      [=](sycl::id<1> i) {
                        const std::uint32_t bit = std::uint32_t{1} << (i % 32);
                        global_ref<std::uint32_t>(out[0]) |= bit;
                        global_ref<std::uint32_t>(out[1]) &= ~bit;
                        global_ref<std::uint32_t>(out[2]) ^= bit;
                        global_ref<std::uint32_t>(out[3])++;
                        --ordered_ref<std::uint32_t>(out[4]);
                        ++global_ref<std::uint32_t>(out[5]);
                        ordered_ref<std::uint32_t>(out[6])--;
                      })
        .wait();
    std::uint32_t bits = 0, toggled = 0;
    for (std::size_t i = 0; i < size; ++i) {
      bits |= std::uint32_t{1} << (i % 32);
      toggled ^= std::uint32_t{1} << (i % 32);
    }
    const auto count = static_cast<std::uint32_t>(size);
    const std::vector<std::uint32_t> expected = {bits, ~bits, toggled, count, 0 - count, count, 0 - count, 0};
    CHECK_ALL_EQUAL(words.values(), expected);
  }
}

TEST("each work-item draws its own number from a counter") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t size = 20011;
  memory<unsigned> drawn(queue, size), counter(queue, 1);
  unsigned *out = drawn.get(), *next = counter.get();
  queue.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { out[i] = global_ref<unsigned>(*next)++; }).wait();
  std::vector<unsigned> numbers = drawn.values(), expected(size);
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < size; ++i) expected[i] = static_cast<unsigned>(i);
  CHECK_ALL_EQUAL(numbers, expected);
}

TEST("pointers move by elements") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t size = 3001;
  memory<int> slots(queue, size, -1);
  memory<int*> top(queue, 1, slots.get());
  int** at = top.get();
  queue
      .parallel_for(sycl::range<1>(size),
                    [=](sycl::id<1> i) {
                      int* mine = global_ref<int*>(*at).fetch_add(1);
                      *mine = static_cast<int>(i);
                    })
      .wait();
  CHECK(top[0] == slots.get() + size);
  std::vector<int> numbers = slots.values();
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < size; ++i) CHECK_EQUAL(numbers[i], static_cast<int>(i));
  queue
      .single_task([=] {
        ordered_ref<int*> ref(*at);
        ref -= 5;
        ++ref;
        ref--;
      })
      .wait();
  CHECK(top[0] == slots.get() + size - 5);
}

TEST("a histogram in local memory, added up in global memory") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t group : {std::size_t{1}, std::size_t{3}, std::size_t{16}, std::size_t{64}}) {
    const std::size_t groups = 37;
    const auto input = e2e::random_values<int>(group * groups, 0, 15.99);
    std::vector<int> expected(16), got(16);
    for (int value : input) ++expected[static_cast<std::size_t>(value)];
    {
      sycl::buffer<int, 1> in(input.data(), sycl::range<1>(input.size())), out(got.data(), sycl::range<1>(got.size()));
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(in, handler, sycl::read_only);
        sycl::accessor to(out, handler, sycl::read_write);
        sycl::local_accessor<int, 1> counts(sycl::range<1>(16), handler);
        handler.parallel_for(sycl::nd_range<1>(input.size(), group), [=](sycl::nd_item<1> item) {
          const std::size_t mine = item.get_local_id(0);
          for (std::size_t i = mine; i < 16; i += group) counts[i] = 0;
          sycl::group_barrier(item.get_group());
          local_ref<int>(counts[static_cast<std::size_t>(from[item.get_global_id(0)])]).fetch_add(1);
          sycl::group_barrier(item.get_group());
          for (std::size_t i = mine; i < 16; i += group) global_ref<int>(to[i]) += counts[i];
        });
      });
    }
    CHECK_ALL_EQUAL(got, expected);
  }
}

TEST("the last group sees what the others wrote") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t groups = 200, size = 8;
  memory<int> parts(queue, groups), total(queue, 1);
  memory<unsigned> counter(queue, 1);
  int *part = parts.get(), *sum = total.get();
  unsigned* done = counter.get();
  queue
      .parallel_for(sycl::nd_range<1>(groups * size, size),
                    [=](sycl::nd_item<1> item) {
                      if (item.get_local_id(0) != 0) return;
                      part[item.get_group(0)] = static_cast<int>(item.get_group(0)) + 1;
                      sycl::atomic_fence(sycl::memory_order::release, sycl::memory_scope::device);
                      if (global_ref<unsigned>(*done).fetch_add(1) != groups - 1) return;
                      sycl::atomic_fence(sycl::memory_order::acquire, sycl::memory_scope::device);
                      for (std::size_t i = 0; i < groups; ++i) *sum += part[i];
                    })
      .wait();
  CHECK_EQUAL(total[0], static_cast<int>(groups * (groups + 1) / 2));
}

E2E_MAIN
