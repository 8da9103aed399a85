/// User-driven fusion: kernels that may be fused and kernels that must stay separate, with conditions, clamped
/// indices, loops and reductions.
#include <algorithm>

#include "fusion.hpp"

namespace {

using ints = sycl::buffer<int>;
constexpr std::size_t count = 257;
const sycl::property_list& promoted = e2e::promoted_private;

/// The first kernel computes b[i] = a[i] * 3 + 1. The second kernel computes out[i] = f(b, i). Returns the number of
/// launches.
template <class Second>
std::uint64_t run_pair(std::vector<int>& out, Second second, const sycl::property_list& of_middle = {}) {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> in = e2e::counted(count, 5);
  const e2e::launches launches;
  {
    ints a(in.data(), count), b(sycl::range<1>(count), of_middle), c(out.data(), out.size());
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(a, handler, sycl::read_only);
      sycl::accessor to(b, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = from[i] * 3 + 1; });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      sycl::accessor to(c, handler, sycl::read_write);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { second(from, to, i[0]); });
    });
    wrapper.complete_fusion();
  }
  return launches.count();
}

template <class Second>
void check_pair(std::uint64_t expected_launches, Second second, const sycl::property_list& of_middle = {}) {
  std::vector<int> out(count, -1), expected(count, -1), middle(count);
  for (std::size_t i = 0; i < count; ++i) middle[i] = (static_cast<int>(i) + 5) * 3 + 1;
  CHECK_EQUAL(run_pair(out, second, of_middle), expected_launches);
  for (std::size_t i = 0; i < count; ++i) second(middle, expected, i);
  CHECK_ALL_EQUAL(out, expected);
}

constexpr std::uint64_t together = e2e::launches_when_fused(2), apart = 2;

}  // namespace

// ---------------------------------------------------------------------------------------------------- conditions

TEST("stencils whose edges are left out are computed by tiles") {
  const std::uint64_t tiled = e2e::launches_when_tiled(2);
  check_pair(tiled, [](const auto& from, const auto& to, std::size_t i) {
    if (i > 0) const_cast<int&>(to[i]) = from[i - 1];
  });
  check_pair(tiled, [](const auto& from, const auto& to, std::size_t i) {
    if (i > 0 && i + 1 < count) const_cast<int&>(to[i]) = from[i - 1] + from[i] + from[i + 1];
  });
  check_pair(tiled, [](const auto& from, const auto& to, std::size_t i) {
    if (i >= 2) const_cast<int&>(to[i]) = from[i - 2];
  });
  // LLVM turns the casts of this index into shifts. The analysis does not follow these shifts yet.
  check_pair(apart, [](const auto& from, const auto& to, std::size_t id) {
    const int i = static_cast<int>(id);
    if (i >= 2) const_cast<int&>(to[id]) = from[static_cast<std::size_t>(i - 2)];
  });
}

TEST("stencils with clamped indices are computed by tiles") {
  const std::uint64_t tiled = e2e::launches_when_tiled(2);
  check_pair(tiled, [](const auto& from, const auto& to, std::size_t i) {
    const std::size_t left = i == 0 ? 0 : i - 1, right = i + 1 < count ? i + 1 : count - 1;
    const_cast<int&>(to[i]) = from[left] + 2 * from[i] + from[right];
  });
  check_pair(tiled, [](const auto& from, const auto& to, std::size_t id) {
    const int i = static_cast<int>(id), left = i - 3 < 0 ? 0 : i - 3;
    const_cast<int&>(to[id]) = from[static_cast<std::size_t>(left)];
  });
}

TEST("conditions and clamps that change nothing keep nothing apart") {
  check_pair(together, [](const auto& from, const auto& to, std::size_t i) {
    if (i < count / 2) const_cast<int&>(to[i]) = from[i];
  });
  check_pair(together, [](const auto& from, const auto& to, std::size_t i) {
    const std::size_t at = i < count - 1 ? i : count - 1;
    const_cast<int&>(to[i]) = from[at];
  });
  check_pair(
      together,
      [](const auto& from, const auto& to, std::size_t i) { const_cast<int&>(to[i]) = i % 3 == 0 ? from[i] : 7; },
      promoted);
}

