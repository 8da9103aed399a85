/// The GPU backend on a driver that does nothing: which calls the backend makes, how often, and how it handles
/// failures.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <sycl/backend.hpp>
#include <sycl/ext/oneapi/device_info.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/oneapi/experimental/root_group.hpp>
#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

#include "../unit/scheduler/allocation_counter.hpp"
#include "fake_driver.hpp"

class calls_the_host;
class requires_tall;

namespace {

sycl::queue make_queue(const sycl::property_list& properties = {}, sycl::async_handler handler = {}) {
  return sycl::queue(sycl::gpu_selector_v, std::move(handler), properties);
}

template <class Submit>
std::string refusal(sycl::errc code, const Submit& submit) {
  try {
    submit();
  } catch (const sycl::exception& error) {
    CHECK((error.code() == code));
    return error.what();
  }
  FAIL("nothing was thrown");
  return {};
}

bool has_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    if (text.find(word) == std::string::npos) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("who looks at devices, and uses the CPU or one GPU, makes no context of the others") {
  CHECK(sycl::queue(sycl::cpu_selector_v).submit([](sycl::handler& group) { group.host_task([] {}); }).get_backend() ==
        sycl::backend::sinter_cpu);
  for (const sycl::device& each : sycl::device::get_devices())
    (void)each.get_info<sycl::info::device::local_mem_size>();
  CHECK(fake_driver_calls.contexts == 0);
  make_queue().single_task([=] {}).wait();
  CHECK(fake_driver_calls.contexts == 1);
}

TEST_CASE("shared memory is brought to the device, and advice handed on") {
  sycl::queue queue = make_queue();
  int* shared = sycl::malloc_shared<int>(1000, queue);
  int* device = sycl::malloc_device<int>(1000, queue);
  queue.prefetch(shared, 4000).wait();
  queue.prefetch(device, 4000).wait();
  CHECK(fake_driver_calls.prefetches == 1);
  queue.mem_advise(shared + 10, 400, 1).wait();
  CHECK(fake_driver_calls.advices == 1);
  queue.mem_advise(shared, 4000, 0).wait();
  CHECK(fake_driver_calls.advices == 4);
  sycl::free(shared, queue);
  sycl::free(device, queue);
}

TEST_CASE("the driver's objects are got and given") {
  constexpr sycl::backend cuda = sycl::backend::ext_oneapi_cuda;
  sycl::queue queue = make_queue(sycl::property::queue::in_order());
  const sycl::device device = queue.get_device();
  CHECK(sycl::make_device<cuda>(sycl::get_native<cuda>(device)) == device);
  CHECK(has_words(refusal(sycl::errc::invalid, [&] { sycl::get_native<cuda>(queue.get_context()); }), {"2 devices"}));
  const sycl::context context(device);
  CUctx_st* const native = sycl::get_native<cuda>(context);
  CHECK(sycl::get_native<cuda>(sycl::make_context<cuda>(native)) == native);
  CHECK(has_words(refusal(sycl::errc::feature_not_supported,
                          [] { sycl::make_context<cuda>(reinterpret_cast<CUctx_st*>(8)); }), {"primary"}));
  CHECK(has_words(refusal(sycl::errc::invalid, [] { sycl::make_device<cuda>(2); }), {"make_device"}));
  CHECK(has_words(refusal(sycl::errc::backend_mismatch,
                          [] { sycl::get_native<cuda>(sycl::device(sycl::cpu_selector_v)); }), {"get_native"}));
  CUstream_st* const stream = sycl::get_native<cuda>(queue);
  sycl::queue given = sycl::make_queue<cuda>(stream, context);
  CHECK(sycl::get_native<cuda>(given) == stream);
  const auto launches = fake_driver_calls.launches.size();
  const sycl::event done = given.single_task([=] {});
  CHECK(fake_driver_calls.launches.size() == launches + 1);
  sycl::make_event<cuda>(sycl::get_native<cuda>(done), context).wait();
  const sycl::event none;
  CHECK(has_words(refusal(sycl::errc::invalid, [&] { sycl::get_native<cuda>(none); }), {"get_native", "queue"}));
  sycl::buffer<int> buffer(sycl::range<1>(100));
  int* seen = nullptr;
  queue.submit([&](sycl::handler& group) {
    sycl::accessor memory(buffer, group, sycl::write_only, sycl::no_init);
    group.host_task([=, &seen](const sycl::interop_handle& handle) {
      seen = reinterpret_cast<int*>(handle.get_native_mem<cuda>(memory));
      if (handle.get_native_queue<cuda>() == stream) seen[3] = 8;
    });
  });
  // The host reads the value that the task has written.
  CHECK(sycl::host_accessor(buffer)[3] == 8);
  CHECK(seen != nullptr);
}

TEST_CASE("both GPUs are devices of one platform, beside the CPU's") {
  CHECK(sycl::device::get_devices(sycl::info::device_type::gpu).size() == 2);
  CHECK(sycl::device(sycl::default_selector_v).is_gpu());
  const sycl::device gpu(sycl::gpu_selector_v), cpu(sycl::cpu_selector_v);
  CHECK(gpu.get_backend() == sycl::backend::ext_oneapi_cuda);
  CHECK(gpu.get_platform() != cpu.get_platform());
  CHECK(gpu.get_platform().get_info<sycl::info::platform::name>() == "NVIDIA CUDA");
  CHECK(gpu.get_platform().get_devices().size() == 2);
  CHECK(sycl::platform::get_platforms().size() == 2);
  CHECK(gpu.get_info<sycl::info::device::sub_group_sizes>() == std::vector<std::size_t>{32});
  CHECK(gpu.get_info<sycl::info::device::local_mem_type>() == sycl::info::local_mem_type::local);
  CHECK(cpu.get_info<sycl::info::device::local_mem_type>() == sycl::info::local_mem_type::global);
  // A default-constructed event has the backend of the default queue.
  CHECK(sycl::event().get_backend() == sycl::backend::ext_oneapi_cuda);
  CHECK(gpu.has(sycl::aspect::online_compiler));
  CHECK(gpu.has(sycl::aspect::online_linker));
  // The fake GPU reports no atomic operations of host and device on the same memory.
  CHECK(!gpu.has(sycl::aspect::usm_atomic_host_allocations));
  CHECK(sycl::queue(gpu).get_context().get_devices().size() == 2);
}

TEST_CASE("reductions have sub-groups of the CPU's there, and are compatible with GPUs, which launch them") {
  sycl::queue queue = make_queue();
  int* sum = sycl::malloc_device<int>(1, queue);
  const auto launches = fake_driver_calls.launches.size();
  queue
      .parallel_for<class sums_on_gpu>(sycl::range<1>(1000), sycl::reduction(sum, sycl::plus<>()),
                                       [=](sycl::id<1>, auto& into) { into += 1; })
      .wait();
  CHECK(fake_driver_calls.launches.size() > launches);
  CHECK(sycl::is_compatible<class sums_on_gpu>(queue.get_device()));
  CHECK(sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context())
            .has_kernel(sycl::get_kernel_id<class sums_on_gpu>()));
  sycl::free(sum, queue);
}

