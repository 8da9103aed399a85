/// sycl::reduction: range and nd_range kernels, buffers, USM and spans, with and without identities.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr std::size_t group_sizes[] = {1, 3, 16, 64, 100};

/// The largest lengths divide the reduction into several parts, for every number of dimensions.
const std::vector<std::size_t>& lengths() {
  static const std::vector<std::size_t> list = {0, 1, 2, 13, 255, 256, 257, 1009, 20011};
  return list;
}

/// USM memory of a queue, which is freed at the end of the test.
template <class T>
class memory {
public:
  memory(sycl::queue& queue, const std::vector<T>& values)
      : m_queue(queue), m_data(sycl::malloc_shared<T>(values.size() + 1, queue)) {
    std::copy(values.begin(), values.end(), m_data);
  }
  ~memory() { sycl::free(m_data, m_queue); }
  T* get() const { return m_data; }
  T& operator[](std::size_t i) const { return m_data[i]; }

private:
  sycl::queue& m_queue;
  T* m_data;
};

template <class T>
std::vector<T> whole_values(std::size_t count, double least = -100, double most = 100) {
  auto values = e2e::random_values<T>(count, least, most);
  for (T& value : values) value = static_cast<T>(static_cast<long>(value));
  return values;
}

template <class T, class Operation>
void check_operation(Operation operation, double least, double most) {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t length : lengths()) {
    const auto in = whole_values<T>(length, least, most);
    const memory<T> values(queue, in), results(queue, {T(3), T(3), T(3)});
    const T *data = values.get(), start = T(3);
    T *usm = results.get(), *fresh = usm + 1, *grouped = usm + 2;
    T from_buffer = start;
    queue
        .parallel_for(sycl::range<1>(length), sycl::reduction(usm, operation),
                      [=](sycl::id<1> i, auto& sum) { sum.combine(data[i]); })
        .wait();
    queue
        .parallel_for(sycl::range<1>(length),
                      sycl::reduction(fresh, operation, sycl::property::reduction::initialize_to_identity()),
                      [=](sycl::item<1> i, auto& sum) { sum.combine(data[i.get_linear_id()]); })
        .wait();
    {
      sycl::buffer<T, 1> result(&from_buffer, sycl::range<1>(1));
      queue.submit([&](sycl::handler& handler) {
        handler.parallel_for(sycl::range<1>(length), sycl::reduction(result, handler, operation),
                             [=](std::size_t i, auto& sum) { sum.combine(data[i]); });
      });
    }
    T expected = start, expected_fresh = sycl::known_identity_v<Operation, T>;
    for (T value : in) {
      expected = static_cast<T>(operation(expected, value));
      expected_fresh = static_cast<T>(operation(expected_fresh, value));
    }
    CHECK_EQUAL(usm[0], expected);
    CHECK_EQUAL(*fresh, expected_fresh);
    CHECK_EQUAL(from_buffer, expected);
    for (std::size_t size : group_sizes) {
      *grouped = start;
      const std::size_t rounded = (length + size - 1) / size * size;
      queue
          .parallel_for(sycl::nd_range<1>(rounded, size), sycl::reduction(grouped, operation),
                        [=](sycl::nd_item<1> item, auto& sum) {
                          if (item.get_global_id(0) >= length) return;
                          sum.combine(data[item.get_global_id(0)]);
                        })
          .wait();
      CHECK_EQUAL(*grouped, expected);
    }
  }
}

/// The operator returns the later value. It is associative, has no identity, and depends on the order of work-items.
struct newest {
  int time, value;
};
struct take_newest {
  newest operator()(const newest& a, const newest& b) const { return b.time > a.time ? b : a; }
};
struct counted {
  int lowest;
  std::uint64_t count;
};
struct count_lowest {
  counted operator()(const counted& a, const counted& b) const {
    return {std::min(a.lowest, b.lowest), a.count + b.count};
  }
};
/// So large that the local memory of some devices has no room for a group of 256.
struct moments {
  std::uint64_t power[9];
};
struct add_moments {
  moments operator()(const moments& a, const moments& b) const {
    moments sum;
    for (int k = 0; k < 9; ++k) sum.power[k] = a.power[k] + b.power[k];
    return sum;
  }
};
/// A user's type without a default constructor, and with its own operator.
struct matrix {
  matrix(int a, int b, int c, int d) : m{a, b, c, d} {}
  int m[4];
};
struct multiply_matrices {
  matrix operator()(const matrix& x, const matrix& y) const {
    auto at = [&](int i, int k) { return (x.m[2 * i] * y.m[k] + x.m[2 * i + 1] * y.m[2 + k]) % 1000; };
    return {at(0, 0), at(0, 1), at(1, 0), at(1, 1)};
  }
};

}  // namespace