// ---------------------------------------------------------------------------------------------------- loops

TEST("a row over all values needs all work-items") {
  check_pair(apart, [](const auto& from, const auto& to, std::size_t i) {
    int sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += from[k] * static_cast<int>(k + i);
    const_cast<int&>(to[i]) = sum;
  });
  check_pair(apart, [](const auto& from, const auto& to, std::size_t i) {
    int sum = 0;
    for (int k = 7; k >= 0; k -= 2) sum = sum * 3 + from[static_cast<std::size_t>(k)];
    const_cast<int&>(to[i]) = sum;
  });
}

TEST("rows of one's own are no obstacle, and may be promoted") {
  constexpr std::size_t rows = 61, width = 5;
  for (bool promote : {false, true}) {
    sycl::queue queue = e2e::make_fusing_queue();
    std::vector<int> middle(rows * width, -7), out(rows, -1), written(rows * width), expected(rows, 0);
    const e2e::launches launches;
    {
      ints b(middle.data(), rows * width, promote ? promoted : sycl::property_list()), c(out.data(), rows);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(b, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(rows), [=](sycl::id<1> row) {
          for (std::size_t k = 0; k < width; ++k) to[row[0] * width + k] = static_cast<int>(row[0] * 100 + k * k);
        });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::read_only);
        sycl::accessor to(c, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(rows), [=](sycl::id<1> row) {
          int sum = 0;
          for (std::size_t k = width; k-- > 0;) sum = sum * 3 + from[row[0] * width + k];
          to[row] = sum;
        });
      });
      wrapper.complete_fusion();
    }
    CHECK_EQUAL(launches.count(), together);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < width; ++k) written[i * width + k] = static_cast<int>(i * 100 + k * k);
      for (std::size_t k = width; k-- > 0;) expected[i] = expected[i] * 3 + written[i * width + k];
    }
    CHECK_ALL_EQUAL(out, expected);
    if (!promote) CHECK_ALL_EQUAL(middle, written);
    if (promote && e2e::can_fuse) CHECK_ALL_EQUAL(middle, std::vector<int>(rows * width, -7));
  }
}

TEST("one list over many sizes") {
  sycl::queue queue = e2e::make_fusing_queue();
  for (std::size_t size : {std::size_t(100), std::size_t(1), std::size_t(1000), std::size_t(4099), std::size_t(7)}) {
    std::vector<int> in = e2e::counted(size, 2), middle(size, -7), out(size, -1), expected(size);
    const e2e::launches launches;
    {
      ints a(in.data(), size), b(middle.data(), size, promoted), c(out.data(), size);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(a, handler, sycl::read_only);
        sycl::accessor to(b, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { to[i] = from[i] + 4; });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::read_only);
        sycl::accessor to(c, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { to[i] = from[i] * 5; });
      });
      wrapper.complete_fusion();
    }
    CHECK_EQUAL(launches.count(), together);
    for (std::size_t i = 0; i < size; ++i) expected[i] = (in[i] + 4) * 5;
    CHECK_ALL_EQUAL(out, expected);
    if (e2e::can_fuse) CHECK_ALL_EQUAL(middle, std::vector<int>(size, -7));
  }
}

TEST("numbers that repeat become constants, and are compared each time") {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> in = e2e::counted(count, 2);
  std::vector<int> out(count, -1), expected(count);
  for (int round = 0; round < 150; ++round) {
    // The factor is 3 in the first 120 rounds, so the runtime compiles code for the constant 3. Other factors follow.
    const int factor = round < 120 ? 3 : round % 2 == 0 ? 3 : round;
    const e2e::launches launches;
    {
      ints a(in.data(), count), b{sycl::range<1>(count)}, c(out.data(), count);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(a, handler, sycl::read_only);
        sycl::accessor to(b, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = from[i] * factor; });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::read_only);
        sycl::accessor to(c, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = from[i] + factor; });
      });
      wrapper.complete_fusion();
    }
    CHECK_EQUAL(launches.count(), together);
    for (std::size_t i = 0; i < count; ++i) expected[i] = in[i] * factor + factor;
    CHECK_ALL_EQUAL(out, expected);
  }
}