TEST_CASE("a launch of an in-order queue is a launch of the driver, and an event now and then") {
  sycl::queue queue = make_queue(sycl::property::queue::in_order());
  int* memory = sycl::malloc_device<int>(1, queue);
  const auto submit = [&] { queue.single_task([=] { *memory = 1; }); };
  submit();
  queue.wait();
  const auto launches = fake_driver_calls.launches.size();
  const long events = fake_driver_calls.events, queries = queries_of_this_thread(),
             allocations = fake_driver_calls.allocations;
  for (int i = 0; i < 320; ++i) submit();
  CHECK(fake_driver_calls.launches.size() == launches + 320);
  CHECK(fake_driver_calls.events <= events + 21);
  CHECK(queries_of_this_thread() == queries);
  CHECK(fake_driver_calls.allocations == allocations);
  queue.wait();
  sycl::free(memory, queue);
}

TEST_CASE("once somebody has waited for a launch with others behind it, each has an event of its own") {
  sycl::queue queue = make_queue(sycl::property::queue::in_order());
  const auto submit = [&] { return queue.single_task([=] {}); };
  submit();
  queue.wait();
  const long first = fake_driver_calls.events;
  for (int i = 0; i < 8; ++i) submit().wait();
  CHECK(fake_driver_calls.events < first + 8);
  sycl::event awaited = submit();
  submit();
  awaited.wait();
  const long events = fake_driver_calls.events;
  for (int i = 0; i < 8; ++i) submit();
  CHECK(fake_driver_calls.events == events + 8);
  queue.wait();
}

TEST_CASE("thousands of launches ahead wait for the device, not for the driver") {
  sycl::queue queue = make_queue(sycl::property::queue::in_order());
  for (int i = 0; i < 5000; ++i) queue.single_task([=] {});
  queue.wait();
  CHECK(queue.khr_empty());
}

TEST_CASE("the driver is asked to wait behind kernels that print, when they are complete, and behind no others") {
  sycl::queue queue = make_queue(sycl::property::queue::in_order());
  const auto waits_for = [&](sycl::event done) {
    const long before = fake_driver_calls.event_waits;
    while (done.get_info<sycl::info::event::command_execution_status>() != sycl::info::event_command_status::complete) {
    }
    return fake_driver_calls.event_waits - before;
  };
  CHECK(waits_for(queue.single_task([=] {})) == 0);
  fake_driver_calls.prints = true;
  sycl::event printing;
  for (int round = 0; round < 2; ++round) {
    printing = queue.single_task([=] {});
    fake_driver_calls.prints = false;
    CHECK(waits_for(printing) == 1);
    CHECK(waits_for(queue.single_task([=] {})) == 0);
    fake_driver_calls.prints = true;
  }
  fake_driver_calls.prints = false;
}

