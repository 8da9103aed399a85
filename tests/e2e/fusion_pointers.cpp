/// User-driven fusion: pointers that kernels pass to functions, USM memory, arguments of other kinds.
#include <sycl/ext/sinter/trust_accesses.hpp>

#include "fusion.hpp"

namespace {

using e2e::promoted_private;
using ints = sycl::buffer<int>;

}  // namespace

// ---------------------------------------------------------------------------------------------------- pointers

namespace {

[[gnu::noinline]] void store_through(int* to, std::size_t i, int value) { to[i] = value; }
[[gnu::noinline]] int load_through(const int* from, std::size_t i) { return from[i] + 1; }
[[gnu::noinline]] int load_deep(const int* from, std::size_t i, int depth) {
  return depth > 2 ? load_through(from, i) : load_through(from + i / 2, i - i / 2) * 2;
}

/// The first kernel writes 3 * i by `store(accessor, i, value)`. The second kernel reads the elements by
/// `load(accessor, i)`. The temporary is promoted.
template <class Store, class Load>
void check_accesses(Store store, Load load, bool stays_in_memory) {
  sycl::queue queue = e2e::make_fusing_queue();
  std::vector<int> middle(70, -7), out(70, -1), expected(70);
  const e2e::launches launches;
  {
    ints b(middle.data(), 70, promoted_private), c(out.data(), 70);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(b, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(70), [=](sycl::id<1> i) { store(to, i[0], static_cast<int>(i[0]) * 3); });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      sycl::accessor to(c, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(70), [=](sycl::id<1> i) { to[i] = load(from, i[0]); });
    });
    // The analysis can't see which elements the called functions access, so the program promises that fusing is right.
    wrapper.complete_fusion(sycl::ext::sinter::property::fusion::trust_accesses{});
  }
  CHECK_FUSED(launches, 2);
  std::vector<int> written(70);
  for (std::size_t i = 0; i < 70; ++i) written[i] = static_cast<int>(i) * 3;
  {
    ints of_written(written.data(), 70);
    sycl::host_accessor from(of_written, sycl::read_only);
    for (std::size_t i = 0; i < 70; ++i) expected[i] = load(from, i);
  }
  CHECK_ALL_EQUAL(out, expected);
  if (stays_in_memory)
    CHECK_ALL_EQUAL(middle, written);
  else if (e2e::can_fuse)
    CHECK_ALL_EQUAL(middle, std::vector<int>(70, -7));
}

/// Checks a second kernel that reads by calling `use(pointer, i)`.
template <class Use>
void check_pointer(Use use, bool stays_in_memory) {
  check_accesses(
      [](const auto& to, std::size_t i, int value) {
        store_through(to.template get_multi_ptr<sycl::access::decorated::no>().get(), i, value);
      },
      [=](const auto& from, std::size_t i) { return use(&from[0], i); }, stays_in_memory);
}

[[gnu::noinline]] void store_whole(sycl::accessor<int, 1, sycl::access_mode::write> to, std::size_t i, int value) {
  to[i] = value;
}

}  // namespace

TEST("promoted pointers handed to functions, also down a chain of calls") {
  check_pointer([](const int* from, std::size_t i) { return load_through(from, i); }, false);
  check_pointer([](const int* from, std::size_t i) { return load_deep(from, i, 3); }, false);
  check_pointer([](const int* from, std::size_t i) { return load_deep(from, i, static_cast<int>(i % 5)); }, false);
}

TEST("a promoted pointer that is stored to memory: the promotion is dropped") {
  check_pointer(
      [](const int* from, std::size_t i) {
        const int* volatile kept = from;
        return kept[i];
      },
      true);
}

TEST("a promoted accessor that is handed on as a whole") {
  check_accesses([](const auto& to, std::size_t i, int value) { store_whole(to, i, value); },
                 [](const auto& from, std::size_t i) { return from[i] + 1; }, false);
}

TEST("access through multi_ptr") {
  check_accesses(
      [](const auto& to, std::size_t i, int value) {
        auto pointer = to.template get_multi_ptr<sycl::access::decorated::yes>();
        pointer[static_cast<std::ptrdiff_t>(i)] = value;
      },
      [](const auto& from, std::size_t i) {
        if constexpr (requires { from.template get_multi_ptr<sycl::access::decorated::no>(); }) {
          return *(from.template get_multi_ptr<sycl::access::decorated::no>() + static_cast<std::ptrdiff_t>(i)) + 1;
        } else {
          return from[i] + 1;  // only host code runs this
        }
      },
      false);
}