// ---------------------------------------------------------------------------------------------------- reductions

namespace {

constexpr std::size_t group_size = 16, groups = 20, reduced = group_size * groups;

using cell_reference = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>;
using item = sycl::nd_item<1>;

/// Submits a kernel that computes b[i] = a[i] * 3 + 1, in work-groups.
void submit_first(sycl::queue& queue, ints& a, ints& b) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor from(a, handler, sycl::read_only);
    sycl::accessor to(b, handler, sycl::read_write);
    handler.parallel_for(sycl::nd_range<1>(reduced, group_size),
                         [=](item at) { to[at.get_global_id()] = from[at.get_global_id()] * 3 + 1; });
  });
}

/// The first kernel computes temporary[i] = in[i] * 3 + 1. After it, `strategy` adds up the elements of `temporary` in
/// a memory cell.
template <class Strategy>
void check_strategy(Strategy strategy) {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> in = e2e::counted(reduced, 1);
  std::vector<int> middle(reduced, -7);
  int sum = 10, expected = 10;
  const e2e::launches launches;
  {
    ints a(in.data(), reduced), b(middle.data(), reduced, promoted), cell(&sum, 1), partials{sycl::range<1>(groups)};
    const int zero = 0;
    ints finished(&zero, 1);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    submit_first(queue, a, b);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      sycl::accessor to(cell, handler, sycl::read_write);
      sycl::accessor parts(partials, handler, sycl::read_write);
      sycl::accessor counter(finished, handler, sycl::read_write);
      sycl::local_accessor<int, 1> local(group_size, handler);
      handler.parallel_for(sycl::nd_range<1>(reduced, group_size),
                           [=](item at) { strategy(at, from[at.get_global_id()], to, parts, counter, local); });
    });
    wrapper.complete_fusion();
  }
  for (int value : in) expected += value * 3 + 1;
  CHECK_EQUAL(sum, expected);
  CHECK_EQUAL(launches.count(), together);
  if (e2e::can_fuse) CHECK_ALL_EQUAL(middle, std::vector<int>(reduced, -7));
}

}  // namespace

TEST("reduction: a group's sum by one atomic of the group") {
  check_strategy([](item at, int value, auto& to, auto&, auto&, auto&) {
    const int whole = sycl::reduce_over_group(at.get_group(), value, sycl::plus<>());
    if (at.get_group().leader()) cell_reference(to[0]) += whole;
  });
}

TEST("reduction: the group that ends last adds the partial sums") {
  check_strategy([](item at, int value, auto& to, auto& parts, auto& counter, auto&) {
    const int whole = sycl::reduce_over_group(at.get_group(), value, sycl::plus<>());
    if (!at.get_group().leader()) return;
    parts[at.get_group(0)] = whole;
    sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::device> done(counter[0]);
    if (done.fetch_add(1) + 1 != static_cast<int>(at.get_group_range(0))) return;
    int sum = to[0];
    for (std::size_t k = 0; k < groups; ++k) sum += parts[k];
    to[0] = sum;
  });
}

TEST("reduction: atomics in local memory, then one of the group") {
  check_strategy([](item at, int value, auto& to, auto&, auto&, auto& local) {
    if (at.get_local_id(0) == 0) local[0] = 0;
    sycl::group_barrier(at.get_group());
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group>(local[0]) += value;
    sycl::group_barrier(at.get_group());
    if (at.get_local_id(0) == 0) cell_reference(to[0]) += local[0];
  });
}

TEST("reduction: a tree in local memory, then one atomic of the group") {
  check_strategy([](item at, int value, auto& to, auto&, auto&, auto& local) {
    const std::size_t id = at.get_local_id(0);
    local[id] = value;
    for (std::size_t half = group_size / 2; half > 0; half /= 2) {
      sycl::group_barrier(at.get_group());
      if (id < half) local[id] += local[id + half];
    }
    if (id == 0) cell_reference(to[0]) += local[0];
  });
}

TEST("reduction: an atomic of each work-item") {
  check_strategy([](item, int value, auto& to, auto&, auto&, auto&) { cell_reference(to[0]) += value; });
}

