// Tests single statements of SYCL 2020 and its extensions about names that programs rarely use. surface_names.cpp
// tests the synopses.
#include "check.hpp"

#include <sycl/backend/cuda.hpp>
#include <sycl/ext/intel/experimental/grf_size_properties.hpp>
#include <sycl/ext/oneapi/bfloat16.hpp>
#include <sycl/ext/oneapi/experimental/async_alloc/async_alloc.hpp>
#include <sycl/ext/oneapi/experimental/async_alloc/memory_pool.hpp>
#include <sycl/ext/oneapi/experimental/async_alloc/memory_pool_properties.hpp>
#include <sycl/ext/oneapi/experimental/bfloat16_math.hpp>
#include <sycl/ext/oneapi/experimental/device_architecture.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/experimental/opportunistic_group.hpp>
#include <sycl/ext/oneapi/experimental/work_group_memory.hpp>

namespace x = sycl::ext::oneapi::experimental;
using sycl::half;
using sycl::ext::oneapi::bfloat16;

namespace {
/// An object that converts to its element, like the proxy objects of extensions.
template <class T>
struct proxy {
  T value;
  operator T() const { return value; }
};
enum number { one = 1 };
int random_int(int least, int most) { return std::uniform_int_distribution<int>(least, most)(e2e::random()); }
float random_float(float least, float most) {
  return std::uniform_real_distribution<float>(least, most)(e2e::random());
}
}  // namespace

TEST("get_access without arguments makes a placeholder, as an accessor of the buffer alone") {
  sycl::queue queue;
  std::vector<int> in(17), out(17);
  for (int& each : in) each = random_int(-100, 100);
  sycl::buffer<int> buffer(in.data(), in.size());
  auto placeholder = buffer.get_access();
  static_assert(std::is_same_v<decltype(placeholder), decltype(sycl::accessor{buffer})>);
  CHECK(placeholder.is_placeholder());
  queue.copy(placeholder, out.data()).wait();
  CHECK(out == in);
  CHECK(!sycl::host_accessor(buffer).is_placeholder());
}

TEST("properties of accessors may stand in braces: no_init keeps nothing of what was there") {
  sycl::queue queue;
  std::vector<int> data(9, 5);
  {
    sycl::buffer<int> buffer(data);
    queue.submit([&](sycl::handler& group) {
      sycl::accessor written(buffer, group, sycl::write_only, {sycl::no_init});
      CHECK(written.has_property<sycl::property::no_init>());
      group.parallel_for(9, [=](sycl::id<1> i) { written[i] = int(i) * 3; });
    });
    queue.submit([&](sycl::handler& group) {
      sycl::accessor part{buffer, group, sycl::range<1>(2), sycl::id<1>(4), sycl::write_only, {}};
      CHECK(!part.has_property<sycl::property::no_init>());
      group.parallel_for(2, [=](sycl::id<1> i) { part[i] = -1; });
    });
    sycl::host_accessor read(buffer, sycl::read_only, {});
    CHECK_EQUAL(read[3], 9);
  }
  for (int i = 0; i < 9; ++i) CHECK_EQUAL(data[i], i == 4 || i == 5 ? -1 : 3 * i);
}

TEST("mem_base_addr_align has the bits of the largest built-in type") {
  for (const sycl::device& device : sycl::device::get_devices()) {
    CHECK(device.get_info<sycl::info::device::mem_base_addr_align>() >= 8 * sizeof(sycl::double16));
  }
}

TEST("contents go where set_final_data says, also by a pointer to void") {
  int out[4] = {}, other[4] = {};
  {
    sycl::buffer<int> buffer(sycl::range<1>(4));
    buffer.set_final_data(static_cast<void*>(out));
    sycl::queue().submit([&](sycl::handler& group) {
      sycl::accessor written(buffer, group, sycl::write_only);
      group.parallel_for(4, [=](sycl::id<1> i) { written[i] = int(i) + 1; });
    });
  }
  CHECK(out[0] == 1 && out[3] == 4);
  {
    sycl::buffer<int> buffer(other, 4);
    buffer.set_final_data();
    sycl::host_accessor{buffer}[0] = 7;
  }
  {
    sycl::buffer<int> buffer(sycl::range<1>(4));
    buffer.set_final_data(static_cast<void*>(nullptr));
  }
}

