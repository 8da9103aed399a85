/// User-driven fusion: ranges and work-groups, local memory, and combinations of promotions that are refused.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string_view>

#include "fusion.hpp"

namespace {

using e2e::promoted_private;
using ints = sycl::buffer<int>;
const sycl::property_list promoted_local{cx::property::promote_local{}};

/// Stores the ids and ranges that a work-item sees.
template <int Dimensions>
struct place {
  std::size_t id[Dimensions], range[Dimensions], local[Dimensions], group[Dimensions], linear;

  bool operator==(const place&) const = default;
};

template <int Dimensions>
place<Dimensions> place_of(const sycl::nd_item<Dimensions>& item) {
  place<Dimensions> result{};
  for (int d = 0; d < Dimensions; ++d) {
    result.id[d] = item.get_global_id(d);
    result.range[d] = item.get_global_range(d) + 1000 * item.get_local_range(d) + 1000000 * item.get_group_range(d);
    result.local[d] = item.get_local_id(d);
    result.group[d] = item.get_group(d);
  }
  result.linear = item.get_global_linear_id();
  return result;
}

template <int Dimensions>
place<Dimensions> place_of(const sycl::item<Dimensions>& item) {
  place<Dimensions> result{};
  for (int d = 0; d < Dimensions; ++d) {
    result.id[d] = item.get_id(d);
    result.range[d] = item.get_range(d);
  }
  result.linear = item.get_linear_id();
  return result;
}

/// A kernel in which each work-item writes its own element. Elements without a work-item must stay empty.
template <int Dimensions>
class places {
public:
  places(sycl::range<Dimensions> range, std::optional<sycl::range<Dimensions>> local, sycl::id<Dimensions> offset = {})
      : m_range(range),
        m_local(local),
        m_offset(offset),
        m_places(range.size() + 64),
        m_buffer(m_places.data(), sycl::range<1>(m_places.size())) {}

  void submit(sycl::queue& queue) {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(m_buffer, handler, sycl::read_write);
      launch(handler, [=](const auto& item) {
        const auto here = place_of(item);
        to[here.linear] = here;
      });
    });
  }

  /// Each work-item also changes an element of `common`, which a work-item of an earlier kernel has changed.
  void submit(sycl::queue& queue, ints& common, int number) {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(m_buffer, handler, sycl::read_write);
      sycl::accessor all(common, handler, sycl::read_write);
      launch(handler, [=](const auto& item) {
        const auto here = place_of(item);
        to[here.linear] = here;
        all[here.linear] = all[here.linear] * 3 + number;
      });
    });
  }

  void check() {
    const std::vector<place<Dimensions>> expected = expected_places();
    sycl::host_accessor seen(m_buffer, sycl::read_only);
    CHECK_ALL_EQUAL(std::vector<place<Dimensions>>(seen.begin(), seen.end()), expected);
  }

private:
  template <class Kernel>
  void launch(sycl::handler& handler, const Kernel& kernel) {
    if (m_local) {
      handler.parallel_for(sycl::nd_range<Dimensions>(m_range, *m_local, m_offset),
                           [=](sycl::nd_item<Dimensions> item) { kernel(item); });
    } else {
      handler.parallel_for(m_range, m_offset, [=](sycl::item<Dimensions> item) { kernel(item); });
    }
  }

  std::vector<place<Dimensions>> expected_places() const {
    std::vector<place<Dimensions>> result(m_places.size());
    for (std::size_t linear = 0; linear < m_range.size(); ++linear) {
      place<Dimensions>& one = result[linear];
      std::size_t rest = linear;
      for (int d = Dimensions - 1; d >= 0; --d) {
        const std::size_t at = rest % m_range[d];
        one.id[d] = at + m_offset[d];
        rest /= m_range[d];
        one.range[d] = m_range[d];
        if (!m_local) continue;
        const std::size_t size = (*m_local)[d];
        one.range[d] += 1000 * size + 1000000 * (m_range[d] / size);
        one.local[d] = at % size;
        one.group[d] = at / size;
      }
      one.linear = linear;
    }
    return result;
  }

  sycl::range<Dimensions> m_range;
  std::optional<sycl::range<Dimensions>> m_local;
  sycl::id<Dimensions> m_offset;
  std::vector<place<Dimensions>> m_places;
  sycl::buffer<place<Dimensions>> m_buffer;
};

