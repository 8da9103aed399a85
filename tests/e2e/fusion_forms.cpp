/// Lists of kernels that must fuse. Each kind of list becomes one launch with the right values, and the fused code no
/// longer accesses the memory of promoted temporaries. Temporaries hold double, which nothing else in this test uses,
/// so FileCheck finds accesses to them.
#include "fusion.hpp"

namespace {

constexpr std::size_t count = 60, group_size = 12;
const sycl::range<1> line(count);
const sycl::nd_range<1> groups(count, group_size);
using item = sycl::nd_item<1>;
using doubles = sycl::buffer<double>;
using ints = sycl::buffer<int>;

template <class Buffer>
auto reads(Buffer& buffer) {
  return [&](sycl::handler& handler) { return sycl::accessor(buffer, handler, sycl::read_only); };
}
template <class Buffer>
auto writes(Buffer& buffer) {
  return [&](sycl::handler& handler) { return sycl::accessor(buffer, handler, sycl::write_only); };
}
template <class Buffer>
auto updates(Buffer& buffer) {
  return [&](sycl::handler& handler) { return sycl::accessor(buffer, handler, sycl::read_write); };
}
auto local_ints() {
  return [](sycl::handler& handler) { return sycl::local_accessor<int, 1>(group_size, handler); };
}

/// Submits a kernel that calls body(item, accessors...) for each work-item of the given shape.
template <class Item, class Shape, class Body, class... Access>
void submit(sycl::queue& queue, const Shape& shape, Body body, Access... access) {
  queue.submit([&](sycl::handler& handler) {
    [&](auto... each) { handler.parallel_for(shape, [=](Item at) { body(at, each...); }); }(access(handler)...);
  });
}

/// Checks one kind of list: the kernels that `collect` submits must become one launch.
template <class Collect>
void check_form(const char* name, std::uint64_t members, Collect collect) {
  std::fprintf(stderr, "form: %s\n", name);
  sycl::queue queue = e2e::make_fusing_queue();
  cx::fusion_wrapper wrapper{queue};
  wrapper.start_fusion();
  const e2e::launches launches;
  collect(queue);
  wrapper.complete_fusion().wait();
  CHECK_FUSED(launches, members);
}

template <class Of>
void check_values(ints& values, Of of) {
  sycl::host_accessor found(values, sycl::read_only);
  for (std::size_t i = 0; i < found.size(); ++i) CHECK_EQUAL(found[i], of(static_cast<int>(i)));
}

doubles temporary(std::size_t size = count) { return doubles(sycl::range<1>(size), e2e::promoted_private); }

/// Submits a kernel that sets temporary[i] = i + 0.5.
void fill(sycl::queue& queue, doubles& to) {
  submit<sycl::id<1>>(
      queue, line, [](sycl::id<1> i, auto& out) { out[i] = static_cast<double>(i[0]) + 0.5; }, writes(to));
}
void fill_in_groups(sycl::queue& queue, doubles& to) {
  submit<item>(
      queue, groups,
      [](item at, auto& out) { out[at.get_global_id()] = static_cast<double>(at.get_global_id(0)) + 0.5; }, writes(to));
}

}  // namespace

// CHECK-LABEL: form: chain
// CHECK: 5 kernels -> 1 launch
// CHECK-COUNT-4: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("a chain of element-wise kernels") {
  doubles a = temporary(), b = temporary(), c = temporary(), d = temporary();
  ints out(line);
  const auto step = [](sycl::id<1> i, auto& to, auto& from) { to[i] = from[i] * 2 + 1; };
  check_form("chain", 5, [&](sycl::queue& queue) {
    fill(queue, a);
    submit<sycl::id<1>>(queue, line, step, writes(b), reads(a));
    submit<sycl::id<1>>(queue, line, step, writes(c), reads(b));
    submit<sycl::id<1>>(queue, line, step, writes(d), reads(c));
    submit<sycl::id<1>>(
        queue, line, [](sycl::id<1> i, auto& to, auto& from) { to[i] = static_cast<int>(from[i]); }, writes(out),
        reads(d));
  });
  check_values(out, [](int i) { return 8 * i + 11; });
}

