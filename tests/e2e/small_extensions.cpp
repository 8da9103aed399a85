// Small extensions that programs name: prefetches, uniform values, annotated pointers, clocks, native mathematics,
// branches by architecture, work-groups of automatic size, current devices, profiling tags, memory pools of
// commands, virtual memory, AdaptiveCpp's `specialized`, names of Level Zero, and Khronos' commands as functions.
#include <sycl/ext/acpp/specialized.hpp>
#include <sycl/ext/oneapi/backend/level_zero.hpp>
#include <sycl/ext/oneapi/experimental/annotated_ptr/annotated_ptr.hpp>
#include <sycl/ext/oneapi/experimental/async_alloc.hpp>
#include <sycl/ext/oneapi/experimental/auto_local_range.hpp>
#include <sycl/ext/oneapi/experimental/builtins.hpp>
#include <sycl/ext/oneapi/experimental/clock.hpp>
#include <sycl/ext/oneapi/experimental/current_device.hpp>
#include <sycl/ext/oneapi/experimental/device_architecture.hpp>
#include <sycl/ext/oneapi/experimental/prefetch.hpp>
#include <sycl/ext/oneapi/experimental/profiling_tag.hpp>
#include <sycl/ext/oneapi/experimental/uniform.hpp>
#include <sycl/ext/oneapi/virtual_mem/virtual_mem.hpp>
#include <sycl/khr/free_function_commands.hpp>

#include "check.hpp"

#include <thread>

#if SYCL_EXT_ONEAPI_PREFETCH != 1 || SYCL_EXT_ONEAPI_UNIFORM != 1 || SYCL_EXT_ONEAPI_CLOCK != 1 ||           \
    SYCL_EXT_ONEAPI_NATIVE_MATH != 1 || SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE != 1 || !ACPP_EXT_SPECIALIZED ||    \
    SYCL_EXT_ONEAPI_CURRENT_DEVICE != 1 || SYCL_EXT_ONEAPI_PROFILING_TAG != 1 ||                             \
    SYCL_EXT_ONEAPI_ASYNC_MEMORY_ALLOC != 1 || !SYCL_KHR_FREE_FUNCTION_COMMANDS || !SYCL_KHR_SPLIT_HEADERS
#error "a feature-test macro is missing"
#endif

namespace x = sycl::ext::oneapi::experimental;

namespace {

template <class Action>
bool throws(sycl::errc expected, Action action) {
  try {
    action();
    return false;
  } catch (const sycl::exception& error) {
    return error.code() == expected;
  }
}

}  // namespace

TEST("hints and promises change nothing: prefetches, uniform values, annotated pointers, specialized values") {
  sycl::queue queue = e2e::make_queue();
  const auto values = e2e::random_values<int>(100);
  int* const data = sycl::malloc_shared<int>(100, queue);
  std::copy(values.begin(), values.end(), data);
  const x::annotated_ptr annotated(data, x::properties{x::alignment<4>});
  static_assert(decltype(annotated)::has_property<x::alignment_key>());
  static_assert(decltype(annotated)::get_property<x::alignment_key>().value == 4);
  const sycl::specialized<int> factor = 3;
  queue
      .parallel_for(sycl::nd_range<1>(100, 20),
                    [=](sycl::nd_item<1> item) {
                      const std::size_t i = item.get_global_id(0);
                      x::prefetch(data + i, x::properties{x::prefetch_hint_L2});
                      x::prefetch(data + i, 4, x::properties{x::prefetch_hint<x::cache_level::L1, x::nontemporal>});
                      x::joint_prefetch(item.get_group(), data, 20);
                      const x::uniform<int> added(7);
                      const auto place = static_cast<std::ptrdiff_t>(i);
                      annotated[place] = *(annotated + place) * factor + added;
                    })
      .wait();
  for (std::size_t i = 0; i < 100; ++i) CHECK_EQUAL(data[i], values[i] * 3 + 7);
  x::annotated_ptr<int> moving(data);
  CHECK(*++moving == data[1] && *moving-- == data[1] && moving.get() == data && moving && !x::annotated_ptr<int>());
  sycl::free(data, queue);
}

