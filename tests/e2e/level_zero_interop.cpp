/// Programs get Level Zero's objects from SYCL's objects and make SYCL's objects of them
/// (sycl_ext_oneapi_backend_level_zero). The tests use native calls on these objects.
#include <dlfcn.h>
#include <level_zero/ze_api.h>

#include <cstdlib>
#include <limits>
#include <random>
#include <sycl/ext/intel/device_info.hpp>
#include <sycl/ext/oneapi/backend/level_zero.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>

#include "check.hpp"

namespace {

using namespace sycl;
namespace lz = ext::oneapi::level_zero;
constexpr backend ze = backend::ext_oneapi_level_zero;
constexpr auto keep = lz::ownership::keep, transfer = lz::ownership::transfer;

static_assert(std::is_same_v<backend_return_t<ze, platform>, ze_driver_handle_t>);
static_assert(std::is_same_v<backend_return_t<ze, device>, ze_device_handle_t>);
static_assert(std::is_same_v<backend_return_t<ze, context>, ze_context_handle_t>);
static_assert(std::is_same_v<backend_return_t<ze, queue>,
                             std::variant<ze_command_queue_handle_t, ze_command_list_handle_t>>);
static_assert(std::is_same_v<backend_return_t<ze, event>, ze_event_handle_t>);
static_assert(std::is_same_v<backend_return_t<ze, kernel>, ze_kernel_handle_t>);
static_assert(std::is_same_v<backend_return_t<ze, kernel_bundle<bundle_state::executable>>,
                             std::vector<ze_module_handle_t>>);

/// Finds a function of Level Zero's loader.
template <class Function>
Function* find(const char* name) {
  void* const library = dlopen("libze_loader.so.1", RTLD_NOW);
  const auto found = reinterpret_cast<Function*>(library ? dlsym(library, name) : nullptr);
  if (!found) std::printf("the loader has no %s\n", name), std::abort();
  return found;
}
#define ZE(name) find<decltype(::name)>(#name)
#define NATIVE(name, ...) CHECK_EQUAL(static_cast<int>(ZE(name)(__VA_ARGS__)), 0)

template <class Ask>
bool is_refused(errc wanted, const Ask& ask) {
  try {
    ask();
  } catch (const exception& error) {
    if (error.code() == wanted) return true;
    std::printf("refused otherwise: %s\n", error.what());
  }
  return false;
}

ze_command_list_handle_t list_of(const queue& q) { return std::get<ze_command_list_handle_t>(get_native<ze>(q)); }

/// The pool is never destroyed, because SYCL may keep one of the pool's events longer than any SYCL object of this
/// program exists.
struct event_pool {
  ze_event_pool_handle_t pool = nullptr;
  explicit event_pool(ze_context_handle_t context) {
    ze_event_pool_desc_t wanted{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 16};
    NATIVE(zeEventPoolCreate, context, &wanted, 0, nullptr, &pool);
  }
  ze_event_handle_t event(std::uint32_t place) const {
    const ze_event_desc_t wanted{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, place, ZE_EVENT_SCOPE_FLAG_HOST,
                                 ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t made = nullptr;
    NATIVE(zeEventCreate, pool, &wanted, &made);
    return made;
  }
};

/// kernel void add(global uint* place, uint more) { *place = *place + more; }
constexpr std::uint32_t add_module[] = {
    0x07230203, 0x00010000, 0, 20, 0,
    0x00020011, 4, 0x00020011, 6,                     // capabilities: addresses, kernel
    0x0003000e, 2, 2,                                 // physical 64, OpenCL
    0x0005000f, 6, 10, 0x00646461, 0x00000000,        // entry point "add"
    0x00020013, 1,                                    // void
    0x00040015, 2, 32, 0,                             // uint
    0x00040020, 3, 5, 2,                              // global uint*
    0x00050021, 5, 1, 3, 2,                           // void(global uint*, uint)
    0x00050036, 1, 10, 0, 5,                          // the function
    0x00030037, 3, 11, 0x00030037, 2, 12,             // its parameters
    0x000200f8, 13,                                   // its block
    0x0006003d, 2, 14, 11, 2, 4,                      // load, aligned
    0x00050080, 2, 15, 14, 12,                        // add
    0x0005003e, 11, 15, 2, 4,                         // store
    0x000100fd, 0x00010038,
};

ze_module_handle_t make_module(const queue& q) {
  ze_module_desc_t wanted{};
  wanted.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  wanted.format = ZE_MODULE_FORMAT_IL_SPIRV;
  wanted.inputSize = sizeof(add_module);
  wanted.pInputModule = reinterpret_cast<const std::uint8_t*>(add_module);
  ze_module_handle_t made = nullptr;
  NATIVE(zeModuleCreate, get_native<ze>(q.get_context()), get_native<ze>(q.get_device()), &wanted, &made, nullptr);
  return made;
}

/// Launches `*place += more` as a bundle's kernel.
void run_add(queue& q, const kernel& its, unsigned* place, unsigned more) {
  q.submit([&](handler& group) {
     group.set_args(place, more);
     group.single_task(its);
   }).wait_and_throw();
}

class tripled;

}  // namespace

TEST("platforms, devices and contexts are got and made again") {
  queue q = e2e::make_queue();
  const ze_driver_handle_t driver = get_native<ze>(q.get_device().get_platform());
  ze_api_version_t version{};
  NATIVE(zeDriverGetApiVersion, driver, &version);
  CHECK(version >= ZE_API_VERSION_1_0);
  const ze_device_handle_t native = get_native<ze>(q.get_device());
  ze_device_properties_t its{};
  its.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
  NATIVE(zeDeviceGetProperties, native, &its);
  CHECK(q.get_device().get_info<info::device::name>() == its.name);
  CHECK(make_device<ze>(native) == q.get_device());
  CHECK(make_platform<ze>(driver) == q.get_device().get_platform());
  const context same = make_context<ze>({get_native<ze>(q.get_context()), {q.get_device()}, keep});
  CHECK(get_native<ze>(same) == get_native<ze>(q.get_context()));
  CHECK(is_refused(errc::invalid, [] { make_device<ze>(nullptr); }));
  CHECK(is_refused(errc::invalid, [] { make_platform<ze>(nullptr); }));
  CHECK(is_refused(errc::invalid, [&] { make_context<ze>({nullptr, {q.get_device()}, keep}); }));
  CHECK(is_refused(errc::backend_mismatch, [&] { get_native<backend::opencl>(q.get_device()); }));
  for (const device& each : device::get_devices()) {
    if (each.get_backend() == ze) continue;
    CHECK(is_refused(errc::backend_mismatch, [&] { get_native<ze>(each); }));
    CHECK(is_refused(errc::backend_mismatch, [&] { get_native<ze>(queue(each)); }));
  }
}

TEST("what the program appends to a queue's list keeps its place among the queue's commands") {
  std::mt19937 random(3);
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, std::size_t{4097}}) {
    queue q = e2e::make_queue(property::queue::in_order());
    unsigned *const a = malloc_device<unsigned>(size, q), *const b = malloc_device<unsigned>(size, q);
    std::vector<unsigned> wanted(size), found(size);
    q.fill(a, 0u, size);
    const ze_command_list_handle_t list = list_of(q);
    for (int round = 0; round < 30; ++round) {
      const unsigned more = random();
      q.parallel_for(range<1>(size), [=](id<1> i) { a[i] = a[i] * 3 + more; });
      NATIVE(zeCommandListAppendMemoryCopy, list, b, a, size * sizeof(unsigned), nullptr, 0, nullptr);
      q.parallel_for(range<1>(size), [=](id<1> i) { a[i] = b[i] ^ static_cast<unsigned>(i); });
      for (std::size_t i = 0; i < size; ++i) wanted[i] = (wanted[i] * 3 + more) ^ static_cast<unsigned>(i);
    }
    q.copy(a, found.data(), size).wait();
    CHECK(found == wanted);
    free(a, q);
    free(b, q);
  }
}

