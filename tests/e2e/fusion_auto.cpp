/// Automatic fusion: a queue with auto_fusion fuses a sequence of kernels from its second occurrence on, if the
/// analysis proves that this is right. Results equal those of a queue without the property.
#include <sycl/ext/sinter/auto_fusion.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

#include "fusion.hpp"

namespace {

using ints = sycl::buffer<int>;
constexpr std::size_t count = 509;

sycl::queue make_automatic_queue(sycl::property_list more = {}) {
  using automatic = sycl::ext::sinter::property::queue::auto_fusion;
  using in_order = sycl::property::queue::in_order;
  if (more.has_property<in_order>()) return e2e::make_queue({automatic{}, in_order{}});
  return e2e::make_queue({automatic{}});
}

template <class Function>
void map(sycl::queue& queue, ints& from, ints& to, Function function) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor in(from, handler, sycl::read_only);
    sycl::accessor out(to, handler, sycl::write_only);
    handler.parallel_for(to.get_range(), [=](sycl::id<1> i) { out[i] = function(in, i[0]); });
  });
}

/// Repeats the round until it needs at most `wanted` launches. This may take several rounds, because fused code is
/// compiled in the background, and because the runtime ends a list that has waited too long. Gives up after two
/// minutes. Returns the fewest launches of any round.
template <class Round>
std::uint64_t fewest_launches(std::uint64_t wanted, Round round) {
  std::uint64_t fewest = ~std::uint64_t{0};
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  for (int turn = 0; fewest > wanted && std::chrono::steady_clock::now() < end; ++turn) {
    const e2e::launches launches;
    round(turn);
    fewest = std::min(fewest, launches.count());
    if (fewest > wanted) std::this_thread::sleep_for(std::chrono::milliseconds(turn < 100 ? 2 : 20));
  }
  return fewest;
}

constexpr std::uint64_t together(std::uint64_t members) { return e2e::launches_when_fused(members); }
/// Kernels that must never be fused run this many rounds, after which wrongly fused code would have been compiled.
constexpr int many_rounds = 25;

}  // namespace

TEST("a sequence that comes again becomes one launch, with other numbers, too") {
  for (const bool in_order : {false, true}) {
    sycl::queue queue =
        make_automatic_queue(in_order ? sycl::property_list{sycl::property::queue::in_order{}} : sycl::property_list{});
    const std::vector<int> in = e2e::counted(count, 3);
    ints a(in.data(), count), b{sycl::range<1>(count)}, c{sycl::range<1>(count)};
    const auto round = [&](int turn) {
      map(queue, a, b, [=](auto& from, std::size_t i) { return from[i] * (turn + 2); });
      map(queue, b, c, [=](auto& from, std::size_t i) { return from[i] - turn; });
      queue.wait();
      sycl::host_accessor middle(b, sycl::read_only), out(c, sycl::read_only);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK_EQUAL(middle[i], in[i] * (turn + 2));
        CHECK_EQUAL(out[i], in[i] * (turn + 2) - turn);
      }
    };
    CHECK_EQUAL(fewest_launches(together(2), round), together(2));
  }
}

TEST("whatever needs the results ends the list") {
  sycl::queue queue = make_automatic_queue(), other = e2e::make_queue();
  std::vector<int> in = e2e::counted(count, 3);
  ints a(in.data(), count), b{sycl::range<1>(count)};
  int* const seen = sycl::malloc_shared<int>(count, queue);
  for (int kind = 0; kind < 7; ++kind) {
    const auto round = [&](int turn) {
      const int number = turn + kind;
      std::vector<int> out(count, -1), expected(count);
      for (std::size_t i = 0; i < count; ++i) expected[i] = (in[i] + number) * 5;
      {
        ints c(out.data(), count);
        map(queue, a, b, [=](auto& from, std::size_t i) { return from[i] + number; });
        sycl::event last = queue.submit([&](sycl::handler& handler) {
          sycl::accessor from(b, handler, sycl::read_only);
          sycl::accessor to(c, handler, sycl::write_only);
          handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
            to[i] = from[i] * 5;
            seen[i] = from[i];
          });
        });
        if (kind == 0) last.wait();
        if (kind == 1) queue.wait_and_throw();
        if (kind == 2) CHECK_EQUAL(sycl::host_accessor(c, sycl::read_only)[7], expected[7]);
        if (kind == 3) {
          other.single_task(last, [=] { seen[0] += 1000; }).wait();
          CHECK_EQUAL(seen[0], in[0] + number + 1000);
        }
        if (kind == 4) {
          other.submit([&](sycl::handler& handler) {
            sycl::accessor results(c, handler, sycl::read_only);
            handler.host_task([=] { seen[0] = results[9]; });
          });
          other.wait();
          CHECK_EQUAL(seen[0], expected[9]);
        }
        // A program that only polls an event's status makes progress as well.
        while (kind == 5 && !e2e::is_complete(last)) std::this_thread::yield();
        // In kind 6, the destructor of the buffer waits for the kernels.
      }
      CHECK_ALL_EQUAL(out, expected);
    };
    CHECK_EQUAL(fewest_launches(together(2) + (kind == 3), round), together(2) + (kind == 3));
  }
  sycl::free(seen, queue);
}