TEST("a clock of the device or the work-group does not run backwards") {
  sycl::queue queue = e2e::make_queue();
  const sycl::device device = queue.get_device();
  std::uint64_t* const times = sycl::malloc_shared<std::uint64_t>(64, queue);
  std::fill(times, times + 64, 1);
  const auto check_times = [&] {
    for (int i = 0; i < 64; i += 2) CHECK(times[i] <= times[i + 1] && times[i + 1] != 0);
  };
  const auto run = [&](auto read) {
    queue.parallel_for(32, [=](sycl::id<1> i) {
      times[2 * i] = read();
      times[2 * i + 1] = read();
    }).wait();
    check_times();
    CHECK(times[1] > 1);
  };
  // A device refuses a kernel that needs a missing aspect.
  const auto check = [&](sycl::aspect needed, auto read) {
    if (device.has(needed)) return run(read);
    CHECK(throws(sycl::errc::kernel_not_supported, [&] { run(read); }));
  };
  check(sycl::aspect::ext_oneapi_clock_device, [] { return x::clock<x::clock_scope::device>(); });
  check(sycl::aspect::ext_oneapi_clock_work_group, [] { return x::clock<x::clock_scope::work_group>(); });
  check(sycl::aspect::ext_oneapi_clock_sub_group, [] { return x::clock<x::clock_scope::sub_group>(); });
  if (device.get_backend() == sycl::backend::sinter_cpu) CHECK(device.has(sycl::aspect::ext_oneapi_clock_device));
  sycl::free(times, queue);
}

TEST("native tanh and exp2 are near the functions") {
  sycl::queue queue = e2e::make_queue();
  const auto in = e2e::random_values<float>(200, -4, 4);
  sycl::float3* const out = sycl::malloc_shared<sycl::float3>(200, queue);
  float* const from = sycl::malloc_shared<float>(200, queue);
  std::copy(in.begin(), in.end(), from);
  queue.parallel_for(200, [=](sycl::id<1> i) {
    const sycl::half2 halves = x::native::tanh(sycl::half2(from[i], 0.0f));
    out[i] = {x::native::tanh(from[i]), x::native::exp2(from[i]), float(halves.x()) + float(halves.y())};
  }).wait();
  for (std::size_t i = 0; i < 200; ++i) {
    CHECK(std::fabs(out[i].x() - std::tanh(in[i])) < 1e-4f);
    CHECK(std::fabs(out[i].y() - std::exp2(in[i])) < 1e-4f * std::exp2(in[i]));
    CHECK(std::fabs(out[i].z() - std::tanh(in[i])) < 4e-3f);
  }
  sycl::free(out, queue), sycl::free(from, queue);
}

TEST("branches for architectures that no device has are not taken") {
  sycl::queue queue = e2e::make_queue();
  int* const taken = sycl::malloc_shared<int>(1, queue);
  queue.single_task([=] {
    x::if_architecture_is<x::architecture::intel_gpu_pvc>([=] { *taken = 1; })
        .else_if_architecture_is<x::architecture::amd_gpu_gfx90a, x::architecture::intel_gpu_bmg_g31>(
            [=] { *taken = 2; })
        .else_if_architecture_is<x::arch_category::intel_gpu>([=] { *taken = 3; })
        .otherwise([=] { *taken = 4; });
  }).wait();
  CHECK_EQUAL(*taken, 4);
  sycl::free(taken, queue);
}

TEST("work-groups of automatic size divide the range, and have the size that a kernel requires") {
  sycl::queue queue = e2e::make_queue();
  const std::size_t most = queue.get_device().get_info<sycl::info::device::max_work_group_size>();
  for (const std::size_t size : {1u, 7u, 60u, 251u, 509u, 1024u}) {
    std::size_t* const groups = sycl::malloc_shared<std::size_t>(size + 1, queue);
    std::fill(groups, groups + size + 1, std::size_t(0));
    queue.parallel_for(sycl::nd_range<1>(size, x::auto_range<1>()), [=](sycl::nd_item<1> item) {
      groups[item.get_global_id(0)] = item.get_local_range(0);
    }).wait();
    for (std::size_t i = 0; i < size; ++i) {
      CHECK(groups[i] == groups[0] && groups[i] >= 1 && groups[i] <= most && size % groups[i] == 0);
    }
    queue.parallel_for(sycl::nd_range<1>(size, x::auto_range<1>()),
                       sycl::reduction(groups + size, sycl::plus<std::size_t>()),
                       [=](sycl::nd_item<1> item, auto& sum) { sum += item.get_global_id(0) + 1; }).wait();
    CHECK_EQUAL(groups[size], size * (size + 1) / 2);
    sycl::free(groups, queue);
  }
  std::size_t* const found = sycl::malloc_shared<std::size_t>(3, queue);
  queue.parallel_for(sycl::nd_range<3>({2, 12, 64}, x::auto_range<3>()), [=](sycl::nd_item<3> item) {
    if (item.get_global_linear_id() == 0) for (int d = 0; d < 3; ++d) found[d] = item.get_local_range(d);
  }).wait();
  CHECK(2 % found[0] == 0 && 12 % found[1] == 0 && 64 % found[2] == 0 && found[0] * found[1] * found[2] > 1);
#ifndef SINTER_E2E_LIBRARY_MODE
  queue.parallel_for(sycl::nd_range<1>(48, x::auto_range<1>()), [=](sycl::nd_item<1> item)
                         [[sycl::reqd_work_group_size(6)]] { found[0] = item.get_local_range(0); }).wait();
  CHECK_EQUAL(found[0], std::size_t{6});
#endif
  CHECK(throws(sycl::errc::nd_range, [&] {
    queue.parallel_for(sycl::nd_range<1>(sycl::range<1>(4), sycl::range<1>(0)), [](sycl::nd_item<1>) {});
  }));
  sycl::free(found, queue);
}