// CHECK-LABEL: form: diamond
// CHECK: 4 kernels -> 1 launch
// CHECK-COUNT-3: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("a diamond") {
  doubles top = temporary(), left = temporary(), right = temporary();
  ints out(line);
  check_form("diamond", 4, [&](sycl::queue& queue) {
    fill(queue, top);
    submit<sycl::id<1>>(
        queue, line, [](sycl::id<1> i, auto& to, auto& from) { to[i] = from[i] * 3; }, writes(left), reads(top));
    submit<sycl::id<1>>(
        queue, line, [](sycl::id<1> i, auto& to, auto& from) { to[i] = from[i] - 4; }, writes(right), reads(top));
    submit<sycl::id<1>>(
        queue, line,
        [](sycl::id<1> i, auto& to, auto& one, auto& other) { to[i] = static_cast<int>(one[i] + other[i]); },
        writes(out), reads(left), reads(right));
  });
  check_values(out, [](int i) { return static_cast<int>(4 * (i + 0.5) - 4); });
}

// CHECK-LABEL: form: dimensions
// CHECK: 3 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("one, two and three dimensions of equal size") {
  doubles middle = temporary();
  ints out(line);
  check_form("dimensions", 3, [&](sycl::queue& queue) {
    fill(queue, middle);
    submit<sycl::item<2>>(
        queue, sycl::range<2>(6, 10), [](sycl::item<2> at, auto& all) { all[at.get_linear_id()] *= 2; },
        updates(middle));
    submit<sycl::item<3>>(
        queue, sycl::range<3>(3, 4, 5),
        [](sycl::item<3> at, auto& to, auto& from) {
          to[at.get_linear_id()] = static_cast<int>(from[at.get_linear_id()]) + static_cast<int>(at[1]);
        },
        writes(out), reads(middle));
  });
  check_values(out, [](int i) { return 2 * i + 1 + i / 5 % 4; });
}

// CHECK-LABEL: form: prefix
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("a prefix of the range") {
  doubles middle = temporary();
  ints out(sycl::range<1>(41));
  check_form("prefix", 2, [&](sycl::queue& queue) {
    fill(queue, middle);
    submit<sycl::id<1>>(
        queue, sycl::range<1>(41), [](sycl::id<1> i, auto& to, auto& from) { to[i] = static_cast<int>(from[i] * 2); },
        writes(out), reads(middle));
  });
  check_values(out, [](int i) { return 2 * i + 1; });
}

// CHECK-LABEL: form: local memory and barriers
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
// CHECK: call void @__sinter_barrier
// CHECK-NOT: {{(load|store) double}}
TEST("nd_range kernels with local memory and barriers inside") {
  doubles middle = temporary();
  ints out(line);
  check_form("local memory and barriers", 2, [&](sycl::queue& queue) {
    fill_in_groups(queue, middle);
    submit<item>(
        queue, groups,
        [](item at, auto& to, auto& from, auto& tile) {
          tile[at.get_local_id(0)] = static_cast<int>(from[at.get_global_id()] * 2);
          sycl::group_barrier(at.get_group());
          to[at.get_global_id()] = tile[group_size - 1 - at.get_local_id(0)];
        },
        writes(out), reads(middle), local_ints());
  });
  check_values(out, [](int i) { return 2 * (i / 12 * 12 + 11 - i % 12) + 1; });
}

// CHECK-LABEL: form: group functions
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("kernels with group functions") {
  doubles middle = temporary();
  ints out(line);
  check_form("group functions", 2, [&](sycl::queue& queue) {
    fill_in_groups(queue, middle);
    submit<item>(
        queue, groups,
        [](item at, auto& to, auto& from) {
          const int value = static_cast<int>(from[at.get_global_id()] * 2);
          to[at.get_global_id()] = sycl::inclusive_scan_over_group(at.get_group(), value, sycl::plus<>()) +
                                   sycl::group_broadcast(at.get_group(), value, 3);
        },
        writes(out), reads(middle));
  });
  check_values(out, [](int i) {
    const int first = i / 12 * 12, own = i % 12 + 1;
    return own * (2 * first + own) + 2 * (first + 3) + 1;
  });
}