TEST_CASE("shapes become grids") {
  sycl::queue queue = make_queue();
  const auto latest = [&](sycl::event done) {
    done.wait();
    return fake_driver_calls.launches.back();
  };
  fake_launch seen = latest(queue.parallel_for(sycl::range<1>(1000), [=](sycl::id<1>) {}));
  CHECK((seen.blocks[0] == 4 && seen.threads[0] == 256 && seen.blocks[1] == 1 && seen.threads[1] == 1));
  seen = latest(queue.parallel_for(sycl::range<2>(10, 100), [=](sycl::id<2>) {}));
  CHECK((seen.blocks[0] == 4 && seen.blocks[1] == 2 && seen.threads[0] == 32 && seen.threads[1] == 8));
  seen = latest(queue.parallel_for(sycl::nd_range<3>({4, 6, 64}, {2, 3, 32}), [=](sycl::nd_item<3>) {}));
  CHECK((seen.blocks[0] == 2 && seen.blocks[1] == 2 && seen.blocks[2] == 2));
  CHECK((seen.threads[0] == 32 && seen.threads[1] == 3 && seen.threads[2] == 2));
  // The range has more rows than a grid can have, so all work-groups are in one dimension of the grid.
  seen = latest(queue.parallel_for(sycl::nd_range<2>({70000, 8}, {1, 8}), [=](sycl::nd_item<2>) {}));
  CHECK((seen.blocks[0] == 70000 && seen.blocks[1] == 1));
  const auto launches = fake_driver_calls.launches.size();
  queue.parallel_for(sycl::range<1>(0), [=](sycl::id<1>) {}).wait();
  CHECK(fake_driver_calls.launches.size() == launches);
}

namespace {
namespace oneapi = sycl::ext::oneapi::experimental;
struct all_meet {
  auto get(oneapi::properties_tag) const { return oneapi::properties{oneapi::use_root_sync}; }
  void operator()(sycl::nd_item<1> item) const { sycl::group_barrier(item.ext_oneapi_get_root_group()); }
};
}  // namespace

TEST_CASE("work-groups that meet at a barrier are started together, as many as there is room for") {
  sycl::queue queue = make_queue(sycl::property::queue::in_order());
  const auto launch = [&](std::size_t groups) { queue.parallel_for(sycl::nd_range<1>(32 * groups, 32), all_meet()); };
  fake_driver_calls.blocks_together = 3;
  const auto kernel = sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context())
                          .get_kernel(sycl::get_kernel_id<all_meet>());
  using most_groups = oneapi::info::kernel_queue_specific::max_num_work_groups;
  const std::size_t most = kernel.ext_oneapi_get_info<most_groups>(queue, sycl::range<1>(32));
  CHECK(most == 3 * queue.get_device().get_info<sycl::info::device::max_compute_units>());
  const long before = fake_driver_calls.launches_together;
  launch(1);
  launch(most);
  CHECK(fake_driver_calls.launches_together == before + 2);
  CHECK(has_words(refusal(sycl::errc::nd_range, [&] { launch(most + 1); }), {"all_meet", "max_num_work_groups"}));
  queue.parallel_for(sycl::nd_range<1>(32 * (most + 1), 32), [=](sycl::nd_item<1>) {}).wait();
  CHECK(fake_driver_calls.launches_together == before + 2);
  // The driver's graphs start work-groups like other launches.
  oneapi::command_graph<> graph(queue);
  graph.add([&](sycl::handler& group) { group.parallel_for(sycl::nd_range<1>(64, 32), all_meet()); });
  const long graphs = fake_driver_calls.graph_launches;
  queue.ext_oneapi_graph(graph.finalize()).wait();
  CHECK(fake_driver_calls.graph_launches == graphs);
  CHECK(fake_driver_calls.launches_together == before + 3);
}

TEST_CASE("local accessors are dynamic memory, which functions are given when they need more than 48 KiB") {
  sycl::queue queue = make_queue();
  const auto with = [&](std::size_t bytes) {
    queue
        .submit([&](sycl::handler& group) {
          sycl::local_accessor<char> memory(sycl::range<1>(bytes), group);
          group.parallel_for(sycl::nd_range<1>(64, 64),
                             [=](sycl::nd_item<1> item) { memory[item.get_local_id(0)] = 1; });
        })
        .wait();
    return fake_driver_calls.launches.back().shared_bytes;
  };
  CHECK(with(1000) == 1000);
  CHECK(fake_driver_calls.dynamic_memory == 0);
  CHECK(with(100000) == 100000);
  CHECK(fake_driver_calls.dynamic_memory == 100000);
  CHECK(has_words(refusal(sycl::errc::memory_allocation, [&] { with(300000); }), {"Fake GPU", "300000", "232448"}));
}