TEST("each thread has a current device") {
  namespace current = x::this_thread;
  CHECK(current::get_current_device() == sycl::device());
  for (const sycl::device& each : sycl::device::get_devices()) {
    current::set_current_device(each);
    CHECK(current::get_current_device() == each);
    bool usual = false;
    std::thread([&] { usual = current::get_current_device() == sycl::device(); }).join();
    CHECK(usual);
  }
}

TEST("a tag of time lies between what is submitted before it and after") {
  namespace when = sycl::info::event_profiling;
  for (const bool in_order : {true, false}) {
    const sycl::property_list properties =
        in_order ? sycl::property_list{sycl::property::queue::enable_profiling(), sycl::property::queue::in_order()}
                 : sycl::property_list{sycl::property::queue::enable_profiling()};
    sycl::queue queue = e2e::make_queue(properties);
    int* const data = sycl::malloc_device<int>(100000, queue);
    const sycl::event before = queue.fill(data, 1, 100000);
    const sycl::event tag = x::submit_profiling_tag(queue);
    const sycl::event after = queue.fill(data, 2, 100000);
    queue.wait();
    const std::uint64_t time = tag.get_profiling_info<when::command_end>();
    CHECK_EQUAL(time, tag.get_profiling_info<when::command_start>());
    CHECK_EQUAL(time, tag.get_profiling_info<when::command_submit>());
    CHECK(time != 0 && before.get_profiling_info<when::command_end>() <= time);
    CHECK(time <= after.get_profiling_info<when::command_end>());
    sycl::free(data, queue);
  }
  sycl::queue plain = e2e::make_queue();
  CHECK(!plain.get_device().has(sycl::aspect::ext_oneapi_queue_profiling_tag));
  CHECK(throws(sycl::errc::invalid, [&] { x::submit_profiling_tag(plain); }));
}

TEST("commands allocate memory and free it, in order with others") {
  for (const bool in_order : {true, false}) {
    sycl::queue queue = e2e::make_queue(in_order ? sycl::property_list{sycl::property::queue::in_order()}
                                                 : sycl::property_list{});
    CHECK(queue.get_device().has(sycl::aspect::ext_oneapi_async_memory_alloc));
    const auto in = e2e::random_values<int>(1000);
    std::vector<int> out(1000);
    x::memory_pool usual =
        queue.get_context().ext_oneapi_get_default_memory_pool(queue.get_device(), sycl::usm::alloc::device);
    const std::size_t used = usual.get_used_size_current();
    for (int round = 0; round < 3; ++round) {
      int* memory = nullptr;
      sycl::event last = queue.submit([&](sycl::handler& group) {
        memory = static_cast<int*>(x::async_malloc(group, sycl::usm::alloc::device, 1000 * sizeof(int)));
      });
      CHECK(usual.get_used_size_current() >= used + 1000 * sizeof(int));
      last = queue.memcpy(memory, in.data(), 1000 * sizeof(int), last);
      last = queue.parallel_for(sycl::range<1>(1000), last, [=](sycl::id<1> i) { memory[i] += round; });
      last = queue.memcpy(out.data(), memory, 1000 * sizeof(int), last);
      queue.submit([&](sycl::handler& group) {
        group.depends_on(last);
        x::async_free(group, memory);
      });
      CHECK(throws(sycl::errc::invalid, [&] { x::async_free(queue, memory); }));
      queue.wait();
      CHECK_EQUAL(usual.get_used_size_current(), used);
      for (std::size_t i = 0; i < 1000; ++i) CHECK_EQUAL(out[i], in[i] + round);
    }
  }
}