TEST("a list that nobody waits for starts by itself") {
  sycl::queue queue = make_automatic_queue();
  int* const data = sycl::malloc_shared<int>(count, queue);
  for (int turn = 0; turn < 5; ++turn) {
    for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<int>(i);
    const sycl::event first = queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += 1; });
    queue.parallel_for(sycl::range<1>(count), first, [=](sycl::id<1> i) { data[i] *= 2; });
    const auto begin = std::chrono::steady_clock::now();
    const auto last = [&] { return *static_cast<volatile int*>(data + count - 1); };
    while (last() != 2 * static_cast<int>(count)) {
      if (std::chrono::steady_clock::now() - begin > std::chrono::minutes(2)) break;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    CHECK_EQUAL(last(), 2 * static_cast<int>(count));
    queue.wait();
  }
  sycl::free(data, queue);
}

TEST("long sequences are cut into windows") {
  sycl::queue queue = make_automatic_queue();
  ints data{sycl::range<1>(count)};
  constexpr std::uint64_t kernels = 40, window = 16;
  const std::uint64_t fewest = fewest_launches(e2e::can_fuse ? 3 : kernels, [&](int) {
    {
      sycl::host_accessor values(data, sycl::write_only);
      for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i);
    }
    for (std::uint64_t k = 0; k < kernels; ++k) {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor values(data, handler, sycl::read_write);
        handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { values[i] = values[i] * 3 + 1; });
      });
    }
    queue.wait();
    sycl::host_accessor values(data, sycl::read_only);
    for (std::size_t i = 0; i < count; ++i) {
      unsigned expected = static_cast<unsigned>(i);
      for (std::uint64_t k = 0; k < kernels; ++k) expected = expected * 3 + 1;
      CHECK_EQUAL(static_cast<unsigned>(values[i]), expected);
    }
  });
  CHECK(fewest >= (e2e::can_fuse ? (kernels + window - 1) / window : kernels));
  CHECK(fewest < kernels || !e2e::can_fuse);
}

TEST("a list of large kernels ends where their sequence begins again") {
  constexpr std::size_t large = 1 << 21, pictures = 3;
  sycl::queue queue = make_automatic_queue({sycl::property::queue::in_order{}});
  const std::vector<int> in = e2e::counted(large, 7);
  ints source(in.data(), large), first{large}, second{large};
  std::vector<ints> results;
  for (std::size_t i = 0; i < pictures; ++i) results.emplace_back(sycl::range<1>(large));
  const std::uint64_t fewest = fewest_launches(pictures * together(3), [&](int) {
    for (ints& result : results) {
      map(queue, source, first, [](const auto& a, std::size_t i) { return a[i] + 1; });
      map(queue, first, second, [](const auto& a, std::size_t i) { return a[i] * 3; });
      map(queue, second, result, [](const auto& a, std::size_t i) { return a[i] ^ 5; });
    }
    queue.wait();
  });
  CHECK(fewest == pictures * together(3));
  for (ints& each : results) {
    const sycl::host_accessor found(each, sycl::read_only);
    for (std::size_t i = 0; i < large; ++i) CHECK(found[i] == (((in[i] + 1) * 3) ^ 5));
  }
}

/// Computes ((in + 1) * 3 ^ 5) - 2 by four kernels. With `first` > 0, runs only the kernels from number `first` on.
void four_kernels(sycl::queue& queue, ints& in, ints (&between)[3], ints& out, int first = 0) {
  if (first < 1) map(queue, in, between[0], [](const auto& a, std::size_t i) { return a[i] + 1; });
  if (first < 2) map(queue, between[0], between[1], [](const auto& a, std::size_t i) { return a[i] * 3; });
  if (first < 3) map(queue, between[1], between[2], [](const auto& a, std::size_t i) { return a[i] ^ 5; });
  map(queue, between[2], out, [](const auto& a, std::size_t i) { return a[i] - 2; });
}