/// Fuses the members, with and without barriers. The number of launches must be `expected`. If `expected` is 0, any
/// number up to the number of members is right.
template <class... Members>
void fuse_places(std::uint64_t expected, Members... members) {
  for (bool barriers : {true, false}) {
    sycl::queue queue = e2e::make_fusing_queue();
    cx::fusion_wrapper wrapper{queue};
    const e2e::launches launches;
    wrapper.start_fusion();
    (members.submit(queue), ...);
    if (barriers) wrapper.complete_fusion();
    if (!barriers) wrapper.complete_fusion(cx::property::no_barriers{});
    queue.wait();
    if (expected == 1)
      CHECK_FUSED(launches, sizeof...(Members));
    else if (expected != 0)
      CHECK_EQUAL(launches.count(), expected);
    (members.check(), ...);
  }
}

places<1> line(std::size_t size) { return {sycl::range<1>(size), std::nullopt}; }
places<1> line(std::size_t size, std::size_t local) { return {sycl::range<1>(size), sycl::range<1>(local)}; }
places<2> plane(sycl::range<2> size) { return {size, std::nullopt}; }
places<2> plane(sycl::range<2> size, sycl::range<2> local) { return {size, local}; }
places<3> volume(sycl::range<3> size) { return {size, std::nullopt}; }
places<3> volume(sycl::range<3> size, sycl::range<3> local) { return {size, local}; }

}  // namespace

// ---------------------------------------------------------------------------------------------------- ranges

TEST("equal ranges of one, two and three dimensions") {
  fuse_places(1, line(77), line(77));
  fuse_places(1, line(60, 12), line(60, 12));
  fuse_places(1, plane({7, 11}), plane({7, 11}));
  fuse_places(1, plane({6, 10}, {3, 5}), plane({6, 10}, {3, 5}));
  fuse_places(1, volume({3, 5, 7}), volume({3, 5, 7}));
  fuse_places(1, volume({4, 6, 10}, {2, 3, 5}), volume({4, 6, 10}, {2, 3, 5}));
}

TEST("shorter and longer ranges of one dimension") {
  fuse_places(1, line(10), line(20));
  fuse_places(1, line(20), line(10));
  fuse_places(1, line(10), line(20), line(30));
  fuse_places(1, line(1), line(1009), line(13));
  fuse_places(1, line(10, 5), line(20, 5), line(40, 5));
  fuse_places(1, line(40, 5), line(10, 5));
}

TEST("ranges of different dimensions and widths without groups") {
  fuse_places(1, line(10), line(20), plane({10, 10}));
  fuse_places(1, plane({10, 10}), line(100), volume({4, 5, 5}));
  fuse_places(1, plane({10, 15}), plane({20, 10}), plane({10, 5}));
  fuse_places(1, volume({10, 4, 2}), volume({20, 2, 4}), volume({10, 2, 4}));
  fuse_places(1, volume({3, 5, 7}), plane({5, 21}), line(105));
  fuse_places(1, volume({3, 5, 7}), plane({2, 17}), line(11));
  fuse_places(1, line(500), volume({1, 1, 31}), plane({31, 1}), volume({7, 1, 3}));
}

TEST("offsets") {
  const places<1> one(sycl::range<1>(40), std::nullopt, sycl::id<1>(9));
  fuse_places(1, one, places<1>(sycl::range<1>(40), std::nullopt, sycl::id<1>(9)));
  fuse_places(1, one, places<1>(sycl::range<1>(23), std::nullopt, sycl::id<1>(9)));
  fuse_places(0, one, places<2>(sycl::range<2>(5, 7), std::nullopt, sycl::id<2>(0, 9)));
  fuse_places(0, places<2>(sycl::range<2>(5, 7), std::nullopt, sycl::id<2>(2, 9)),
              places<2>(sycl::range<2>(3, 4), std::nullopt, sycl::id<2>(2, 9)));
  fuse_places(2, one, line(40));
}

TEST("offsets of work-groups") {
  const places<1> one(sycl::range<1>(40), sycl::range<1>(5), sycl::id<1>(9));
  fuse_places(1, one, places<1>(sycl::range<1>(20), sycl::range<1>(5), sycl::id<1>(9)));
  fuse_places(1, places<1>(sycl::range<1>(23), std::nullopt, sycl::id<1>(9)), one);
  fuse_places(2, one, line(40, 5));
  fuse_places(2, one, line(40));
}