TEST_CASE("fused kernels are one launch, others one each, and those behind them wait on the device") {
  namespace cx = sycl::ext::codeplay::experimental;
  const sycl::property_list in_order{cx::property::queue::enable_fusion(), sycl::property::queue::in_order()};
  for (const bool ordered : {false, true}) {
    sycl::queue queue = make_queue(ordered ? in_order : sycl::property_list{cx::property::queue::enable_fusion()});
    CHECK(queue.ext_codeplay_supports_fusion());
    float* memory = sycl::malloc_device<float>(1000, queue);
    cx::fusion_wrapper fusion(queue);
    const auto list = [&](bool groups, bool complete) {
      const auto before = fake_driver_calls.launches.size();
      fusion.start_fusion();
      if (groups) {
        queue.parallel_for(sycl::nd_range<1>(960, 96), [=](sycl::nd_item<1> i) { memory[i.get_global_id(0)] = 2; });
      } else {
        queue.parallel_for(sycl::range<1>(1000), [=](sycl::id<1> i) { memory[i] = 1; });
      }
      queue.parallel_for(sycl::range<1>(groups ? 960 : 1000), [=](sycl::id<1> i) { memory[i] *= 3; });
      sycl::event done;
      if (complete) done = fusion.complete_fusion();
      if (!complete) fusion.cancel_fusion();
      // The GPU, and not the host, decides when this command may begin.
      queue.submit([&](sycl::handler& group) {
        group.depends_on(done);
        group.single_task([=] { memory[0] = 0; });
      });
      queue.wait();
      return fake_driver_calls.launches.size() - before - 1;
    };
    CHECK(list(false, true) == 1);
    const fake_launch of_ranges = *(fake_driver_calls.launches.end() - 2);
    CHECK((of_ranges.blocks[0] == 4 && of_ranges.threads[0] == 256));
    CHECK(list(true, true) == 1);
    const fake_launch of_groups = *(fake_driver_calls.launches.end() - 2);
    CHECK((of_groups.blocks[0] == 10 && of_groups.threads[0] == 96));
    CHECK(list(false, false) == 2);
    sycl::free(memory, queue);
  }
}

TEST_CASE("kernels that are fused by themselves are launched once") {
  sycl::queue queue = make_queue(sycl::ext::sinter::property::queue::auto_fusion());
  sycl::buffer<float> from(sycl::range<1>(1 << 20)), to(sycl::range<1>(1 << 20));
  const auto round = [&] {
    const auto before = fake_driver_calls.launches.size();
    for (int i = 0; i < 3; ++i) {
      queue.submit([&](sycl::handler& group) {
        sycl::accessor in(i % 2 == 0 ? from : to, group, sycl::read_only);
        sycl::accessor out(i % 2 == 0 ? to : from, group, sycl::write_only);
        group.parallel_for(sycl::range<1>(1 << 20), [=](sycl::id<1> k) { out[k] = in[k] + 1; });
      });
    }
    queue.wait();
    return fake_driver_calls.launches.size() - before;
  };
  std::size_t fewest = 3;
  for (int i = 0; i < 2000 && fewest > 1; ++i) {
    fewest = std::min(fewest, round());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  CHECK(fewest == 1);
}

TEST_CASE("arguments that are together too many for a launch keep kernels apart") {
  namespace cx = sycl::ext::codeplay::experimental;
  sycl::queue queue = make_queue(cx::property::queue::enable_fusion());
  cx::fusion_wrapper fusion(queue);
  int* memory = sycl::malloc_device<int>(1000, queue);
  const auto before = fake_driver_calls.launches.size();
  fusion.start_fusion();
  for (int kernel = 0; kernel < 3; ++kernel) {
    std::array<int, 4000> many{};  // half of the bytes that a launch can pass as arguments
    queue.parallel_for(sycl::range<1>(500), [=](sycl::id<1> i) { memory[i] += many[i]; });
  }
  fusion.complete_fusion().wait();
  CHECK(fake_driver_calls.launches.size() == before + 3);
  sycl::free(memory, queue);
}

TEST_CASE("a kernel of a list that no GPU can run is an error of its own; the others run") {
  namespace cx = sycl::ext::codeplay::experimental;
  for (const bool complete : {false, true}) {
    std::string heard;
    const auto listen = [&](const sycl::exception_list& list) {
      for (const std::exception_ptr& each : list) {
        try {
          std::rethrow_exception(each);
        } catch (const sycl::exception& error) {
          CHECK((error.code() == sycl::errc::build));
          heard += error.what();
        }
      }
    };
    sycl::queue queue = make_queue(cx::property::queue::enable_fusion(), listen);
    int* memory = sycl::malloc_device<int>(64, queue);
    cx::fusion_wrapper fusion(queue);
    const auto before = fake_driver_calls.launches.size();
    fusion.start_fusion();
    queue.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> i) { memory[i.get_global_id(0)] = 1; });
    queue.parallel_for<class has_no_stack>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> i) {
      int& mine = memory[i.get_global_id(0)];
      auto* place = static_cast<volatile int*>(__builtin_alloca(sizeof(int) * static_cast<unsigned>(mine)));
      place[mine / 2] = mine;
      mine = place[mine / 3];
    });
    if (complete) fusion.complete_fusion();
    if (!complete) fusion.cancel_fusion();
    queue.wait_and_throw();
    CHECK(fake_driver_calls.launches.size() == before + 1);
    CHECK(has_words(heard, {"has_no_stack", "variable length"}));
    sycl::free(memory, queue);
  }
}

