/// Stencils as in programs ported from CUDA and OpenCL: in work-groups of an nd_range that is rounded up, with a
/// condition that leaves out the border and work-items beyond the image. Plain loops compute the expected results.
#include <string>
#include <utility>
#include <vector>

#include "fusion_doors.hpp"

namespace {

using e2e::door;

struct image {
  int height, width;
  std::size_t size() const { return static_cast<std::size_t>(height) * static_cast<std::size_t>(width); }
};

void sweep(const unsigned* from, unsigned* to, image of, int y, int x) {
  const int at = y * of.width + x;
  to[at] = from[at] * 3 + from[at - of.width] * 5 + from[at + of.width] * 7 + from[at - 1] * 11 + from[at + 1];
}
bool is_inside(image of, int y, int x) { return y >= 1 && y < of.height - 1 && x >= 1 && x < of.width - 1; }

std::vector<unsigned> numbers(std::size_t count, unsigned seed) {
  std::vector<unsigned> values(count);
  for (unsigned& each : values) each = seed = seed * 1664525u + 1013904223u;
  return values;
}

/// How a kernel is launched and computes its indices.
enum class launch { range, groups, other_groups, global_ids, barrier };

void submit(sycl::queue& queue, launch how, const unsigned* from, unsigned* to, image of) {
  const auto up = [](int size, int group) { return static_cast<std::size_t>((size + group - 1) / group * group); };
  const int down = how == launch::other_groups ? 4 : 16, along = how == launch::other_groups ? 32 : 16;
  const sycl::range<2> local(static_cast<std::size_t>(down), static_cast<std::size_t>(along));
  const sycl::nd_range<2> rounded({up(of.height, down), up(of.width, along)}, local);
  queue.submit([&](sycl::handler& handler) {
    if (how == launch::range) {
      handler.parallel_for(sycl::range<2>(up(of.height, 1), up(of.width, 1)), [=](sycl::id<2> i) {
        const int y = static_cast<int>(i[0]), x = static_cast<int>(i[1]);
        if ((y >= 1 && y < of.height - 1) && (x >= 1 && x < of.width - 1)) sweep(from, to, of, y, x);
      });
    } else if (how == launch::global_ids) {
      handler.parallel_for(rounded, [=](sycl::nd_item<2> item) {
        const std::size_t y = item.get_global_id(0), x = item.get_global_id(1);
        const auto height = static_cast<std::size_t>(of.height), width = static_cast<std::size_t>(of.width);
        if (y == 0 || x == 0 || y >= height - 1 || x >= width - 1) return;
        sweep(from, to, of, static_cast<int>(y), static_cast<int>(x));
      });
    } else if (how == launch::barrier) {
      sycl::local_accessor<unsigned> shared(sycl::range<1>(1), handler);
      handler.parallel_for(rounded, [=](sycl::nd_item<2> item) {
        if (item.get_local_linear_id() == 0) shared[0] = static_cast<unsigned>(of.width);
        sycl::group_barrier(item.get_group());
        const int y = static_cast<int>(item.get_global_id(0)), x = static_cast<int>(item.get_global_id(1));
        if (is_inside({of.height, static_cast<int>(shared[0])}, y, x)) sweep(from, to, of, y, x);
      });
    } else {
      handler.parallel_for(rounded, [=](sycl::nd_item<2> item) {
        const int y = static_cast<int>(item.get_group(0) * item.get_local_range(0) + item.get_local_id(0));
        const int x = static_cast<int>(item.get_group(1)) * along + static_cast<int>(item.get_local_id(1));
        if (!is_inside(of, y, x)) return;
        sweep(from, to, of, y, x);
      });
    }
  });
}

#if __has_feature(address_sanitizer)
/// In builds with sanitizers, kernels test whether their arithmetic overflows. Behind such a test, a write is not
/// certain, so some lists are not fused.
constexpr bool is_plain_code = false;
#else
constexpr bool is_plain_code = true;
#endif

/// Runs sweeps from field to field, once fused by complete_fusion and once fused by a graph. `launches` is the expected
/// number of launches, or 0 for any number.
void check(const std::vector<launch>& sweeps, image of, std::uint64_t launches) {
  std::vector<std::vector<unsigned>> expected;
  for (unsigned f = 0; f <= sweeps.size(); ++f) expected.push_back(numbers(of.size(), f));
  const std::vector<std::vector<unsigned>> initial = expected;
  for (std::size_t k = 0; k < sweeps.size(); ++k) {
    for (int y = 1; y < of.height - 1; ++y) {
      for (int x = 1; x < of.width - 1; ++x) sweep(expected[k].data(), expected[k + 1].data(), of, y, x);
    }
  }
  for (const door which : {door::completed, door::graph}) {
    const sycl::property::queue::in_order order;
    sycl::queue queue = which == door::graph ? e2e::make_queue({order})
                                             : e2e::make_queue({cx::property::queue::enable_fusion{}, order});
    std::vector<unsigned*> fields;
    for (const std::vector<unsigned>& values : initial) {
      fields.push_back(sycl::malloc_shared<unsigned>(of.size(), queue));
      std::copy(values.begin(), values.end(), fields.back());
    }
    const e2e::launches counter;
    e2e::run_through(which, queue, [&] {
      for (std::size_t k = 0; k < sweeps.size(); ++k)
        submit(queue, sweeps[k], fields[k], fields[k + 1], of);
    });
    if (e2e::can_fuse && is_plain_code && launches != 0) CHECK_EQUAL(counter.count(), launches);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      CHECK(std::equal(expected[f].begin(), expected[f].end(), fields[f]));
      sycl::free(fields[f], queue);
    }
  }
}

}  // namespace

TEST("sweeps with a fixed border are one launch, in ranges and in groups that only make indices") {
  for (const launch how : {launch::range, launch::groups, launch::global_ids}) {
    for (const image of : {image{64, 64}, image{61, 219}, image{300, 1000}}) {
      check({how, how}, of, 1);
      check({how, how, how, how, how}, of, 1);
    }
  }
}

TEST("kernels with groups of different sizes, and kernels without groups") {
  check({launch::groups, launch::other_groups, launch::global_ids}, {61, 219}, 0);
  check({launch::range, launch::groups, launch::range}, {128, 80}, 0);
}

TEST("a kernel that needs its groups stays alone") {
  check({launch::groups, launch::barrier}, {61, 219}, 2);
  check({launch::groups, launch::groups, launch::barrier, launch::groups, launch::groups}, {61, 219}, 3);
}

TEST("images that are nearly nothing but border") {
  for (const image of : {image{3, 3}, image{3, 40}, image{4, 5}, image{40, 3}})
    check({launch::groups, launch::groups, launch::groups}, of, 0);
}

E2E_MAIN
