/// User-driven fusion: pointers that are handed on, USM memory, arguments of other kinds, and random chains.
#include <array>
#include <cstdlib>

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

/// The second kernel reads through `use(pointer, i)`; the temporary is promoted.
template <class Use>
void check_pointer(Use use, bool stays_in_memory) {
  sycl::queue queue = e2e::make_fusing_queue();
  std::vector<int> middle(70, -7), out(70, -1), expected(70);
  const e2e::launches launches;
  {
    ints b(middle.data(), 70, promoted_private), c(out.data(), 70);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(b, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(70), [=](sycl::id<1> i) {
        store_through(to.template get_multi_ptr<sycl::access::decorated::no>().get(), i, static_cast<int>(i[0]) * 3);
      });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      sycl::accessor to(c, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(70), [=](sycl::id<1> i) { to[i] = use(&from[0], i[0]); });
    });
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 2);
  std::vector<int> written(70);
  for (std::size_t i = 0; i < 70; ++i) written[i] = static_cast<int>(i) * 3;
  for (std::size_t i = 0; i < 70; ++i) expected[i] = use(written.data(), i);
  CHECK_ALL_EQUAL(out, expected);
  if (stays_in_memory)
    CHECK_ALL_EQUAL(middle, written);
  else if (e2e::can_fuse)
    CHECK_ALL_EQUAL(middle, std::vector<int>(70, -7));
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

TEST("access through multi_ptr") {
  sycl::queue queue = e2e::make_fusing_queue();
  std::vector<int> middle(70, -7), out(70, -1);
  const e2e::launches launches;
  {
    ints b(middle.data(), 70, promoted_private), c(out.data(), 70);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(b, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(70), [=](sycl::id<1> i) {
        auto pointer = to.get_multi_ptr<sycl::access::decorated::yes>();
        pointer[static_cast<std::ptrdiff_t>(i[0])] = static_cast<int>(i[0]) * 3;
      });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      sycl::accessor to(c, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(70), [=](sycl::id<1> i) {
        auto pointer = from.get_multi_ptr<sycl::access::decorated::no>() + static_cast<std::ptrdiff_t>(i[0]);
        to[i] = *pointer + 1;
      });
    });
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 2);
  for (std::size_t i = 0; i < 70; ++i) CHECK_EQUAL(out[i], static_cast<int>(i) * 3 + 1);
  if (e2e::can_fuse) CHECK_ALL_EQUAL(middle, std::vector<int>(70, -7));
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

// ---------------------------------------------------------------------------------------------------- random chains

namespace {

using word = std::uint32_t;

struct step {
  unsigned kind, target, left, right;
  word number;
  std::size_t size;
};

constexpr unsigned buffer_count = 4;
using memories = std::array<std::vector<word>, buffer_count>;

void submit(sycl::queue& queue, std::vector<sycl::buffer<word>>& buffers, const step& one) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor left(buffers[one.left], handler, sycl::read_only);
    sycl::accessor right(buffers[one.right], handler, sycl::read_only);
    sycl::accessor to(buffers[one.target], handler, sycl::read_write);
    const word number = one.number;
    const sycl::range<1> range(one.size);
    switch (one.kind) {
      case 0:
        return handler.parallel_for(range, [=](sycl::id<1> i) { to[i] = left[i] + right[i] * number; });
      case 1:
        return handler.parallel_for(range, [=](sycl::id<1> i) { to[i] += left[i] ^ number; });
      case 2:
        return handler.parallel_for(range, [=](sycl::id<1> i) {
          if (left[i] % 3 == number % 3) to[i] = right[i] >> 3;
        });
      case 3:
        return handler.parallel_for(range,
                                    [=](sycl::item<1> i) { to[i] = static_cast<word>(i.get_linear_id()) * number; });
      case 4:
        return handler.parallel_for(range, [=](sycl::id<1> i) {
          word sum = number;
          for (word k = 0; k < right[i] % 8; ++k) sum = sum * 31 + left[i];
          to[i] = sum;
        });
      default:
        return handler.parallel_for(range, [=](sycl::id<1> id) {
          const int i = static_cast<int>(id[0]);
          to[static_cast<std::size_t>(i)] = left[static_cast<std::size_t>(i)] - right[static_cast<std::size_t>(i)];
        });
    }
  });
}

/// Runs the chain; buffers with a bit in `forgotten` are temporaries, written by all work-items before they are read.
std::uint64_t run_chain(const std::vector<step>& steps, memories& memory, unsigned forgotten, bool fuse) {
  sycl::queue queue = e2e::make_fusing_queue();
  const e2e::launches launches;
  {
    std::vector<sycl::buffer<word>> buffers;
    for (unsigned b = 0; b < buffer_count; ++b) {
      const bool promote = forgotten >> b & 1;
      buffers.emplace_back(memory[b].data(), sycl::range<1>(memory[b].size()),
                           promote ? promoted_private : sycl::property_list());
    }
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    for (const step& one : steps) submit(queue, buffers, one);
    if (fuse) wrapper.complete_fusion();
    if (!fuse) wrapper.cancel_fusion();
  }
  return launches.count();
}

}  // namespace

TEST("random chains: fused and unfused give the same bits") {
  const char* const chosen = std::getenv("E2E_SEED");
  const unsigned first_seed = chosen ? static_cast<unsigned>(std::atoi(chosen)) : 1;
  const unsigned seeds = chosen ? 1 : 60;
  for (unsigned seed = first_seed; seed < first_seed + seeds; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
    constexpr std::size_t sizes[] = {0, 1, 2, 7, 31, 97, 211, 1009, 4099};
    const std::size_t size = sizes[below(std::size(sizes))];
    const bool one_size = below(3) != 0;
    unsigned forgotten = below(4) == 0 ? 0 : 1u << below(buffer_count);
    std::vector<step> steps;
    bool empty = size == 0;
    for (unsigned b = 0; b < buffer_count; ++b) {
      if (forgotten >> b & 1) steps.push_back({3, b, (b + 1) % buffer_count, (b + 2) % buffer_count, 17, size});
    }
    for (unsigned left = 1 + below(6); left > 0; --left) {
      const std::size_t count = one_size ? size : below(static_cast<unsigned>(size) + 1);
      steps.push_back({below(6), below(buffer_count), below(buffer_count), below(buffer_count), below(1000), count});
      empty |= count == 0;
    }
    memories initial, fused, unfused;
    for (std::vector<word>& one : initial) {
      one.resize(size + 1);
      for (word& value : one) value = static_cast<word>(random());
    }
    fused = unfused = initial;
    const std::uint64_t launches = run_chain(steps, fused, forgotten, true);
    run_chain(steps, unfused, forgotten, false);
    const int before = e2e::the_state().failures;
    if (!empty) CHECK_EQUAL(launches, e2e::launches_when_fused(steps.size()));
    for (unsigned b = 0; b < buffer_count; ++b) {
      if (!(forgotten >> b & 1)) CHECK_ALL_EQUAL(fused[b], unfused[b]);
    }
    if (e2e::the_state().failures != before) {
      std::printf("seed %u, size %zu, %zu kernels: run with E2E_SEED=%u\n", seed, size, steps.size(), seed);
      return;
    }
  }
  std::printf("%u chains, from seed %u\n", seeds, first_seed);
}

E2E_MAIN