TEST("sycl::reduction behind and in front of element-wise kernels") {
  for (const std::size_t size : {std::size_t(1), std::size_t(255), std::size_t(1000), std::size_t(20011)}) {
    sycl::queue queue = e2e::make_fusing_queue();
    const std::vector<int> in = e2e::counted(size, 1);
    std::vector<int> out(size, -1), expected(size);
    int sum = 10, expected_sum = 10;
    {
      ints a(in.data(), size), b{sycl::range<1>(size)}, c(out.data(), size), cell(&sum, 1);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(a, handler, sycl::read_only);
        sycl::accessor to(b, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { to[i] = from[i] % 7 + 1; });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::read_only);
        handler.parallel_for(sycl::range<1>(size), sycl::reduction(cell, handler, sycl::plus<>()),
                             [=](sycl::id<1> i, auto& whole) { whole += from[i]; });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::read_only), whole(cell, handler, sycl::read_only);
        sycl::accessor to(c, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { to[i] = from[i] + whole[0]; });
      });
      wrapper.complete_fusion();
    }
    for (int value : in) expected_sum += value % 7 + 1;
    for (std::size_t i = 0; i < size; ++i) expected[i] = in[i] % 7 + 1 + expected_sum;
    CHECK_EQUAL(sum, expected_sum);
    CHECK_ALL_EQUAL(out, expected);
  }
}

namespace {

/// The results of a list of kernels that ends with a reduction over a range.
struct left_behind {
  std::vector<float> sums{1.5f, 1000.0f, 0.25f, 7.0f, 3.0f}, out;
  std::uint64_t launches = 0;
};

/// Submits two kernels over a range, a reduction, and a kernel that does not read the reduction's result, in this
/// order. The first two kernels write temporaries, which only these kernels use.
template <int Dimensions, class Reduce>
left_behind reduce_behind(const sycl::range<Dimensions>& size, bool fuse, Reduce reduce) {
  sycl::queue queue = e2e::make_fusing_queue();
  std::vector<float> in(size.size() + 1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 37 % 101) / 7 - 5;
  left_behind result;
  result.out.assign(size.size() + 1, -1.0f);
  float* const sums = sycl::malloc_shared<float>(result.sums.size(), queue);
  std::copy(result.sums.begin(), result.sums.end(), sums);
  const e2e::launches launches;
  {
    sycl::buffer<float, Dimensions> a(in.data(), size), out(result.out.data(), size);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    {
      sycl::buffer<float, Dimensions> b(size);
      sycl::buffer<sycl::float4, Dimensions> c(size);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(a, handler, sycl::read_only);
        sycl::accessor to(b, handler, sycl::write_only);
        handler.parallel_for(size, [=](sycl::id<Dimensions> i) { to[i] = from[i] * 1.25f + 0.5f; });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::read_only);
        sycl::accessor to(c, handler, sycl::write_only);
        handler.parallel_for(size, [=](sycl::item<Dimensions> i) {
          to[i.get_id()] =
              sycl::float4(from[i.get_id()], static_cast<float>(i.get_linear_id() % 5), i.get_range(0) % 3, 1);
        });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(c, handler, sycl::read_only);
        reduce(handler, sums, from);
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(c, handler, sycl::read_only);
        sycl::accessor to(out, handler, sycl::write_only);
        handler.parallel_for(size, [=](sycl::id<Dimensions> i) { to[i] = from[i].x() + from[i].y(); });
      });
    }
    if (fuse) wrapper.complete_fusion();
    else wrapper.cancel_fusion();
    queue.wait();
  }
  result.launches = launches.count();
  std::copy(sums, sums + result.sums.size(), result.sums.begin());
  sycl::free(sums, queue);
  return result;
}

/// Checks that one fused launch gives the same bits as separate launches.
template <int Dimensions, class Reduce>
void check_reduce_behind(const sycl::range<Dimensions>& size, Reduce reduce) {
  const left_behind fused = reduce_behind(size, true, reduce), one_by_one = reduce_behind(size, false, reduce);
  CHECK_ALL_EQUAL(fused.sums, one_by_one.sums);
  CHECK_ALL_EQUAL(fused.out, one_by_one.out);
  if (size.size() != 0) CHECK_EQUAL(fused.launches, e2e::launches_when_fused(4));
}

}  // namespace

