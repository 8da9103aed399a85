/// Group functions and algorithms of work-groups and sub-groups against scalar loops, in one to three dimensions.
#include <sys/prctl.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

#include "check.hpp"

namespace {

constexpr std::size_t group_sizes[] = {1, 3, 16, 64};

/// Computes out[i] = function(item, in[i]) for each work-item, where i is the work-item's global linear id.
template <class Result, int Dimensions, class T, class Function>
std::vector<Result> run(sycl::range<Dimensions> groups, sycl::range<Dimensions> local, const std::vector<T>& input,
                        Function function) {
  sycl::queue queue = e2e::make_queue();
  std::vector<Result> output(input.size());
  {
    sycl::buffer<T, 1> in(input.data(), sycl::range<1>(input.size()));
    sycl::buffer<Result, 1> out(output.data(), sycl::range<1>(output.size()));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(in, handler, sycl::read_only);
      sycl::accessor to(out, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(sycl::nd_range<Dimensions>(groups * local, local), [=](sycl::nd_item<Dimensions> item) {
        const std::size_t at = item.get_group_linear_id() * local.size() + item.get_local_linear_id();
        to[at] = function(item, from[at]);
      });
    });
  }
  return output;
}

/// Calls check(groups, local) for work-groups of every size in one dimension, and of some sizes in two and three
/// dimensions.
template <class Check>
void for_shapes(const Check& check) {
  for (std::size_t size : group_sizes) check(sycl::range<1>(5), sycl::range<1>(size));
  check(sycl::range<2>(2, 3), sycl::range<2>(4, 4));
  check(sycl::range<2>(3, 1), sycl::range<2>(1, 7));
  check(sycl::range<3>(1, 2, 2), sycl::range<3>(2, 3, 5));
}

template <class T, class Operation>
void check_combinations(Operation operation, double least, double most) {
  for_shapes([&](auto groups, auto local) {
    constexpr int dimensions = decltype(local)::dimensions;
    const std::size_t size = local.size();
    auto in = e2e::random_values<T>(groups.size() * size, least, most);
    for (T& value : in) value = static_cast<T>(static_cast<long>(value));
    const T first = static_cast<T>(most);
    std::vector<T> reduced(in.size()), reduced_init(in.size()), inclusive(in.size()), exclusive(in.size()),
        inclusive_init(in.size()), exclusive_init(in.size());
    for (std::size_t start = 0; start < in.size(); start += size) {
      T sum = in[start], sum_init = operation(first, in[start]);
      const T identity = sycl::known_identity_v<Operation, T>;
      T before = identity, before_init = first;
      for (std::size_t i = start; i < start + size; ++i) {
        if (i > start)
          sum = static_cast<T>(operation(sum, in[i])), sum_init = static_cast<T>(operation(sum_init, in[i]));
        inclusive[i] = sum;
        inclusive_init[i] = sum_init;
        exclusive[i] = before;
        exclusive_init[i] = before_init;
        before = sum;
        before_init = sum_init;
      }
      for (std::size_t i = start; i < start + size; ++i) reduced[i] = sum, reduced_init[i] = sum_init;
    }
    using nd_item = sycl::nd_item<dimensions>;
    // Sums of whole numbers are exact in any order.
    CHECK_ALL_EQUAL(run<T>(groups, local, in,
                           [=](nd_item item, T x) { return sycl::reduce_over_group(item.get_group(), x, operation); }),
                    reduced);
    CHECK_ALL_EQUAL(
        run<T>(groups, local, in,
               [=](nd_item item, T x) { return sycl::reduce_over_group(item.get_group(), x, first, operation); }),
        reduced_init);
    CHECK_ALL_EQUAL(
        run<T>(groups, local, in,
               [=](nd_item item, T x) { return sycl::inclusive_scan_over_group(item.get_group(), x, operation); }),
        inclusive);
    CHECK_ALL_EQUAL(run<T>(groups, local, in,
                           [=](nd_item item, T x) {
                             return sycl::inclusive_scan_over_group(item.get_group(), x, operation, first);
                           }),
                    inclusive_init);
    CHECK_ALL_EQUAL(
        run<T>(groups, local, in,
               [=](nd_item item, T x) { return sycl::exclusive_scan_over_group(item.get_group(), x, operation); }),
        exclusive);
    CHECK_ALL_EQUAL(run<T>(groups, local, in,
                           [=](nd_item item, T x) {
                             return sycl::exclusive_scan_over_group(item.get_group(), x, first, operation);
                           }),
                    exclusive_init);
  });
}

