/// User-driven fusion: the interface, its errors and events, and temporaries that fusion may keep in private memory.
#include <atomic>

#include "fusion.hpp"

namespace {

constexpr std::size_t count = 515;

using ints = sycl::buffer<int>;

/// Submits a kernel that computes out = in * factor + sum.
void scale(sycl::queue& queue, ints& in, ints& out, int factor, int sum, const sycl::property_list& of_out = {}) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor from(in, handler, sycl::read_only);
    sycl::accessor to(out, handler, sycl::write_only, of_out);
    handler.parallel_for(sycl::range<1>(in.size()), [=](sycl::id<1> i) { to[i] = from[i] * factor + sum; });
  });
}

void scale_promoted(sycl::queue& queue, ints& in, ints& out, const sycl::property_list& of_in) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor from(in, handler, sycl::read_only, of_in);
    sycl::accessor to(out, handler, sycl::write_only);
    handler.parallel_for(sycl::range<1>(in.size()), [=](sycl::id<1> i) { to[i] = from[i] * 2; });
  });
}

sycl::event add_to(sycl::queue& queue, ints& target, int sum) {
  return queue.submit([&](sycl::handler& handler) {
    sycl::accessor data(target, handler, sycl::read_write);
    handler.parallel_for(sycl::range<1>(target.size()), [=](sycl::id<1> i) { data[i] += sum; });
  });
}

std::vector<int> scaled(const std::vector<int>& from, int factor, int sum) {
  std::vector<int> result(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) result[i] = from[i] * factor + sum;
  return result;
}

}  // namespace

static_assert(SYCL_EXT_CODEPLAY_KERNEL_FUSION == 1);

TEST("device, queue and wrapper say that they can fuse") {
  sycl::queue queue = e2e::make_fusing_queue();
  CHECK(queue.get_device().get_info<cx::info::device::supports_fusion>());
  CHECK(queue.ext_codeplay_supports_fusion());
  CHECK(queue.has_property<cx::property::queue::enable_fusion>());
  CHECK(!e2e::make_queue().ext_codeplay_supports_fusion());
  cx::fusion_wrapper wrapper{queue};
  CHECK(wrapper.get_queue() == queue);
  CHECK(!wrapper.is_in_fusion_mode());
}

TEST("a chain becomes one launch and nothing runs before") {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> in = e2e::counted(count, 5);
  std::vector<int> middle(count, -1), out(count, -1);
  const e2e::launches launches;
  {
    ints a(in.data(), count), b(middle.data(), count), c(out.data(), count);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    CHECK(wrapper.is_in_fusion_mode());
    scale(queue, a, b, 3, 1);
    scale(queue, b, c, 2, 0);
    CHECK_EQUAL(launches.count(), 0u);
    const sycl::event done = wrapper.complete_fusion();
    CHECK(!wrapper.is_in_fusion_mode());
    sycl::event(done).wait();
    CHECK(e2e::is_complete(done));
    CHECK_FUSED(launches, 2);
  }
  CHECK_ALL_EQUAL(middle, scaled(in, 3, 1));
  CHECK_ALL_EQUAL(out, scaled(in, 6, 2));
}

TEST("every property of complete_fusion gives the same results") {
  for (int kind = 0; kind < 4; ++kind) {
    sycl::queue queue = e2e::make_fusing_queue();
    std::vector<int> in = e2e::counted(count, 5), out(count, -1);
    const e2e::launches launches;
    {
      ints a(in.data(), count), b{sycl::range<1>(count)}, c(out.data(), count);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      scale(queue, a, b, 3, 1);
      scale(queue, b, c, 2, 0);
      using namespace cx::property;
      if (kind == 0) wrapper.complete_fusion();
      if (kind == 1) wrapper.complete_fusion(no_barriers{});
      if (kind == 2) wrapper.complete_fusion(force_fusion{});
      if (kind == 3) wrapper.complete_fusion({no_barriers{}, force_fusion{}});
    }
    CHECK_FUSED(launches, 2);
    CHECK_ALL_EQUAL(out, scaled(in, 6, 2));
  }
}