TEST("bfloat16 converts to half and back, and computes with numbers and half as float, rounded once") {
  for (int i = 0; i < 200; ++i) {
    const float a = random_float(-1000, 1000), b = random_float(1, 100);
    const bfloat16 x(a);
    const half h(b);
    const half to_half = x;
    CHECK(float(to_half) == float(half(float(x))));
    const bfloat16 from_half = h;
    CHECK(float(from_half) == float(bfloat16(float(h))));
    CHECK(float(x + b) == float(bfloat16(float(x) + b)) && float(b / x) == float(bfloat16(b / float(x))));
    CHECK(float(x * 3) == float(bfloat16(float(x) * 3)) && float(x - h) == float(bfloat16(float(x) - float(h))));
    CHECK((x < b) == (float(x) < b) && (b == x) == (b == float(x)) && (h >= x) == (float(h) >= float(x)));
    bfloat16 y;
    y = h;
    CHECK(float(y) == float(from_half));
  }
  static_assert(std::is_same_v<decltype(bfloat16() + 1.0), bfloat16> && std::is_same_v<decltype(1 < bfloat16()), bool>);
  CHECK(!bfloat16(0.0f) && bfloat16(-1.0f));
  CHECK(float(sycl::ext::oneapi::fabs(bfloat16(-2.0f))) == 2 && float(fmax(bfloat16(1.0f), bfloat16(3.0f))) == 3);
}

TEST("what converts to half compares with it, and with numbers half compares as float does") {
  for (int i = 0; i < 200; ++i) {
    const half a(random_float(-4, 4)), b(random_float(-4, 4));
    const proxy<half> p{b};
    CHECK((a < p) == (float(a) < float(b)) && (p >= a) == (float(b) >= float(a)) && (p != a) == (float(a) != float(b)));
    CHECK((a < 1) == (float(a) < 1) && (0.3 <= a) == (0.3 <= double(float(a))) && (a > one) == (float(a) > 1));
    CHECK(float(a + p) == float(half(float(a) + float(b))));
  }
  const sycl::half2 pair(half(1.0f), half(2.0f));
  CHECK(pair.swizzle<1>() == half(2.0f) && half(1.0f) == pair.swizzle<0>() && pair.swizzle<0>() < pair.swizzle<1>());
  const half nan(__builtin_nanf(""));
  CHECK(nan != nan && !(nan == nan) && !(nan < nan));
}

TEST("streams print swizzles as the vectors they are") {
  sycl::queue queue;
  queue
      .submit([&](sycl::handler& group) {
        sycl::stream out(256, 64, group);
        group.single_task([=] {
          const sycl::int4 values(1, 2, 3, 4);
          out << values.swizzle<3, 0>() << " " << values.hi() << " " << values.swizzle<2>() << sycl::flush;
        });
      })
      .wait();
  CHECK_EQUAL(sycl::int2(std::size_t{3}, 4.7).x(), 3);
}

class named;
TEST("enqueue_functions: properties, host tasks, prefetches to the host, kernel objects, and nodes of graphs") {
  sycl::queue queue{sycl::property::queue::in_order()};
  int* data = sycl::malloc_shared<int>(8, queue);
  x::submit(queue, x::properties{}, [&](sycl::handler& group) { x::single_task(group, [=] { data[0] = 1; }); });
  x::submit_with_event(queue, x::properties{}, [&](sycl::handler& group) {
    x::single_task(group, [=] { data[1] = data[0] + 1; });
  }).wait();
  x::prefetch(queue, data, 32, x::prefetch_type::host);
  x::prefetch(queue, data, 32, x::prefetch_type::device);
  x::submit(queue, [&](sycl::handler& group) { x::host_task(group, [=] { data[2] = data[1] + 1; }); });
  x::host_task(queue, [=] { data[3] = data[2] + 1; });
  queue.wait();
  CHECK(data[0] == 1 && data[1] == 2 && data[2] == 3 && data[3] == 4);
  x::command_graph graph(queue);
  x::submit(graph, [&](sycl::handler& group) { group.single_task([=] { data[4] = 5; }); });
  CHECK_EQUAL(data[4], data[4]);
  auto runs = graph.finalize();
  x::execute_graph(queue, runs);
  queue.wait();
  CHECK_EQUAL(data[4], 5);
#ifndef SINTER_E2E_LIBRARY_MODE  // kernel objects need the plugin
  queue.single_task<named>([data, first = 6] { data[5] = first; }).wait();
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context());
  const sycl::kernel built = bundle.get_kernel(sycl::get_kernel_id<named>());
  x::single_task(queue, built, data, 7);
  queue.wait();
  CHECK_EQUAL(data[5], 7);
  x::submit(queue, [&](sycl::handler& group) { x::single_task(group, built, data, 8); });
  queue.wait();
  CHECK_EQUAL(data[5], 8);
#endif
  sycl::free(data, queue);
}

