/// Kernels capture nested structures, arrays, base classes, empty members, unions, bit-fields, structured bindings and
/// `this`.
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "check.hpp"

namespace {

struct empty {};
struct point {
  float x, y;
};
struct base {
  std::int8_t small;
  std::int64_t large;
};
struct second_base {
  std::uint16_t tag;
};
struct derived : base, second_base, empty {
  point corners[3];
  [[no_unique_address]] empty nothing;
  std::array<std::int32_t, 5> numbers;
};
union either {
  std::uint32_t bits;
  float real;
};
struct packed_bits {
  unsigned low : 3, middle : 7, high : 22;
};
enum class colour : std::uint8_t { red = 1, green = 200 };
struct alignas(32) aligned {
  double values[3];
};

/// Runs `kernel` on a few work-items. Each work-item stores one double.
template <class Function>
std::vector<double> run(std::size_t count, Function make_kernel) {
  sycl::queue queue = e2e::make_queue();
  double* out = sycl::malloc_shared<double>(count, queue);
  std::fill(out, out + count, -1);
  queue.parallel_for(sycl::range<1>(count), make_kernel(out)).wait();
  std::vector<double> result(out, out + count);
  sycl::free(out, queue);
  return result;
}

/// A kernel that changes counters in its `mutable` members, and only reads its other members.
struct counting {
  double* out;
  mutable int calls = 5;
  mutable int places[4] = {};
  int weights[5] = {1, 2, 3, 4, 5};

  void count(std::size_t calls_of_item) const {
    for (std::size_t k = 0; k < calls_of_item; ++k) {
      ++calls;
      places[k % 4] += weights[k % 5];
    }
  }
  double result() const { return calls + places[0] * 2 + places[1] * 4 + places[2] * 8 + places[3] * 16; }

  void operator()(sycl::id<1> i) const {
    count(i[0] % 7);
    out[i] = result();
  }
  void operator()(sycl::nd_item<1> item) const {
    const std::size_t i = item.get_global_id(0);
    count(i % 7);
    item.barrier();
    count(1);
    out[i] = result();
  }
};

void choose_second(const struct by_function& kernel);

/// Kernels that change their `mutable` members. Most of these members are pointers. The compiler can't see which member
/// or element a kernel changes.
struct by_index {
  double* out;
  const double *first, *second;
  mutable const double* places[3] = {first, first, second};
  void operator()(sycl::id<1> i) const {
    places[i[0] % 3] = second;
    out[i] = places[1][i[0] % 9] - 3 * places[2][i[0] % 7];
  }
};
struct by_function {
  double* out;
  const double *first, *second;
  mutable const double* place = first;
  void operator()(sycl::id<1> i) const {
    if (i[0] % 2 != 0) choose_second(*this);
    out[i] = place[i[0] % 9];
  }
};
[[gnu::noinline]] void choose_second(const by_function& kernel) { kernel.place = kernel.second; }
struct by_array {
  double* out;
  const double *first, *second;
  std::array<const double*, 4> from = {first, second, second, first};
  mutable std::array<const double*, 4> to = {second, second, second, second};
  void operator()(sycl::id<1> i) const {
    if (i[0] % 3 == 0) to = from;
    out[i] = to[3][i[0] % 9] - 3 * to[1][i[0] % 9];
  }
};
struct by_choice {
  double* out;
  const double *first, *second;
  mutable const double *left = first, *right = first;
  void operator()(sycl::id<1> i) const {
    (i[0] % 2 != 0 ? left : right) = second;
    out[i] = left[i[0] % 9] - 3 * right[i[0] % 9];
  }
};
struct by_bytes {
  double* out;
  // `first` is aligned to 128 bytes, and `second` is 64 bytes behind `first`. So flipping one bit of `place` switches
  // between `first` and `second`.
  const double *first, *second;
  mutable const double* place = first;
  void operator()(sycl::id<1> i) const {
    reinterpret_cast<unsigned char*>(&place)[0] ^= 64;
    out[i] = place[i[0] % 7];
  }
};
struct by_stored_address {
  double* out;
  const double *first, *second;
  mutable int counts[3] = {};
  void operator()(sycl::id<1> i) const {
    int* places[2] = {&counts[0], &counts[2]};
    for (std::size_t k = 0; k < i[0] % 9; ++k) ++*places[k * i[0] % 2];
    out[i] = counts[0] * 100 + counts[2];
  }
};
struct by_closure {
  double* out;
  const double *first, *second;
  mutable int count = 0, sums[2] = {};
  struct adder {
    const by_closure* kernel;
    int next;
    [[gnu::noinline]] void add(int times) {
      for (int k = 0; k < times; ++k, ++next) kernel->count += next, kernel->sums[k % 2] += k;
    }
  };
  void operator()(sycl::id<1> i) const {
    adder own{this, 1};
    own.add(static_cast<int>(i[0] % 6));
    out[i] = count + 100 * sums[0] + 10000 * sums[1] + own.next;
  }
};
struct by_reference {
  double* out;
  const double *first, *second;
  mutable int counts[4] = {};
  [[gnu::noinline]] int& at(std::size_t k) const { return counts[k % 4]; }
  void operator()(sycl::id<1> i) const {
    at(i[0]) += 4;
    ++at(i[0] / 3);
    out[i] = counts[0] + 3 * counts[1] + 5 * counts[2] + 7 * counts[3];
  }
};
struct by_number {
  double* out;
  const double *first, *second;
  mutable int counts[4] = {};
  void operator()(sycl::id<1> i) const {
    const auto place = reinterpret_cast<std::uintptr_t>(counts) & ~std::uintptr_t(3);
    ++*reinterpret_cast<int*>(place + 4 * (i[0] % 4));
    out[i] = counts[0] + 3 * counts[1] + 5 * counts[2] + 7 * counts[3];
  }
};

template <class Kernel>
void check_own_members() {
  constexpr std::size_t size = 1000;
  sycl::queue queue = e2e::make_queue();
  // A driver's compiler may not know to which memory a pointer in a copy of the kernel object points.
  if (queue.get_backend() != sycl::backend::sinter_cpu) return;
  double* numbers = sycl::aligned_alloc_shared<double>(128, 32, queue);
  double* out = sycl::malloc_shared<double>(size, queue);
  for (int i = 0; i < 32; ++i) numbers[i] = 1 + i * i;
  const Kernel kernel{out, numbers, numbers + 8};
  std::vector<double> expected(size);
  for (std::size_t i = 0; i < size; ++i) {
    const Kernel own = kernel;
    own(sycl::id<1>(i));
    expected[i] = std::exchange(out[i], -1);
  }
  queue.parallel_for(sycl::range<1>(size), kernel).wait();
  CHECK_ALL_EQUAL(std::vector<double>(out, out + size), expected);
  sycl::free(numbers, queue);
  sycl::free(out, queue);
}

double counted(std::size_t first, std::size_t second) {
  const counting expected{nullptr};
  expected.count(first);
  expected.count(second);
  return expected.result();
}

class holder {
public:
  explicit holder(double factor) : m_factor(factor) {}
  std::vector<double> by_copy() const {
    return run(9, [this](double* out) {
      return [=, *this](sycl::id<1> i) { out[i] = m_factor * static_cast<double>(i[0]); };
    });
  }

private:
  double m_factor;
};

} // namespace