TEST("a list of six or more small kernels ends where their sequence begins again, wherever the list began") {
  sycl::queue queue = make_automatic_queue({sycl::property::queue::in_order{}});
  const std::vector<int> in = e2e::counted(count, 7);
  ints source(in.data(), count), between[3] = {ints{count}, ints{count}, ints{count}}, first{count}, second{count};
  // After a wait, the first pass of this loop begins with the sequence's first kernel, and the second pass with its
  // third kernel. The four or two kernels up to the sequence's end are too few for a list, so the list also contains
  // the next four kernels.
  for (const int from : {0, 2}) {
    const std::uint64_t wanted = together(static_cast<std::uint64_t>(8 - from)) + together(4);
    const std::uint64_t fewest = fewest_launches(wanted, [&](int) {
      four_kernels(queue, source, between, first, from);
      four_kernels(queue, source, between, first);
      four_kernels(queue, source, between, second);
      queue.wait();
    });
    CHECK_EQUAL(fewest, wanted);
    const sycl::host_accessor found(second, sycl::read_only);
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(found[i], ((in[i] + 1) * 3 ^ 5) - 2);
  }
}

TEST("reductions over the same range come along with the kernels in front of them") {
  sycl::queue queue = make_automatic_queue();
  const std::vector<int> in = e2e::counted(count, 3);
  ints a(in.data(), count), b{sycl::range<1>(count)}, c{sycl::range<1>(count)}, d{sycl::range<1>(count)};
  ints sum{sycl::range<1>(1)};
  const auto add_up = [&](ints& values, auto function) {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(values, handler, sycl::read_only);
      const sycl::property_list anew{sycl::property::reduction::initialize_to_identity{}};
      handler.parallel_for(sycl::range<1>(count), sycl::reduction(sum, handler, sycl::plus<int>(), anew),
                           [=](sycl::id<1> i, auto& total) { total += function(from, i[0]); });
    });
  };
  const auto expect_sum = [&](auto function) {
    int expected = 0;
    for (std::size_t i = 0; i < count; ++i) expected += function(i);
    sycl::host_accessor values(sum, sycl::read_only);
    CHECK_EQUAL(values[0], expected);
  };
  const auto whole = [&](int turn) {
    map(queue, a, b, [=](auto& from, std::size_t i) { return from[i] * 2 + turn; });
    map(queue, b, c, [](auto& from, std::size_t i) { return from[i] + 1; });
    add_up(c, [](auto& from, std::size_t i) { return from[i]; });
    queue.wait();
    expect_sum([&](std::size_t i) { return in[i] * 2 + turn + 1; });
  };
  CHECK_EQUAL(fewest_launches(together(3), whole), together(3));
  // Here, the reduction's work-items read results of other work-items, so it can't be fused. The two kernels before it
  // are fused nevertheless.
  const auto with_neighbour = [](auto& from, std::size_t i) { return from[i] + from[i == 0 ? 0 : i - 1]; };
  const auto neighbours = [&](int turn) {
    map(queue, a, b, [=](auto& from, std::size_t i) { return from[i] * 3 + turn; });
    map(queue, b, c, [](auto& from, std::size_t i) { return from[i] + 2; });
    add_up(c, with_neighbour);
    queue.wait();
    const auto at = [&](std::size_t i) { return in[i] * 3 + turn + 2; };
    expect_sum([&](std::size_t i) { return at(i) + at(i == 0 ? 0 : i - 1); });
  };
  CHECK_EQUAL(fewest_launches(together(2) + 1, neighbours), together(2) + 1);
  // The runtime refuses to fuse this reduction only behind those two kernels. Behind two kernels that do not write the
  // reduction's input, the runtime fuses the reduction.
  const auto others = [&](int turn) {
    map(queue, a, b, [=](auto& from, std::size_t i) { return from[i] * 5 + turn; });
    map(queue, b, c, [](auto& from, std::size_t i) { return from[i] + 3; });
    add_up(a, with_neighbour);
    queue.wait();
    expect_sum([&](std::size_t i) { return in[i] + in[i == 0 ? 0 : i - 1]; });
  };
  CHECK_EQUAL(fewest_launches(together(3), others), together(3));
  // The kernels after the reduction need its sum, so they can't be fused with it.
  const auto needed = [&](int turn) {
    map(queue, a, b, [=](auto& from, std::size_t i) { return from[i] * 4 + turn; });
    add_up(b, [](auto& from, std::size_t i) { return from[i]; });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only), total(sum, handler, sycl::read_only);
      sycl::accessor to(d, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = from[i] - total[0]; });
    });
    queue.wait();
    expect_sum([&](std::size_t i) { return in[i] * 4 + turn; });
    sycl::host_accessor total(sum, sycl::read_only), values(d, sycl::read_only);
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(values[i], in[i] * 4 + turn - total[0]);
  };
  CHECK_EQUAL(fewest_launches(together(2) + 1, needed), together(2) + 1);
}