namespace {

using cell_reference = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>;
constexpr int whole_sum = count * count;  // the sum of 2 * i + 1

/// `strategy(item, value, cell, partials, counter, local)` adds up the doubled values of the temporary.
template <class Strategy>
void check_reduction(const char* name, Strategy strategy) {
  doubles middle = temporary();
  const int zeros[count / group_size] = {};
  ints cell(zeros, 1), partials(zeros, count / group_size), counter(zeros, 1);
  check_form(name, 2, [&](sycl::queue& queue) {
    fill_in_groups(queue, middle);
    submit<item>(
        queue, groups,
        [=](item at, auto& from, auto&... more) {
          strategy(at, static_cast<int>(from[at.get_global_id()] * 2), more...);
        },
        reads(middle), updates(cell), updates(partials), updates(counter), local_ints());
  });
  CHECK_EQUAL(sycl::host_accessor(cell, sycl::read_only)[0], whole_sum);
}

}  // namespace

// CHECK-LABEL: form: group_reduce_and_atomic_cross_wg
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
// CHECK-LABEL: form: group_reduce_and_last_wg_detection
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
// CHECK-LABEL: form: local_atomic_and_atomic_cross_wg
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
// CHECK-LABEL: form: local_mem_tree_and_atomic_cross_wg
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
// CHECK-LABEL: form: range_basic
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("the five reduction strategies of sycl_ext_codeplay_kernel_fusion") {
  check_reduction("group_reduce_and_atomic_cross_wg", [](item at, int value, auto& to, auto&, auto&, auto&) {
    const int whole = sycl::reduce_over_group(at.get_group(), value, sycl::plus<>());
    if (at.get_group().leader()) cell_reference(to[0]) += whole;
  });
  check_reduction("group_reduce_and_last_wg_detection",
                  [](item at, int value, auto& to, auto& parts, auto& counter, auto&) {
                    const int whole = sycl::reduce_over_group(at.get_group(), value, sycl::plus<>());
                    if (!at.get_group().leader()) return;
                    parts[at.get_group(0)] = whole;
                    sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::device> done(counter[0]);
                    if (done.fetch_add(1) + 1 != static_cast<int>(at.get_group_range(0))) return;
                    int sum = to[0];
                    for (std::size_t k = 0; k < count / group_size; ++k) sum += parts[k];
                    to[0] = sum;
                  });
  check_reduction("local_atomic_and_atomic_cross_wg", [](item at, int value, auto& to, auto&, auto&, auto& local) {
    if (at.get_local_id(0) == 0) local[0] = 0;
    sycl::group_barrier(at.get_group());
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group>(local[0]) += value;
    sycl::group_barrier(at.get_group());
    if (at.get_local_id(0) == 0) cell_reference(to[0]) += local[0];
  });
  check_reduction("local_mem_tree_and_atomic_cross_wg", [](item at, int value, auto& to, auto&, auto&, auto& local) {
    const std::size_t id = at.get_local_id(0);
    local[id] = value;
    for (std::size_t left = group_size; left > 1; left = (left + 1) / 2) {
      sycl::group_barrier(at.get_group());
      if (id < left / 2) local[id] += local[id + (left + 1) / 2];
    }
    if (id == 0) cell_reference(to[0]) += local[0];
  });
  check_reduction("range_basic",
                  [](item, int value, auto& to, auto&, auto&, auto&) { cell_reference(to[0]) += value; });
}

// CHECK-LABEL: form: sycl::reduction
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("sycl::reduction over work-groups") {
  doubles middle = temporary();
  int sum = 7;
  {
    ints cell(&sum, 1);
    check_form("sycl::reduction", 2, [&](sycl::queue& queue) {
      fill_in_groups(queue, middle);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(middle, handler, sycl::read_only);
        handler.parallel_for(groups, sycl::reduction(cell, handler, sycl::plus<>()),
                             [=](item at, auto& whole) { whole += static_cast<int>(from[at.get_global_id()] * 2); });
      });
    });
  }
  CHECK_EQUAL(sum, 7 + whole_sum);
}

