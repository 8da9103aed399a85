/// Fusions of kernels whose work-items loop over elements: in strides that begin at the work-item's id, along pointers,
/// or in group algorithms. Kernels that read data of other groups stay separate, and kernels that read only their own
/// data are fused. If the analysis can prove neither case, a promise of the user allows fusion.
#include <sycl/ext/sinter/trust_accesses.hpp>

#include <algorithm>

#include "fusion.hpp"

namespace {

constexpr std::size_t count = 512, group_size = 64;
using ints = sycl::buffer<int>;
using item = sycl::nd_item<1>;

constexpr std::uint64_t together = e2e::launches_when_fused(2), apart = 2;

int first_value(std::size_t i) { return static_cast<int>(i * 7 % 1000) + 1; }

int doubled(std::size_t i) { return first_value(i) * 2; }

/// The first kernel computes t[i] = first_value(i) over a range. In the second kernel, `items` work-items in groups
/// compute out[i] = t[i] * 2 by calling `body(item, t, out, count)`.
template <class Body>
void check_behind_range(std::size_t items, Body body) {
  std::vector<int> t(count, -1), out(count, -1);
  sycl::queue queue = e2e::make_fusing_queue();
  const e2e::launches launches;
  {
    ints of_t(t.data(), count), of_out(out.data(), count);
    cx::fusion_wrapper fusion(queue);
    fusion.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(of_t, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = first_value(i[0]); });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(of_t, handler, sycl::read_only);
      sycl::accessor to(of_out, handler, sycl::read_write);
      const std::size_t size = count;
      handler.parallel_for(sycl::nd_range<1>(items, group_size), [=](item at) { body(at, from, to, size); });
    });
    fusion.complete_fusion();
  }
  CHECK_EQUAL(launches.count(), apart);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK_EQUAL(t[i], first_value(i));
    CHECK_EQUAL(out[i], doubled(i));
  }
}

/// Two kernels over the same work-items: a loop in the first one computes t, a loop in the second one computes out.
template <class First, class Second>
void check_pair(std::uint64_t launches_expected, std::size_t items, First first, Second second,
                std::size_t size = count) {
  std::vector<int> t(size + 1, -1), out(size + 1, -1), expected(size + 1, -1);
  sycl::queue queue = e2e::make_fusing_queue();
  const e2e::launches launches;
  {
    ints of_t(t.data(), size + 1), of_out(out.data(), size + 1);
    cx::fusion_wrapper fusion(queue);
    fusion.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(of_t, handler, sycl::write_only);
      handler.parallel_for(sycl::nd_range<1>(items, group_size), [=](item at) { first(at, to, size); });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(of_t, handler, sycl::read_only);
      sycl::accessor to(of_out, handler, sycl::write_only);
      handler.parallel_for(sycl::nd_range<1>(items, group_size), [=](item at) { second(at, from, to, size); });
    });
    fusion.complete_fusion();
  }
  CHECK_EQUAL(launches.count(), launches_expected);
  for (std::size_t i = 0; i < size; ++i) expected[i] = doubled(i);
  CHECK_ALL_EQUAL(out, expected);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- strides