TEST("promotion on accessors: the temporary never reaches memory") {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> in = e2e::counted(count, 5);
  std::vector<int> middle(count, -7), out(count, -1);
  const e2e::launches launches;
  {
    ints a(in.data(), count), b(middle.data(), count), c(out.data(), count);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    scale(queue, a, b, 3, 1, {cx::property::promote_private{}});
    scale_promoted(queue, b, c, {cx::property::promote_private{}});
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 2);
  CHECK_ALL_EQUAL(out, scaled(in, 6, 2));
  if (e2e::can_fuse) CHECK_ALL_EQUAL(middle, std::vector<int>(count, -7));
}

TEST("promotion on the buffer is that of its accessors") {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> in = e2e::counted(count, 5);
  std::vector<int> first(count, -7), second(count, -8), out(count, -1);
  const e2e::launches launches;
  {
    const sycl::property_list promoted{cx::property::promote_private{}};
    ints a(in.data(), count), b(first.data(), count, promoted), c(second.data(), count, promoted), d(out.data(), count);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    scale(queue, a, b, 3, 1);
    scale(queue, b, c, 2, 0, promoted);  // a second request for promotion has no further effect
    scale(queue, c, d, 5, 1);
    wrapper.complete_fusion(cx::property::no_barriers{});
  }
  CHECK_FUSED(launches, 3);
  CHECK_ALL_EQUAL(out, scaled(in, 30, 11));
  if (e2e::can_fuse) {
    CHECK_ALL_EQUAL(first, std::vector<int>(count, -7));
    CHECK_ALL_EQUAL(second, std::vector<int>(count, -8));
  }
}

TEST("a promise of one accessor only is not enough, the values stay visible") {
  for (int which = 0; which < 2; ++which) {
    sycl::queue queue = e2e::make_fusing_queue();
    const std::vector<int> in = e2e::counted(count, 5);
    std::vector<int> middle(count, -7), out(count, -1);
    const e2e::launches launches;
    {
      const sycl::property_list promoted{cx::property::promote_private{}}, none;
      ints a(in.data(), count), b(middle.data(), count), c(out.data(), count);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      scale(queue, a, b, 3, 1, which == 0 ? promoted : none);
      scale_promoted(queue, b, c, which == 1 ? promoted : none);
      wrapper.complete_fusion();
    }
    CHECK_FUSED(launches, 2);
    CHECK_ALL_EQUAL(middle, scaled(in, 3, 1));
    CHECK_ALL_EQUAL(out, scaled(in, 6, 2));
  }
}

TEST("a promise the first kernel breaks by reading is not kept") {
  sycl::queue queue = e2e::make_fusing_queue();
  std::vector<int> values = e2e::counted(count, 5), out(count, -1);
  const std::vector<int> in = values;
  const e2e::launches launches;
  {
    ints a(values.data(), count, {cx::property::promote_private{}}), b(out.data(), count);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    add_to(queue, a, 3);
    scale(queue, a, b, 2, 0);
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 2);
  CHECK_ALL_EQUAL(out, scaled(in, 2, 6));
}

TEST("a temporary whose last handle is gone may vanish") {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> in = e2e::counted(count, 5);
  std::vector<int> out(count, -1);
  const e2e::launches launches;
  {
    ints a(in.data(), count), c(out.data(), count);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    {
      ints b{sycl::range<1>(count)};
      scale(queue, a, b, 3, 1);
      scale(queue, b, c, 2, 0);
    }
    CHECK(wrapper.is_in_fusion_mode());
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 2);
  CHECK_ALL_EQUAL(out, scaled(in, 6, 2));
}