// CHECK-LABEL: form: scalars and structures
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("scalars and structures as arguments") {
  struct numbers {
    int terms[3];
    char factor;
  };
  doubles middle = temporary();
  ints out(line);
  const numbers first{{1, 2, 3}, 4};
  const int second = 9;
  check_form("scalars and structures", 2, [&](sycl::queue& queue) {
    submit<sycl::id<1>>(
        queue, line,
        [=](sycl::id<1> i, auto& to) { to[i] = static_cast<int>(i[0]) * first.factor + first.terms[i[0] % 3]; },
        writes(middle));
    submit<sycl::id<1>>(
        queue, line, [=](sycl::id<1> i, auto& to, auto& from) { to[i] = static_cast<int>(from[i]) + second; },
        writes(out), reads(middle));
  });
  check_values(out, [](int i) { return 4 * i + i % 3 + 1 + 9; });
}

// CHECK-LABEL: form: offsets
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("accessors with offsets and ranges") {
  doubles middle = temporary(200);
  ints out(line);
  check_form("offsets", 2, [&](sycl::queue& queue) {
    submit<sycl::id<1>>(
        queue, line, [](sycl::id<1> i, auto& to) { to[i] = static_cast<double>(i[0]) + 0.5; },
        [&](sycl::handler& handler) {
          return sycl::accessor(middle, handler, line, sycl::id<1>(70), sycl::write_only);
        });
    submit<sycl::id<1>>(
        queue, line, [](sycl::id<1> i, auto& to, auto& from) { to[i] = static_cast<int>(from[i] * 2); }, writes(out),
        [&](sycl::handler& handler) {
          return sycl::accessor(middle, handler, line, sycl::id<1>(70), sycl::read_only);
        });
  });
  check_values(out, [](int i) { return 2 * i + 1; });
}

namespace {

struct mixed {
  double real;
  float half;
  double more[2];
};

/// The temporary holds `Element`s.
template <class Element, class Make, class Use>
void check_elements(const char* name, Make make, Use use) {
  sycl::buffer<Element> middle(line, e2e::promoted_private);
  ints out(line);
  check_form(name, 2, [&](sycl::queue& queue) {
    submit<sycl::id<1>>(
        queue, line, [=](sycl::id<1> i, auto& to) { make(static_cast<int>(i[0]), to[i]); }, writes(middle));
    submit<sycl::id<1>>(
        queue, line, [=](sycl::id<1> i, auto& to, auto& from) { to[i] = static_cast<int>(use(from[i])); }, writes(out),
        reads(middle));
  });
  check_values(out, [](int i) { return 3 * i + 2; });
}

}  // namespace

// CHECK-LABEL: form: vectors
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) (<[0-9]+ x )?double}}
// CHECK-LABEL: form: structures
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) (<[0-9]+ x )?(double|float)}}
TEST("elements that are vectors and structures") {
  check_elements<sycl::double4>(
      "vectors", [](int i, auto& to) { to = sycl::double4(i, i, i, 2); },
      [](const auto& from) { return from.x() + from.y() + from.z() + from.w(); });
  check_elements<mixed>(
      "structures",
      [](int i, auto& to) {
        to.real = i;
        to.half = 2;
        to.more[0] = to.more[1] = i;
      },
      [](const auto& from) { return from.real + static_cast<double>(from.half) + from.more[0] + from.more[1]; });
}

// CHECK-LABEL: form: wrapped USM pointers
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("USM pointers inside structures") {
  struct pointers {
    const int* from;
    int* to;
  };
  sycl::queue owner = e2e::make_queue();
  int* const data = sycl::malloc_shared<int>(2 * count, owner);
  for (int i = 0; i < static_cast<int>(count); ++i) data[i] = 3 * i;
  doubles middle = temporary();
  const pointers both{data, data + count};
  check_form("wrapped USM pointers", 2, [&](sycl::queue& queue) {
    submit<sycl::id<1>>(queue, line, [=](sycl::id<1> i, auto& to) { to[i] = both.from[i] + 0.5; }, writes(middle));
    submit<sycl::id<1>>(
        queue, line, [=](sycl::id<1> i, auto& from) { both.to[i] = static_cast<int>(from[i] * 2); }, reads(middle));
  });
  for (int i = 0; i < static_cast<int>(count); ++i) CHECK_EQUAL(data[static_cast<int>(count) + i], 6 * i + 1);
  sycl::free(data, owner);
}