TEST("groups in other places") {
  fuse_places(1, line(10, 5), plane({10, 1}, {5, 1}), volume({10, 1, 1}, {5, 1, 1}));
  fuse_places(3, plane({10, 15}, {2, 5}), plane({20, 10}, {2, 5}), plane({10, 5}, {2, 5}));
  // The first kernel is not fused with the others.
  fuse_places(e2e::can_fuse ? 2 : 3, volume({10, 4, 2}, {5, 2, 1}), volume({20, 2, 4}, {5, 2, 1}),
              volume({10, 2, 4}, {5, 2, 1}));
  fuse_places(1, plane({4, 8}, {2, 4}), plane({8, 8}, {2, 4}));
  fuse_places(1, plane({20, 15}, {2, 5}), plane({10, 15}, {2, 5}), plane({20, 15}));
  fuse_places(1, volume({1, 4, 8}, {1, 2, 4}), volume({1, 6, 8}, {1, 2, 4}));
  fuse_places(1, volume({4, 8, 4}, {2, 4, 4}), volume({2, 8, 4}, {2, 4, 4}));
  fuse_places(1, line(40, 5), line(40));
  fuse_places(1, line(40), line(20, 5));
}

TEST("ranges beside groups of other dimensions and widths") {
  fuse_places(1, plane({4, 4}, {2, 2}), line(15));
  fuse_places(1, line(10, 5), plane({3, 3}));
  fuse_places(1, line(10, 5), plane({10, 10}));
  fuse_places(1, plane({3, 20}), line(10, 5), volume({2, 5, 2}));
  fuse_places(1, volume({2, 6, 4}, {2, 3, 4}), line(1), plane({5, 8}), volume({3, 4, 4}));
  fuse_places(1, plane({1, 12}, {1, 4}), plane({7, 12}));
  fuse_places(2, plane({4, 4}, {2, 2}), line(18));
}

TEST("ranges that can't be fused") {
  fuse_places(2, line(32, 16), line(32, 8));
  fuse_places(2, line(9, 3), line(512));
  fuse_places(2, plane({2, 2}, {2, 2}), plane({4, 4}, {2, 2}));
}

/// Submits a kernel with any number of dimensions.
struct any_places {
  std::function<void(sycl::queue&, ints&, int)> submit;
  std::function<void()> check;
  std::size_t size = 0;
};

template <int Dimensions, class Next>
any_places random_places(const Next& next, std::size_t place, bool same_group) {
  sycl::range<Dimensions> range = sycl::range<Dimensions>(), local = range;
  sycl::id<Dimensions> offset;
  for (int d = 0; d < Dimensions; ++d) {
    local[d] = same_group ? (d == 0 ? 4 : 1) : 1 + next() % 3;
    range[d] = local[d] * (1 + next() % (d == 0 ? 4 : 3));
  }
  offset[0] = place;
  const bool grouped = next() % 2 == 0;
  if (!grouped && next() % 2 == 0) range[0] = 1 + next() % 9;
  auto made = std::make_shared<places<Dimensions>>(range, grouped ? std::optional(local) : std::nullopt, offset);
  return {[=](sycl::queue& queue, ints& common, int number) { made->submit(queue, common, number); },
          [=] { made->check(); }, range.size()};
}