TEST("nested structures, arrays and bases arrive whole") {
  derived value{};
  value.small = -7;
  value.large = 1ll << 40;
  value.tag = 513;
  for (int i = 0; i < 3; ++i) value.corners[i] = {1.5f * static_cast<float>(i), -2.0f * static_cast<float>(i)};
  for (int i = 0; i < 5; ++i) value.numbers[static_cast<std::size_t>(i)] = i * i - 3;
  const auto sum = [](const derived& d, std::size_t i) {
    double total = d.small + static_cast<double>(d.large) + d.tag;
    for (const point& corner : d.corners) total += corner.x * 10 + corner.y;
    return total + d.numbers[i % 5];
  };
  const auto got = run(23, [&](double* out) { return [=](sycl::id<1> i) { out[i] = sum(value, i[0]); }; });
  for (std::size_t i = 0; i < got.size(); ++i) CHECK_EQUAL(got[i], sum(value, i));
}

TEST("C arrays are captured by value") {
  int table[2][3] = {{1, 2, 3}, {40, 50, 60}};
  const auto got = run(6, [&](double* out) { return [=](sycl::id<1> i) { out[i] = table[i / 3][i % 3]; }; });
  const std::vector<double> expected = {1, 2, 3, 40, 50, 60};
  CHECK_ALL_EQUAL(got, expected);
}

TEST("unions, bit-fields, enumerations, bools and over-aligned members arrive whole") {
  either choice;
  choice.real = 1.25f;
  const packed_bits bits{5, 100, 12345};
  const colour paint = colour::green;
  const bool yes = true, no = false;
  const aligned big{{1, 2, 3}};
  const char letter = 'x';
  const auto got = run(8, [&](double* out) {
    return [=](sycl::id<1> i) {
      const double all[8] = {choice.real,
                             static_cast<double>(choice.bits),
                             static_cast<double>(bits.low),
                             static_cast<double>(bits.middle),
                             static_cast<double>(bits.high),
                             static_cast<double>(paint) + (yes ? 0.5 : 0) + (no ? 0.25 : 0),
                             big.values[0] + big.values[1] * 10 + big.values[2] * 100,
                             static_cast<double>(letter)};
      out[i] = all[i];
    };
  });
  const std::vector<double> expected = {1.25, 0x3fa00000, 5, 100, 12345, 200.5, 321, 'x'};
  CHECK_ALL_EQUAL(got, expected);
}