TEST("USM pointers inside structures, and structures with arrays") {
  struct pointers {
    const int* from;
    int* to;
  };
  struct numbers {
    int factors[4];
    float half;
  };
  sycl::queue queue = e2e::make_fusing_queue();
  int* data = sycl::malloc_shared<int>(300, queue);
  for (int i = 0; i < 100; ++i) data[i] = i;
  cx::fusion_wrapper wrapper{queue};
  for (int turn = 0; turn < 3; ++turn) {
    const e2e::launches launches;
    wrapper.start_fusion();
    const pointers first{data, data + 100}, second{data + 100, data + 200};
    const numbers values{{turn, 2, 3, 4}, 0.5f};
    const sycl::event scaled = queue.parallel_for(
        sycl::range<1>(100), [=](sycl::id<1> i) { first.to[i] = first.from[i] * values.factors[i[0] % 4]; });
    queue.parallel_for(sycl::range<1>(100), scaled, [=](sycl::id<1> i) {
      second.to[i] = second.from[i] + values.factors[0] + static_cast<int>(values.half * 8);
    });
    wrapper.complete_fusion().wait();
    CHECK_FUSED(launches, 2);
    for (int i = 0; i < 100; ++i) {
      CHECK_EQUAL(data[100 + i], i * values.factors[i % 4]);
      CHECK_EQUAL(data[200 + i], i * values.factors[i % 4] + turn + 4);
    }
  }
  sycl::free(data, queue);
}

TEST("overlapping USM pointers") {
  sycl::queue queue = e2e::make_fusing_queue();
  for (std::size_t shift : {0, 1, 100}) {
    int* data = sycl::malloc_shared<int>(300, queue);
    for (int i = 0; i < 300; ++i) data[i] = i;
    int* const first = data;
    int* const second = data + shift;
    int* const out = data + 200;
    cx::fusion_wrapper wrapper{queue};
    const e2e::launches launches;
    wrapper.start_fusion();
    const sycl::event added = queue.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { first[i] += 1000; });
    queue.parallel_for(sycl::range<1>(100), added, [=](sycl::id<1> i) { out[i] = second[i]; });
    wrapper.complete_fusion().wait();
    if (shift == 1)
      CHECK_EQUAL(launches.count(), 2u);
    else
      CHECK_FUSED(launches, 2);
    for (std::size_t i = 0; i < 100; ++i)
      CHECK_EQUAL(out[i], static_cast<int>(i + shift + (i + shift < 100 ? 1000 : 0)));
    sycl::free(data, queue);
  }
}

TEST("math functions") {
  sycl::queue queue = e2e::make_fusing_queue();
  std::vector<float> in = e2e::random_values<float>(500), fused(500), unfused(500);
  for (bool fuse : {true, false}) {
    sycl::buffer<float> a(in.data(), 500), b{sycl::range<1>(500), promoted_private},
        c((fuse ? fused : unfused).data(), 500);
    cx::fusion_wrapper wrapper{queue};
    const e2e::launches launches;
    wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(a, handler, sycl::read_only);
      sycl::accessor to(b, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(500), [=](sycl::id<1> i) { to[i] = sycl::sqrt(sycl::fabs(from[i])); });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      sycl::accessor to(c, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(500),
                           [=](sycl::id<1> i) { to[i] = sycl::sin(from[i]) + sycl::floor(from[i]); });
    });
    if (fuse) wrapper.complete_fusion();
    if (!fuse) wrapper.cancel_fusion();
    queue.wait();
    if (fuse) CHECK_FUSED(launches, 2);
  }
  for (std::size_t i = 0; i < 500; ++i) {
    if (std::fabs(fused[i] - unfused[i]) > 1e-5f * std::fabs(unfused[i]) + 1e-6f) CHECK_EQUAL(fused[i], unfused[i]);
  }
}

TEST("members with many bytes of arguments") {
  sycl::queue queue = e2e::make_fusing_queue();
  if (!e2e::takes_arguments(queue, 6500)) return;
  struct table {
    int values[800];
  } numbers{};
  std::iota(std::begin(numbers.values), std::end(numbers.values), 5);
  std::vector<int> out(800, -1), expected(800);
  const e2e::launches launches;
  {
    ints b{sycl::range<1>(800), promoted_private}, c(out.data(), 800);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(b, handler, sycl::write_only);
      handler.parallel_for(b.get_range(), [=](sycl::id<1> i) { to[i] = numbers.values[i]; });
    });
    for (int& each : numbers.values) each *= 1000;
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      sycl::accessor to(c, handler, sycl::write_only);
      handler.parallel_for(c.get_range(), [=](sycl::id<1> i) { to[i] = from[i] + numbers.values[i * 7 % 800]; });
    });
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 2);
  for (int i = 0; i < 800; ++i) expected[i] = i + 5 + (i * 7 % 800 + 5) * 1000;
  CHECK_ALL_EQUAL(out, expected);
}

E2E_MAIN