struct point {
  short x;
  signed char y[3];
};

}  // namespace

TEST("reductions and scans of a group") {
  check_combinations<int>(sycl::plus<>(), -100, 100);
  check_combinations<double>(sycl::plus<double>(), -100, 100);
  check_combinations<std::uint64_t>(sycl::multiplies<>(), 0, 5);
  check_combinations<short>(sycl::minimum<short>(), -100, 100);
  check_combinations<float>(sycl::maximum<>(), -100, 100);
  check_combinations<unsigned char>(sycl::bit_xor<>(), 0, 200);
}

TEST("sums of many fractions stay close") {
  const auto in = e2e::random_values<float>(64 * 5);
  const auto got = run<float>(sycl::range<1>(5), sycl::range<1>(64), in, [](sycl::nd_item<1> item, float x) {
    return sycl::reduce_over_group(item.get_group(), x / 3.0f, sycl::plus<>());
  });
  for (std::size_t i = 0; i < in.size(); ++i) {
    double sum = 0;
    for (std::size_t k = i / 64 * 64; k < i / 64 * 64 + 64; ++k) sum += static_cast<double>(in[k]) / 3;
    CHECK(std::fabs(static_cast<double>(got[i]) - sum) < 1e-2);
  }
}

TEST("bit and logical operators, and operators of the user") {
  const auto in = e2e::random_values<unsigned>(48, 0, 65535);
  const auto got = run<unsigned>(sycl::range<1>(3), sycl::range<1>(16), in, [](sycl::nd_item<1> item, unsigned x) {
    const auto group = item.get_group();
    unsigned result = sycl::reduce_over_group(group, x, sycl::bit_and<>()) ^
                      sycl::reduce_over_group(group, x, sycl::bit_or<unsigned>());
    result += sycl::reduce_over_group(group, x > 100, sycl::logical_and<>()) ? 1 : 0;
    result += sycl::reduce_over_group(group, x > 65000, sycl::logical_or<bool>()) ? 2 : 0;
    // The operation returns the last even number, or the last number if none is even. This operation is
    // associative, but not commutative.
    return result ^
           sycl::reduce_over_group(group, x, [](unsigned a, unsigned b) { return (b % 2 == 0 || a % 2 != 0) ? b : a; });
  });
  std::vector<unsigned> expected(in.size());
  for (std::size_t start = 0; start < in.size(); start += 16) {
    unsigned all = in[start], any = in[start], last = in[start];
    bool every = in[start] > 100, some = in[start] > 65000;
    for (std::size_t i = start + 1; i < start + 16; ++i) {
      all &= in[i];
      any |= in[i];
      every = every && in[i] > 100;
      some = some || in[i] > 65000;
      last = (in[i] % 2 == 0 || last % 2 != 0) ? in[i] : last;
    }
    for (std::size_t i = start; i < start + 16; ++i)
      expected[i] = ((all ^ any) + (every ? 1 : 0) + (some ? 2 : 0)) ^ last;
  }
  CHECK_ALL_EQUAL(got, expected);
}