TEST("memory pools keep what their threshold allows, and give no more than their size") {
  namespace wish = x::property::memory_pool;
  sycl::queue queue = e2e::make_queue({sycl::property::queue::in_order()});
  const auto device = sycl::usm::alloc::device;
  x::memory_pool pool(queue, device, {wish::initial_threshold(8192), wish::maximum_size(16384), wish::zero_init()});
  CHECK(pool.get_alloc_kind() == device && pool.get_device() == queue.get_device());
  void* const first = x::async_malloc_from_pool(queue, 4096, pool);
  queue.memset(first, 1, 4096);
  x::async_free(queue, first);
  queue.wait();
  CHECK(pool.get_used_size_current() == 0 && pool.get_reserved_size_current() == 4096);
  // The pool reuses the freed memory, filled with zeros.
  void* const second = x::async_malloc_from_pool(queue, 4000, pool);
  CHECK(second == first);
  std::vector<unsigned char> bytes(4000, 9);
  queue.memcpy(bytes.data(), second, 4000).wait();
  for (const unsigned char each : bytes) CHECK_EQUAL(each, 0);
  CHECK(throws(sycl::errc::memory_allocation, [&] { x::async_malloc_from_pool(queue, 16384, pool); }));
  void* const large = x::async_malloc_from_pool(queue, 12288, pool);
  CHECK_EQUAL(pool.get_used_size_current(), std::size_t{16384});
  x::async_free(queue, large);
  x::async_free(queue, second);
  queue.wait();
  CHECK(pool.get_used_size_current() == 0 && pool.get_reserved_size_current() <= 8192);
  pool.increase_threshold_to(10000);
  pool.increase_threshold_to(100);
  CHECK_EQUAL(pool.get_threshold(), std::size_t{10000});
  const sycl::context context = queue.get_context();
  CHECK(throws(sycl::errc::invalid, [&] { x::memory_pool(context, queue.get_device(), sycl::usm::alloc::host); }));
  CHECK(throws(sycl::errc::invalid, [&] { x::memory_pool(context, device); }));
  CHECK(throws(sycl::errc::invalid, [&] { x::async_malloc_from_pool(queue, 0, pool); }));
  int other = 0;
  CHECK(throws(sycl::errc::invalid, [&] { x::async_free(queue, &other); }));
}

TEST("memory is mapped to addresses, twice if wanted, and keeps what is in it") {
  using mode = x::address_access_mode;
  sycl::queue queue = e2e::make_queue();
  const sycl::context context = queue.get_context();
  constexpr auto invalid = sycl::errc::invalid;
  if (!queue.get_device().has(sycl::aspect::ext_oneapi_virtual_mem)) {
    CHECK(queue.get_backend() != sycl::backend::sinter_cpu);
    CHECK(throws(sycl::errc::feature_not_supported, [&] { x::get_mem_granularity(queue); }));
    CHECK(throws(sycl::errc::feature_not_supported, [&] { x::physical_mem(queue, 1 << 20); }));
    CHECK(throws(sycl::errc::feature_not_supported, [&] { x::reserve_virtual_mem(1 << 20, context); }));
    return;
  }
  const std::size_t piece = x::get_mem_granularity(queue, x::granularity_mode::minimum), count = piece / sizeof(int);
  CHECK(piece > 0 && x::get_mem_granularity(queue) % piece == 0);
  const std::uintptr_t start = x::reserve_virtual_mem(4 * piece, context);
  CHECK(start != 0 && start % piece == 0);
  {
    const x::physical_mem memory(queue, 2 * piece);
    CHECK(memory.size() == 2 * piece && memory.get_device() == queue.get_device());
    int* const first = static_cast<int*>(memory.map(start, 2 * piece, mode::read_write));
    CHECK(reinterpret_cast<std::uintptr_t>(first) == start);
    CHECK(sycl::get_pointer_type(first, context) == sycl::usm::alloc::device);
    queue.parallel_for(2 * count, [=](sycl::id<1> i) { first[i] = static_cast<int>(i) * 3; }).wait();
    // Maps the second half of the memory at a second address.
    int* const again = static_cast<int*>(memory.map(start + 3 * piece, piece, mode::read, piece));
    CHECK(x::get_access_mode(again, piece, context) == mode::read);
    std::vector<int> found(count);
    queue.memcpy(found.data(), again, piece).wait();
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(found[i], static_cast<int>(count + i) * 3);
    CHECK(throws(invalid, [&] { memory.map(start + piece, piece, mode::read); }));      // mapped already
    CHECK(throws(invalid, [&] { memory.map(start + 2 * piece, piece, mode::read, 2 * piece); }));  // behind its end
    CHECK(throws(invalid, [&] { memory.map(start + 4 * piece, piece); }));              // not reserved
    CHECK(throws(invalid, [&] { memory.map(start + 2 * piece, piece / 2); }));
    CHECK(throws(invalid, [&] { x::unmap(first, piece, context); }));
    CHECK(throws(invalid, [&] { x::free_virtual_mem(start, 4 * piece, context); }));
    x::set_access_mode(again, piece, mode::none, context);
    CHECK(x::get_access_mode(again, piece, context) == mode::none);
    x::unmap(again, piece, context);
    x::unmap(first, 2 * piece, context);
    CHECK(sycl::get_pointer_type(first, context) == sycl::usm::alloc::unknown);
    int* const moved = static_cast<int*>(memory.map(start + 2 * piece, 2 * piece, mode::read_write));
    queue.memcpy(found.data(), moved, piece).wait();
    for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(found[i], static_cast<int>(i) * 3);
    x::unmap(moved, 2 * piece, context);
  }
  CHECK(throws(invalid, [&] { x::free_virtual_mem(start, piece, context); }));
  x::free_virtual_mem(start, 4 * piece, context);
  CHECK(throws(invalid, [&] { x::reserve_virtual_mem(piece + 1, context); }));
  CHECK(throws(invalid, [&] { x::physical_mem(queue, 0); }));
}

