/// Compares sub-groups of every size that the device supports with scalar loops: work-groups whose size is no multiple
/// of the sub-group size, sub-groups that continue in the next row in two and three dimensions, control flow that is
/// uniform in a sub-group, types of one to eight bytes and larger ones.
#include <algorithm>

#include "check.hpp"

namespace {

enum : std::size_t {
  local_id,
  local_range,
  max_range,
  group_id,
  group_range,
  shift_left,
  shift_right,
  permuted,
  selected,
  broadcast_last,
  broadcast_some,
  sum,
  largest,
  inclusive,
  exclusive,
  any,
  all,
  none,
  last_nonzero,
  in_branch,
  in_loop,
  divergent,
  through_memory,
  joint_sum,
  work_group_sum,
  work_group_scan,
  work_group_any,
  result_count
};

/// Returns the right operand if it is not 0. The operation is associative, but not commutative.
struct right_nonzero {
  template <class T>
  T operator()(T a, T b) const {
    return b != T(0) ? b : a;
  }
};

template <class T>
T bent(T x) {
  if (static_cast<int>(x) % 2 == 0) return static_cast<T>(x + T(3));
  return static_cast<T>(T(2) - x);
}

/// The test has several parts, because each barrier and each exchange makes the code longer if work-items run one by
/// one.
template <int Part, int Dimensions, class T>
void exercise(const sycl::nd_item<Dimensions>& item, const T* in, const T* all_values, T* tile, double* out,
              std::size_t count) {
  const std::size_t at = item.get_group_linear_id() * item.get_local_range().size() + item.get_local_linear_id();
  const sycl::sub_group group = item.get_sub_group();
  const std::uint32_t id = group.get_local_linear_id(), size = group.get_local_linear_range();
  const T x = in[at];
  const auto put = [&](std::size_t what, auto value) { out[what * count + at] = static_cast<double>(value); };
  if constexpr (Part == 0) {
    put(local_id, id);
    put(local_range, size);
    put(max_range, group.get_max_local_range()[0]);
    put(group_id, group.get_group_linear_id());
    put(group_range, group.get_group_linear_range());
    const T left = sycl::shift_group_left(group, x), right = sycl::shift_group_right(group, x, 3);
    put(shift_left, id + 1 < size ? left : T(0));
    put(shift_right, id >= 3 ? right : T(0));
    const T crossed = sycl::permute_group_by_xor(group, x, 2);
    put(permuted, (id ^ 2) < size ? crossed : T(0));
    put(selected, sycl::select_from_group(group, x, (id * 5 + at) % size));
    put(broadcast_last, sycl::group_broadcast(group, x, size - 1));
    put(broadcast_some, sycl::group_broadcast(group, x, group.get_group_id() % size));
  } else if constexpr (Part == 1) {
    put(sum, sycl::reduce_over_group(group, x, sycl::plus<T>()));
    put(largest, sycl::reduce_over_group(group, x, sycl::maximum<T>()));
    put(inclusive, sycl::inclusive_scan_over_group(group, x, sycl::plus<T>()));
    put(exclusive, sycl::exclusive_scan_over_group(group, x, sycl::plus<T>()));
    put(last_nonzero, sycl::inclusive_scan_over_group(group, x, right_nonzero()));
    put(divergent, sycl::reduce_over_group(group, bent(x), sycl::plus<T>()));
  } else if constexpr (Part == 2) {
    put(any, sycl::any_of_group(group, x > T(3)));
    put(all, sycl::all_of_group(group, x > T(-4)));
    put(none, sycl::none_of_group(group, x == T(1)));
    T branch = 0;
    if (group.get_group_linear_id() % 2 == 1) branch = sycl::reduce_over_group(group, x, sycl::minimum<T>());
    put(in_branch, branch);
    T turning = x;
    for (std::uint32_t k = 0; k <= group.get_group_linear_id() % 3; ++k) {
      turning = static_cast<T>(x + sycl::select_from_group(group, turning, (id + 1) % size));
    }
    put(in_loop, turning);
    tile[item.get_local_linear_id()] = x;
    sycl::group_barrier(group);
    put(through_memory, tile[item.get_local_linear_id() - id + (id + 2) % size]);
  } else {
    put(joint_sum, sycl::joint_reduce(group, all_values, all_values + 21, sycl::plus<T>()));
    put(work_group_sum, sycl::reduce_over_group(item.get_group(), x, sycl::plus<T>()));
    put(work_group_scan, sycl::inclusive_scan_over_group(item.get_group(), x, right_nonzero()));
    put(work_group_any, sycl::any_of_group(item.get_group(), x > T(3)));
  }
}

/// The results of exercise() with sub-groups of `most` work-items, computed by scalar code.
template <class T>
std::vector<double> expected_of(const std::vector<T>& in, std::size_t group_size, std::size_t most) {
  const std::size_t count = in.size();
  std::vector<double> out(result_count * count);
  T joint = 0;
  for (std::size_t i = 0; i < 21; ++i) joint = static_cast<T>(joint + in[i % count]);
  for (std::size_t at = 0; at < count; ++at) {
    const auto put = [&](std::size_t what, auto value) { out[what * count + at] = static_cast<double>(value); };
    const std::size_t local = at % group_size, group = local / most, id = local % most, first = at - id;
    const std::size_t size = std::min(most, group_size - local + id);
    put(local_id, id);
    put(local_range, size);
    put(max_range, most);
    put(group_id, group);
    put(group_range, (group_size + most - 1) / most);
    put(shift_left, id + 1 < size ? in[at + 1] : T(0));
    put(shift_right, id >= 3 ? in[at - 3] : T(0));
    put(permuted, (id ^ 2) < size ? in[first + (id ^ 2)] : T(0));
    put(selected, in[first + (id * 5 + at) % size]);
    put(broadcast_last, in[first + size - 1]);
    put(broadcast_some, in[first + group % size]);
    T total = 0, most_of = in[first], least_of = in[first], bent_total = 0, before = 0, upto = 0, last = 0;
    bool some = false, every = true, one = false;
    for (std::size_t i = 0; i < size; ++i) {
      const T x = in[first + i];
      if (i == id) before = total;
      total = static_cast<T>(total + x);
      if (i == id) upto = total;
      if (i <= id) last = right_nonzero()(last, x);
      most_of = std::max(most_of, x);
      least_of = std::min(least_of, x);
      bent_total = static_cast<T>(bent_total + bent(x));
      some = some || x > T(3);
      every = every && x > T(-4);
      one = one || x == T(1);
    }
    put(sum, total);
    put(largest, most_of);
    put(inclusive, upto);
    put(exclusive, before);
    put(any, some);
    put(all, every);
    put(none, !one);
    put(last_nonzero, last);
    put(in_branch, group % 2 == 1 ? least_of : T(0));
    T turning = in[first + (id + group % 3 + 1) % size];
    for (std::size_t k = group % 3 + 1; k-- > 0;) turning = static_cast<T>(in[first + (id + k) % size] + turning);
    put(in_loop, turning);
    put(divergent, bent_total);
    put(through_memory, in[first + (id + 2) % size]);
    put(joint_sum, joint);
    T group_total = 0, group_last = 0;
    bool group_some = false;
    for (std::size_t i = 0; i < group_size; ++i) {
      const T x = in[at - local + i];
      group_total = static_cast<T>(group_total + x);
      if (i <= local) group_last = right_nonzero()(group_last, x);
      group_some = group_some || x > T(3);
    }
    put(work_group_sum, group_total);
    put(work_group_scan, group_last);
    put(work_group_any, group_some);
  }
  return out;
}

template <class T, int Dimensions>
void check(sycl::range<Dimensions> groups, sycl::range<Dimensions> local, std::uint32_t required) {
  sycl::queue queue = e2e::make_queue();
  const auto sizes = queue.get_device().get_info<sycl::info::device::sub_group_sizes>();
  if (required != 0 && std::find(sizes.begin(), sizes.end(), required) == sizes.end()) return;
  const std::size_t count = groups.size() * local.size();
  auto values = e2e::random_values<T>(count, -5, 5);
  for (T& value : values) value = static_cast<T>(static_cast<int>(value));
  T* in = sycl::malloc_shared<T>(count + 21, queue);
  T* joint = in + count;
  std::copy(values.begin(), values.end(), in);
  for (std::size_t i = 0; i < 21; ++i) joint[i] = values[i % count];
  double* out = sycl::malloc_shared<double>(result_count * count, queue);
  std::fill_n(out, result_count * count, -77.0);
  const auto submit = [&]<int Part>(std::integral_constant<int, Part>) {
    queue
        .submit([&](sycl::handler& handler) {
          sycl::local_accessor<T, 1> memory(local.size(), handler);
          const sycl::nd_range<Dimensions> range(groups * local, local);
#define RUN(...)                                                                      \
  handler.parallel_for(range, [=](sycl::nd_item<Dimensions> item) __VA_ARGS__ {       \
    T* tile = memory.template get_multi_ptr<sycl::access::decorated::no>().get_raw(); \
    exercise<Part, Dimensions, T>(item, in, joint, tile, out, count);                 \
  })
          if (required == 4) {
            RUN([[sycl::reqd_sub_group_size(4)]]);
          } else if (required == 8) {
            RUN([[sycl::reqd_sub_group_size(8)]]);
          } else if (required == 16) {
            RUN([[sycl::reqd_sub_group_size(16)]]);
          } else if (required == 32) {
            RUN([[sycl::reqd_sub_group_size(32)]]);
          } else {
            RUN();
          }
        })
        .wait();
  };
  submit(std::integral_constant<int, 0>());
  submit(std::integral_constant<int, 1>());
  submit(std::integral_constant<int, 2>());
  submit(std::integral_constant<int, 3>());
  const auto most = static_cast<std::size_t>(out[max_range * count]);
#ifndef SINTER_E2E_LIBRARY_MODE
  if (required != 0) CHECK_EQUAL(most, std::size_t{required});
#endif
  const auto known = queue.get_device().get_info<sycl::info::device::sub_group_sizes>();
  CHECK(std::find(known.begin(), known.end(), most) != known.end());
  const auto expected = expected_of(values, local.size(), most);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (out[i] == expected[i]) continue;
    e2e::fail(__FILE__, __LINE__,
              "result " + std::to_string(i / count) + " of work-item " + std::to_string(i % count) + " in groups of " +
                  std::to_string(local.size()) + ", rows of " + std::to_string(local[Dimensions - 1]) +
                  ", sub-groups of " + std::to_string(most) + ", " + std::to_string(sizeof(T)) +
                  " bytes: " + std::to_string(out[i]) + " instead of " + std::to_string(expected[i]));
    break;
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

/// The sub-group sizes that the tests require. With SINTER_TEST, there are fewer sizes: if work-items run one by one,
/// each exchange begins a new region, which takes long to compile.
std::vector<std::uint32_t> sizes() {
  return std::getenv("SINTER_TEST") ? std::vector<std::uint32_t>{0, 8} : std::vector<std::uint32_t>{0, 4, 8, 16};
}

}  // namespace

TEST("sub-groups of all sizes in rows that they divide or not") {
  for (std::uint32_t size : sizes()) {
    for (std::size_t row : {1, 2, 7, 8, 16, 17, 31, 64}) check<int>(sycl::range<1>(3), sycl::range<1>(row), size);
  }
}

TEST("sub-groups of several vectors") {
  for (std::size_t row : {1, 31, 32, 33, 96}) check<int>(sycl::range<1>(2), sycl::range<1>(row), 32);
}

TEST("sub-groups follow the linear id from row to row") {
  // Each kernel is compiled twice: once for the first work-group size, and once for all other sizes.
  for (std::uint32_t size : sizes()) {
    for (sycl::range<2> local : {sycl::range<2>(3, 9), {32, 1}, {16, 3}, {5, 7}, {2, 64}, {1, 33}, {1, 1}}) {
      check<int>(sycl::range<2>(2, 2), local, size);
    }
    for (sycl::range<3> local : {sycl::range<3>(1, 8, 8), {2, 2, 5}, {3, 3, 3}, {2, 2, 17}, {4, 1, 3}, {2, 3, 32}}) {
      check<int>(sycl::range<3>(1, 2, 2), local, size);
    }
  }
  check<int>(sycl::range<2>(1, 2), sycl::range<2>(8, 12), 32);
  check<int>(sycl::range<2>(1, 2), sycl::range<2>(7, 5), 32);
  check<int>(sycl::range<2>(1, 2), sycl::range<2>(2, 32), 32);
}

TEST("a sub-group goes along rows of all lengths, up and down, its work-items side by side") {
  constexpr std::size_t rows = 75, length = 80, forms = 4;
  sycl::queue queue = e2e::make_queue();
  const auto values = e2e::random_values<int>(rows * length, -1000, 1000);
  int* const in = sycl::malloc_shared<int>(rows * length, queue);
  std::copy(values.begin(), values.end(), in);
  for (const std::size_t local : {32, 21}) {
    int* const out = sycl::malloc_shared<int>(rows * local * forms, queue);
    int* const parts = sycl::malloc_shared<int>(2 * rows * local, queue);
    queue
        .parallel_for(sycl::nd_range<1>(rows * local, local),
                      [=](sycl::nd_item<1> item) {
                        const sycl::sub_group group = item.get_sub_group();
                        const int lane = static_cast<int>(group.get_local_linear_id());
                        const int size = static_cast<int>(group.get_local_linear_range());
                        const int count = static_cast<int>(item.get_group(0));
                        const int* const row = in + item.get_group(0) * length;
                        const auto value = [=](auto i) { return static_cast<unsigned>(row[i]); };
                        const unsigned most = count;
                        const std::size_t number = count;
                        unsigned sums[forms] = {};
                        for (int i = lane; i < count; i += size) sums[0] = 3 * sums[0] + value(i);
                        for (unsigned i = lane; i <= most; i += size) sums[1] = 5 * sums[1] + value(i);
                        for (int i = count - lane; i >= 0; i -= size) sums[2] = 7 * sums[2] + value(i);
                        for (std::size_t i = lane; number > i + 2; i += size) sums[3] ^= value(i) + value(i + 1);
                        const std::size_t at = item.get_global_linear_id();
                        for (std::size_t form = 0; form < forms; ++form) out[forms * at + form] = sums[form];
                        parts[2 * at] = lane, parts[2 * at + 1] = size;
                      })
        .wait();
    for (std::size_t at = 0; at < rows * local; ++at) {
      const int lane = parts[2 * at], size = parts[2 * at + 1], count = static_cast<int>(at / local);
      const int* const row = values.data() + at / local * length;
      unsigned expected[forms] = {};
      const auto plain = [](int value) { return static_cast<unsigned>(value); };
      for (int i = lane; i < count; i += size) expected[0] = 3 * expected[0] + plain(row[i]);
      for (int i = lane; i <= count; i += size) expected[1] = 5 * expected[1] + plain(row[i]);
      for (int i = count - lane; i >= 0; i -= size) expected[2] = 7 * expected[2] + plain(row[i]);
      for (int i = lane; i + 2 < count; i += size) expected[3] ^= plain(row[i]) + plain(row[i + 1]);
      for (std::size_t form = 0; form < forms; ++form) {
        const int wanted = static_cast<int>(expected[form]);
        if (out[forms * at + form] != wanted) CHECK_EQUAL(out[forms * at + form], wanted);
      }
    }
    sycl::free(out, queue), sycl::free(parts, queue);
  }
  sycl::free(in, queue);
}

TEST("sub-groups exchange values of all sizes") {
  check<std::int8_t>(sycl::range<1>(2), sycl::range<1>(21), 0);
  check<std::uint8_t>(sycl::range<1>(2), sycl::range<1>(32), 16);
  check<std::int16_t>(sycl::range<1>(2), sycl::range<1>(21), 8);
  check<std::int64_t>(sycl::range<1>(2), sycl::range<1>(21), 0);
  check<float>(sycl::range<1>(2), sycl::range<1>(21), 0);
  check<float>(sycl::range<1>(2), sycl::range<1>(48), 16);
  check<double>(sycl::range<1>(2), sycl::range<1>(21), 4);
  check<sycl::half>(sycl::range<1>(2), sycl::range<1>(21), 0);
}

namespace {
struct pair {
  char tag;
  double value;
  friend bool operator==(const pair& a, const pair& b) { return a.tag == b.tag && a.value == b.value; }
};
}  // namespace

TEST("sub-groups exchange vectors and structures") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t count = 42, row = 21;
  using triple = sycl::vec<float, 3>;
  pair* pairs = sycl::malloc_shared<pair>(count, queue);
  triple* triples = sycl::malloc_shared<triple>(2 * count, queue);
  const auto values = e2e::random_values<int>(count, -50, 50);
  int* in = sycl::malloc_shared<int>(count, queue);
  std::copy(values.begin(), values.end(), in);
  queue
      .parallel_for(sycl::nd_range<1>(count, row),
                    [=](sycl::nd_item<1> item) {
                      const std::size_t at = item.get_global_id(0);
                      const sycl::sub_group group = item.get_sub_group();
                      const float x = static_cast<float>(in[at]);
                      const triple mine(x, x + 1, 2 * x);
                      const std::uint32_t other = (group.get_local_linear_id() + 1) % group.get_local_linear_range();
                      pairs[at] = sycl::select_from_group(group, pair{static_cast<char>(at), x}, other);
                      triples[at] = sycl::select_from_group(group, mine, other);
                      triples[count + at] = sycl::reduce_over_group(group, mine, sycl::plus<triple>());
                    })
      .wait();
  const std::size_t most = [&] {
    std::size_t i = 0;
    while (pairs[i].tag != 0) ++i;
    return i + 1;
  }();
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t id = at % row % most, first = at - id, size = std::min(most, row - at % row + id);
    const std::size_t other = first + (id + 1) % size;
    CHECK((pairs[at] == pair{static_cast<char>(other), static_cast<double>(values[other])}));
    const auto x = static_cast<float>(values[other]);
    CHECK(triples[at][0] == x && triples[at][1] == x + 1 && triples[at][2] == 2 * x);
    float total = 0;
    for (std::size_t i = first; i < first + size; ++i) total += static_cast<float>(values[i]);
    const triple& sums = triples[count + at];
    CHECK(sums[0] == total && sums[1] == total + static_cast<float>(size) && sums[2] == 2 * total);
  }
  sycl::free(pairs, queue);
  sycl::free(triples, queue);
  sycl::free(in, queue);
}