TEST("vec, marray and structures travel too") {
  const auto in = e2e::random_values<float>(21 * 2);
  const auto got = run<float>(sycl::range<1>(2), sycl::range<1>(21), in, [](sycl::nd_item<1> item, float x) {
    const auto group = item.get_group();
    const float whole = static_cast<float>(static_cast<int>(x));
    const sycl::float3 sums = sycl::reduce_over_group(group, sycl::float3(whole, 1, -whole), sycl::plus<>());
    const sycl::marray<int, 5> before =
        sycl::exclusive_scan_over_group(group, sycl::marray<int, 5>(1), sycl::plus<sycl::marray<int, 5>>());
    const sycl::double16 large = sycl::group_broadcast(group, sycl::double16(static_cast<double>(whole)), 20);
    point mine{static_cast<short>(item.get_local_id(0)), {1, 2, 3}};
    const point other = sycl::group_broadcast(group, mine, sycl::id<1>(4));
    return sums.x() + sums.z() + sums.y() * static_cast<float>(before[4]) + static_cast<float>(large.sF()) + other.x +
           other.y[2];
  });
  std::vector<float> expected(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t start = i / 21 * 21;
    expected[i] = 21.0f * static_cast<float>(i - start) + static_cast<float>(static_cast<int>(in[start + 20])) + 4 + 3;
  }
  CHECK_ALL_EQUAL(got, expected);
}

TEST("a broadcast from any work-item of any dimension") {
  for_shapes([](auto groups, auto local) {
    constexpr int dimensions = decltype(local)::dimensions;
    const std::size_t size = local.size();
    const auto in = e2e::random_values<long>(groups.size() * size);
    auto last = sycl::id<dimensions>();
    for (int d = 0; d < dimensions; ++d) last[d] = local[d] - 1;
    const auto got = run<long>(groups, local, in, [=](sycl::nd_item<dimensions> item, long x) {
      const auto group = item.get_group();
      return sycl::group_broadcast(group, x) + 3 * sycl::group_broadcast(group, x, size / 2) +
             7 * sycl::group_broadcast(group, x, last);
    });
    std::vector<long> expected(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const long* first = &in[i / size * size];
      expected[i] = first[0] + 3 * first[size / 2] + 7 * first[size - 1];
    }
    CHECK_ALL_EQUAL(got, expected);
  });
}

TEST("any, all and none of a group") {
  for_shapes([](auto groups, auto local) {
    constexpr int dimensions = decltype(local)::dimensions;
    const std::size_t size = local.size();
    for (int limit : {-101, -90, 0, 95, 101}) {
      const auto in = e2e::random_values<int>(groups.size() * size);
      const auto got = run<int>(groups, local, in, [=](sycl::nd_item<dimensions> item, int x) {
        const auto group = item.get_group();
        const auto below = [=](int value) { return value < limit; };
        return (sycl::any_of_group(group, x < limit) ? 1 : 0) + (sycl::all_of_group(group, x < limit) ? 2 : 0) +
               (sycl::none_of_group(group, x < limit) ? 4 : 0) + (sycl::any_of_group(group, x, below) ? 8 : 0) +
               (sycl::all_of_group(group, x, below) ? 16 : 0) + (sycl::none_of_group(group, x, below) ? 32 : 0);
      });
      std::vector<int> expected(in.size());
      for (std::size_t i = 0; i < in.size(); ++i) {
        const auto first = in.begin() + static_cast<std::ptrdiff_t>(i / size * size);
        const auto last = first + static_cast<std::ptrdiff_t>(size);
        const auto below = [=](int value) { return value < limit; };
        expected[i] = 9 * ((std::any_of(first, last, below) ? 1 : 0) + (std::all_of(first, last, below) ? 2 : 0) +
                           (std::none_of(first, last, below) ? 4 : 0));
      }
      CHECK_ALL_EQUAL(got, expected);
    }
  });
}