TEST("group functions take opportunistic groups") {
  sycl::queue queue;
  constexpr int count = 9;
  int* out = sycl::malloc_shared<int>(count, queue);
  queue.parallel_for(sycl::nd_range<1>(count, count), [=](sycl::nd_item<1> item) {
    const auto group = x::this_kernel::get_opportunistic_group();
    using type = std::remove_const_t<decltype(group)>;
    static_assert(sycl::is_group_v<type> && x::is_user_constructed_group_v<type>);
    static_assert(x::is_fixed_topology_group_v<sycl::sub_group> && !x::is_fixed_topology_group_v<type>);
    const int mine = int(item.get_global_id(0)) + 1;
    const int values[3] = {1, 2, 3};
    int sums[3], before[3];
    const sycl::plus<int> add;
    bool right = sycl::select_from_group(group, mine, 0) == mine && sycl::group_broadcast(group, mine) == mine;
    right &= sycl::any_of_group(group, mine > 0) && sycl::all_of_group(group, mine, [](int m) { return m > 0; });
    right &= sycl::none_of_group(group, mine, [](int m) { return m < 0; });
    right &= sycl::joint_any_of(group, values, values + 3, [](int v) { return v == 3; });
    right &= sycl::joint_all_of(group, values, values + 3, [](int v) { return v > 0; });
    right &= sycl::joint_none_of(group, values, values + 3, [](int v) { return v > 3; });
    right &= sycl::reduce_over_group(group, mine, add) == mine;
    right &= sycl::reduce_over_group(group, mine, 5, add) == mine + 5;
    right &= sycl::inclusive_scan_over_group(group, mine, add, 5) == mine + 5;
    right &= sycl::exclusive_scan_over_group(group, mine, 5, add) == 5;
    right &= sycl::exclusive_scan_over_group(group, mine, add) == 0;
    right &= sycl::joint_reduce(group, values, values + 3, 10, add) == 16;
    right &= sycl::joint_reduce(group, values, values + 3, add) == 6;
    right &= sycl::joint_inclusive_scan(group, values, values + 3, sums, add) == sums + 3;
    right &= sycl::joint_exclusive_scan(group, values, values + 3, before, add) == before + 3;
    right &= sums[1] == 3 && sums[2] == 6 && before[0] == 0 && before[2] == 3;
    // The results of these calls are unspecified, so they are dropped.
    (void)sycl::shift_group_left(group, mine, 1), (void)sycl::shift_group_right(group, mine);
    (void)sycl::permute_group_by_xor(group, mine, 1);
    sycl::group_barrier(group);
    out[mine - 1] = right;
  }).wait();
  for (int i = 0; i < count; ++i) CHECK_EQUAL(out[i], 1);
  sycl::free(out, queue);
}

TEST("sub-groups of before SYCL 2020: volatile loads, barrier, shuffles, and one made from nothing") {
  sycl::queue queue;
  constexpr int count = 64;
  auto* in = sycl::malloc_shared<sycl::int2>(count, queue);
  auto* out = sycl::malloc_shared<sycl::int2>(count, queue);
  int* right = sycl::malloc_shared<int>(count, queue);
  for (int i = 0; i < count; ++i) in[i] = sycl::int2(i, random_int(0, 1000));
  queue.parallel_for(sycl::nd_range<1>(count, 32), [=](sycl::nd_item<1> item) {
    const std::size_t at = item.get_global(0);
    const sycl::ext::oneapi::sub_group lanes;
    const std::uint32_t mine = lanes.get_local_linear_id(), all = lanes.get_local_linear_range();
    const std::size_t first = at - mine;
    lanes.barrier();
    const sycl::int2 loaded = lanes.load(static_cast<const volatile sycl::int2*>(in + first));
    lanes.store(static_cast<volatile sycl::int2*>(out + first), loaded);
    const int number = int(mine) + 1;
    bool ok = lanes.shuffle(number, 0) == 1 && lanes.shuffle_xor(number, 1) == int(mine ^ 1) + 1;
    if (const int other = lanes.shuffle_down(number, 1); mine + 1 < all) ok &= other == number + 1;
    if (const int other = lanes.shuffle_up(number, 1); mine > 0) ok &= other == number - 1;
    ok &= lanes == item.get_sub_group() && item.get_local(0) == item.get_local_id(0);
    right[at] = ok && item.get_num_groups(0) == 2;
  }).wait();
  for (int i = 0; i < count; ++i) CHECK(right[i] == 1 && out[i].x() == i && out[i].y() == in[i].y());
  sycl::free(in, queue);
  sycl::free(out, queue);
  sycl::free(right, queue);
  CHECK(sycl::nd_range<3>() == sycl::nd_range<3>(sycl::range<3>(0, 0, 0), sycl::range<3>(0, 0, 0)));
}