TEST("loops of fewer work-items over all elements stay apart from the kernel that wrote these") {
  const auto check = [](auto body) { check_behind_range(128, body); };
  check([](item at, auto& from, auto& to, std::size_t) {
    for (std::size_t k = 0; k < 4; ++k) to[at.get_global_id(0) * 4 + k] = from[at.get_global_id(0) * 4 + k] * 2;
  });
  check([](item at, auto& from, auto& to, std::size_t) {
    for (std::size_t k = 0; k < 4; ++k) to[at.get_global_id(0) + k * 128] = from[at.get_global_id(0) + k * 128] * 2;
  });
  check([](item at, auto& from, auto& to, std::size_t) {
    for (std::size_t g = at.get_global_id(0); g < 512; g += 128) to[g] = from[g] * 2;
  });
  check([](item at, auto& from, auto& to, std::size_t size) {
    for (std::size_t g = at.get_global_id(0); g < size; g += 128) to[g] = from[g] * 2;
  });
  check([](item at, auto& from, auto& to, std::size_t size) {
    for (std::size_t g = at.get_global_id(0); g < size; g += at.get_global_range(0)) to[g] = from[g] * 2;
  });
  check([](item at, auto& from, auto& to, std::size_t size) {
    for (int g = static_cast<int>(at.get_global_id(0)); g < static_cast<int>(size); g += 128)
      to[static_cast<std::size_t>(g)] = from[static_cast<std::size_t>(g)] * 2;
  });
  check([](item at, auto& from, auto& to, std::size_t size) {
    for (unsigned g = static_cast<unsigned>(at.get_global_id(0)); g <= size - 1; g += 128) to[g] = from[g] * 2;
  });
  check([](item at, auto& from, auto& to, std::size_t size) {
    for (std::size_t g = at.get_global_id(0); g != size + at.get_global_id(0); g += 128) to[g] = from[g] * 2;
  });
  check([](item at, auto& from, auto& to, std::size_t size) {
    // The loop goes backwards from the end.
    for (std::ptrdiff_t g = static_cast<std::ptrdiff_t>(size - 1 - at.get_global_id(0)); g >= 0; g -= 128)
      to[static_cast<std::size_t>(g)] = from[static_cast<std::size_t>(g)] * 2;
  });
  check([](item at, auto& from, auto& to, std::size_t size) {
    std::size_t g = at.get_global_id(0);
    do {
      to[g] = from[g] * 2;
    } while ((g += 128) < size);
  });
  check([](item at, auto& from, auto& to, std::size_t size) {
    const int* const first = from.template get_multi_ptr<sycl::access::decorated::no>().get();
    int* out = &to[at.get_global_id(0)];
    for (const int* p = first + at.get_global_id(0); p < first + size; p += 128, out += 128) *out = *p * 2;
  });
}

TEST("strides are strides however they are written") {
  const auto check = [](auto body) {
    check_behind_range(128, [=](item at, auto& from, auto& to, std::size_t size) {
      const int* const first = from.template get_multi_ptr<sycl::access::decorated::no>().get();
      body(at, at.get_global_id(0), at.get_global_range(0), first, &to[0], static_cast<int>(size));
    });
  };
  // Each iteration computes the index from a second counter.
  check([](item, auto id, auto all, const int* from, int* to, int size) {
    const int g = static_cast<int>(id), step = static_cast<int>(all);
    for (int k = 0, j = g; j < size; ++k, j = g + k * step) to[j] = from[j] * 2;
  });
  check([](item, auto id, auto all, const int* from, int* to, int size) {
    std::size_t j = id;
    for (unsigned k = 0; j < static_cast<std::size_t>(size); ++k, j = id + k * all) to[j] = from[j] * 2;
  });
  check([](item, auto id, auto all, const int* from, int* to, int size) {
    const int* p = from + id;
    for (std::size_t k = 0; p < from + size; ++k, p = from + id + k * all) to[p - from] = *p * 2;
  });
  check([](item, auto id, auto all, const int* from, int* to, int size) {
    for (unsigned k = 0;; ++k) {
      const unsigned j = k * static_cast<unsigned>(all) + static_cast<unsigned>(id);
      if (j >= static_cast<unsigned>(size)) break;
      to[j] = from[j] * 2;
    }
  });
  // The counter is an int, and the step is a std::size_t.
  check([](item, auto id, auto all, const int* from, int* to, int size) {
    for (int j = static_cast<int>(id); j < size; j = static_cast<int>(static_cast<std::size_t>(j) + all))
      to[j] = from[j] * 2;
  });
  check([](item at, auto, auto, const int* from, int* to, int size) {
    const int local = static_cast<int>(at.get_local_id(0));
    for (int group = static_cast<int>(at.get_group(0)); group * 64 < size;
         group = static_cast<int>(static_cast<std::size_t>(group) + at.get_group_range(0)))
      to[group * 64 + local] = from[group * 64 + local] * 2;
  });
  // The unsigned counter goes down until it wraps around below zero.
  check([](item, auto id, auto all, const int* from, int* to, int size) {
    for (unsigned j = static_cast<unsigned>(size) - 1 - static_cast<unsigned>(id); j < static_cast<unsigned>(size);
         j -= static_cast<unsigned>(all))
      to[j] = from[j] * 2;
  });
  check([](item, auto id, auto all, const int* from, int* to, int size) {
    for (std::size_t end = static_cast<std::size_t>(size), j = end - 1 - id; j < end; j -= all) to[j] = from[j] * 2;
  });
  // The index is the difference of two pointers.
  check([](item, auto id, auto all, const int* from, int* to, int size) {
    for (const int* p = from + id; p - from < size; p += all) to[p - from] = *p * 2;
  });
  // Each work-item handles a part of a column.
  check([](item, auto id, auto, const int* from, int* to, int size) {
    const int column = static_cast<int>(id) % 16;
    for (int row = static_cast<int>(id) / 16; row * 16 + column < size; row += 8)
      to[row * 16 + column] = from[row * 16 + column] * 2;
  });
}