TEST("all operators on ranges and groups of many sizes") {
  check_operation<int>(sycl::plus<>(), -100, 100);
  check_operation<double>(sycl::plus<double>(), -100, 100);
  check_operation<std::uint64_t>(sycl::multiplies<>(), 0, 9);
  check_operation<float>(sycl::minimum<>(), -100, 100);
  check_operation<short>(sycl::maximum<short>(), -100, 100);
  check_operation<unsigned>(sycl::bit_xor<>(), 0, 65535);
}

TEST("operators of reducers") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t size = 1009;
  const auto in = whole_values<std::uint32_t>(size, 0, 65535);
  const memory<std::uint32_t> values(queue, in), results(queue, {1, 1, ~0u, 0, 0, 5});
  const std::uint32_t* data = values.get();
  std::uint32_t* out = results.get();
  queue
      .parallel_for(sycl::range<1>(size), sycl::reduction(out, sycl::plus<>()),
                    sycl::reduction(out + 1, sycl::multiplies<>()), sycl::reduction(out + 2, sycl::bit_and<>()),
                    sycl::reduction(out + 3, sycl::bit_or<>()), sycl::reduction(out + 4, sycl::bit_xor<>()),
                    sycl::reduction(out + 5, sycl::plus<std::uint32_t>()),
                    [=](sycl::id<1> i, auto& sum, auto& product, auto& all, auto& any, auto& odd, auto& count) {
                      const std::uint32_t x = data[i];
                      sum += x;
                      product *= 2 * x + 1;
                      all &= x | 0xff000000u;
                      any |= x;
                      odd ^= x;
                      ++count;
                      if (x % 2 == 0) count++;
                      if (sum.identity() != 0 || product.identity() != 1) count.combine(1000);
                    })
      .wait();
  std::uint32_t sum = 1, product = 1, all = ~0u, any = 0, odd = 0, count = 5;
  for (std::uint32_t x : in) {
    sum += x;
    product *= 2 * x + 1;
    all &= x | 0xff000000u;
    any |= x;
    odd ^= x;
    count += x % 2 == 0 ? 2 : 1;
  }
  const std::uint32_t expected[] = {sum, product, all, any, odd, count};
  for (std::size_t i = 0; i < 6; ++i) CHECK_EQUAL(results[i], expected[i]);
}

TEST("ranges of two and three dimensions visit every work-item once, with its id") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t a : {0, 1, 7, 33}) {
    for (std::size_t b : {1, 3, 64}) {
      const memory<std::uint64_t> results(queue, {0, 0, 0, 0});
      std::uint64_t* out = results.get();
      queue
          .parallel_for(
              sycl::range<2>(a, b), sycl::reduction(out, sycl::plus<>()), sycl::reduction(out + 1, sycl::plus<>()),
              [=](sycl::item<2> item, auto& count, auto& sum) {
                count += 1;
                sum += (item.get_id(0) * 1000 + item.get_id(1)) * (item.get_linear_id() + 1) + item.get_range(1);
              })
          .wait();
      queue
          .parallel_for(sycl::range<3>(b, a, 5), sycl::reduction(out + 2, sycl::plus<>()),
                        sycl::reduction(out + 3, sycl::plus<>()),
                        [=](sycl::id<3> id, auto& count, auto& sum) {
                          ++count;
                          sum += (id[0] * 100 + id[1]) * 100 + id[2];
                        })
          .wait();
      std::uint64_t sum2 = 0, sum3 = 0;
      for (std::size_t i = 0; i < a; ++i) {
        for (std::size_t k = 0; k < b; ++k) {
          sum2 += (i * 1000 + k) * (i * b + k + 1) + b;
          for (std::size_t l = 0; l < 5; ++l) sum3 += (k * 100 + i) * 100 + l;
        }
      }
      CHECK_EQUAL(results[0], a * b);
      CHECK_EQUAL(results[1], sum2);
      CHECK_EQUAL(results[2], a * b * 5);
      CHECK_EQUAL(results[3], sum3);
    }
  }
}