TEST("queues around the program's lists") {
  queue q = e2e::make_queue();
  for (const auto owner : {keep, transfer}) {
    const ze_command_queue_desc_t wanted{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, nullptr, 0, 0, 0,
                                         ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_PRIORITY_NORMAL};
    ze_command_list_handle_t list = nullptr;
    NATIVE(zeCommandListCreateImmediate, get_native<ze>(q.get_context()), get_native<ze>(q.get_device()), &wanted,
           &list);
    unsigned* const data = malloc_shared<unsigned>(2, q);
    data[0] = 5;
    {
      queue mine = make_queue<ze>({list, q.get_device(), owner, property_list{property::queue::in_order()}},
                                  q.get_context());
      CHECK(list_of(mine) == list);
      mine.single_task([=] { data[0] *= 7; });
      NATIVE(zeCommandListAppendMemoryCopy, list, data + 1, data, sizeof(unsigned), nullptr, 0, nullptr);
      mine.single_task([=] { data[1] += data[0]; }).wait();
      CHECK_EQUAL(data[1], 70u);
    }
    if (owner == keep) NATIVE(zeCommandListDestroy, list);
    free(data, q);
  }
  CHECK(is_refused(errc::feature_not_supported, [&] {
    make_queue<ze>({static_cast<ze_command_queue_handle_t>(nullptr), q.get_device(), keep, {}}, q.get_context());
  }));
}