TEST("a temporary that goes between completion and launch, and one that is still read") {
  for (int kind = 0; kind < 3; ++kind) {
    sycl::queue queue = e2e::make_fusing_queue();
    const std::vector<int> in = e2e::counted(count, 5);
    std::vector<int> out(count, -1), later(count, -1);
    const e2e::launches launches;
    {
      ints a(in.data(), count), c(out.data(), count), d(later.data(), count);
      {
        ints b{sycl::range<1>(count)};
        cx::fusion_wrapper wrapper{queue};
        wrapper.start_fusion();
        scale(queue, a, b, 3, 1);
        scale(queue, b, c, 2, 0);
        wrapper.complete_fusion();
        if (kind == 1) scale(queue, b, d, 5, 0);  // a kernel that reads b is submitted, but may not have run yet
        if (kind == 2) {
          sycl::host_accessor values(b, sycl::read_only);
          std::copy(values.begin(), values.end(), later.begin());
        }
      }
    }
    CHECK_EQUAL(launches.count(), e2e::launches_when_fused(2) + (kind == 1));
    CHECK_ALL_EQUAL(out, scaled(in, 6, 2));
    if (kind == 1) CHECK_ALL_EQUAL(later, scaled(in, 15, 5));
    if (kind == 2) CHECK_ALL_EQUAL(later, scaled(in, 3, 1));
  }
}

TEST("buffer and accessor that ask for different memory are an error") {
  sycl::queue queue = e2e::make_fusing_queue();
  const sycl::property_list local{cx::property::promote_local{}}, mine{cx::property::promote_private{}};
  auto make_accessor = [&](const sycl::property_list& of_buffer, const sycl::property_list& of_accessor) {
    ints buffer(sycl::range<1>(16), of_buffer);
    return e2e::code_thrown_by([&] {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor data(buffer, handler, sycl::write_only, of_accessor);
        handler.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) { data[i] = 1; });
      });
    });
  };
  CHECK(make_accessor(local, mine) == sycl::errc::invalid);
  CHECK(make_accessor(mine, local) == sycl::errc::invalid);
  CHECK(make_accessor(mine, mine) == sycl::errc::success);
  CHECK(make_accessor(local, {}) == sycl::errc::success);
  CHECK(make_accessor({}, mine) == sycl::errc::success);
  CHECK(make_accessor({}, {}) == sycl::errc::success);
  queue.wait();
}

TEST("a cancelled fusion runs its kernels one by one, in order") {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> in = e2e::counted(count, 5);
  std::vector<int> middle(count, -7), out(count, -1);
  const e2e::launches launches;
  {
    const sycl::property_list promoted{cx::property::promote_private{}};
    ints a(in.data(), count), b(middle.data(), count, promoted), c(out.data(), count);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    scale(queue, a, b, 3, 1);
    scale(queue, b, c, 2, 0);
    wrapper.cancel_fusion();
    CHECK(!wrapper.is_in_fusion_mode());
    wrapper.cancel_fusion();  // a second cancel has no effect
  }
  CHECK_EQUAL(launches.count(), 2u);
  CHECK_ALL_EQUAL(middle, scaled(in, 3, 1));
  CHECK_ALL_EQUAL(out, scaled(in, 6, 2));
}

TEST("events of submissions become complete with the fused kernel, or with all after a cancel") {
  for (bool cancel : {false, true}) {
    sycl::queue queue = e2e::make_fusing_queue();
    const std::vector<int> values = e2e::counted<int>(count);
    ints data(values.data(), count);
    cx::fusion_wrapper wrapper{queue};
    const e2e::launches launches;
    wrapper.start_fusion();
    sycl::event first = add_to(queue, data, 1), second = add_to(queue, data, 2);
    CHECK(!e2e::is_complete(first));
    CHECK(!e2e::is_complete(second));
    CHECK(wrapper.is_in_fusion_mode());  // a query of the status does not wait
    if (cancel) wrapper.cancel_fusion();
    if (!cancel) wrapper.complete_fusion();
    first.wait();
    second.wait();
    CHECK(e2e::is_complete(first));
    CHECK(e2e::is_complete(second));
    CHECK_EQUAL(launches.count(), cancel ? 2u : e2e::launches_when_fused(2));
    sycl::host_accessor result(data, sycl::read_only);
    CHECK_EQUAL(result[17], 20);
  }
}