TEST("groups of two and three dimensions, with barriers and local memory of the user") {
  sycl::queue queue = e2e::make_queue();
  const auto in = whole_values<int>(12 * 10);
  const memory<int> values(queue, in);
  const int* data = values.get();
  const memory<int> results(queue, {0, 0, 0});
  int* out = results.get();
  queue
      .submit([&](sycl::handler& handler) {
        sycl::local_accessor<int, 1> tile(sycl::range<1>(15), handler);
        handler.parallel_for(sycl::nd_range<2>({12, 10}, {3, 5}), sycl::reduction(out, sycl::plus<>()),
                             sycl::reduction(out + 1, sycl::maximum<>()),
                             [=](sycl::nd_item<2> item, auto& sum, auto& most) {
                               const std::size_t mine = item.get_local_linear_id();
                               tile[mine] = data[item.get_global_linear_id()];
                               sycl::group_barrier(item.get_group());
                               const int other = tile[14 - mine];
                               sum += other;
                               most.combine(sycl::reduce_over_group(item.get_group(), other, sycl::plus<>()));
                             });
      })
      .wait();
  queue
      .parallel_for(sycl::nd_range<3>({2, 6, 10}, {1, 2, 5}), sycl::reduction(out + 2, sycl::plus<>()),
                    [=](sycl::nd_item<3> item, auto& sum) { sum += data[item.get_global_linear_id()]; })
      .wait();
  int sum = 0, most = 0;
  for (int value : in) sum += value;
  for (std::size_t row = 0; row < 12; row += 3) {
    for (std::size_t column = 0; column < 10; column += 5) {
      int tile = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < 5; ++k) tile += in[(row + i) * 10 + column + k];
      }
      most = std::max(most, tile);
    }
  }
  CHECK_EQUAL(results[0], sum);
  CHECK_EQUAL(results[1], most);
  CHECK_EQUAL(results[2], sum);
}

TEST("a reduction without identity starts with the values themselves") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t length : lengths()) {
    const auto times = e2e::random_values<int>(length, 0, 1000000);
    const memory<int> values(queue, times);
    const int* data = values.get();
    for (std::size_t every : {std::size_t{1}, std::size_t{7}, std::size_t{1000000}}) {
      newest result{-5, -5}, grouped{-5, -5};
      {
        sycl::buffer<newest, 1> out(&result, sycl::range<1>(1)), out_grouped(&grouped, sycl::range<1>(1));
        queue.submit([&](sycl::handler& handler) {
          handler.parallel_for(sycl::range<1>(length), sycl::reduction(out, handler, take_newest()),
                               [=](sycl::id<1> i, auto& last) {
                                 // Most work-items contribute nothing.
                                 if (i % every == every / 2) last.combine({data[i], static_cast<int>(i)});
                               });
        });
        queue.submit([&](sycl::handler& handler) {
          handler.parallel_for(sycl::nd_range<1>((length + 15) / 16 * 16, 16),
                               sycl::reduction(out_grouped, handler, take_newest()),
                               [=](sycl::nd_item<1> item, auto& last) {
                                 const std::size_t i = item.get_global_id(0);
                                 if (i < length && i % every == every / 2) last.combine({data[i], static_cast<int>(i)});
                               });
        });
      }
      newest expected{-5, -5};
      for (std::size_t i = every / 2; i < length; i += every) {
        expected = take_newest()(expected, {times[i], static_cast<int>(i)});
      }
      CHECK_EQUAL(result.time, expected.time);
      CHECK_EQUAL(result.value, expected.value);
      CHECK_EQUAL(grouped.time, expected.time);
      CHECK_EQUAL(grouped.value, expected.value);
    }
  }
}

TEST("work-items that contribute nothing, or several values in a loop") {
  sycl::queue queue = e2e::make_queue();
  counted* result = sycl::malloc_shared<counted>(1, queue);
  for (const std::size_t length : {std::size_t{0}, std::size_t{32}, std::size_t{4096}}) {
    // Only work-items for which x % 4 is not zero enter the loop.
    const auto contribute = [](unsigned x, const auto& combine) {
      for (unsigned k = 0; k < (x & 3); ++k) {
        x = (x ^ k) * 177;
        if ((x & 0xff) == 0) combine(counted{static_cast<int>(x), 1});
      }
    };
    *result = {-5, 1};
    queue
        .parallel_for(sycl::nd_range<1>(length, 32), sycl::reduction(result, count_lowest()),
                      [=](sycl::nd_item<1> item, auto& lowest) {
                        contribute(static_cast<unsigned>(item.get_global_id(0)),
                                   [&](const counted& each) { lowest.combine(each); });
                      })
        .wait();
    counted expected{-5, 1};
    for (std::size_t i = 0; i < length; ++i) {
      contribute(static_cast<unsigned>(i), [&](const counted& each) { expected = count_lowest()(expected, each); });
    }
    CHECK_EQUAL(result->lowest, expected.lowest);
    CHECK_EQUAL(result->count, expected.count);
  }
  sycl::free(result, queue);
}