TEST("what is not proved, gains nothing or has another range stays apart") {
  sycl::queue queue = make_automatic_queue();
  const std::vector<int> in = e2e::counted(count, 3);
  std::vector<int> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = static_cast<int>(i * 7 % count);
  ints a(in.data(), count), b{sycl::range<1>(count)}, c{sycl::range<1>(count)}, to(places.data(), count);
  for (int kind = 0; kind < 4; ++kind) {
    for (int turn = 0; turn < many_rounds; ++turn) {
      const e2e::launches launches;
      map(queue, a, b, [=](auto& from, std::size_t i) { return from[i] + turn; });
      std::vector<int> expected(count);
      if (kind == 0) {  // the analysis proves that fusing would be wrong
        map(queue, b, c, [](auto& from, std::size_t i) { return from[count - 1 - i]; });
        for (std::size_t i = 0; i < count; ++i) expected[i] = in[count - 1 - i] + turn;
      }
      if (kind == 1) {  // the analysis can't prove that fusing would be right
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor from(b, handler, sycl::read_only), at(to, handler, sycl::read_only);
          sycl::accessor out(c, handler, sycl::write_only);
          handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { out[i] = from[at[i]]; });
        });
        for (std::size_t i = 0; i < count; ++i) expected[i] = in[i * 7 % count] + turn;
      }
      if (kind == 2) {  // the kernels share no memory that one of them writes
        ints d(in.data(), count);
        map(queue, d, c, [](auto& from, std::size_t i) { return from[i] * 2; });
        for (std::size_t i = 0; i < count; ++i) expected[i] = in[i] * 2;
      }
      if (kind == 3) {
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor from(b, handler, sycl::read_only);
          sycl::accessor out(c, handler, sycl::write_only);
          handler.parallel_for(sycl::range<1>(count - 1), [=](sycl::id<1> i) { out[i] = from[i]; });
        });
        for (std::size_t i = 0; i < count; ++i) expected[i] = in[i] + turn;
      }
      queue.wait();
      CHECK_EQUAL(launches.count(), 2u);
      sycl::host_accessor out(c, sycl::read_only);
      for (std::size_t i = 0; i + (kind == 3) < count; ++i) CHECK_EQUAL(out[i], expected[i]);
    }
  }
}

TEST("temporaries that go out of scope need no memory, those that stay keep their values") {
  sycl::queue queue = make_automatic_queue();
  const std::vector<int> in = e2e::counted(count, 3);
  ints a(in.data(), count), c{sycl::range<1>(count)};
  for (const bool kept : {false, true}) {
    ints outside{sycl::range<1>(count)};
    const auto round = [&](int turn) {
      {
        ints inside{sycl::range<1>(count)};
        ints& middle = kept ? outside : inside;
        map(queue, a, middle, [=](auto& from, std::size_t i) { return from[i] * 2 + turn; });
        map(queue, middle, c, [](auto& from, std::size_t i) { return from[i] + 1; });
      }
      queue.wait();
      sycl::host_accessor out(c, sycl::read_only), values(outside, sycl::read_only);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK_EQUAL(out[i], in[i] * 2 + turn + 1);
        if (kept) CHECK_EQUAL(values[i], in[i] * 2 + turn);
      }
    };
    CHECK_EQUAL(fewest_launches(together(2), round), together(2));
  }
}

TEST("fusions of the user on the same queue: their lists, errors and events are their own") {
  sycl::queue queue = e2e::make_queue({sycl::ext::sinter::property::queue::auto_fusion{},
                                       cx::property::queue::enable_fusion{}, sycl::property::queue::in_order{}});
  cx::fusion_wrapper wrapper{queue};
  int* const data = sycl::malloc_shared<int>(count, queue);
  std::fill(data, data + count, 1);
  const auto add = [&] { queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += 1; }); };
  // Automatic collection does not put the queue into fusion mode.
  add();
  CHECK(!wrapper.is_in_fusion_mode());
  CHECK(e2e::code_thrown_by([&] { wrapper.complete_fusion(); }) == sycl::errc::invalid);
  queue.wait();
  const e2e::launches launches;
  wrapper.start_fusion();
  add();
  CHECK(e2e::code_thrown_by([&] { wrapper.start_fusion(); }) == sycl::errc::invalid);
  CHECK(wrapper.is_in_fusion_mode());
  add();
  sycl::event done = wrapper.complete_fusion();
  done.wait();
  CHECK_FUSED(launches, 2);
  CHECK_ALL_EQUAL(std::vector<int>(data, data + count), std::vector<int>(count, 4));
  // complete_fusion succeeds for a fusion that ended early, even after the queue has collected more kernels by itself.
  wrapper.start_fusion();
  add();
  queue.wait();
  add();
  wrapper.complete_fusion().wait();
  queue.wait();
  CHECK_ALL_EQUAL(std::vector<int>(data, data + count), std::vector<int>(count, 6));
  sycl::free(data, queue);
}

E2E_MAIN