TEST("equal loops of equal ranges are joined, whatever their ends are") {
  const auto fill = [](item at, auto& to, std::size_t size) {
    for (std::size_t g = at.get_global_id(0); g < size; g += at.get_global_range(0)) to[g] = first_value(g);
  };
  for (const std::size_t size : {count, std::size_t(0), std::size_t(1), std::size_t(131), std::size_t(1021)}) {
    check_pair(
        together, 128, fill,
        [](item at, auto& from, auto& to, std::size_t end) {
          for (std::size_t g = at.get_global_id(0); g < end; g += at.get_global_range(0)) to[g] = from[g] * 2;
        },
        size);
    check_pair(
        together, 128, fill,
        [](item at, auto& from, auto& to, std::size_t end) {
          for (int g = static_cast<int>(at.get_global_id(0)); g < static_cast<int>(end); g += 128)
            to[static_cast<std::size_t>(g)] = from[static_cast<std::size_t>(g)] * 2;
        },
        size);
  }
  // Each iteration computes the index from a second counter, in ints.
  check_pair(together, 128, fill, [](item at, auto& from, auto& to, std::size_t size) {
    const int g = static_cast<int>(at.get_global_id(0)), all = static_cast<int>(at.get_global_range(0));
    for (int k = 0, j = g; j < static_cast<int>(size); ++k, j = g + k * all)
      to[static_cast<std::size_t>(j)] = from[static_cast<std::size_t>(j)] * 2;
  });
  check_pair(together, 128, fill, [](item at, auto& from, auto& to, std::size_t size) {
    const unsigned end = static_cast<unsigned>(size), all = static_cast<unsigned>(at.get_global_range(0));
    for (unsigned j = end - all + static_cast<unsigned>(at.get_global_id(0)); j < end; j -= all) to[j] = from[j] * 2;
  });
  // The loops advance pointers instead of indices.
  check_pair(together, 128, fill, [](item at, auto& from, auto& to, std::size_t size) {
    const int* const first = from.template get_multi_ptr<sycl::access::decorated::no>().get();
    int* out = &to[at.get_global_id(0)];
    for (const int* p = first + at.get_global_id(0); p < first + size; p += 128, out += 128) *out = *p * 2;
  });
  // Each work-item of the second kernel reads a contiguous part, so it reads elements that other work-items wrote.
  check_pair(apart, 128, fill, [](item at, auto& from, auto& to, std::size_t size) {
    const std::size_t length = size / at.get_global_range(0), begin = at.get_global_id(0) * length;
    for (std::size_t g = begin; g < begin + length; ++g) to[g] = from[g] * 2;
  });
}