TEST_CASE("code that takes most registers is made again to leave room for other blocks, unless some would be spilled") {
  sycl::queue queue = make_queue();
  using numbers = std::vector<unsigned>;
  int* memory = sycl::malloc_device<int>(1024, queue);
  // Each case compiles separate code. The result lists the numbers of blocks that the backend requested. Its last entry
  // is the number for the code that was launched.
  const auto launched = [&]<unsigned WithoutSpills, int Registers>(unsigned items) {
    fake_driver_calls.blocks_asked.clear();
    fake_driver_calls.blocks_without_spills = WithoutSpills;
    fake_driver_calls.registers = Registers;
    queue.parallel_for(sycl::nd_range<1>(1024, items), [=](sycl::nd_item<1> i) {
      memory[i.get_global_id(0)] = static_cast<int>(WithoutSpills) + Registers;
    });
    queue.wait();
    numbers result = fake_driver_calls.blocks_asked;
    result.push_back(fake_driver_calls.blocks_loaded);
    return result;
  };
  CHECK(launched.operator()<100, 32>(256) == numbers{0, 0});
  CHECK(launched.operator()<100, 57>(256) == numbers{0, 0});      // four of eight blocks fit
  CHECK(launched.operator()<100, 65>(256) == numbers{0, 8, 8});   // three
  CHECK(launched.operator()<100, 33>(1024) == numbers{0, 2, 2});  // one of two fits
  CHECK(launched.operator()<100, 129>(32) == numbers{0, 32, 32});
  CHECK(launched.operator()<4, 117>(256) == numbers{0, 8, 4, 4});
  CHECK(launched.operator()<3, 117>(256) == numbers{0, 8, 4, 0});
  CHECK(launched.operator()<1, 64>(1024) == numbers{0, 2, 0});
  // If registers let a multiprocessor hold at least half of its blocks, but not all, and the code needs no linking, the
  // runtime requests the number of blocks that it can hold.
  fake_driver_calls.registers_of_text = 25;
  CHECK(launched.operator()<100, 34>(256) == numbers{0, 8, 8});
  CHECK(launched.operator()<7, 35>(256) == numbers{0, 8, 0});
  fake_driver_calls.registers_of_text = 36;
  CHECK(launched.operator()<100, 37>(256) == numbers{0, 0});
  CHECK(launched.operator()<100, 41>(256) == numbers{0, 6, 6});
  fake_driver_calls.registers_of_text = 0;
  fake_driver_calls.blocks_without_spills = ~0u;
  fake_driver_calls.registers = 16;
  sycl::free(memory, queue);
}

TEST_CASE("large copies to memory that is not page-locked wait, others don't") {
  sycl::queue queue = make_queue();
  constexpr std::size_t bytes = 3 << 19;
  std::vector<char> pageable(bytes, 1);
  char* device = sycl::malloc_device<char>(bytes, queue);
  char* pinned = sycl::malloc_host<char>(bytes, queue);
  const auto waiting = [&](void* to, const void* from, std::size_t size) {
    const long before = fake_driver_calls.waiting_copies;
    queue.memcpy(to, from, size).wait();
    return fake_driver_calls.waiting_copies - before;
  };
  CHECK(waiting(device, pageable.data(), bytes) == 0);
  std::fill(pageable.begin(), pageable.end(), char{2});
  CHECK(waiting(pageable.data(), device, bytes) == 1);
  CHECK(std::count(pageable.begin(), pageable.end(), char{1}) == bytes);
  CHECK(waiting(pageable.data(), device, 1000) == 0);
  CHECK(waiting(pinned, device, bytes) == 0);
  sycl::free(device, queue);
  sycl::free(pinned, queue);
}

TEST_CASE("very large copies between the device and memory that is not page-locked go by way of pieces that are") {
  sycl::queue queue = make_queue();
  for (const std::size_t bytes : {std::size_t{2} << 20, (std::size_t{37} << 20) + 13}) {
    std::vector<std::uint32_t> given(bytes / 4 + 1), taken(bytes / 4 + 1);
    std::mt19937 random(7);
    for (std::uint32_t& each : given) each = random();
    taken.back() = given.back() ^ 1;
    const std::uint32_t behind = taken.back();
    char* device = sycl::malloc_device<char>(bytes, queue);
    const auto pieces = [&](void* to, const void* from) {
      const long before = fake_driver_calls.copies;
      queue.memcpy(to, from, bytes).wait();
      return fake_driver_calls.copies - before;
    };
    const auto expected = static_cast<long>((bytes + (2 << 20) - 1) >> 21);
    CHECK(pieces(device, given.data()) == expected);
    CHECK(pieces(taken.data(), device) == expected);
    CHECK(std::memcmp(taken.data(), given.data(), bytes) == 0);
    if (bytes % 4 == 0) CHECK(taken.back() == behind);
    sycl::free(device, queue);
  }
}