TEST("completing twice gives an event, starting twice is an error") {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> values = e2e::counted<int>(count);
  ints data(values.data(), count);
  cx::fusion_wrapper wrapper{queue};
  CHECK(e2e::code_thrown_by([&] { wrapper.complete_fusion(); }) == sycl::errc::invalid);
  wrapper.start_fusion();
  add_to(queue, data, 1);
  CHECK(e2e::code_thrown_by([&] { wrapper.start_fusion(); }) == sycl::errc::invalid);
  CHECK(wrapper.is_in_fusion_mode());
  add_to(queue, data, 2);
  const e2e::launches launches;
  wrapper.complete_fusion();
  sycl::event again = wrapper.complete_fusion();
  again.wait();
  CHECK(e2e::is_complete(again));
  CHECK_FUSED(launches, 2);
  sycl::host_accessor result(data, sycl::read_only);
  CHECK_EQUAL(result[3], 6);
}

TEST("a queue without the property can't be wrapped") {
  sycl::queue queue = e2e::make_queue();
  CHECK(e2e::code_thrown_by([&] { cx::fusion_wrapper wrapper{queue}; }) == sycl::errc::invalid);
  CHECK(e2e::code_thrown_by([&] { queue.ext_codeplay_start_fusion(); }) == sycl::errc::invalid);
}

TEST("nothing to fuse") {
  sycl::queue queue = e2e::make_fusing_queue();
  cx::fusion_wrapper wrapper{queue};
  const e2e::launches launches;
  wrapper.start_fusion();
  sycl::event none = wrapper.complete_fusion();
  none.wait();
  CHECK(e2e::is_complete(none));
  wrapper.start_fusion();
  wrapper.cancel_fusion();
  queue.wait();
  CHECK_EQUAL(launches.count(), 0u);
}

TEST("a list of one kernel") {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> values = e2e::counted<int>(count);
  ints data(values.data(), count);
  cx::fusion_wrapper wrapper{queue};
  const e2e::launches launches;
  wrapper.start_fusion();
  add_to(queue, data, 4);
  wrapper.complete_fusion().wait();
  CHECK_EQUAL(launches.count(), 1u);
  sycl::host_accessor result(data, sycl::read_only);
  CHECK_EQUAL(result[3], 7);
}

TEST("several wrappers and copies control one queue") {
  sycl::queue queue = e2e::make_fusing_queue(), copy = queue;
  const std::vector<int> values = e2e::counted<int>(count);
  ints data(values.data(), count);
  cx::fusion_wrapper one{queue}, two{copy};
  const e2e::launches launches;
  one.start_fusion();
  CHECK(two.is_in_fusion_mode());
  add_to(copy, data, 1);
  add_to(queue, data, 2);
  two.complete_fusion().wait();
  CHECK(!one.is_in_fusion_mode());
  CHECK_FUSED(launches, 2);
  sycl::host_accessor result(data, sycl::read_only);
  CHECK_EQUAL(result[1], 4);
}

TEST("a queue fuses again and again, with other numbers and other data") {
  sycl::queue queue = e2e::make_fusing_queue();
  cx::fusion_wrapper wrapper{queue};
  for (int turn = 0; turn < 4; ++turn) {
    const std::vector<int> in = e2e::counted(count, turn * 100);
    std::vector<int> out(count, -1);
    const e2e::launches launches;
    {
      ints a(in.data(), count), b{sycl::range<1>(count), {cx::property::promote_private{}}}, c(out.data(), count);
      wrapper.start_fusion();
      scale(queue, a, b, turn, 1);
      scale(queue, b, c, 2, turn);
      wrapper.complete_fusion();
    }
    CHECK_FUSED(launches, 2);
    CHECK_ALL_EQUAL(out, scaled(in, 2 * turn, 2 + turn));
  }
}