// ---------------------------------------------------------------------------------------------------- groups

namespace {

/// The first kernel computes t[i] = f(i), with or without groups; the second one computes out[i] = body(item, t) from
/// all of t.
template <class Body, class Expected>
void check_whole(std::size_t groups, bool barriers, Body body, Expected expected) {
  const std::size_t size = 2 * group_size;
  std::vector<int> t(size, -7), out(groups * group_size, -1);
  sycl::queue queue = e2e::make_fusing_queue();
  const e2e::launches launches;
  {
    ints of_t(t.data(), size), of_out(out.data(), out.size());
    cx::fusion_wrapper fusion(queue);
    fusion.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(of_t, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { to[i] = first_value(i[0]); });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(of_t, handler, sycl::read_only);
      sycl::accessor to(of_out, handler, sycl::write_only);
      sycl::local_accessor<int, 1> local(size, handler);
      handler.parallel_for(sycl::nd_range<1>(groups * group_size, group_size),
                           [=](item at) { to[at.get_global_id(0)] = body(at, from, local, size); });
    });
    if (barriers) fusion.complete_fusion();
    if (!barriers) fusion.complete_fusion(cx::property::no_barriers{});
  }
  CHECK_EQUAL(launches.count(), apart);
  std::vector<int> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = first_value(i);
  for (std::size_t i = 0; i < out.size(); ++i) CHECK_EQUAL(out[i], expected(values, i % group_size));
}

int sum_of(const std::vector<int>& values) {
  int sum = 0;
  for (int value : values) sum += value;
  return sum;
}

}  // namespace

TEST("group algorithms over what other groups wrote stay apart") {
  const auto begin_of = [](auto& from) { return from.template get_multi_ptr<sycl::access::decorated::no>().get(); };
  const auto sum = [](const std::vector<int>& values, std::size_t) { return sum_of(values); };
  for (const bool barriers : {true, false}) {
    for (const std::size_t groups : {std::size_t(1), std::size_t(2)}) {
      check_whole(
          groups, barriers,
          [=](item at, auto& from, auto&, std::size_t size) {
            return sycl::joint_reduce(at.get_group(), begin_of(from), begin_of(from) + size, sycl::plus<int>());
          },
          sum);
      check_whole(
          groups, barriers,
          [=](item at, auto& from, auto&, std::size_t size) {
            return static_cast<int>(sycl::joint_any_of(at.get_group(), begin_of(from), begin_of(from) + size,
                                                       [](int value) { return value == first_value(100); }));
          },
          [](const std::vector<int>&, std::size_t) { return 1; });
      check_whole(
          groups, barriers,
          [=](item at, auto& from, auto& local, std::size_t size) {
            int* const to = &local[0];
            sycl::joint_inclusive_scan(at.get_group(), begin_of(from), begin_of(from) + size, to, sycl::plus<int>());
            return to[size - 1 - at.get_local_id(0)];
          },
          [](const std::vector<int>& values, std::size_t i) {
            int whole = 0;
            for (std::size_t k = 0; k < values.size() - i; ++k) whole += values[k];
            return whole;
          });
      check_whole(
          groups, barriers,
          [=](item at, auto& from, auto&, std::size_t size) {
            int part = 0;
            for (std::size_t k = at.get_local_id(0); k < size; k += group_size) part += from[k];
            return sycl::reduce_over_group(at.get_group(), part, sycl::plus<int>());
          },
          sum);
      // Sub-groups may read all elements as well, in contiguous or strided parts.
      check_whole(
          groups, barriers,
          [=](item at, auto& from, auto&, std::size_t size) {
            return sycl::joint_reduce(at.get_sub_group(), begin_of(from), begin_of(from) + size, sycl::plus<int>());
          },
          sum);
      check_whole(
          groups, barriers,
          [=](item at, auto& from, auto& local, std::size_t size) {
            // All sub-groups write the same values to the same memory.
            int* const to = &local[0];
            sycl::joint_inclusive_scan(at.get_sub_group(), begin_of(from), begin_of(from) + size, to,
                                       sycl::plus<int>());
            sycl::group_barrier(at.get_group());
            return to[size - 1 - at.get_local_id(0)];
          },
          [](const std::vector<int>& values, std::size_t i) {
            int whole = 0;
            for (std::size_t k = 0; k < values.size() - i; ++k) whole += values[k];
            return whole;
          });
      check_whole(
          groups, barriers,
          [=](item at, auto& from, auto& local, std::size_t size) {
            const auto to = local.template get_multi_ptr<sycl::access::decorated::no>();
            at.async_work_group_copy(to, from.template get_multi_ptr<sycl::access::decorated::no>(), size).wait();
            return to[size - 1 - at.get_local_id(0)];
          },
          [](const std::vector<int>& values, std::size_t i) { return values[values.size() - 1 - i]; });
    }
  }
}