// CHECK-LABEL: form: several elements
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("several elements for each work-item") {
  doubles middle = temporary(3 * count);
  ints out(line);
  check_form("several elements", 2, [&](sycl::queue& queue) {
    submit<sycl::id<1>>(
        queue, line,
        [](sycl::id<1> i, auto& to) {
          for (std::size_t k = 0; k < 3; ++k) to[i[0] * 3 + k] = static_cast<double>(i[0] + k);
        },
        writes(middle));
    submit<sycl::id<1>>(
        queue, line,
        [](sycl::id<1> i, auto& to, auto& from) {
          double sum = 0;
          for (std::size_t k = 0; k < 3; ++k) sum += from[i[0] * 3 + k];
          to[i] = static_cast<int>(sum);
        },
        writes(out), reads(middle));
  });
  check_values(out, [](int i) { return 3 * i + 3; });
}

// The fused code still loads and stores doubles, but in the work-group's local memory.
// CHECK-LABEL: form: local promotion
// CHECK: 2 kernels -> 1 launch
// CHECK: promoted {{.*}} to local memory
// CHECK: define {{.*}}@sinter.fused(
TEST("promotion to local memory") {
  doubles middle(line, sycl::property_list{cx::property::promote_local{}});
  ints out(line);
  check_form("local promotion", 2, [&](sycl::queue& queue) {
    fill_in_groups(queue, middle);
    submit<item>(
        queue, groups,
        [](item at, auto& to, auto& from) {
          const std::size_t next = at.get_group(0) * group_size + (at.get_local_id(0) + 1) % group_size;
          to[at.get_global_id()] = static_cast<int>(from[next] * 2);
        },
        writes(out), reads(middle));
  });
  check_values(out, [](int i) { return 2 * (i / 12 * 12 + (i % 12 + 1) % 12) + 1; });
}

// CHECK-LABEL: form: range reduction
// CHECK: 3 kernels -> 1 launch
// CHECK-COUNT-2: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{(load|store) double}}
TEST("a reduction over a range behind element-wise kernels") {
  doubles a = temporary(), b = temporary();
  ints cell{sycl::range<1>(1)};
  sycl::host_accessor(cell, sycl::write_only)[0] = 5;
  check_form("range reduction", 3, [&](sycl::queue& queue) {
    fill(queue, a);
    submit<sycl::id<1>>(
        queue, line, [](sycl::id<1> i, auto& to, auto& from) { to[i] = from[i] * 2; }, writes(b), reads(a));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      handler.parallel_for(line, sycl::reduction(cell, handler, sycl::plus<>()),
                           [=](sycl::id<1> i, auto& sum) { sum += static_cast<int>(from[i]); });
    });
  });
  check_values(cell, [](int) { return 5 + static_cast<int>(count * count); });
}

// CHECK-LABEL: form: pieces
// CHECK: 2 kernels -> 1 launch
// CHECK: promised and proved
// CHECK: define {{.*}}@sinter.fused(
// CHECK-NOT: {{= alloca|(load|store) double}}
TEST("vectors that functions return in two pieces") {
  sycl::buffer<sycl::int4> in(line), middle(line, e2e::promoted_private), out(line);
  {
    sycl::host_accessor values(in, sycl::write_only);
    for (std::size_t i = 0; i < count; ++i) values[i] = sycl::int4(static_cast<int>(i), 1, 2, 3);
  }
  check_form("pieces", 2, [&](sycl::queue& queue) {
    submit<sycl::id<1>>(
        queue, line, [](sycl::id<1> i, auto& to, auto& from) { to[i] = from[i] + from[i]; }, writes(middle), reads(in));
    submit<sycl::id<1>>(
        queue, line, [](sycl::id<1> i, auto& to, auto& from) { to[i] = from[i] * 3; }, writes(out), reads(middle));
  });
  sycl::host_accessor found(out, sycl::read_only);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK_EQUAL(found[i].x(), 6 * static_cast<int>(i));
    CHECK_EQUAL(found[i].w(), 18);
  }
}

E2E_MAIN