TEST_CASE("what a GPU can't do is refused with kernel, device and remedy") {
  sycl::queue queue = make_queue();
  fake_driver_calls.private_bytes = 600 << 10;
  CHECK(has_words(refusal(sycl::errc::memory_allocation, [&] { queue.single_task<class too_private>([=] {}); }),
                  {"too_private", "Fake GPU", "614400", "smaller"}));
  // The GPU's memory has to hold the private memory of all threads that can run at the same time.
  fake_driver_calls.private_bytes = 400 << 10;
  CHECK(has_words(refusal(sycl::errc::memory_allocation, [&] { queue.single_task<class less_private>([=] {}); }),
                  {"less_private", "Fake GPU", "409600", "at the same time"}));
  fake_driver_calls.private_bytes = 0;
  const sycl::range<3> tall(128, 1, 1);
  const auto launch_tall = [&] {
    queue.parallel_for<class too_tall>(sycl::nd_range<3>(tall, tall), [=](sycl::nd_item<3>) {});
  };
  CHECK(has_words(refusal(sycl::errc::nd_range, launch_tall), {"too_tall", "Fake GPU", "64", "max_work_item_sizes"}));
  CHECK((queue.get_device().get_info<sycl::info::device::max_work_item_sizes<3>>() == sycl::range<3>(64, 1024, 1024)));
  // No launch can have the required work-group size, because the device's limit is smaller.
  const auto launch_required = [&] {
    queue.parallel_for<requires_tall>(sycl::nd_range<3>(tall, tall),
                                      [=](sycl::nd_item<3>) [[sycl::reqd_work_group_size(128, 1, 1)]] {});
  };
  CHECK(has_words(refusal(sycl::errc::kernel_not_supported, launch_required),
                  {"requires_tall", "Fake GPU", "128", "64", "max_work_item_sizes"}));
  CHECK_FALSE(sycl::is_compatible<requires_tall>(queue.get_device()));
  CHECK(sycl::is_compatible<requires_tall>(sycl::device(sycl::cpu_selector_v)));
  int* memory = sycl::malloc_device<int>(1, queue);
  const auto call_host = [&] { queue.single_task<calls_the_host>([=] { *memory = std::rand(); }); };
  CHECK(has_words(refusal(sycl::errc::kernel_not_supported, call_host),
                  {"calls_the_host", "Fake GPU", "only the host has", "cpu_selector_v"}));
  CHECK_FALSE(sycl::is_compatible<calls_the_host>(queue.get_device()));
  CHECK(sycl::is_compatible<calls_the_host>(sycl::device(sycl::cpu_selector_v)));
  sycl::free(memory, queue);
  CHECK(sycl::malloc_device(std::size_t{1} << 40, queue) == nullptr);
  CHECK(sycl::malloc_shared(std::size_t{1} << 40, queue) == nullptr);
}

TEST_CASE("failures of launches and of the device are heard by the handler, and other devices go on") {
  std::string heard;
  const auto listen = [&](const sycl::exception_list& list) {
    for (const std::exception_ptr& each : list) {
      try {
        std::rethrow_exception(each);
      } catch (const std::exception& error) {
        heard += error.what();
      }
    }
  };
  sycl::queue queue = make_queue({}, listen);
  fake_driver_calls.launch_result = 719;
  queue.single_task<class fails_to_launch>([=] {});
  queue.wait_and_throw();
  fake_driver_calls.launch_result = 0;
  CHECK(has_words(heard, {"fails_to_launch", "Fake GPU", "CUDA_ERROR_PLANTED"}));
  heard.clear();
  fake_driver_calls.query_result = 700;
  queue.single_task([=] {});
  queue.wait_and_throw();
  fake_driver_calls.query_result = 0;
  CHECK(has_words(heard, {"Fake GPU", "given up the device"}));
  heard.clear();
  fake_driver_calls.query_result = 716;
  queue.single_task([=] {});
  queue.wait_and_throw();
  fake_driver_calls.query_result = 0;
  CHECK(has_words(heard, {"Fake GPU", "multiples of 16 bytes", "8 for half"}));
  heard.clear();
  // The driver accepts no more events while many commands wait for each other.
  fake_driver_calls.record_result = 700;
  fake_driver_calls.questions_until_ready = 100000;
  for (int i = 0; i < 40; ++i) {
    queue.submit([&](sycl::handler& group) {
      group.depends_on(queue.single_task([=] {}));
      group.single_task([=] {});
    });
  }
  queue.wait_and_throw();
  fake_driver_calls.record_result = 0;
  fake_driver_calls.questions_until_ready = 3;
  CHECK(has_words(heard, {"Fake GPU", "given up the device"}));
  int result = 0;
  {
    sycl::buffer<int> buffer(&result, sycl::range<1>(1));
    sycl::queue(sycl::cpu_selector_v).submit([&](sycl::handler& group) {
      sycl::accessor memory(buffer, group, sycl::write_only);
      group.single_task([=] { memory[0] = 7; });
    });
  }
  CHECK(result == 7);
}