namespace {
/// `value` has no value until `full` is true.
struct perhaps {
  bool full;
  std::uint64_t value;
};

/// Changes x a few times, or never, and keeps the last result whose low byte is zero.
perhaps last_round(unsigned x) {
  perhaps found;
  found.full = false;
  for (unsigned k = 0; k < (x & 3); ++k) {
    x = (x ^ k) * 177;
    if ((x & 0xff) == 0) {
      found.full = true;
      found.value = x + k;
    }
  }
  return found;
}
}  // namespace

TEST("sub-groups exchange structures whose members have no value") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t count = 4096;
  perhaps* out = sycl::malloc_shared<perhaps>(count, queue);
  queue
      .parallel_for(sycl::nd_range<1>(count, 32),
                    [=](sycl::nd_item<1> item) {
                      const std::size_t at = item.get_global_id(0);
                      const perhaps mine = last_round(static_cast<unsigned>(at));
                      out[at] = sycl::permute_group_by_xor(item.get_sub_group(), mine, 1);
                    })
      .wait();
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const perhaps expected = last_round(static_cast<unsigned>(at));
    const perhaps& found = out[at ^ 1];
    wrong += found.full != expected.full || (expected.full && found.value != expected.value);
  }
  CHECK_EQUAL(wrong, std::size_t(0));
  sycl::free(out, queue);
}