TEST("events are awaited by the driver, and those of the program by commands") {
  queue q = e2e::make_queue();
  const ze_context_handle_t context = get_native<ze>(q.get_context());
  unsigned* const data = malloc_shared<unsigned>(1, q);
  *data = 1;
  const event done = q.single_task([=] { *data += 1; });
  NATIVE(zeEventHostSynchronize, get_native<ze>(done), std::numeric_limits<std::uint64_t>::max());
  CHECK_EQUAL(*data, 2u);
  const event_pool pool(context);
  for (const auto owner : {keep, transfer}) {
    const ze_event_handle_t mine = pool.event(owner == keep ? 0 : 1);
    {
      const event begun = make_event<ze>({mine, owner}, q.get_context());
      CHECK(get_native<ze>(begun) == mine);
      const event after = q.submit([&](handler& group) {
        group.depends_on(begun);
        group.single_task([=] { *data *= 10; });
      });
      CHECK(after.get_info<info::event::command_execution_status>() != info::event_command_status::complete);
      NATIVE(zeEventHostSignal, mine);
      const_cast<event&>(after).wait();
    }
    if (owner == keep) NATIVE(zeEventDestroy, mine);
  }
  CHECK_EQUAL(*data, 200u);
  free(data, q);
}

TEST("modules and kernels of the program are launched by SYCL") {
  queue q = e2e::make_queue();
  unsigned* const data = malloc_shared<unsigned>(1, q);
  *data = 0;
  for (const auto owner : {keep, transfer}) {
    const ze_module_handle_t module = make_module(q);
    ze_kernel_handle_t own = nullptr;
    {
      auto bundle = make_kernel_bundle<ze, bundle_state::executable>({module, owner}, q.get_context());
      CHECK(get_native<ze>(bundle) == std::vector<ze_module_handle_t>{module});
      run_add(q, bundle.ext_oneapi_get_kernel("add"), data, 5);
      const ze_kernel_desc_t wanted{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "add"};
      NATIVE(zeKernelCreate, module, &wanted, &own);
      const kernel mine = make_kernel<ze>({bundle, own, owner}, q.get_context());
      CHECK(get_native<ze>(mine) == own);
      run_add(q, mine, data, 7);
    }
    if (owner == keep) {
      NATIVE(zeKernelDestroy, own);
      NATIVE(zeModuleDestroy, module);
    }
  }
  CHECK_EQUAL(*data, 24u);
  CHECK(is_refused(errc::kernel_argument, [&] {
    auto bundle = make_kernel_bundle<ze, bundle_state::executable>({make_module(q), transfer}, q.get_context());
    q.submit([&](handler& group) {
      group.set_args(data, static_cast<unsigned char>(1));
      group.single_task(bundle.ext_oneapi_get_kernel("add"));
    });
    q.wait_and_throw();
  }));
  free(data, q);
}

TEST("kernels and bundles of SYCL's have objects of the driver's") {
  queue q = e2e::make_queue();
  unsigned* const data = malloc_shared<unsigned>(10, q);
  q.parallel_for<tripled>(range<1>(10), [=](id<1> i) { data[i] = 3 * static_cast<unsigned>(i); }).wait();
  auto bundle = get_kernel_bundle<bundle_state::executable>(q.get_context(), {get_kernel_id<tripled>()});
  CHECK_EQUAL(get_native<ze>(bundle).size(), std::size_t{1});
  const ze_kernel_handle_t native = get_native<ze>(bundle.get_kernel(get_kernel_id<tripled>()));
  ze_kernel_properties_t its{};
  its.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
  NATIVE(zeKernelGetProperties, native, &its);
  CHECK(its.numKernelArgs != 0);
  // A group size that the program sets on the native kernel must not affect SYCL's launches.
  NATIVE(zeKernelSetGroupSize, native, 7, 1, 1);
  std::fill_n(data, 10, 0u);
  q.parallel_for<tripled>(range<1>(10), [=](id<1> i) { data[i] = 3 * static_cast<unsigned>(i); }).wait();
  for (unsigned i = 0; i < 10; ++i) CHECK_EQUAL(data[i], 3 * i);
  free(data, q);
}

TEST("SPIR-V of the program becomes kernels at run time") {
  queue q = e2e::make_queue();
  namespace compiler = ext::oneapi::experimental;
  const auto* const bytes = reinterpret_cast<const std::byte*>(add_module);
  auto source = compiler::create_kernel_bundle_from_source(q.get_context(), compiler::source_language::spirv,
                                                           std::vector<std::byte>(bytes, bytes + sizeof(add_module)));
  unsigned* const data = malloc_shared<unsigned>(1, q);
  *data = 4;
  auto built = compiler::build(source);
  run_add(q, built.ext_oneapi_get_kernel("add"), data, 5);
  CHECK_EQUAL(*data, 9u);
  CHECK_EQUAL(get_native<ze>(built).size(), std::size_t{1});
  free(data, q);
}

