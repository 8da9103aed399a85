/// The runtime keeps separate code for a limited number of sets of values of specialization constants. These tests use
/// more sets. On devices whose drivers can set values in a module (SpecIds), all sets from the fifth on use one module.
/// On other devices, code for new sets replaces code for old sets.
#include "check.hpp"

namespace {

constexpr std::size_t size = 1000;

/// The structure has no padding, because padding bytes would be part of the value.
struct mixed {
  double wide;
  float narrow;
  short pair[2];
  friend bool operator==(const mixed&, const mixed&) = default;
};
struct odd {
  unsigned char bytes[7];
};

constexpr sycl::specialization_id<int> count(2);
constexpr sycl::specialization_id<double> factor(1.5);
constexpr sycl::specialization_id<bool> negative(false);
constexpr sycl::specialization_id<mixed> members(mixed{0.25, 0.5f, {3, 4}});
constexpr sycl::specialization_id<odd> letters(odd{{1, 2, 3, 4, 5, 6, 7}});
constexpr sycl::specialization_id<sycl::half> half_value(sycl::half(0.5f));
constexpr sycl::specialization_id<char> letter('a');
constexpr sycl::specialization_id<std::int64_t> large(1);

std::vector<int> random_numbers(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> numbers(size + 64);
  for (int& each : numbers) each = static_cast<int>(random() % 1000);
  return numbers;
}

TEST("loops, branches and products by constants of many sets") {
  sycl::queue queue = e2e::make_queue();
  const std::vector<int> numbers = random_numbers(1);
  for (int set = 0; set < 40; ++set) {
    std::vector<double> result(size);
    const int terms = set % 13;
    const double by = set * 0.25 - 3;
    const bool negated = set % 3 == 0;
    {
      sycl::buffer<int> in(numbers.data(), numbers.size());
      sycl::buffer<double> out(result.data(), result.size());
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(in, handler, sycl::read_only);
        sycl::accessor to(out, handler, sycl::write_only, sycl::no_init);
        handler.set_specialization_constant<count>(terms);
        handler.set_specialization_constant<factor>(by);
        handler.set_specialization_constant<negative>(negated);
        handler.parallel_for(sycl::range<1>(size), [=](sycl::item<1> item, sycl::kernel_handler constants) {
          double sum = 0;
          for (int i = 0; i < constants.get_specialization_constant<count>(); ++i) sum += from[item.get_id(0) + i];
          sum *= constants.get_specialization_constant<factor>();
          to[item] = constants.get_specialization_constant<negative>() ? -sum : sum;
        });
      });
    }
    std::vector<double> expected(size);
    for (std::size_t i = 0; i < size; ++i) {
      double sum = 0;
      for (int k = 0; k < terms; ++k) sum += numbers[i + k];
      sum *= by;
      expected[i] = negated ? -sum : sum;
    }
    CHECK_ALL_EQUAL(result, expected);
  }
}

/// The kernel reads a constant's elements at an index that is known only at run time, and reads constants several
/// times.
TEST("constants of all sizes") {
  sycl::queue queue = e2e::make_queue();
  for (int set = 0; set < 12; ++set) {
    const mixed value{set * 1e100, set * -0.125f, {static_cast<short>(set), static_cast<short>(-7 * set)}};
    odd text{};
    for (int i = 0; i < 7; ++i) text.bytes[i] = static_cast<unsigned char>(37 * set + i);
    const auto character = static_cast<char>(200 + set);
    const std::int64_t wide = (std::int64_t{1} << 40) * set - 1;
    std::vector<double> result(16);
    {
      sycl::buffer<double> out(result.data(), result.size());
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(out, handler, sycl::write_only, sycl::no_init);
        handler.set_specialization_constant<members>(value);
        handler.set_specialization_constant<letters>(text);
        handler.set_specialization_constant<half_value>(sycl::half(set * 0.5f));
        handler.set_specialization_constant<letter>(character);
        handler.set_specialization_constant<large>(wide);
        handler.parallel_for(sycl::range<1>(16), [=](sycl::item<1> item, sycl::kernel_handler constants) {
          const std::size_t i = item.get_id(0);
          const mixed all = constants.get_specialization_constant<members>();
          double found = constants.get_specialization_constant<letters>().bytes[i % 7];
          if (i == 7) found = all.wide;
          if (i == 8) found = all.narrow;
          if (i == 9 || i == 10) found = all.pair[i - 9];
          if (i == 11) found = static_cast<float>(constants.get_specialization_constant<half_value>());
          if (i == 12) found = constants.get_specialization_constant<letter>();
          if (i == 13) found = static_cast<double>(constants.get_specialization_constant<large>());
          if (i == 14) found = constants.get_specialization_constant<members>() == all;
          to[item] = found;
        });
      });
    }
    std::vector<double> expected(16);
    for (std::size_t i = 0; i < 16; ++i) expected[i] = text.bytes[i % 7];
    expected[7] = value.wide;
    expected[8] = value.narrow;
    expected[9] = value.pair[0];
    expected[10] = value.pair[1];
    expected[11] = set * 0.5f;
    expected[12] = character;
    expected[13] = static_cast<double>(wide);
    expected[14] = 1;
    CHECK_ALL_EQUAL(result, expected);
  }
}

/// A launch sets one or another constant, or none. Constants that a launch does not set have their default values.
TEST("launches that set different constants") {
  sycl::queue queue = e2e::make_queue();
  for (int set = 0; set < 24; ++set) {
    std::vector<double> result(1);
    {
      sycl::buffer<double> out(result.data(), result.size());
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(out, handler, sycl::write_only, sycl::no_init);
        if (set % 4 & 1) handler.set_specialization_constant<count>(set);
        if (set % 4 & 2) handler.set_specialization_constant<factor>(set * 0.5);
        handler.single_task([=](sycl::kernel_handler constants) {
          const int terms = constants.get_specialization_constant<count>();
          to[0] = terms + 1000 * constants.get_specialization_constant<factor>();
        });
      });
    }
    const double expected = (set % 4 & 1 ? set : 2) + 1000 * (set % 4 & 2 ? set * 0.5 : 1.5);
    CHECK_EQUAL(result[0], expected);
  }
}

/// A constant sets the number of iterations of a loop with a barrier.
TEST("constants that count barriers") {
  sycl::queue queue = e2e::make_queue();
  const std::vector<int> numbers = random_numbers(2);
  for (int set = 1; set <= 16; ++set) {
    std::vector<int> result(64);
    {
      sycl::buffer<int> in(numbers.data(), numbers.size());
      sycl::buffer<int> out(result.data(), result.size());
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(in, handler, sycl::read_only);
        sycl::accessor to(out, handler, sycl::write_only, sycl::no_init);
        sycl::local_accessor<int, 1> shared(16, handler);
        handler.set_specialization_constant<count>(set);
        handler.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> item, sycl::kernel_handler constants) {
          const std::size_t local = item.get_local_id(0);
          int sum = 0;
          for (int i = 0; i < constants.get_specialization_constant<count>(); ++i) {
            shared[local] = from[item.get_global_id(0) + i];
            sycl::group_barrier(item.get_group());
            sum += shared[(local + 1) % 16] * (i + 1);
            sycl::group_barrier(item.get_group());
          }
          to[item.get_global_id(0)] = sum;
        });
      });
    }
    std::vector<int> expected(64);
    for (int i = 0; i < 64; ++i) {
      for (int k = 0; k < set; ++k) expected[i] += numbers[i / 16 * 16 + (i + 1) % 16 + k] * (k + 1);
    }
    CHECK_ALL_EQUAL(result, expected);
  }
}

}  // namespace

E2E_MAIN