TEST("values so large that only small groups have room for them") {
  sycl::queue queue = e2e::make_queue();
  moments* result = sycl::malloc_shared<moments>(1, queue);
  const auto moments_of = [](std::uint64_t x) {
    moments all{};
    for (std::uint64_t k = 0, power = 1; k < 9; ++k, power *= x) all.power[k] = power;
    return all;
  };
  for (std::size_t length : lengths()) {
    moments expected = moments_of(3);
    for (std::size_t i = 0; i < length; ++i) expected = add_moments()(expected, moments_of(i));
    for (const bool known : {false, true}) {
      *result = moments_of(3);
      const auto add = [=](sycl::id<1> i, auto& sum) { sum.combine(moments_of(i[0])); };
      if (known) queue.parallel_for(sycl::range<1>(length), sycl::reduction(result, moments{}, add_moments()), add);
      else queue.parallel_for(sycl::range<1>(length), sycl::reduction(result, add_moments()), add);
      queue.wait();
      for (int k = 0; k < 9; ++k) CHECK_EQUAL(result->power[k], expected.power[k]);
    }
  }
  sycl::free(result, queue);
}

TEST("operators that do not commute, with an identity of the user") {
  sycl::queue queue = e2e::make_queue();
  const matrix one(1, 0, 0, 1);
  for (std::size_t length : lengths()) {
    const auto in = e2e::random_values<int>(length, 0, 9.99);
    const memory<int> values(queue, in);
    const int* data = values.get();
    const auto element = [](int x) { return matrix(x + 1, x, 1, 2 * x); };
    matrix expected = one;
    for (int x : in) expected = multiply_matrices()(expected, element(x));
    matrix* result = sycl::malloc_shared<matrix>(1, queue);
    for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{16}}) {
      new (result) matrix(7, 7, 7, 7);
      auto reduction = sycl::reduction(result, one, multiply_matrices(),
                                       sycl::property_list{sycl::property::reduction::initialize_to_identity()});
      if (size == 0) {
        queue.parallel_for(sycl::range<1>(length), reduction,
                           [=](sycl::id<1> i, auto& product) { product.combine(element(data[i])); });
      } else {
        queue.parallel_for(sycl::nd_range<1>((length + size - 1) / size * size, size), reduction,
                           [=](sycl::nd_item<1> item, auto& product) {
                             const std::size_t i = item.get_global_id(0);
                             product.combine(i < length ? element(data[i]) : product.identity());
                           });
      }
      queue.wait();
      for (int i = 0; i < 4; ++i) CHECK_EQUAL(result->m[i], expected.m[i]);
    }
    sycl::free(result, queue);
  }
}

TEST("array reductions make histograms") {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t length : lengths()) {
    const auto in = e2e::random_values<int>(length, 0, 7.99);
    const memory<int> values(queue, in), bins(queue, std::vector<int>(8, 2)), grouped(queue, std::vector<int>(8, 2)),
        last(queue, std::vector<int>(8, 2));
    const int* data = values.get();
    queue
        .parallel_for(sycl::range<1>(length), sycl::reduction(sycl::span<int, 8>(bins.get(), 8), sycl::plus<>()),
                      [=](sycl::id<1> i, auto& counts) { counts[static_cast<std::size_t>(data[i])] += 1; })
        .wait();
    queue
        .parallel_for(sycl::nd_range<1>((length + 15) / 16 * 16, 16),
                      sycl::reduction(sycl::span<int, 8>(grouped.get(), 8), 0, sycl::plus<>(),
                                      {sycl::property::reduction::initialize_to_identity()}),
                      [=](sycl::nd_item<1> item, auto& counts) {
                        const std::size_t i = item.get_global_id(0);
                        if (i < length) ++counts[static_cast<std::size_t>(data[i])];
                      })
        .wait();
    queue
        .parallel_for(
            sycl::range<1>(length), sycl::reduction(sycl::span<int, 8>(last.get(), 8), [](int, int b) { return b; }),
            [=](sycl::id<1> i, auto& seen) { seen[static_cast<std::size_t>(data[i])].combine(static_cast<int>(i)); })
        .wait();
    int counts[8] = {}, ends[8];
    std::fill(std::begin(ends), std::end(ends), 2);
    for (std::size_t i = 0; i < length; ++i) {
      ++counts[in[i]];
      ends[in[i]] = static_cast<int>(i);
    }
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK_EQUAL(bins[i], counts[i] + 2);
      CHECK_EQUAL(grouped[i], counts[i]);
      CHECK_EQUAL(last[i], ends[i]);
    }
  }
}