TEST("sycl::reduction over a range goes along with kernels over its elements, with the same bits") {
  for (const std::size_t size : {0, 1, 15, 17, 255, 1000, 20011}) {
    check_reduce_behind(sycl::range<1>(size), [=](sycl::handler& handler, float* sums, auto from) {
      handler.parallel_for(sycl::range<1>(size), sycl::reduction(sums, sycl::plus<>()), [=](sycl::id<1> i, auto& sum) {
        sum += from[i].x() * from[i].y();
      });
    });
  }
}

TEST("reductions over ranges with several reducers, spans, and operators of the user's") {
  const std::size_t size = 1999;
  check_reduce_behind(sycl::range<1>(size), [=](sycl::handler& handler, float* sums, auto from) {
    handler.parallel_for(
        sycl::range<1>(size), sycl::reduction(sums, sycl::plus<>()), sycl::reduction(sums + 1, sycl::minimum<>()),
        sycl::reduction(sums + 2, sycl::maximum<float>()), [=](sycl::item<1> i, auto& sum, auto& least, auto& most) {
          const sycl::float4 value = from[i];
          if (value.y() == 3.0f) return;
          sum.combine(value.x());
          least.combine(value.x() - value.z());
          most.combine(value.x() + value.y());
        });
  });
  // The operator is not commutative and has no identity.
  check_reduce_behind(sycl::range<1>(size), [=](sycl::handler& handler, float* sums, auto from) {
    handler.parallel_for(sycl::range<1>(size), sycl::reduction(sums, [](float a, float b) { return a * 0.5f + b; }),
                         [=](sycl::id<1> i, auto& whole) { whole.combine(from[i].x()); });
  });
  check_reduce_behind(sycl::range<1>(size), [=](sycl::handler& handler, float* sums, auto from) {
    handler.parallel_for(sycl::range<1>(size), sycl::reduction(sycl::span<float, 3>(sums + 1, 3), sycl::plus<>()),
                         [=](sycl::id<1> i, auto& all) {
                           for (std::size_t k = 0; k < 3; ++k) all[k] += from[i].x() * static_cast<float>(k + 1);
                         });
  });
}

TEST("reductions over ranges of two and three dimensions behind kernels over the elements") {
  const sycl::range<2> rows(13, 37);
  check_reduce_behind(rows, [=](sycl::handler& handler, float* sums, auto from) {
    handler.parallel_for(rows, sycl::reduction(sums, sycl::plus<>()),
                         [=](sycl::id<2> i, auto& sum) { sum += from[i].x() * static_cast<float>(i[0] + 2 * i[1]); });
  });
  const sycl::range<3> planes(3, 5, 21);
  check_reduce_behind(planes, [=](sycl::handler& handler, float* sums, auto from) {
    handler.parallel_for(planes, sycl::reduction(sums, sycl::maximum<>()), [=](sycl::item<3> i, auto& most) {
      most.combine(from[i.get_id()].x() + static_cast<float>(i.get_linear_id() % 7));
    });
  });
}

TEST("a reduction over a range that reads a neighbour's element runs behind the kernels that are fused") {
  constexpr std::size_t size = 300;
  const auto neighbour = [](sycl::handler& handler, float* sums, auto from) {
    handler.parallel_for(sycl::range<1>(size), sycl::reduction(sums, sycl::plus<>()),
                         [=](sycl::id<1> i, auto& sum) { sum += from[(i[0] + 1) % size].x(); });
  };
  const left_behind tried = reduce_behind(sycl::range<1>(size), true, neighbour),
                one_by_one = reduce_behind(sycl::range<1>(size), false, neighbour);
  CHECK_EQUAL(tried.launches, e2e::can_fuse ? 2u : 4u);
  CHECK_ALL_EQUAL(tried.sums, one_by_one.sums);
  CHECK_ALL_EQUAL(tried.out, one_by_one.out);
}

// ---------------------------------------------------------------------------------------------------- group functions