TEST("every arithmetic type is captured") {
  const std::int8_t a = -8;
  const std::uint8_t b = 250;
  const std::int16_t c = -1600;
  const std::uint16_t d = 65000;
  const std::int32_t e = -2000000;
  const std::uint32_t f = 4000000000u;
  const std::int64_t g = -(1ll << 50);
  const std::uint64_t h = 1ull << 52;
  const float x = 0.1f;
  const double y = 0.1;
  const auto got = run(10, [&](double* out) {
    return [=](sycl::id<1> i) {
      const double all[] = {double(a), double(b), double(c), double(d), double(e),
                            double(f), double(g), double(h), x,         y};
      out[i] = all[i];
    };
  });
  const std::vector<double> expected = {-8, 250, -1600, 65000, -2000000, 4000000000.0, -0x1p50, 0x1p52, 0.1f, 0.1};
  CHECK_ALL_EQUAL(got, expected);
}

TEST("structured bindings and init-captures are captured") {
  const auto [first, second] = std::pair<int, float>(3, 0.5f);
  const auto got = run(4, [&, one = first, two = second](double* out) {
    return [=, three = one + 1](sycl::id<1> i) { out[i] = one * 100 + two + three * static_cast<double>(i[0]); };
  });
  for (std::size_t i = 0; i < 4; ++i) CHECK_EQUAL(got[i], 300.5 + 4.0 * static_cast<double>(i));
}

TEST("a copy of the enclosing object is captured") {
  const auto got = holder(2.5).by_copy();
  for (std::size_t i = 0; i < got.size(); ++i) CHECK_EQUAL(got[i], 2.5 * static_cast<double>(i));
}

TEST("a kernel without captures and one with many bytes both run") {
  sycl::queue queue = e2e::make_queue();
  queue.parallel_for(sycl::range<1>(5), [](sycl::id<1>) {}).wait();
  struct large {
    std::int32_t values[500];
  } block;
  for (int i = 0; i < 500; ++i) block.values[i] = i * 3;
  const auto got = run(500, [&](double* out) { return [=](sycl::id<1> i) { out[i] = block.values[499 - i[0]]; }; });
  for (std::size_t i = 0; i < 500; ++i) CHECK_EQUAL(got[i], static_cast<double>(499 - i) * 3);
}

TEST("each work-item has its own members that are mutable") {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t size : {1, 16, 1000, 20000}) {
    const auto got = run(size, [](double* out) { return counting{out}; });
    for (std::size_t i = 0; i < size; ++i) CHECK_EQUAL(got[i], counted(i % 7, 0));
  }
  double* out = sycl::malloc_shared<double>(960, queue);
  queue.parallel_for(sycl::nd_range<1>(960, 48), counting{out}).wait();
  for (std::size_t i = 0; i < 960; ++i) CHECK_EQUAL(out[i], counted(i % 7, 1));
  sycl::free(out, queue);
}

TEST("members that are mutable are pointers, or their address is passed on") {
  check_own_members<by_index>();
  check_own_members<by_function>();
  check_own_members<by_array>();
  check_own_members<by_choice>();
  check_own_members<by_bytes>();
  check_own_members<by_stored_address>();
  check_own_members<by_closure>();
  check_own_members<by_reference>();
  check_own_members<by_number>();
}

TEST("more bytes than drivers take by value go through memory, launch by launch") {
  sycl::queue queue = e2e::make_queue();
  // The CUDA and HIP drivers pass arguments only by value, and limit their size.
  if (e2e::is_cuda_or_hip(queue.get_backend())) return;
  struct table {
    std::int32_t values[2000];
  };
  constexpr std::size_t count = 2000, launches = 20;
  int* sums = sycl::malloc_shared<int>(count, queue);
  std::fill(sums, sums + count, 0);
  sycl::event last;
  for (int launch = 0; launch < static_cast<int>(launches); ++launch) {
    table added;
    for (int i = 0; i < 2000; ++i) added.values[i] = i * launch;
    last = queue.submit([&](sycl::handler& handler) {
      handler.depends_on(last);
      handler.parallel_for(sycl::range(count), [=](sycl::id<1> i) { sums[i] += added.values[1999 - i[0]]; });
    });
  }
  queue.wait();
  for (std::size_t i = 0; i < count; ++i) CHECK(sums[i] == static_cast<int>(1999 - i) * 190);
  sycl::free(sums, queue);
}

E2E_MAIN
