// sycl_ext_oneapi_non_uniform_groups: a condition or a fixed size divides a sub-group into parts. All group
// functions and algorithms run in these parts.
#include <sycl/ext/oneapi/experimental/non_uniform_groups.hpp>

#include "check.hpp"

#include <map>

namespace x = sycl::ext::oneapi::experimental;

namespace {

/// A function x -> factor * x + sum. Composition of such functions is not commutative.
struct affine {
  std::uint32_t factor, sum;
  friend bool operator==(const affine&, const affine&) = default;
};
struct compose {
  affine operator()(const affine& a, const affine& b) const {
    return {a.factor * b.factor, a.sum * b.factor + b.sum};
  }
};

struct record {
  std::uint32_t sub_group, part, parts, rank, count, leader;
  affine value, all, up_to, before;
  std::uint32_t sum, any, every, none, first, second, left, right, exchanged, picked, joint_sum;
};

/// make(sub_group, item) returns the part that the work-item belongs to.
template <class Make>
std::vector<record> run(std::size_t groups, std::size_t local, const std::vector<std::uint32_t>& in, Make make) {
  sycl::queue queue = e2e::make_queue();
  record* const out = sycl::malloc_shared<record>(groups * local, queue);
  std::uint32_t* const from = sycl::malloc_shared<std::uint32_t>(in.size(), queue);
  std::copy(in.begin(), in.end(), from);
  queue
      .parallel_for(sycl::nd_range<1>(groups * local, local),
                    [=](sycl::nd_item<1> item) {
                      const sycl::sub_group whole = item.get_sub_group();
                      const auto part = make(whole, item);
                      const std::size_t i = item.get_global_id(0);
                      record r{};
                      r.sub_group = static_cast<std::uint32_t>(item.get_group(0) * 100 + whole.get_group_linear_id());
                      r.part = part.get_group_linear_id(), r.parts = part.get_group_linear_range();
                      r.rank = part.get_local_linear_id(), r.count = part.get_local_linear_range();
                      r.leader = part.leader();
                      r.value = {from[i] | 1u, from[i] / 3};
                      r.all = sycl::reduce_over_group(part, r.value, compose());
                      r.up_to = sycl::inclusive_scan_over_group(part, r.value, compose());
                      r.before = sycl::exclusive_scan_over_group(part, r.value, affine{1, 0}, compose());
                      r.sum = sycl::reduce_over_group(part, from[i], sycl::plus<std::uint32_t>());
                      r.any = sycl::any_of_group(part, from[i] % 8 == 0);
                      r.every = sycl::all_of_group(part, from[i], [](std::uint32_t value) { return value % 8 != 1; });
                      r.none = sycl::none_of_group(part, from[i] % 8 == 2);
                      r.first = sycl::group_broadcast(part, from[i]);
                      r.second = sycl::group_broadcast(part, from[i], r.count - 1);
                      r.left = sycl::shift_group_left(part, from[i]);
                      r.right = sycl::shift_group_right(part, from[i]);
                      r.exchanged = sycl::permute_group_by_xor(part, from[i], 1);
                      r.picked = sycl::select_from_group(part, from[i], sycl::id<1>(r.count / 2));
                      sycl::group_barrier(part);
                      r.joint_sum = sycl::joint_reduce(part, from, from + 19, sycl::plus<std::uint32_t>());
                      out[i] = r;
                    })
      .wait();
  std::vector<record> result(out, out + groups * local);
  sycl::free(out, queue), sycl::free(from, queue);
  return result;
}

/// Compares the results with those of scalar code that visits the members of each part in order.
void check(const std::vector<record>& found, const std::vector<std::uint32_t>& in) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> parts;
  for (std::size_t i = 0; i < found.size(); ++i) parts[{found[i].sub_group, found[i].part}].push_back(i);
  std::uint32_t joint = 0;
  for (std::size_t i = 0; i < 19; ++i) joint += in[i];
  for (const auto& [name, members] : parts) {
    affine sofar{1, 0};
    std::uint32_t sum = 0;
    bool any = false, every = true, none = true;
    for (const std::size_t i : members) {
      sum += in[i];
      any |= in[i] % 8 == 0, every &= in[i] % 8 != 1, none &= in[i] % 8 != 2;
    }
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      const record& r = found[members[rank]];
      CHECK(r.before == sofar);
      sofar = compose()(sofar, r.value);
      CHECK(r.up_to == sofar);
      CHECK_EQUAL(r.rank, static_cast<std::uint32_t>(rank));
      CHECK_EQUAL(r.count, static_cast<std::uint32_t>(members.size()));
      CHECK(r.leader == (rank == 0) && r.part < r.parts);
      CHECK(r.sum == sum && r.any == any && r.every == every && r.none == none);
      CHECK(r.first == in[members[0]] && r.second == in[members.back()]);
      if (rank + 1 < members.size()) CHECK_EQUAL(r.left, in[members[rank + 1]]);
      if (rank > 0) CHECK_EQUAL(r.right, in[members[rank - 1]]);
      if ((rank ^ 1) < members.size()) CHECK_EQUAL(r.exchanged, in[members[rank ^ 1]]);
      CHECK_EQUAL(r.picked, in[members[members.size() / 2]]);
      CHECK_EQUAL(r.joint_sum, joint);
    }
    for (const std::size_t i : members) CHECK(found[i].all == sofar);
  }
}

}  // namespace