TEST("fractions give the same sum each time") {
  sycl::queue queue = e2e::make_queue();
  const auto in = e2e::random_values<float>(100003);
  const memory<float> values(queue, in), result(queue, {0});
  const float* data = values.get();
  float *sum = result.get(), first = 0;
  double exact = 0;
  for (float value : in) exact += static_cast<double>(value);
  for (int round = 0; round < 20; ++round) {
    queue
        .parallel_for(sycl::range<1>(in.size()),
                      sycl::reduction(sum, sycl::plus<>(), sycl::property::reduction::initialize_to_identity()),
                      [=](sycl::id<1> i, auto& total) { total += data[i]; })
        .wait();
    if (round == 0) first = *sum;
    CHECK_EQUAL(*sum, first);
  }
  CHECK(std::fabs(static_cast<double>(first) - exact) < 1);
}

TEST("reductions order themselves like other uses of a buffer, and after events") {
  sycl::queue queue = e2e::make_queue();
  int result = 0;
  const memory<int> usm(queue, {0});
  int* out = usm.get();
  {
    sycl::buffer<int, 1> total(&result, sycl::range<1>(1));
    for (int round = 0; round < 50; ++round) {
      queue.submit([&](sycl::handler& handler) {
        handler.parallel_for<class adding_rounds>(sycl::range<1>(100), sycl::reduction(total, handler, sycl::plus<>()),
                                                  [=](sycl::id<1>, auto& sum) { ++sum; });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor value(total, handler, sycl::read_write);
        handler.single_task([=] { value[0] *= 1; });
      });
    }
  }
  CHECK_EQUAL(result, 5000);
  sycl::event before;
  for (int round = 0; round < 20; ++round) {
    before = round % 2 == 0 ? queue.parallel_for(sycl::range<1>(100), before, sycl::reduction(out, sycl::plus<>()),
                                                 [=](sycl::id<1>, auto& sum) { ++sum; })
                            : queue.parallel_for(sycl::nd_range<1>(100, 10), std::vector<sycl::event>{before},
                                                 sycl::reduction(out, sycl::plus<>()),
                                                 [=](sycl::nd_item<1>, auto& sum) { ++sum; });
  }
  before.wait();
  CHECK_EQUAL(usm[0], 2000);
}

TEST("misuse is refused") {
  sycl::queue queue = e2e::make_queue();
  const auto refused = [&](auto make, sycl::errc code = sycl::errc::invalid) {
    try {
      queue.submit([&](sycl::handler& handler) { make(handler); });
    } catch (const sycl::exception& error) {
      return error.code() == code;
    }
    return false;
  };
  sycl::buffer<int, 1> two{sycl::range<1>(2)}, none{sycl::range<1>(0)};
  newest result{};
  CHECK(refused([&](sycl::handler& handler) { (void)sycl::reduction(two, handler, sycl::plus<>()); }));
  CHECK(refused([&](sycl::handler& handler) { (void)sycl::reduction(none, handler, 0, sycl::plus<>()); }));
  CHECK(refused(
      [&](sycl::handler& handler) {
        sycl::local_accessor<int, 1> local(sycl::range<1>(4), handler);
        handler.parallel_for(sycl::range<1>(8), sycl::reduction(&result.value, sycl::plus<>()),
                             [=](sycl::id<1> i, auto& sum) { sum += local[i % 4]; });
      },
      sycl::errc::kernel_argument));
  CHECK(refused([&](sycl::handler&) {
    (void)sycl::reduction(&result, take_newest(), sycl::property::reduction::initialize_to_identity());
  }));
}