TEST("the same kernel many times, in place") {
  sycl::queue queue = e2e::make_fusing_queue();
  std::vector<int> values = e2e::counted(count, 0);
  const e2e::launches launches;
  {
    ints data(values.data(), count);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    for (int i = 1; i <= 10; ++i) add_to(queue, data, i);
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 10);
  CHECK_ALL_EQUAL(values, e2e::counted(count, 55));
}

TEST("a diamond with promoted sides") {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> in = e2e::counted(count, 5);
  std::vector<int> top(count, -1), left(count, -2), right(count, -3), out(count, -4), expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = ((in[i] * 2 + 1) * 3) - ((in[i] * 2 + 1) * 5 + 7);
  const e2e::launches launches;
  {
    const sycl::property_list promoted{cx::property::promote_private{}};
    ints a(in.data(), count), t(top.data(), count, promoted), l(left.data(), count, promoted),
        r(right.data(), count, promoted), o(out.data(), count);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    scale(queue, a, t, 2, 1);
    scale(queue, t, l, 3, 0);
    scale(queue, t, r, 5, 7);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor x(l, handler, sycl::read_only), y(r, handler, sycl::read_only);
      sycl::accessor to(o, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = x[i] - y[i]; });
    });
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 4);
  CHECK_ALL_EQUAL(out, expected);
  if (e2e::can_fuse) {
    CHECK_ALL_EQUAL(top, std::vector<int>(count, -1));
    CHECK_ALL_EQUAL(left, std::vector<int>(count, -2));
    CHECK_ALL_EQUAL(right, std::vector<int>(count, -3));
  }
}

TEST("an in-order queue") {
  sycl::queue queue = e2e::make_queue({cx::property::queue::enable_fusion{}, sycl::property::queue::in_order{}});
  int* data = sycl::malloc_shared<int>(count, queue);
  queue.fill(data, 1, count);  // submitted before the fusion; the fused kernel waits for this fill
  cx::fusion_wrapper wrapper{queue};
  const e2e::launches launches;
  wrapper.start_fusion();
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += 2; });
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] *= 5; });
  wrapper.complete_fusion();
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] -= 1; });
  queue.wait();
  CHECK_EQUAL(launches.count(), e2e::launches_when_fused(2) + 1);
  CHECK_ALL_EQUAL(std::vector<int>(data, data + count), std::vector<int>(count, 14));
  sycl::free(data, queue);
}

TEST("kernels on USM memory without dependencies keep their order") {
  sycl::queue queue = e2e::make_fusing_queue();
  int* data = sycl::malloc_shared<int>(count, queue);
  std::fill(data, data + count, 1);
  cx::fusion_wrapper wrapper{queue};
  const e2e::launches launches;
  wrapper.start_fusion();
  for (int step = 1; step < 6; ++step) {
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = data[i] * 3 + step; });
  }
  wrapper.complete_fusion().wait();
  CHECK_FUSED(launches, 5);
  int expected = 1;
  for (int step = 1; step < 6; ++step) expected = expected * 3 + step;
  CHECK_ALL_EQUAL(std::vector<int>(data, data + count), std::vector<int>(count, expected));
  sycl::free(data, queue);
}

TEST("kernels on USM memory keep their order when they run one by one, too") {
  sycl::queue queue = e2e::make_fusing_queue();
  int* data = sycl::malloc_shared<int>(2 * count, queue);
  cx::fusion_wrapper wrapper{queue};
  for (int round = 0; round < 30; ++round) {
    std::fill(data, data + 2 * count, round);
    wrapper.start_fusion();
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += static_cast<int>(i[0]); });
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[count + i[0]] = data[count - 1 - i[0]]; });
    // wait() tries to run the last kernel first, on the calling thread.
    sycl::event last = queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] *= 2; });
    if (round % 3 == 0) wrapper.complete_fusion();
    if (round % 3 == 1) wrapper.cancel_fusion();
    last.wait();
    for (std::size_t i = 0; i < count; ++i) {
      CHECK_EQUAL(data[i], 2 * (round + static_cast<int>(i)));
      CHECK_EQUAL(data[count + i], round + static_cast<int>(count - 1 - i));
    }
  }
  sycl::free(data, queue);
}