TEST("random lists of ranges do what their kernels do") {
  std::mt19937 engine(20261127);
  const auto next = [&] { return static_cast<std::size_t>(engine()); };
  const char* const wanted = std::getenv("TEST_LONG");
  const int lists = wanted && std::string_view(wanted) == "1" ? 600 : 40;
  int fused = 0;
  for (int i = 0; i < lists; ++i) {
    const std::size_t place = next() % 3 == 0 ? next() % 5 : 0;
    const bool same_group = next() % 4 != 0;
    std::vector<any_places> members;
    std::size_t most = 0;
    for (std::size_t m = 2 + next() % 3; m > 0; --m) {
      const std::size_t own = next() % 12 == 0 ? place + 1 : place;
      switch (next() % 3) {
        case 0: members.push_back(random_places<1>(next, own, same_group)); break;
        case 1: members.push_back(random_places<2>(next, own, same_group)); break;
        default: members.push_back(random_places<3>(next, own, same_group)); break;
      }
      most = std::max(most, members.back().size);
    }
    std::vector<int> values = e2e::counted<int>(most), expected = values;
    {
      ints common(values.data(), sycl::range<1>(most));
      sycl::queue queue = e2e::make_fusing_queue();
      cx::fusion_wrapper wrapper{queue};
      const e2e::launches launches;
      wrapper.start_fusion();
      int number = 0;
      for (any_places& each : members) {
        each.submit(queue, common, ++number);
        for (std::size_t k = 0; k < each.size; ++k) expected[k] = expected[k] * 3 + number;
      }
      wrapper.complete_fusion();
      queue.wait();
      fused += launches.count() == 1;
    }
    CHECK_ALL_EQUAL(values, expected);
    for (any_places& each : members) each.check();
  }
  std::printf("%d of %d random lists fused\n", fused, lists);
  CHECK(fused > lists / 4);
}

TEST("a range without work-items") {
  sycl::queue queue = e2e::make_fusing_queue();
  cx::fusion_wrapper wrapper{queue};
  std::vector<int> values = e2e::counted<int>(30);
  {
    ints data(values.data(), values.size());
    wrapper.start_fusion();
    for (std::size_t size : {30, 0, 20}) {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor all(data, handler, sycl::read_write);
        handler.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { all[i] += 100; });
      });
    }
    wrapper.complete_fusion();
  }
  for (std::size_t i = 0; i < 30; ++i) CHECK_EQUAL(values[i], static_cast<int>(i) + (i < 20 ? 200 : 100));
}

TEST("a transposition behind a kernel of another shape fuses where it only writes to other places") {
  for (const sycl::range<2> size : {sycl::range<2>(10, 10), sycl::range<2>(61, 50), sycl::range<2>(2, 300)}) {
    for (bool writes : {true, false}) {
      sycl::queue queue = e2e::make_fusing_queue();
      const std::size_t rows = size[0], columns = size[1];
      std::vector<int> in = e2e::counted(size.size(), 3), out(size.size(), -1);
      const e2e::launches launches;
      {
        ints a(in.data(), in.size()), b{sycl::range<1>(in.size())}, c(out.data(), out.size());
        cx::fusion_wrapper wrapper{queue};
        wrapper.start_fusion();
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor from(a, handler, sycl::read_only);
          sycl::accessor to(b, handler, sycl::write_only);
          handler.parallel_for(sycl::range<1>(size.size()), [=](sycl::id<1> i) { to[i] = from[i] * 2; });
        });
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor from(b, handler, sycl::read_only);
          sycl::accessor to(c, handler, sycl::write_only);
          if (writes) {
            handler.parallel_for(size, [=](sycl::id<2> i) { to[i[1] * rows + i[0]] = from[i[0] * columns + i[1]]; });
          } else {
            handler.parallel_for(sycl::range<2>(columns, rows),
                                 [=](sycl::id<2> i) { to[i[0] * rows + i[1]] = from[i[1] * columns + i[0]]; });
          }
        });
        wrapper.complete_fusion();
      }
      CHECK_EQUAL(launches.count(), writes ? e2e::launches_when_fused(2) : 2u);
      for (std::size_t i = 0; i < in.size(); ++i) CHECK_EQUAL(out[i % columns * rows + i / columns], in[i] * 2);
    }
  }
}

TEST("a prefix of the data goes on") {
  for (bool promote : {false, true}) {
    sycl::queue queue = e2e::make_fusing_queue();
    const std::vector<int> in = e2e::counted(100, 3);
    std::vector<int> middle(100, -1), out(100, -1);
    const e2e::launches launches;
    {
      ints a(in.data(), 100), b(middle.data(), 100, promote ? promoted_private : sycl::property_list()),
          c(out.data(), 100);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(a, handler, sycl::read_only);
        sycl::accessor to(b, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { to[i] = from[i] * 2; });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::read_only);
        sycl::accessor to(c, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(61), [=](sycl::id<1> i) { to[i] = from[i] + 1; });
      });
      wrapper.complete_fusion();
    }
    CHECK_FUSED(launches, 2);
    for (std::size_t i = 0; i < 100; ++i) {
      if (!promote) CHECK_EQUAL(middle[i], in[i] * 2);
      if (i < 61) CHECK_EQUAL(out[i], in[i] * 2 + 1);
    }
  }
}