TEST("reductions follow each other in a queue, and give the same whoever finishes them") {
  CPU_ONLY;
  const auto in = e2e::random_values<float>(70'003, -1, 1);
  sycl::queue in_order{sycl::property::queue::in_order()}, out_of_order;
  // In this queue, the last work-group of each kernel finishes the reduction, so the kernels can be fused with others.
  sycl::queue fusable{sycl::property_list{sycl::property::queue::in_order(),
                                          sycl::ext::codeplay::experimental::property::queue::enable_fusion()}};
  std::vector<float> all[3];
  for (std::size_t k = 0; k < 3; ++k) {
    sycl::queue& queue = k == 0 ? in_order : k == 1 ? out_of_order : fusable;
    const memory<float> values(queue, in);
    // The runtime enlarges memory for partial results and uses it again.
    const std::size_t counts[] = {1, 5, 70'003, 0, 4'099, 16'384, 70'002, 17};
    const std::size_t kernels = std::size(counts);
    const memory<float> sums(queue, std::vector<float>(2 * kernels, 0.5f)),
        most(queue, std::vector<float>(kernels, -9));
    const memory<double> grouped(queue, std::vector<double>(kernels, 0.5));
    const float* data = values.get();
    for (std::size_t i = 0; i < kernels; ++i) {
      queue.parallel_for(sycl::range<1>(counts[i]), sycl::reduction(sums.get() + i, sycl::plus<float>()),
                         sycl::reduction(most.get() + i, sycl::maximum<float>()),
                         [=](sycl::id<1> at, auto& sum, auto& max) {
                           sum += data[at];
                           max.combine(data[at]);
                         });
      queue.parallel_for(sycl::nd_range<1>(counts[i] / 100 * 100, 100),
                         sycl::reduction(grouped.get() + i, sycl::plus<double>()),
                         sycl::reduction(sums.get() + kernels + i, sycl::plus<float>()),
                         [=](sycl::nd_item<1> at, auto& wide, auto& sum) {
                           wide += static_cast<double>(data[at.get_global_id(0)]);
                           sum += data[at.get_global_id(0)];
                         });
    }
    queue.wait();
    for (std::size_t i = 0; i < kernels; ++i) {
      double exact = 0.5, exact_grouped = 0.5;
      float expected_most = -9;
      for (std::size_t at = 0; at < counts[i]; ++at) {
        exact += static_cast<double>(in[at]);
        if (at < counts[i] / 100 * 100) exact_grouped += static_cast<double>(in[at]);
        expected_most = std::max(expected_most, in[at]);
      }
      CHECK_EQUAL(most[i], expected_most);
      CHECK(std::fabs(static_cast<double>(sums[i]) - exact) < 0.01);
      CHECK(std::fabs(static_cast<double>(sums[kernels + i]) - exact_grouped) < 0.01);
      CHECK(std::fabs(grouped[i] - exact_grouped) < 1e-6);
    }
    all[k].assign(sums.get(), sums.get() + 2 * kernels);
  }
  CHECK(all[0] == all[1]);
  CHECK(all[0] == all[2]);
}

TEST("a size that the function of a reduction over a range requires is not that of its launch") {
  sycl::queue q = e2e::make_queue();
  int* sum = sycl::malloc_shared<int>(1, q);
  for (const std::size_t count : e2e::sizes()) {
    *sum = 2;
    q.parallel_for(sycl::range<1>(count), sycl::reduction(sum, sycl::plus<int>()),
                   [=](sycl::id<1> i, auto& s) [[sycl::reqd_work_group_size(8)]] { s += static_cast<int>(i[0]) + 1; })
        .wait();
    CHECK_EQUAL(*sum, 2 + static_cast<int>(count * (count + 1) / 2));
  }
  sycl::free(sum, q);
}

TEST("function objects work element by element on vec and marray") {
  const sycl::vec<int, 3> a(1, -2, 3), b(-1, 5, 3);
  const sycl::vec<int, 3> least = sycl::minimum<>()(a, b), most = sycl::maximum<sycl::vec<int, 3>>()(a, b);
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(least[i], std::min(a[i], b[i]));
    CHECK_EQUAL(most[i], std::max(a[i], b[i]));
  }
  const sycl::marray<float, 5> x(2.0f), y(3.0f);
  CHECK_EQUAL(sycl::maximum<>()(x, y)[4], 3.0f);
  sycl::queue q = e2e::make_queue();
  auto* sum = sycl::malloc_shared<double>(1, q);
  *sum = 5;
  q.parallel_for(sycl::range<1>(1000), sycl::reduction(sum, std::plus<double>()), [=](sycl::id<1> i, auto& s) {
     s += double(i[0]);
   }).wait();
  CHECK_EQUAL(*sum, 5 + 999 * 500.0);
  sycl::free(sum, q);
}

E2E_MAIN