TEST("work_group_memory gives an undecorated pointer unless asked otherwise") {
  sycl::queue queue;
  int* out = sycl::malloc_shared<int>(6, queue);
  queue
      .submit([&](sycl::handler& group) {
        x::work_group_memory<int[3]> memory(group);
        group.parallel_for(sycl::nd_range<1>(6, 3), [=](sycl::nd_item<> item) {
          auto pointer = memory.get_multi_ptr();
          static_assert(!decltype(pointer)::is_decorated);
          pointer[item.get_local_id(0)] = int(item.get_global_id(0));
          sycl::group_barrier(item.get_group());
          out[item.get_global_id(0)] = memory[2 - item.get_local_id(0)];
        });
      })
      .wait();
  for (int i = 0; i < 6; ++i) CHECK_EQUAL(out[i], i / 3 * 3 + 2 - i % 3);
  sycl::free(out, queue);
}

#define __SYCL_ASPECT(name, value) value,
#define __SYCL_ASPECT_DEPRECATED(name, value, why) value,
#define __SYCL_ASPECT_DEPRECATED_ALIAS(name, value, why) value,
namespace {
constexpr int aspects[] = {
#include <sycl/info/aspects.def>
#include <sycl/info/aspects_deprecated.def>
};
}  // namespace

TEST("DPC++'s headers and names for Intel's devices are there: lists of aspects, grf_size, architectures") {
  CHECK_EQUAL(aspects[0], int(sycl::aspect::cpu));
  CHECK(x::architecture::intel_gpu_bmg_g31 != x::architecture::intel_gpu_bmg_g21);
  sycl::queue queue;
  int* out = sycl::malloc_shared<int>(16, queue);
  namespace intel = sycl::ext::intel::experimental;
  static_assert(x::properties{intel::grf_size<256>}.has_property<intel::grf_size_key>());
  // All devices support sub-groups of 32.
  queue.parallel_for(sycl::nd_range<1>(16, 16), x::properties{intel::grf_size<256>, x::sub_group_size<32>},
                     [=](sycl::nd_item<1> item) { out[item.get_global_id(0)] = 1; }).wait();
  const x::properties automatic{intel::grf_size_automatic};
  queue.parallel_for(sycl::range<1>(8), automatic, [=](sycl::id<1> i) { out[i] += 1; }).wait();
  for (int i = 0; i < 16; ++i) CHECK_EQUAL(out[i], i < 8 ? 2 : 1);
  sycl::free(out, queue);
}

TEST("memory pools tell their threshold, which only grows") {
  sycl::queue queue;
  using sycl::usm::alloc;
  x::memory_pool pool(queue, alloc::device, {x::property::memory_pool::initial_threshold(100)});
  CHECK_EQUAL(pool.get_threshold(), 100u);
  pool.increase_threshold_to(50);
  CHECK_EQUAL(pool.get_threshold(), 100u);
  x::memory_pool copy = pool;
  copy.increase_threshold_to(200);
  CHECK(pool.get_threshold() == 200 && copy == pool && pool != x::memory_pool(queue, alloc::device));
  CHECK(pool.get_reserved_size_current() == 0 && pool.get_used_size_current() == 0);
}

namespace {
template <class Class, class Function>
bool throws(const Function& function) {
  try {
    function();
  } catch (const Class& error) {
    return *error.what() != '\0';
  } catch (...) {
  }
  return false;
}
}  // namespace

TEST("the runtime throws the classes of SYCL 1.2.1, which programs make as well") {
  sycl::queue queue;
  const auto indivisible = [&] { queue.parallel_for(sycl::nd_range<1>(9, 2), [](sycl::nd_item<1>) {}); };
  CHECK(throws<cl::sycl::nd_range_error>(indivisible) && throws<sycl::runtime_error>(indivisible));
  CHECK(throws<sycl::runtime_error>([] { sycl::device([](const sycl::device&) { return -1; }); }));
  CHECK(throws<sycl::invalid_parameter_error>([] { sycl::exception(std::error_code()).get_context(); }));
  const sycl::event event;
  using profiled = sycl::info::event_profiling::command_end;
  CHECK(throws<sycl::invalid_parameter_error>([&] { event.get_profiling_info<profiled>(); }));
  CHECK(throws<sycl::invalid_parameter_error>([] {
    sycl::unsampled_image<1>(sycl::image_format::r8g8b8a8_sint, sycl::range<1>(0));
  }));
  const auto build = [] { throw sycl::compile_program_error("no", -11); };
  CHECK(throws<sycl::device_error>(build) && throws<sycl::exception>(build) && throws<std::exception>(build));
  CHECK(!throws<sycl::runtime_error>(build));
  const sycl::memory_allocation_error made("full", -4);
  CHECK(made.get_cl_code() == -4 && made.code() == sycl::errc::memory_allocation && std::string(made.what()) == "full");
  const sycl::exception& copy = sycl::kernel_error(made.code(), "why");
  CHECK(copy.get_cl_code() == 0 && copy.code() == sycl::errc::memory_allocation && !copy.has_context());
}

E2E_MAIN