// ---------------------------------------------------------------------------------------------------- work-groups

namespace {

/// Two kernels in groups of 12 compute b[i] = 3 * i, then c[i] = b[of(item)] + 1. Returns the number of launches.
template <class Of>
std::uint64_t run_exchange(bool barriers, Of of, std::vector<int>& middle, std::vector<int>& out) {
  sycl::queue queue = e2e::make_fusing_queue();
  const e2e::launches launches;
  {
    ints b(middle.data(), middle.size()), c(out.data(), out.size());
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    const sycl::nd_range<1> range(out.size(), 12);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(b, handler, sycl::write_only);
      handler.parallel_for(range, [=](sycl::nd_item<1> item) {
        to[item.get_global_id(0)] = static_cast<int>(item.get_global_id(0)) * 3;
      });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      sycl::accessor to(c, handler, sycl::write_only);
      handler.parallel_for(range, [=](sycl::nd_item<1> item) { to[item.get_global_id(0)] = from[of(item)] + 1; });
    });
    if (barriers) wrapper.complete_fusion();
    if (!barriers) wrapper.complete_fusion(cx::property::no_barriers{});
  }
  return launches.count();
}

}  // namespace

TEST("work-items of a group see what the others did in the member before") {
  // The analysis proves that work-items exchange values, so fusion keeps the barrier in spite of the no_barriers
  // property.
  for (bool barriers : {true, false}) {
    std::vector<int> middle(96, -1), out(96, -1);
    const auto mirrored = [](sycl::nd_item<1> item) { return item.get_group(0) * 12 + 11 - item.get_local_id(0); };
    CHECK_EQUAL(run_exchange(barriers, mirrored, middle, out), e2e::launches_when_fused(2));
    for (std::size_t i = 0; i < 96; ++i) {
      CHECK_EQUAL(middle[i], static_cast<int>(i) * 3);
      CHECK_EQUAL(out[i], static_cast<int>(i / 12 * 12 + 11 - i % 12) * 3 + 1);
    }
  }
}

TEST("an exchange between groups keeps the kernels apart") {
  std::vector<int> middle(96, -1), out(96, -1);
  CHECK_EQUAL(run_exchange(true, [](sycl::nd_item<1> item) { return 95 - item.get_global_id(0); }, middle, out), 2u);
  for (std::size_t i = 0; i < 96; ++i) CHECK_EQUAL(out[i], static_cast<int>(95 - i) * 3 + 1);
}

TEST("members with local memory and barriers of their own") {
  sycl::queue queue = e2e::make_fusing_queue();
  std::vector<int> values = e2e::counted(120, 7), out(120, -1);
  std::vector<int> expected(120);
  const e2e::launches launches;
  {
    ints data(values.data(), 120), result(out.data(), 120);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    const sycl::nd_range<1> range(120, 20);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor all(data, handler, sycl::read_write);
      sycl::local_accessor<int> tile(sycl::range<1>(20), handler);
      handler.parallel_for(range, [=](sycl::nd_item<1> item) {
        const std::size_t l = item.get_local_id(0), g = item.get_global_id(0);
        tile[l] = all[g];
        sycl::group_barrier(item.get_group());
        all[g] = tile[19 - l] * 2;
      });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor all(data, handler, sycl::read_only);
      sycl::accessor to(result, handler, sycl::write_only);
      sycl::local_accessor<int> left(sycl::range<1>(20), handler), right(sycl::range<1>(20), handler);
      handler.parallel_for(range, [=](sycl::nd_item<1> item) {
        const std::size_t l = item.get_local_id(0), g = item.get_global_id(0);
        left[l] = all[g];
        right[19 - l] = all[g] + 1;
        sycl::group_barrier(item.get_group());
        to[g] = left[(l + 1) % 20] * 1000 + right[l];
      });
    });
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 2);
  auto mirrored = [](std::size_t i) { return (static_cast<int>(i / 20 * 20 + 19 - i % 20) + 7) * 2; };
  for (std::size_t i = 0; i < 120; ++i) {
    const std::size_t group = i / 20 * 20;
    expected[i] = mirrored(group + (i + 1) % 20) * 1000 + mirrored(group + 19 - i % 20) + 1;
  }
  CHECK_ALL_EQUAL(out, expected);
}