TEST("members may name each other's events, and events from outside are waited for") {
  sycl::queue queue = e2e::make_fusing_queue(), other = e2e::make_queue();
  int* data = sycl::malloc_shared<int>(count, queue);
  std::fill(data, data + count, 0);
  std::atomic<bool> go{false};
  const sycl::event outside = other.submit([&](sycl::handler& handler) {
    handler.host_task([&go, data] {
      while (!go) {
      }
      for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<int>(i);
    });
  });
  cx::fusion_wrapper wrapper{queue};
  const e2e::launches launches;
  wrapper.start_fusion();
  const sycl::event first = queue.parallel_for(sycl::range<1>(count), outside, [=](sycl::id<1> i) { data[i] += 1; });
  queue.parallel_for(sycl::range<1>(count), first, [=](sycl::id<1> i) { data[i] *= 2; });
  CHECK(wrapper.is_in_fusion_mode());
  sycl::event fused = wrapper.complete_fusion();
  CHECK(!e2e::is_complete(fused));
  go = true;
  fused.wait();
  CHECK_FUSED(launches, 2);
  std::vector<int> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = (static_cast<int>(i) + 1) * 2;
  CHECK_ALL_EQUAL(std::vector<int>(data, data + count), expected);
  sycl::free(data, queue);
}

// ---------------------------------------------------------------------------------------------------- refusals

TEST("a kernel that needs its neighbours' results stays apart") {
  sycl::queue queue = e2e::make_fusing_queue();
  const std::vector<int> in = e2e::counted(count, 5);
  std::vector<int> out(count - 1, -1), expected(count - 1);
  for (std::size_t i = 0; i + 1 < count; ++i) expected[i] = in[i] * 3 + 1 - 2 * (in[i + 1] * 3 + 1);
  const e2e::launches launches;
  {
    ints a(in.data(), count), b{sycl::range<1>(count)}, c(out.data(), count - 1);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(a, handler, sycl::read_only);
      sycl::accessor to(b, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(count - 1), [=](sycl::id<1> i) {
        to[i] = from[i] * 3 + 1;
        if (i[0] == count - 2) to[count - 1] = from[count - 1] * 3 + 1;
      });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      sycl::accessor to(c, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(count - 1), [=](sycl::id<1> i) { to[i] = from[i] - 2 * from[i[0] + 1]; });
    });
    sycl::event done = wrapper.complete_fusion();
    done.wait();
    CHECK(e2e::is_complete(done));
  }
  CHECK_EQUAL(launches.count(), 2u);
  CHECK_ALL_EQUAL(out, expected);
}

TEST("whether kernels fit depends on their numbers") {
  sycl::queue queue = e2e::make_fusing_queue();
  int* data = sycl::malloc_shared<int>(2 * count, queue);
  int* out = sycl::malloc_shared<int>(count, queue);
  for (std::size_t distance : {std::size_t(0), count, std::size_t(1), count - 1, std::size_t(0)}) {
    for (std::size_t i = 0; i < 2 * count; ++i) data[i] = static_cast<int>(1000 + i);
    cx::fusion_wrapper wrapper{queue};
    const e2e::launches launches;
    wrapper.start_fusion();
    const sycl::event written =
        queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]) * 7; });
    queue.parallel_for(sycl::range<1>(count), written, [=](sycl::id<1> i) { out[i] = data[i[0] + distance]; });
    wrapper.complete_fusion().wait();
    if (distance == count - 1)
      CHECK_EQUAL(launches.count(), 2u);
    else
      CHECK_EQUAL(launches.count(), distance == 1 ? e2e::launches_when_tiled(2) : e2e::launches_when_fused(2));
    std::vector<int> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int at = static_cast<int>(i + distance);
      expected[i] = i + distance < count ? at * 7 : 1000 + at;
    }
    CHECK_ALL_EQUAL(std::vector<int>(out, out + count), expected);
  }
  sycl::free(data, queue);
  sycl::free(out, queue);
}

E2E_MAIN