TEST("joint scans without an initial value compute in the type of the result") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t length = 37;
  const auto in = e2e::random_values<int>(length);
  signed char* data = sycl::malloc_shared<signed char>(length, queue);
  long* out = sycl::malloc_shared<long>(3 * length, queue);
  for (std::size_t i = 0; i < length; ++i) data[i] = static_cast<signed char>(in[i]);
  queue
      .parallel_for(sycl::nd_range<1>(8, 8),
                    [=](sycl::nd_item<1> item) {
                      const auto group = item.get_group();
                      sycl::joint_exclusive_scan(group, data, data + length, out, sycl::maximum<long>());
                      sycl::joint_exclusive_scan(group, data, data + length, out + length, sycl::plus<long>());
                      sycl::joint_inclusive_scan(group, data, data + length, out + 2 * length, sycl::plus<long>());
                    })
      .wait();
  long most = std::numeric_limits<long>::lowest(), sum = 0;
  for (std::size_t i = 0; i < length; ++i) {
    CHECK_EQUAL(out[i], most);
    CHECK_EQUAL(out[length + i], sum);
    most = std::max<long>(most, data[i]);
    sum += data[i];
    CHECK_EQUAL(out[2 * length + i], sum);
  }
  sycl::free(data, queue);
  sycl::free(out, queue);
}

TEST("joint algorithms over ranges of any length") {
  for (std::size_t size : group_sizes) {
    for (std::size_t length : {0, 1, 2, 13, 64, 257}) {
      sycl::queue queue = e2e::make_queue();
      const auto in = e2e::random_values<int>(length);
      int* data = sycl::malloc_shared<int>(5 * length + 16, queue);
      std::copy(in.begin(), in.end(), data);
      int *exclusive = data + length, *inclusive = exclusive + length, *with_init = inclusive + length,
          *in_place = with_init + length, *results = in_place + length;
      std::copy(in.begin(), in.end(), in_place);
      queue
          .parallel_for(sycl::nd_range<1>(size, size),
                        [=](sycl::nd_item<1> item) {
                          const auto group = item.get_group();
                          const int* const first = data;
                          const int* const last = data + length;
                          const int sum = sycl::joint_reduce(group, first, last, sycl::plus<>());
                          const int least = sycl::joint_reduce(group, first, last, 5, sycl::minimum<>());
                          int ends = sycl::joint_exclusive_scan(group, first, last, exclusive, sycl::plus<>()) ==
                                     exclusive + length;
                          ends += sycl::joint_inclusive_scan(group, first, last, inclusive, sycl::plus<int>()) ==
                                  inclusive + length;
                          sycl::joint_inclusive_scan(group, first, last, with_init, sycl::maximum<>(), 7);
                          sycl::joint_exclusive_scan(group, in_place, in_place + length, in_place, 11, sycl::plus<>());
                          const auto high = [](int value) { return value > 50; };
                          const bool any = sycl::joint_any_of(group, first, last, high);
                          const bool all = sycl::joint_all_of(group, first, last, high);
                          const bool none = sycl::joint_none_of(group, first, last, high);
                          if (!group.leader()) return;
                          results[0] = sum;
                          results[1] = least;
                          results[2] = ends;
                          results[3] = (any ? 1 : 0) + (all ? 2 : 0) + (none ? 4 : 0);
                        })
          .wait();
      int sum = 0, least = 5, most = 7;
      std::vector<int> expected_exclusive, expected_inclusive, expected_init, expected_place;
      for (int value : in) {
        expected_exclusive.push_back(sum);
        expected_place.push_back(11 + sum);
        sum += value;
        least = std::min(least, value);
        most = std::max(most, value);
        expected_inclusive.push_back(sum);
        expected_init.push_back(most);
      }
      const auto part = [&](const int* from) { return std::vector<int>(from, from + length); };
      CHECK_ALL_EQUAL(part(exclusive), expected_exclusive);
      CHECK_ALL_EQUAL(part(inclusive), expected_inclusive);
      CHECK_ALL_EQUAL(part(with_init), expected_init);
      CHECK_ALL_EQUAL(part(in_place), expected_place);
      const auto high = [](int value) { return value > 50; };
      CHECK_EQUAL(results[0], sum);
      CHECK_EQUAL(results[1], least);
      CHECK_EQUAL(results[2], 2);
      CHECK_EQUAL(results[3], (std::any_of(in.begin(), in.end(), high) ? 1 : 0) +
                                  (std::all_of(in.begin(), in.end(), high) ? 2 : 0) +
                                  (std::none_of(in.begin(), in.end(), high) ? 4 : 0));
      sycl::free(data, queue);
    }
  }
}