namespace {

/// The first kernel computes b[i] = a[i] * 3 + 1. The second kernel computes out = f(item, b) in `second_groups`
/// groups, where f calls group functions.
template <class Function, class Expected>
void check_group_function(std::size_t second_groups, Function function, Expected expected_of) {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> in = e2e::counted(reduced, 1);
  const std::size_t second = second_groups * group_size, longer = std::max(second, reduced);
  std::vector<int> middle(longer), out(second, -1), expected(second);
  const e2e::launches launches;
  {
    ints a(in.data(), reduced), b(middle.data(), longer), c(out.data(), second);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    submit_first(queue, a, b);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      sycl::accessor to(c, handler, sycl::write_only);
      handler.parallel_for(sycl::nd_range<1>(second, group_size),
                           [=](item at) { to[at.get_global_id()] = function(at, from[at.get_global_id()]); });
    });
    wrapper.complete_fusion();
  }
  CHECK_EQUAL(launches.count(), together);
  std::vector<int> values(longer);
  for (std::size_t i = 0; i < reduced; ++i) values[i] = in[i] * 3 + 1;
  for (std::size_t i = 0; i < second; ++i) expected[i] = expected_of(values, i, i / group_size * group_size);
  CHECK_ALL_EQUAL(out, expected);
}

}  // namespace

TEST("group functions inside members, of equal and of other ranges") {
  using values = std::vector<int>;
  for (std::size_t second : {groups, groups / 2, groups * 2}) {
    check_group_function(
        second,
        [](item at, int value) { return static_cast<int>(sycl::all_of_group(at.get_group(), value % 100 != 1)); },
        [](const values& from, std::size_t, std::size_t first) {
          int all = 1;
          for (std::size_t k = first; k < first + group_size; ++k) all &= from[k] % 100 != 1;
          return all;
        });
    check_group_function(
        second,
        [](item at, int value) { return sycl::exclusive_scan_over_group(at.get_group(), value, sycl::plus<>()); },
        [](const values& from, std::size_t i, std::size_t first) {
          int sum = 0;
          for (std::size_t k = first; k < i; ++k) sum += from[k];
          return sum;
        });
    check_group_function(
        second, [](item at, int value) { return sycl::group_broadcast(at.get_group(), value, 5); },
        [](const values& from, std::size_t, std::size_t first) { return from[first + 5]; });
    check_group_function(
        second,
        [](item at, int value) {
          const int before = sycl::reduce_over_group(at.get_group(), value, sycl::maximum<>());
          sycl::group_barrier(at.get_group());
          return before - sycl::group_broadcast(at.get_group(), value);
        },
        [](const values& from, std::size_t, std::size_t first) {
          int best = from[first];
          for (std::size_t k = first; k < first + group_size; ++k) best = std::max(best, from[k]);
          return best - from[first];
        });
  }
}

TEST("what was compiled for a promotion or without barriers is not taken for the others") {
  for (int round = 0; round < 8; ++round) {
    sycl::queue queue = e2e::make_fusing_queue();
    const std::vector<int> in = e2e::counted(reduced, 1);
    std::vector<int> middle(reduced, -7), out(reduced, -1), written(reduced), expected(reduced);
    const int kind = round % 4;
    const e2e::launches launches;
    {
      const sycl::property_list local{cx::property::promote_local{}}, none;
      ints a(in.data(), reduced),
          b(middle.data(), reduced,
            kind == 1   ? promoted
            : kind == 2 ? local
                        : none),
          c(out.data(), reduced);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      submit_first(queue, a, b);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::read_only);
        sycl::accessor to(c, handler, sycl::write_only);
        handler.parallel_for(sycl::nd_range<1>(reduced, group_size),
                             [=](item at) { to[at.get_global_id()] = from[at.get_global_id()] + 1; });
      });
      if (kind == 3) wrapper.complete_fusion(cx::property::no_barriers{});
      if (kind != 3) wrapper.complete_fusion();
    }
    CHECK_EQUAL(launches.count(), together);
    for (std::size_t i = 0; i < reduced; ++i) expected[i] = (written[i] = in[i] * 3 + 1) + 1;
    CHECK_ALL_EQUAL(out, expected);
    const bool vanished = e2e::can_fuse && (kind == 1 || kind == 2);
    CHECK_ALL_EQUAL(middle, vanished ? std::vector<int>(reduced, -7) : written);
  }
}

E2E_MAIN