TEST("exchange inside groups is joined with a barrier, across them it is not") {
  const auto fill = [](item at, auto& to, std::size_t) { to[at.get_global_id(0)] = first_value(at.get_global_id(0)); };
  const auto check = [&](std::uint64_t launches, auto partner) {
    check_pair(launches, count, fill, [=](item at, auto& from, auto& to, std::size_t) {
      const std::size_t i = partner(at, at.get_global_id(0));
      to[i] = from[i] * 2;
    });
  };
  check(together,
        [](item at, std::size_t) { return at.get_group(0) * group_size + group_size - 1 - at.get_local_id(0); });
  check(together,
        [](item at, std::size_t) { return at.get_group(0) * group_size + (at.get_local_id(0) + 5) % group_size; });
  check(together, [](item, std::size_t i) { return i ^ 1; });
  check(together, [](item, std::size_t i) { return i ^ 63; });
  check(together, [](item, std::size_t i) { return i / 4 * 4 + 3 - i % 4; });
  check(together, [](item, std::size_t i) { return (i & ~std::size_t(7)) | (7 - (i & 7)); });
  // Each sub-group reverses the order of its elements.
  check(together, [](item at, std::size_t i) {
    const auto group = at.get_sub_group();
    return i - group.get_local_linear_id() + group.get_local_linear_range() - 1 - group.get_local_linear_id();
  });
  check(apart, [](item, std::size_t i) { return i ^ 64; });
  check(apart, [](item, std::size_t i) { return (i + 1) % count; });
  check(apart, [](item, std::size_t i) { return i % 16 * (count / 16) + i / 16; });
}

TEST("indices from memory are trusted where the program promises it") {
  for (const bool trusted : {false, true}) {
    std::vector<std::size_t> places(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = i;
    std::vector<int> t(count, -1), out(count, -1), expected(count);
    sycl::queue queue = e2e::make_fusing_queue();
    const e2e::launches launches;
    {
      ints of_t(t.data(), count), of_out(out.data(), count);
      sycl::buffer<std::size_t> of_places(places.data(), count);
      cx::fusion_wrapper fusion(queue);
      fusion.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(of_t, handler, sycl::write_only);
        handler.parallel_for<class writer>(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = first_value(i[0]); });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(of_t, handler, sycl::read_only);
        sycl::accessor at(of_places, handler, sycl::read_only);
        sycl::accessor to(of_out, handler, sycl::write_only);
        handler.parallel_for<class gather>(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = from[at[i]] * 2; });
      });
      if (trusted) fusion.complete_fusion(sycl::ext::sinter::property::fusion::trust_accesses{});
      if (!trusted) fusion.complete_fusion();
    }
    CHECK_EQUAL(launches.count(), trusted ? together : apart);
    for (std::size_t i = 0; i < count; ++i) expected[i] = doubled(i);
    CHECK_ALL_EQUAL(out, expected);
  }
}

E2E_MAIN