TEST("a joint scan sees what its work-items wrote in turn before it, without a barrier of the user") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t size = 64, length = 1000;
  int* out = sycl::malloc_shared<int>(length, queue);
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<int> values(length, handler), sums(length, handler);
    handler.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> item) {
      const std::size_t me = item.get_local_id(0);
      for (std::size_t i = me; i < length; i += size) values[i] = static_cast<int>(i % 7);
      sycl::joint_exclusive_scan(item.get_group(), &values[0], &values[0] + length, &sums[0], sycl::plus<int>());
      for (std::size_t i = me; i < length; i += size) out[i] = sums[i];
    });
  }).wait();
  int sum = 0;
  for (std::size_t i = 0; i < length; sum += static_cast<int>(i++ % 7)) CHECK_EQUAL(out[i], sum);
  sycl::free(out, queue);
}

TEST("algorithms of many types follow each other without a barrier, in loops and branches") {
  for (std::size_t size : group_sizes) {
    const auto in = e2e::random_values<int>(size * 7, 0, 1000);
    const auto got = run<std::int64_t>(sycl::range<1>(7), sycl::range<1>(size), in, [=](sycl::nd_item<1> item, int x) {
      const auto group = item.get_group();
      std::int64_t result = 0;
      for (int round = 0; round < 3; ++round) {
        result += sycl::inclusive_scan_over_group(group, x + round, sycl::plus<>());
        result += sycl::group_broadcast(group, static_cast<std::int64_t>(x), static_cast<std::size_t>(round) % size);
        result += sycl::exclusive_scan_over_group(group, static_cast<unsigned char>(x % 7), sycl::maximum<>());
        result += static_cast<std::int64_t>(
            sycl::inclusive_scan_over_group(group, static_cast<double>(x), sycl::minimum<>()));
        if (item.get_group(0) % 2 == 1) {
          result += sycl::reduce_over_group(group, sycl::long4(x, 0, round, 1), sycl::plus<>()).x();
          result += sycl::group_broadcast(group, x, size - 1);
        }
        result += sycl::reduce_over_group(group, static_cast<short>(x), sycl::maximum<>());
      }
      return result;
    });
    std::vector<std::int64_t> expected(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t start = i / size * size;
      for (std::size_t round = 0; round < 3; ++round) {
        std::int64_t sum = 0, all = 0;
        int low = 1000, before = 0, high = 0;
        for (std::size_t k = start; k < start + size; ++k) {
          all += in[k];
          high = std::max(high, in[k]);
          if (k <= i) sum += in[k] + static_cast<int>(round), low = std::min(low, in[k]);
          if (k < i) before = std::max(before, in[k] % 7);
        }
        expected[i] += sum + in[start + round % size] + before + low + high;
        if (start / size % 2 == 1) expected[i] += all + in[start + size - 1];
      }
    }
    CHECK_ALL_EQUAL(got, expected);
  }
}

TEST("group algorithms beside local memory and barriers of the user") {
  for (std::size_t size : group_sizes) {
    sycl::queue queue = e2e::make_queue();
    const auto in = e2e::random_values<int>(size * 4);
    std::vector<int> got(in.size()), expected(in.size());
    {
      sycl::buffer<int, 1> input(in.data(), sycl::range<1>(in.size())), output(got.data(), sycl::range<1>(got.size()));
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(input, handler, sycl::read_only);
        sycl::accessor to(output, handler, sycl::write_only);
        sycl::local_accessor<int, 1> tile(sycl::range<1>(size), handler);
        handler.parallel_for(sycl::nd_range<1>(in.size(), size), [=](sycl::nd_item<1> item) {
          const std::size_t mine = item.get_local_id(0);
          tile[mine] = from[item.get_global_id(0)];
          sycl::group_barrier(item.get_group());
          const int next = tile[(mine + 1) % size];
          const int sum = sycl::reduce_over_group(item.get_group(), next, sycl::plus<>());
          tile[mine] += sum;
          sycl::group_barrier(item.get_group());
          to[item.get_global_id(0)] = tile[(mine + size - 1) % size];
        });
      });
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t start = i / size * size;
      int sum = 0;
      for (std::size_t k = start; k < start + size; ++k) sum += in[k];
      expected[i] = in[start + (i - start + size - 1) % size] + sum;
    }
    CHECK_ALL_EQUAL(got, expected);
  }
}