TEST("a condition parts a sub-group in two") {
  for (const std::size_t local : {1u, 5u, 32u, 100u}) {
    const auto in = e2e::random_values<std::uint32_t>(std::max<std::size_t>(local * 3, 20), 0, 1e9);
    std::uint32_t which = 0;
    for (const std::uint32_t divisor : {2u, 3u, 1u}) {
      const auto found = run(3, local, in, [=](sycl::sub_group whole, const sycl::nd_item<1>& item) {
        const bool mine = (item.get_global_id(0) * 7 + which) % divisor == 0;
        return x::get_ballot_group(whole, mine);
      });
      check(found, in);
      for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].parts == 2 && found[i].part == ((i * 7 + which) % divisor == 0 ? 1u : 0u));
      }
      ++which;
    }
  }
  static_assert(std::is_same_v<decltype(x::binary_partition(sycl::sub_group(), true)), x::fragment<sycl::sub_group>>);
}

template <std::size_t Size>
void check_chunks() {
  const auto in = e2e::random_values<std::uint32_t>(192, 0, 1e9);
  const auto found = run(3, 64, in, [](sycl::sub_group whole, const sycl::nd_item<1>&) {
    return x::chunked_partition<Size>(whole);
  });
  check(found, in);
  for (const record& each : found) CHECK_EQUAL(each.count, static_cast<std::uint32_t>(Size));
}

TEST("a sub-group consists of parts of a fixed size") {
  check_chunks<1>();
  check_chunks<2>();
  check_chunks<4>();
  using group = x::fixed_size_group<4, sycl::sub_group>;
  static_assert(sycl::is_group_v<group> && x::is_user_constructed_group_v<group>);
  static_assert(!x::is_fixed_topology_group_v<group>);
  static_assert(x::is_fixed_topology_group_v<sycl::sub_group>);
}

#ifndef SINTER_E2E_LIBRARY_MODE
TEST("kernels that make a tangle_group, which no device has, are refused by its aspect") {
  sycl::queue queue = e2e::make_queue();
  bool refused = false;
  try {
    queue.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> item) {
      sycl::group_barrier(x::get_tangle_group(item.get_sub_group()));
    });
  } catch (const sycl::exception& error) {
    refused = error.code() == sycl::errc::kernel_not_supported && std::strstr(error.what(), "tangle_group");
  }
  CHECK(refused);
}
#endif

E2E_MAIN