#ifndef SINTER_E2E_LIBRARY_MODE
class wants_three;
class wants_four;
class wants_any;

TEST("a size that the device does not offer is refused, and queries answer") {
  CPU_ONLY;
  sycl::queue queue = e2e::make_queue();
  const sycl::device device = queue.get_device();
  const auto known = device.get_info<sycl::info::device::sub_group_sizes>();
  for (std::size_t size : {4, 8, 16, 32}) CHECK(std::find(known.begin(), known.end(), size) != known.end());
  bool refused = false;
  try {
    queue.parallel_for<wants_three>(sycl::nd_range<1>(8, 8),
                                          [](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(3)]] {});
  } catch (const sycl::exception& error) {
    refused = error.code() == sycl::errc::kernel_not_supported;
  }
  CHECK(refused);
  CHECK(!sycl::is_compatible<wants_three>(device));
  queue.parallel_for<wants_four>(sycl::nd_range<1>(8, 8),
                                       [](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(4)]] {});
  queue.parallel_for<wants_any>(sycl::nd_range<1>(8, 8), [](sycl::nd_item<1>) {});
  queue.wait();
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context());
  namespace on_device = sycl::info::kernel_device_specific;
  const sycl::kernel four = bundle.get_kernel<wants_four>(), any = bundle.get_kernel<wants_any>();
  CHECK_EQUAL(four.get_info<on_device::max_sub_group_size>(device), 4u);
  CHECK_EQUAL(four.get_info<on_device::compile_sub_group_size>(device), 4u);
  CHECK_EQUAL(any.get_info<on_device::compile_sub_group_size>(device), 0u);
  const std::size_t most = any.get_info<on_device::max_sub_group_size>(device);
  CHECK(std::find(known.begin(), known.end(), most) != known.end());
  // Only the last sub-group of a work-group may have fewer work-items.
  const std::size_t largest = device.get_info<sycl::info::device::max_work_group_size>();
  CHECK_EQUAL(four.get_info<on_device::max_num_sub_groups>(device), largest / 4);
  CHECK_EQUAL(any.get_info<on_device::max_num_sub_groups>(device), (largest + most - 1) / most);
  CHECK_EQUAL(device.get_info<sycl::info::device::max_num_sub_groups>(), largest / 4);
  CHECK_EQUAL(four.get_info<on_device::compile_num_sub_groups>(device), 0u);
}
#endif

E2E_MAIN