TEST("vectors are as wide as those of work-items") {
  CPU_ONLY;
  const sycl::device device = e2e::make_queue().get_device();
  namespace on = sycl::info::device;
  const std::uint32_t floats = device.get_info<on::native_vector_width_float>();
  // If a kernel requires no sub-group size, its sub-groups have as many work-items as vectors have lanes.
  std::uint32_t expected = 4;
#if defined(__x86_64__)
  // SINTER_CPU may select a level of the architecture that has shorter vectors than the machine.
  const char* level = std::getenv("SINTER_CPU");
  const std::string chosen = level ? level : "";
  if (__builtin_cpu_supports("avx2") && chosen != "x86-64-v2") expected = 8;
  if (__builtin_cpu_supports("avx512f") && chosen != "x86-64-v2" && chosen != "x86-64-v3") expected = 16;
#elif defined(__aarch64__)
  constexpr int get_length_of_sve = 51, length_bits = 0xffff;
  const int bytes = prctl(get_length_of_sve);
  if (bytes > 0) expected = std::clamp<std::uint32_t>(bytes & length_bits, 16, 64) / sizeof(float);
#endif
  CHECK_EQUAL(floats, expected);
  CHECK_EQUAL(device.get_info<on::native_vector_width_int>(), floats);
  CHECK_EQUAL(device.get_info<on::native_vector_width_char>(), 4 * floats);
  CHECK_EQUAL(device.get_info<on::native_vector_width_short>(), 2 * floats);
  CHECK_EQUAL(device.get_info<on::native_vector_width_long>(), floats / 2);
  CHECK_EQUAL(device.get_info<on::native_vector_width_long_long>(), floats / 2);
  CHECK_EQUAL(device.get_info<on::native_vector_width_double>(), floats / 2);
  const std::uint32_t halves = device.get_info<on::native_vector_width_half>();
  CHECK(halves == floats || halves == 2 * floats);
  CHECK_EQUAL(device.get_info<on::preferred_vector_width_float>(), floats);
  CHECK_EQUAL(device.get_info<on::preferred_vector_width_char>(), 4 * floats);
  CHECK_EQUAL(device.get_info<on::preferred_vector_width_short>(), 2 * floats);
  CHECK_EQUAL(device.get_info<on::preferred_vector_width_int>(), floats);
  CHECK_EQUAL(device.get_info<on::preferred_vector_width_long>(), floats / 2);
  CHECK_EQUAL(device.get_info<on::preferred_vector_width_long_long>(), floats / 2);
  CHECK_EQUAL(device.get_info<on::preferred_vector_width_double>(), floats / 2);
  CHECK_EQUAL(device.get_info<on::preferred_vector_width_half>(), halves);
}