TEST_CASE("queues that are not in order wait for each other on the device") {
  sycl::queue queue = make_queue();
  // The commands are not complete for a while.
  fake_driver_calls.questions_until_ready = 100000;
  const sycl::event first = queue.single_task([=] {}), second = queue.single_task([=] {});
  const long waits = fake_driver_calls.stream_waits;
  queue.submit([&](sycl::handler& group) {
    group.depends_on({first, second});
    group.single_task([=] {});
  });
  CHECK(fake_driver_calls.stream_waits > waits);
  fake_driver_calls.questions_until_ready = 3;
  queue.wait();
}

TEST_CASE("buffers take memory of the GPU and give it back") {
  sycl::queue queue = make_queue();
  queue.wait();
  const long before = fake_driver_calls.allocations;
  {
    std::vector<int> host(1000, 1);
    sycl::buffer<int> buffer(host);
    const long copies = fake_driver_calls.copies;
    for (int i = 0; i < 10; ++i) {
      queue.submit([&](sycl::handler& group) {
        sycl::accessor memory(buffer, group, sycl::read_write);
        group.parallel_for(sycl::range<1>(1000), [=](sycl::id<1> k) { memory[k] += 1; });
      });
    }
    queue.wait();
    CHECK(fake_driver_calls.allocations == before + 1);
    CHECK(fake_driver_calls.copies == copies + 1);
  }
  // The runtime's attendant thread frees the device memory later, after the contents have come back to the host.
  for (int look = 0; fake_driver_calls.allocations != before && look < 10000; ++look) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  CHECK(fake_driver_calls.allocations == before);
}

TEST_CASE("native commands are called once, with the stream, and in graphs with a child graph of the driver") {
  namespace graphs = sycl::ext::oneapi::experimental;
  constexpr sycl::backend cuda = sycl::backend::ext_oneapi_cuda;
  sycl::queue queue = make_queue();
  int* memory = sycl::malloc_device<int>(100, queue);
  int calls = 0;
  queue
      .submit([&](sycl::handler& group) {
        group.ext_codeplay_enqueue_native_command([&](sycl::interop_handle natives) {
          ++calls;
          CHECK(natives.get_native_queue<cuda>() != nullptr);
          CHECK(!natives.ext_codeplay_has_graph());
        });
      })
      .wait();
  CHECK(calls == 1);
  graphs::command_graph graph(queue);
  const auto kernel = [&](sycl::handler& group) {
    group.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { memory[i] = 1; });
  };
  auto first = graph.add(kernel);
  auto native = graph.add(
      [&](sycl::handler& group) {
        group.ext_codeplay_enqueue_native_command([&](sycl::interop_handle natives) {
          ++calls;
          CHECK(natives.ext_codeplay_has_graph());
          CHECK(natives.ext_codeplay_get_native_graph<cuda>() != nullptr);
          CHECK_THROWS_AS(natives.ext_codeplay_get_native_graph<sycl::backend::opencl>(), sycl::exception);
        });
      },
      {graphs::property::node::depends_on(first)});
  graph.add(kernel, {graphs::property::node::depends_on(native)});
  CHECK(native.get_type() == graphs::node_type::native_command);
  const long nodes = fake_driver_calls.graph_nodes, edges = fake_driver_calls.graph_edges;
  auto executable = graph.finalize();
  CHECK(calls == 2);
  CHECK(fake_driver_calls.graph_nodes == nodes + 3);
  CHECK(fake_driver_calls.graph_edges == edges + 2);
  const long launched = fake_driver_calls.graph_launches;
  for (int i = 0; i < 3; ++i) queue.ext_oneapi_graph(executable);
  queue.wait();
  CHECK(fake_driver_calls.graph_launches == launched + 3);
  CHECK(calls == 2);
  sycl::free(memory, queue);
}

TEST_CASE("an update by which two accessors reach the same buffer takes code that knows it") {
  namespace graphs = sycl::ext::oneapi::experimental;
  sycl::queue queue = make_queue();
  sycl::buffer<int> one(sycl::range<1>(100)), two(sycl::range<1>(100)), out(sycl::range<1>(100));
  graphs::command_graph graph(queue, {graphs::property::graph::assume_buffer_outlives_graph()});
  using in_accessor = sycl::accessor<int, 1, sycl::access_mode::read>;
  in_accessor in(one);
  graphs::dynamic_parameter<in_accessor> source(in);
  graphs::node node = graph.add([&](sycl::handler& group) {
    sycl::accessor result(out, group);
    group.require(source);
    group.set_arg(0, source);
    group.parallel_for(sycl::range<1>(100), [in, result](sycl::id<1> i) {
      result[i] = 5;
      result[i] += in[i];
    });
  });
  auto executable = graph.finalize({graphs::property::graph::updatable()});
  queue.ext_oneapi_graph(executable).wait();
  const long modules = fake_driver_calls.modules;
  const auto update = [&](sycl::buffer<int>& to) {
    source.update(in_accessor(to));
    executable.update(node);
    queue.ext_oneapi_graph(executable).wait();
  };
  update(two);
  CHECK(fake_driver_calls.modules == modules);
  update(out);
  CHECK(fake_driver_calls.modules == modules + 1);
  update(one);
  CHECK(fake_driver_calls.modules == modules + 1);
}