TEST("buffers begin with the program's memory and give it back") {
  queue q = e2e::make_queue();
  const ze_context_handle_t context = get_native<ze>(q.get_context());
  for (const auto owner : {keep, transfer}) {
    constexpr std::size_t count = 777;
    const ze_host_mem_alloc_desc_t wanted{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* memory = nullptr;
    NATIVE(zeMemAllocHost, context, &wanted, count * sizeof(unsigned), 64, &memory);
    auto* const values = static_cast<unsigned*>(memory);
    for (unsigned i = 0; i < count; ++i) values[i] = i;
    {
      auto made = make_buffer<ze, unsigned>({memory, owner}, q.get_context());
      CHECK_EQUAL(made.size(), count);
      q.submit([&](handler& group) {
        accessor data(made, group);
        group.parallel_for(range<1>(count), [=](id<1> i) { data[i] = 2 * data[i] + 1; });
      });
      q.submit([&](handler& group) {
        accessor data(made, group, read_only);
        group.host_task([=](interop_handle natives) {
          CHECK(natives.get_native_mem<ze>(data) != nullptr);
          CHECK(natives.get_native_device<ze>() == get_native<ze>(q.get_device()));
          CHECK(natives.get_native_context<ze>() == context);
          CHECK(std::get<ze_command_list_handle_t>(natives.get_native_queue<ze>()) != nullptr);
        });
      });
      q.wait();
      CHECK(get_native<ze>(made) != nullptr);
      host_accessor now(made, read_only);
      for (unsigned i = 0; i < count; ++i) CHECK_EQUAL(now[i], 2 * i + 1);
    }
    if (owner == transfer) continue;
    for (unsigned i = 0; i < count; ++i) CHECK_EQUAL(values[i], 2 * i + 1);
    NATIVE(zeMemFree, context, memory);
  }
  unsigned local = 0;
  CHECK(is_refused(errc::invalid, [&] { make_buffer<ze, unsigned>({&local, keep}, q.get_context()); }));
  CHECK(is_refused(errc::invalid, [&] { get_native<ze>(buffer<unsigned>(range<1>(5))); }));
}

TEST("a context of the program's has queues, memory and kernels of its own") {
  queue q = e2e::make_queue();
  const ze_context_desc_t wanted{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
  ze_context_handle_t native = nullptr;
  NATIVE(zeContextCreate, get_native<ze>(q.get_device().get_platform()), &wanted, &native);
  const context mine = make_context<ze>({native, {q.get_device()}, transfer});
  CHECK(get_native<ze>(mine) == native);
  CHECK(mine.get_devices().front() == q.get_device());
  queue other(mine, mine.get_devices().front());
  unsigned* const data = malloc_shared<unsigned>(100, other);
  other.parallel_for(range<1>(100), [=](id<1> i) { data[i] = static_cast<unsigned>(i) + 1; }).wait();
  for (unsigned i = 0; i < 100; ++i) CHECK_EQUAL(data[i], i + 1);
  free(data, other);
  buffer<unsigned> both{range<1>(50)};
  for (queue* each : {&q, &other, &q}) {
    each->submit([&](handler& group) {
      accessor values(both, group);
      const bool is_first = each == &q;
      group.parallel_for(range<1>(50), [=](id<1> i) {
        values[i] = is_first ? static_cast<unsigned>(i) : values[i] * 2;
      });
    });
    if (each != &other) continue;
    host_accessor now(both, read_only);
    for (unsigned i = 0; i < 50; ++i) CHECK_EQUAL(now[i], 2 * i);
  }
}

TEST("free memory is what the driver says, and advice reaches it") {
  int errors = 0;
  queue q(e2e::make_queue().get_device(), [&](exception_list all) { errors += static_cast<int>(all.size()); });
  const device where = q.get_device();
  if (!where.has(aspect::ext_intel_free_memory)) return std::printf("skipped: the driver does not tell\n"), void();
  constexpr std::size_t bytes = 64u << 20;
  const auto before = where.get_info<ext::intel::info::device::free_memory>();
  void* const memory = malloc_device(bytes, q);
  CHECK(where.get_info<ext::intel::info::device::free_memory>() + bytes <= before);
  free(memory, q);
  int* const data = malloc_shared<int>(100, q);
  for (int advice = 0; advice < 8; ++advice) q.mem_advise(data, 100 * sizeof(int), advice).wait_and_throw();
  // Level Zero has eight kinds of advice, so the eight calls above have succeeded.
  CHECK_EQUAL(errors, 0);
  q.mem_advise(data, 100 * sizeof(int), 99).wait_and_throw();
  CHECK_EQUAL(errors, 1);
  int local = 0;
  q.mem_advise(&local, sizeof(local), 99).wait_and_throw();
  CHECK_EQUAL(errors, 1);
  free(data, q);
}

E2E_MAIN