TEST("sub-groups agree with what the device says about them") {
  sycl::queue queue = e2e::make_queue();
  const auto known = queue.get_device().get_info<sycl::info::device::sub_group_sizes>();
  const auto most = queue.get_device().get_info<sycl::info::device::max_num_sub_groups>();
  static_assert(sycl::is_group_v<sycl::sub_group> && sycl::is_group_v<sycl::group<3>> && !sycl::is_group_v<int>);
  const auto in = e2e::random_values<int>(3 * 20);
  struct seen {
    std::uint32_t size, most, group, groups, local;
    bool right;
  };
  const auto got = run<seen>(sycl::range<2>(3, 1), sycl::range<2>(4, 5), in, [](sycl::nd_item<2> item, int x) {
    const sycl::sub_group group = item.get_sub_group();
    bool right = group.get_group_id()[0] == group.get_group_linear_id() && group == item.get_sub_group() &&
                 group.get_local_id()[0] == group.get_local_linear_id() &&
                 group.leader() == (group.get_local_linear_id() == 0) &&
                 group.get_group_range()[0] == group.get_group_linear_range() &&
                 group.get_local_range()[0] == group.get_local_linear_range();
    sycl::group_barrier(group);
    if (group.get_max_local_range()[0] == 1) {
      // In a sub-group of one work-item, each result is that work-item's own value.
      right = right && sycl::reduce_over_group(group, x, sycl::plus<>()) == x &&
              sycl::inclusive_scan_over_group(group, x, sycl::plus<>(), 2) == x + 2 &&
              sycl::exclusive_scan_over_group(group, x, sycl::plus<>()) == 0 && sycl::group_broadcast(group, x) == x &&
              sycl::select_from_group(group, x, 0) == x && sycl::permute_group_by_xor(group, x, 0) == x &&
              sycl::shift_group_left(group, x, 0) == x && sycl::shift_group_right(group, x, 0) == x &&
              sycl::any_of_group(group, x > 0) == (x > 0) && sycl::none_of_group(group, x > 0) == (x <= 0) &&
              sycl::joint_reduce(group, &x, &x + 1, sycl::plus<>()) == x;
    }
    return seen{group.get_local_linear_range(), static_cast<std::uint32_t>(group.get_max_local_range()[0]),
                group.get_group_linear_id(),    group.get_group_linear_range(),
                group.get_local_linear_id(),    right};
  });
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(std::find(known.begin(), known.end(), got[i].most) != known.end());
    CHECK(got[i].size >= 1 && got[i].size <= got[i].most);
    CHECK(got[i].groups <= most);
    // With rows of 5 work-items, a sub-group begins in one row and continues in the next one.
    CHECK_EQUAL(got[i].group, i % 20 / got[i].most);
    CHECK_EQUAL(got[i].groups, (20 + got[i].most - 1) / got[i].most);
    CHECK_EQUAL(got[i].local, i % 20 % got[i].most);
    CHECK(got[i].right);
  }
}

TEST("asynchronous copies fill local memory and bring it back") {
  for (std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{16}}) {
    for (std::size_t stride : {std::size_t{1}, std::size_t{3}}) {
      constexpr std::size_t tile_size = 37;
      sycl::queue queue = e2e::make_queue();
      const auto in = e2e::random_values<int>(tile_size * stride);
      std::vector<int> got(in.size(), 0), expected(in.size(), 0);
      {
        sycl::buffer<int, 1> input(in.data(), sycl::range<1>(in.size())),
            output(got.data(), sycl::range<1>(got.size()));
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor from(input, handler, sycl::read_only);
          sycl::accessor to(output, handler, sycl::read_write);
          sycl::local_accessor<int, 1> tile(sycl::range<1>(tile_size), handler);
          handler.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> item) {
            const auto global_in = from.template get_multi_ptr<sycl::access::decorated::yes>();
            const auto global_out = to.template get_multi_ptr<sycl::access::decorated::yes>();
            const auto local = tile.template get_multi_ptr<sycl::access::decorated::yes>();
            sycl::device_event copied =
                stride == 1 ? item.get_group().async_work_group_copy(local, global_in, tile_size)
                            : item.get_group().async_work_group_copy(local, global_in, tile_size, stride);
            item.get_group().wait_for(copied);
            for (std::size_t i = item.get_local_id(0); i < tile_size; i += size) tile[i] *= 2;
            sycl::group_barrier(item.get_group());
            item.async_work_group_copy(global_out, local, tile_size, stride).wait();
          });
        });
      }
      for (std::size_t i = 0; i < in.size(); i += stride) expected[i] = 2 * in[i];
      CHECK_ALL_EQUAL(got, expected);
    }
  }
}