TEST_CASE("graphs are graphs of the driver; updates change their nodes") {
  namespace graphs = sycl::ext::oneapi::experimental;
  sycl::queue queue = make_queue();
  int* memory = sycl::malloc_device<int>(100, queue);
  graphs::command_graph graph(queue);
  graphs::dynamic_parameter<int> number(1);
  const auto add = [&](sycl::handler& group) {
    int value = 0;
    group.set_arg(0, number);
    group.parallel_for(sycl::range<1>(100), [value, memory](sycl::id<1> i) { memory[i] = value; });
  };
  auto first = graph.add(add), second = graph.add(add), last = graph.add(add);
  auto copy = graph.add([&](sycl::handler& group) { group.memset(memory, 0, 400); });
  graph.make_edge(first, second);
  graph.make_edge(first, copy);
  graph.make_edge(second, last);
  graph.make_edge(copy, last);
  const long nodes = fake_driver_calls.graph_nodes;
  auto executable = graph.finalize({graphs::property::graph::updatable()});
  CHECK(fake_driver_calls.graph_nodes == nodes + 4);
  const long graphs_launched = fake_driver_calls.graph_launches;
  const std::size_t launched = fake_driver_calls.launches.size();
  for (int i = 0; i < 10; ++i) queue.ext_oneapi_graph(executable);
  queue.wait();
  CHECK(fake_driver_calls.graph_launches == graphs_launched + 10);
  CHECK(fake_driver_calls.launches.size() == launched);
  number.update(2);
  executable.update({first, last});
  CHECK(fake_driver_calls.graph_changes == 2);
  first.update_range(sycl::range<1>(0));
  executable.update(first);
  CHECK(fake_driver_calls.graph_nodes == nodes + 7);
  queue.ext_oneapi_graph(executable).wait();
  // The host task divides the graph into two partitions. The driver has no graph node for a fill with eight bytes.
  graph.add([](sycl::handler& group) { group.host_task([] {}); }, {graphs::property::node::depends_on_all_leaves()});
  graph.add([&](sycl::handler& group) { group.fill(memory, std::uint64_t{1}, 50); },
            {graphs::property::node::depends_on_all_leaves()});
  auto cut = graph.finalize();
  const long before = fake_driver_calls.graph_launches;
  queue.ext_oneapi_graph(cut).wait();
  CHECK(fake_driver_calls.graph_launches == before + 1);
  sycl::free(memory, queue);
}

TEST_CASE("launches need no memory of their own, by pointers and through accessors") {
  if (!test::counts_allocations()) return;
  constexpr std::size_t count = 5000;
  sycl::queue queue = make_queue(sycl::property::queue::in_order());
  int* memory = sycl::malloc_device<int>(100, queue);
  sycl::buffer<int> buffer(sycl::range<1>(100));
  const auto by_pointer = [&] { return queue.single_task([=] { memory[0] = 1; }); };
  const auto by_accessor = [&] {
    return queue.submit([&](sycl::handler& group) {
      sycl::accessor out(buffer, group);
      group.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { out[i] += 1; });
    });
  };
  const auto memory_for = [&](const auto& submit) {
    // Reserves memory for the records of this test, so that recording allocates nothing. Commands reuse the memory of
    // earlier commands whose events are destroyed. So the test first submits more commands than are ever under way
    // later, keeps their events until all are complete, and then destroys the events.
    fake_driver_calls.launches.reserve(fake_driver_calls.launches.size() + 4 * count);
    std::vector<sycl::event> before_them;
    for (std::size_t i = 0; i < 3 * count; ++i) before_them.push_back(submit());
    queue.wait();
    before_them.clear();
    const std::size_t before = test::own_allocations();
    for (std::size_t i = 0; i < count; ++i) submit();
    return test::own_allocations() - before;
  };
  // Lists of running commands allocate memory now and then, more often on busy machines.
  CHECK(memory_for(by_pointer) < count / 20);
  const auto waited = [](sycl::event done) { return done.wait(), done; };
  CHECK(memory_for([&] { return waited(by_pointer()); }) < count / 20);
  CHECK(memory_for(by_accessor) < count / 20);
  CHECK(memory_for([&] { return waited(by_accessor()); }) < count / 20);
  queue.wait();
  sycl::free(memory, queue);
}