TEST("a hierarchical kernel behind another one") {
  sycl::queue queue = e2e::make_fusing_queue();
  // The second kernel reads only elements that the first one does not write. If the second kernel read elements that
  // other work-groups write, fusing these kernels would be the user's mistake, even if the analysis did not notice the
  // mistake.
  std::vector<int> values = e2e::counted(60, 3), doubled = values, out(60, -1), expected(60);
  {
    ints data(values.data(), 60), other(doubled.data(), 60), result(out.data(), 60);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor all(other, handler, sycl::read_write);
      handler.parallel_for(sycl::range<1>(60), [=](sycl::id<1> i) { all[i] *= 2; });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(data, handler, sycl::read_only);
      sycl::accessor to(result, handler, sycl::write_only);
      handler.parallel_for_work_group(sycl::range<1>(12), sycl::range<1>(5), [=](sycl::group<1> group) {
        const int first = from[group.get_group_id(0) * 5];
        group.parallel_for_work_item([&](sycl::h_item<1> item) {
          to[item.get_global_id(0)] = from[item.get_global_id(0)] - first;
        });
      });
    });
    wrapper.complete_fusion();
  }
  for (std::size_t i = 0; i < 60; ++i) expected[i] = static_cast<int>(i % 5);
  CHECK_ALL_EQUAL(out, expected);
  for (std::size_t i = 0; i < 60; ++i) expected[i] = values[i] * 2;
  CHECK_ALL_EQUAL(doubled, expected);
}

namespace {

/// Fuses a kernel of 120 work-items with one of 60, in groups of 20 with contiguous linear ids.
template <int Dimensions>
void run_smaller_member(sycl::nd_range<Dimensions> of_120, sycl::nd_range<Dimensions> of_60) {
  sycl::queue queue = e2e::make_fusing_queue();
  std::vector<int> values = e2e::counted(120, 0), more = e2e::counted(60, 0);
  const e2e::launches launches;
  {
    ints data(values.data(), 120), half(more.data(), 60);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor all(data, handler, sycl::read_write);
      handler.parallel_for(of_120, [=](sycl::nd_item<Dimensions> item) { all[item.get_global_linear_id()] += 1; });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor all(half, handler, sycl::read_write);
      sycl::local_accessor<int> tile(sycl::range<1>(20), handler);
      handler.parallel_for(of_60, [=](sycl::nd_item<Dimensions> item) {
        const std::size_t l = item.get_local_linear_id(), g = item.get_global_linear_id();
        tile[l] = all[g];
        sycl::group_barrier(item.get_group());
        all[g] = tile[19 - l];
      });
    });
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 2);
  for (std::size_t i = 0; i < 120; ++i) CHECK_EQUAL(values[i], static_cast<int>(i) + 1);
  for (std::size_t i = 0; i < 60; ++i) CHECK_EQUAL(more[i], static_cast<int>(i / 20 * 20 + 19 - i % 20));
}

}  // namespace

TEST("a smaller member with barriers of its own") {
  run_smaller_member(sycl::nd_range<1>(120, 20), sycl::nd_range<1>(60, 20));
  run_smaller_member(sycl::nd_range<2>({12, 10}, {2, 10}), sycl::nd_range<2>({6, 10}, {2, 10}));
}