TEST("tiles for later turns are copied while others are read") {
  constexpr std::size_t size = 16;
  using tile = sycl::local_accessor<sycl::uint4, 1>;
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t turns : {0, 1, 2, 3, 4, 5, 6, 31}) {
    const auto words = e2e::random_values<unsigned>((turns + 1) * size * 4);
    std::vector<sycl::uint4> in(words.size() / 4);
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = {words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]};
    std::vector<unsigned> got(size, 1), expected(size, 0);
    {
      sycl::buffer<sycl::uint4, 1> input(in.data(), sycl::range<1>(in.size()));
      sycl::buffer<unsigned, 1> output(got.data(), sycl::range<1>(size));
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(input, handler, sycl::read_only);
        sycl::accessor to(output, handler, sycl::write_only);
        tile first(size, handler), second(size, handler), third(size, handler);
        handler.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> item) {
          const std::size_t own = item.get_local_id(0);
          unsigned sum = 0;
          const auto copy = [&](const tile& target, std::size_t turn) {
            if (turn < turns) target[own] = from[turn * size + own];
          };
          // Runs turn number `turn`, and returns false if there are no more turns.
          const auto take = [&](const tile& now, const tile& ahead, std::size_t turn) {
            if (turn >= turns) return false;
            sycl::group_barrier(item.get_group());
            copy(ahead, turn + 2);
            sum = sum * 3 + now[own ^ 1].x() + now[size - 1 - own].w();
            return true;
          };
          copy(first, 0);
          copy(second, 1);
          for (std::size_t turn = 0; take(first, third, turn) && take(second, first, turn + 1) &&
                                     take(third, second, turn + 2);)
            turn += 3;
          sycl::group_barrier(item.get_group());
          to[own] = sum;
        });
      });
    }
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t turn = 0; turn < turns; ++turn)
        expected[i] = expected[i] * 3 + in[turn * size + (i ^ 1)].x() + in[turn * size + size - 1 - i].w();
    }
    CHECK_ALL_EQUAL(got, expected);
  }
}

namespace {

/// Structures whose size is no power of two are copied by loads and stores of 24, 48 ... bits.
template <class T>
void check_broadcast_of_structures() {
  for (const std::size_t size : {1, 65, 1000, 1024}) {
    sycl::queue queue = e2e::make_queue();
    // Group functions use some local memory for each work-item.
    if (size > queue.get_device().get_info<sycl::info::device::local_mem_size>() / 128) continue;
    std::vector<T> got(2, T(0));
    {
      sycl::buffer<T, 1> out(got.data(), sycl::range<1>(got.size()));
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(out, handler);
        handler.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> item) {
          const auto group = item.get_group();
          const std::size_t mine = item.get_local_linear_id();
          T value;
          for (auto& part : value) part = static_cast<typename T::value_type>(mine + 1);
          value = sycl::group_broadcast(group, value, group.get_local_linear_range() - 1);
          if (mine == 0) to[0] = value;
          for (auto& part : value) part = static_cast<typename T::value_type>(mine + 2);
          value = sycl::group_broadcast(group, value, sycl::id<1>(size / 2));
          if (mine == 0) to[1] = value;
        });
      });
    }
    for (const auto part : got[0]) CHECK_EQUAL(part, static_cast<typename T::value_type>(size));
    for (const auto part : got[1]) CHECK_EQUAL(part, static_cast<typename T::value_type>(size / 2 + 2));
  }
}

}  // namespace

TEST("structures of odd sizes are handed on") {
  check_broadcast_of_structures<sycl::marray<short, 7>>();
  check_broadcast_of_structures<sycl::marray<short, 3>>();
  check_broadcast_of_structures<sycl::marray<unsigned char, 3>>();
  check_broadcast_of_structures<sycl::marray<unsigned char, 5>>();
  check_broadcast_of_structures<sycl::marray<unsigned char, 11>>();
  check_broadcast_of_structures<sycl::marray<int, 3>>();
}

TEST("large values travel in the largest groups") {
  check_broadcast_of_structures<sycl::marray<float, 5>>();
  check_broadcast_of_structures<sycl::marray<double, 4>>();
  check_broadcast_of_structures<sycl::marray<short, 19>>();
}

E2E_MAIN