TEST("Level Zero's objects are given where there are some") {
  sycl::queue queue = e2e::make_queue();
  constexpr auto level_zero = sycl::backend::ext_oneapi_level_zero;
  static_assert(std::is_same_v<sycl::backend_return_t<level_zero, sycl::device>, _ze_device_handle_t*>);
  if (queue.get_backend() == level_zero) {
    CHECK(sycl::get_native<level_zero>(queue.get_device()) != nullptr);
    CHECK(sycl::get_native<level_zero>(queue.get_context()) != nullptr);
    CHECK(sycl::get_native<level_zero>(queue.get_device().get_platform()) != nullptr);
    return;
  }
  const auto refused = sycl::errc::backend_mismatch;
  CHECK(throws(refused, [&] { (void)sycl::get_native<level_zero>(queue.get_device()); }));
  CHECK(throws(refused, [&] { (void)sycl::get_native<level_zero>(queue.get_context()); }));
  CHECK(throws(refused, [&] { (void)sycl::get_native<level_zero>(queue); }));
}

TEST("Khronos' functions are commands of queues and handlers") {
  namespace khr = sycl::khr;
  sycl::queue queue = e2e::make_queue({sycl::property::queue::in_order()});
  const sycl::queue constant = queue;
  int* const data = sycl::malloc_shared<int>(60, queue);
  int* const sums = sycl::malloc_shared<int>(2, queue);
  khr::memset(queue, data, 0, 60 * sizeof(int));
  khr::fill(queue, data + 30, 5, 30);
  khr::launch(constant, 60, [=](sycl::id<1> i) { data[i] += static_cast<int>(i); });
  khr::launch_grouped(queue, sycl::range<2>(6, 10), sycl::range<2>(2, 5), [=](sycl::nd_item<2> item) {
    data[item.get_global_linear_id()] += item.get_local_range(1) == 5 ? 100 : 1000;
  });
  khr::submit(queue, [&](sycl::handler& group) { khr::launch_task(group, [=] { sums[0] = sums[1] = 0; }); });
  khr::launch_reduce(queue, 60, [=](sycl::id<1> i, auto& sum) { sum += data[i]; },
                     sycl::reduction(sums, sycl::plus<int>()));
  const auto add_up = [=](sycl::nd_item<1> item, auto& sum) { sum += data[item.get_global_id(0)]; };
  khr::launch_grouped_reduce(queue, 60, 10, add_up, sycl::reduction(sums + 1, sycl::plus<int>()));
  int copied[60] = {};
  khr::prefetch(queue, data, 60 * sizeof(int));
  khr::copy(queue, data, copied, 60);
  khr::command_barrier(queue);
  sycl::event last = khr::submit_tracked(queue, [&](sycl::handler& group) { khr::memcpy(group, copied, data, 4); });
  khr::event_barrier(queue, {last});
  queue.wait();
  int sum = 0;
  for (int i = 0; i < 60; ++i) {
    CHECK_EQUAL(copied[i], i + 100 + (i < 30 ? 0 : 5));
    sum += copied[i];
  }
  CHECK(sums[0] == sum && sums[1] == sum);
  sycl::buffer<int> buffer(copied, 60);
  std::vector<int> out(60);
  sycl::accessor to(buffer);
  khr::fill(queue, to, 8);
  khr::copy(queue, to, out.data());
  queue.wait();
  CHECK(out == std::vector<int>(60, 8));
  sycl::free(data, queue), sycl::free(sums, queue);
}

E2E_MAIN