TEST("promotion to local memory: neighbours of a group exchange values, memory is not written") {
  for (std::size_t per_item : {1, 2}) {
    sycl::queue queue = e2e::make_fusing_queue();
    const std::size_t count = 96 * per_item, group_count = 12 * per_item;
    std::vector<int> middle(count, -7), out(count, -1), expected(count);
    const e2e::launches launches;
    {
      ints b(middle.data(), count, promoted_local), c(out.data(), count);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      const sycl::nd_range<1> range(96, 12);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(b, handler, sycl::write_only);
        handler.parallel_for(range, [=](sycl::item<1> item) {
          for (std::size_t k = 0; k < per_item; ++k) {
            const std::size_t at = item.get_linear_id() * per_item + k;
            to[at] = static_cast<int>(at) * 3;
          }
        });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::read_only);
        sycl::accessor to(c, handler, sycl::write_only);
        handler.parallel_for(range, [=](sycl::nd_item<1> item) {
          for (std::size_t k = 0; k < per_item; ++k) {
            const std::size_t at = item.get_local_id(0) * per_item + k, base = item.get_group(0) * group_count;
            to[base + at] = from[base + (at + 1) % group_count] + from[base + at];
          }
        });
      });
      wrapper.complete_fusion();
    }
    CHECK_FUSED(launches, 2);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t next = i / group_count * group_count + (i + 1) % group_count;
      expected[i] = static_cast<int>(next + i) * 3;
    }
    CHECK_ALL_EQUAL(out, expected);
    if (e2e::can_fuse) CHECK_ALL_EQUAL(middle, std::vector<int>(count, -7));
  }
}

TEST("local promotion beside local accessors, in a diamond") {
  sycl::queue queue = e2e::make_fusing_queue();
  std::vector<int> out(64, -1), expected(64);
  const e2e::launches launches;
  {
    ints t{sycl::range<1>(64), promoted_local}, l{sycl::range<1>(64), promoted_local}, o(out.data(), 64);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    const sycl::nd_range<1> range(64, 16);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(t, handler, sycl::write_only);
      // The kernels are written as for DPC++, where this extension comes from.
      handler.parallel_for(range, [=](sycl::id<1> i) { to[i] = static_cast<int>(i[0]); });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(t, handler, sycl::read_only);
      sycl::accessor to(l, handler, sycl::write_only);
      sycl::local_accessor<int> tile(sycl::range<1>(16), handler);
      handler.parallel_for(range, [=](sycl::nd_item<1> item) {
        const std::size_t i = item.get_local_id(0);
        tile[i] = from[item.get_global_id(0)] * 2;
        sycl::group_barrier(item.get_group());
        to[item.get_global_id(0)] = tile[15 - i];
      });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor first(t, handler, sycl::read_only), second(l, handler, sycl::read_only);
      sycl::accessor to(o, handler, sycl::write_only);
      handler.parallel_for(range, [=](sycl::nd_item<1> item) {
        const std::size_t base = item.get_group(0) * 16, i = item.get_local_id(0);
        to[base + i] = first[base + (i ^ 1)] * 1000 + second[base + (i ^ 3)];
      });
    });
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 3);
  for (std::size_t i = 0; i < 64; ++i) {
    expected[i] = static_cast<int>((i ^ 1) * 1000 + (i / 16 * 16 + 15 - (i % 16 ^ 3)) * 2);
  }
  CHECK_ALL_EQUAL(out, expected);
}

TEST("mismatched promotions still give the right results") {
  for (int kind = 0; kind < 4; ++kind) {
    sycl::queue queue = e2e::make_fusing_queue();
    std::vector<int> out(64, -1);
    {
      ints b{sycl::range<1>(64)}, c(out.data(), 64);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      auto kernels = [&](const auto& first_range, const auto& second_range, const sycl::property_list& first,
                         const sycl::property_list& second) {
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor to(b, handler, sycl::write_only, first);
          handler.parallel_for(first_range, [=](auto item) {
            const std::size_t i = sycl::item<1>(item).get_linear_id();
            to[i] = static_cast<int>(i) * 3;
          });
        });
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor from(b, handler, sycl::read_only, second);
          sycl::accessor to(c, handler, sycl::write_only);
          handler.parallel_for(second_range, [=](auto item) {
            const std::size_t i = sycl::item<1>(item).get_linear_id();
            to[i] = from[i] + 1;
          });
        });
      };
      const sycl::range<1> plain(64);
      if (kind == 0) kernels(plain, plain, promoted_local, promoted_local);  // a range has no local memory
      if (kind == 1) kernels(plain, plain, promoted_local, promoted_private);
      if (kind == 2) kernels(plain, plain, {}, promoted_local);
      if (kind == 3) kernels(plain, plain, promoted_private, {});
      wrapper.complete_fusion();
    }
    for (std::size_t i = 0; i < 64; ++i) CHECK_EQUAL(out[i], static_cast<int>(i) * 3 + 1);
  }
}

E2E_MAIN
