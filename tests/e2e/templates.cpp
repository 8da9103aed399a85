/// Each instantiation of a template has its own kernel, with its own name and code.
#include "check.hpp"

namespace {

template <class Value, int Power>
struct power_kernel {
  const Value* in;
  Value* out;
  void operator()(sycl::id<1> i) const {
    Value result = 1;
    for (int p = 0; p < Power; ++p) result *= in[i];
    out[i] = result;
  }
};

template <class Value, int Power>
void check_power() {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t count : {0u, 1u, 19u, 256u}) {
    const std::vector<Value> values = e2e::random_values<Value>(count, -4, 4);
    Value* in = sycl::malloc_shared<Value>(count + 1, queue);
    Value* out = sycl::malloc_shared<Value>(count + 1, queue);
    std::copy(values.begin(), values.end(), in);
    queue.parallel_for(sycl::range<1>(count), power_kernel<Value, Power>{in, out}).wait();
    std::vector<Value> expected(count, Value(1));
    for (std::size_t i = 0; i < count; ++i) {
      for (int p = 0; p < Power; ++p) expected[i] *= values[i];
    }
    CHECK_ALL_EQUAL(std::vector<Value>(out, out + count), expected);
    sycl::free(in, queue);
    sycl::free(out, queue);
  }
}

/// An algorithm like std::transform, in which the user's operation is part of the kernel's type.
template <class Value, class Operation>
std::vector<Value> transform(sycl::queue queue, const std::vector<Value>& values, Operation operation) {
  std::vector<Value> result(values.size());
  {
    sycl::buffer<Value, 1> in(values.data(), sycl::range<1>(values.size()));
    sycl::buffer<Value, 1> out(result.data(), sycl::range<1>(values.size()));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(in, handler, sycl::read_only);
      sycl::accessor to(out, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(sycl::range<1>(values.size()), [=](sycl::id<1> i) { to[i] = operation(from[i]); });
    });
  }
  return result;
}

template <class... Values>
struct many {
  template <class Check>
  static void each(Check check) {
    (check(Values{}), ...);
  }
};

} // namespace

TEST("each instantiation of a kernel template runs its own code") {
  check_power<int, 0>();
  check_power<int, 3>();
  check_power<unsigned, 2>();
  check_power<std::int64_t, 4>();
  check_power<float, 2>();
  check_power<double, 3>();
  check_power<std::int16_t, 1>();
}

TEST("a generic transform takes lambdas with and without captures") {
  sycl::queue queue = e2e::make_queue();
  many<int, float, double, std::uint8_t>::each([&](auto zero) {
    using value = decltype(zero);
    const auto values = e2e::random_values<value>(77, 0, 50);
    const value shift = 5;
    std::vector<value> expected(values);
    for (value& one : expected) one = static_cast<value>(one + shift);
    auto buffered = transform(queue, values, [=](value one) { return static_cast<value>(one + shift); });
    CHECK_ALL_EQUAL(buffered, expected);
    for (value& one : expected) one = static_cast<value>(one + one);
    buffered = transform(queue, buffered, [](value one) { return static_cast<value>(one + one); });
    CHECK_ALL_EQUAL(buffered, expected);
  });
}

E2E_MAIN
