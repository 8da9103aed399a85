/// The judge ends the process where a driver's behaviour would be undefined, and lets correct programs continue.
///
/// judge_test: runs each case in a separate process, and names the cases with a wrong result.

#include <backends/level_zero/ze_abi.hpp>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

using namespace sinter::level_zero;

namespace {

constexpr int skipped = 77, refused = 86;

struct functions {
#define JUDGE_MEMBER(name, parameters) ze_result_t(*name) parameters = nullptr;
  SINTER_ZE_FUNCTIONS(JUDGE_MEMBER)
#undef JUDGE_MEMBER
};

void need(ze_result_t result, const char* what) {
  if (result == ZE_RESULT_SUCCESS) return;
  std::printf("%s failed: 0x%x\n", what, static_cast<unsigned>(result));
  std::_Exit(1);
}
#define NEED(call) need(call, #call)

/// SPIR-V of the kernel: kernel void increment(global uint* place, local uint* unused) { *place = *place + 1; }
constexpr std::uint32_t increment[] = {
    0x07230203, 0x00010000, 0, 20, 0,
    0x00020011, 4,  // instructions: capabilities Addresses, Linkage (not needed) and Kernel
    0x00020011, 6,
    0x0003000e, 2, 2,                                           // physical 64, OpenCL
    0x0006000f, 6, 10, 0x72636e69, 0x6e656d65, 0x00000074,      // entry point "increment"
    0x00020013, 1,                                              // void
    0x00040015, 2, 32, 0,                                       // uint
    0x00040020, 3, 5, 2,                                        // global uint*
    0x00040020, 4, 4, 2,                                        // local uint*
    0x00050021, 5, 1, 3, 4,                                     // void(global uint*, local uint*)
    0x0004002b, 2, 6, 1,                                        // 1
    0x00050036, 1, 10, 0, 5,                                    // the function
    0x00030037, 3, 11, 0x00030037, 4, 12,                       // its parameters
    0x000200f8, 13,                                             // its block
    0x0006003d, 2, 14, 11, 2, 4,                                // load, aligned
    0x00050080, 2, 15, 14, 6,                                   // add
    0x0005003e, 11, 15, 2, 4,                                   // store
    0x000100fd, 0x00010038,
};

struct session {
  functions ze;
  ze_context_handle_t context = nullptr;
  ze_device_handle_t device = nullptr;
  ze_command_list_handle_t list = nullptr;
  ze_event_pool_handle_t pool = nullptr;
  ze_kernel_handle_t kernel = nullptr;
  std::uint32_t* memory = nullptr;

  session() {
    void* const handle = dlopen("libze_loader.so.1", RTLD_NOW);
    if (!handle) std::_Exit(skipped);
#define JUDGE_FIND(name, parameters) ze.name = reinterpret_cast<ze_result_t(*) parameters>(dlsym(handle, #name));
    SINTER_ZE_FUNCTIONS(JUDGE_FIND)
#undef JUDGE_FIND
    NEED(ze.zeInit(0));
    std::uint32_t count = 1;
    ze_driver_handle_t driver = nullptr;
    NEED(ze.zeDriverGet(&count, &driver));
    count = 1;
    NEED(ze.zeDeviceGet(driver, &count, &device));
    const ze_context_desc_t of_context;
    NEED(ze.zeContextCreate(driver, &of_context, &context));
    const ze_command_queue_desc_t of_list;
    NEED(ze.zeCommandListCreateImmediate(context, device, &of_list, &list));
    ze_event_pool_desc_t of_pool;
    of_pool.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
    of_pool.count = 8;
    NEED(ze.zeEventPoolCreate(context, &of_pool, 0, nullptr, &pool));
    void* made = nullptr;
    const ze_host_mem_alloc_desc_t of_memory;
    NEED(ze.zeMemAllocHost(context, &of_memory, bytes, 64, &made));
    memory = static_cast<std::uint32_t*>(made);
    std::memset(memory, 0, bytes);
  }

  /// Loads the module. Most cases don't call this, because they need no compiler.
  void load() {
    ze_module_desc_t of_module;
    of_module.format = ZE_MODULE_FORMAT_IL_SPIRV;
    of_module.inputSize = sizeof(increment);
    of_module.pInputModule = reinterpret_cast<const std::uint8_t*>(increment);
    ze_module_handle_t module = nullptr;
    NEED(ze.zeModuleCreate(context, device, &of_module, &module, nullptr));
    ze_kernel_desc_t of_kernel;
    of_kernel.pKernelName = "increment";
    NEED(ze.zeKernelCreate(module, &of_kernel, &kernel));
  }

  ze_event_handle_t event(std::uint32_t place) {
    ze_event_desc_t wanted;
    wanted.index = place;
    wanted.signal = wanted.wait = ZE_EVENT_SCOPE_FLAG_HOST;
    ze_event_handle_t made = nullptr;
    NEED(ze.zeEventCreate(pool, &wanted, &made));
    return made;
  }
  void prepare() {
    load();
    NEED(ze.zeKernelSetArgumentValue(kernel, 0, sizeof(memory), &memory));
    NEED(ze.zeKernelSetArgumentValue(kernel, 1, 64, nullptr));
    NEED(ze.zeKernelSetGroupSize(kernel, 1, 1, 1));
  }
  void launch(ze_event_handle_t signalled = nullptr, ze_event_handle_t awaited = nullptr) {
    const ze_group_count_t one{1, 1, 1};
    NEED(ze.zeCommandListAppendLaunchKernel(list, kernel, &one, signalled, awaited ? 1 : 0, &awaited));
  }
  void fill(std::size_t place, std::size_t length, ze_event_handle_t signalled, ze_event_handle_t awaited = nullptr) {
    NEED(ze.zeCommandListAppendMemoryFill(list, reinterpret_cast<char*>(memory) + place, &zero, 1, length, signalled,
                                          awaited ? 1 : 0, &awaited));
  }
  /// Runs fills for half a second. Shorter work would end while a busy machine has stopped the thread.
  void fill_for_long(ze_event_handle_t signalled) {
    constexpr int times = 8;
    for (int i = 1; i < times; ++i) {
      fill(0, bytes, nullptr);
      NEED(ze.zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    }
    fill(0, bytes, signalled);
  }
  ze_command_list_handle_t closed_list() {
    const ze_command_list_desc_t wanted;
    ze_command_list_handle_t made = nullptr;
    NEED(ze.zeCommandListCreate(context, device, &wanted, &made));
    return made;
  }
  ze_command_queue_handle_t queue() {
    const ze_command_queue_desc_t wanted;
    ze_command_queue_handle_t made = nullptr;
    NEED(ze.zeCommandQueueCreate(context, device, &wanted, &made));
    return made;
  }
  void wait(ze_event_handle_t event) {
    NEED(ze.zeEventHostSynchronize(event, std::numeric_limits<std::uint64_t>::max()));
  }

  static constexpr std::size_t bytes = 16u << 20;
  static constexpr unsigned char zero = 0;
};

struct behaviour {
  const char* what;
  bool is_right;
  void (*run)(session&);
};

constexpr behaviour behaviours[] = {
    {"a chain of launches that wait for each other computes", true,
     [](session& its) {
       its.prepare();
       ze_event_handle_t before = nullptr;
       for (std::uint32_t i = 0; i < 8; ++i) {
         const ze_event_handle_t next = its.event(i);
         its.launch(next, before);
         before = next;
       }
       its.wait(before);
       if (*its.memory != 8) std::_Exit(2);
     }},
    {"barriers order commands, and events are used again when nobody waits", true,
     [](session& its) {
       its.prepare();
       const ze_event_handle_t done = its.event(0);
       for (int i = 0; i < 4; ++i) {
         its.launch();
         NEED(its.ze.zeCommandListAppendBarrier(its.list, nullptr, 0, nullptr));
         its.launch();
         NEED(its.ze.zeCommandListAppendBarrier(its.list, done, 0, nullptr));
         its.wait(done);
         NEED(its.ze.zeEventHostReset(done));
       }
       if (*its.memory != 8) std::_Exit(2);
     }},
    {"a closed list is executed again when it is complete, in its order", true,
     [](session& its) {
       its.prepare();
       const ze_event_handle_t done = its.event(0);
       its.list = its.closed_list();
       for (int i = 0; i < 4; ++i) {
         its.launch();
         NEED(its.ze.zeCommandListAppendBarrier(its.list, i == 3 ? done : nullptr, 0, nullptr));
       }
       NEED(its.ze.zeCommandListClose(its.list));
       const ze_command_queue_handle_t queue = its.queue();
       for (int i = 0; i < 3; ++i) {
         NEED(its.ze.zeCommandQueueExecuteCommandLists(queue, 1, &its.list, nullptr));
         its.wait(done);
         NEED(its.ze.zeEventHostReset(done));
       }
       if (*its.memory != 12) std::_Exit(2);
     }},
    {"a closed list is executed while it runs", false,
     [](session& its) {
       its.list = its.closed_list();
       its.fill_for_long(nullptr);
       NEED(its.ze.zeCommandListClose(its.list));
       const ze_command_queue_handle_t queue = its.queue();
       NEED(its.ze.zeCommandQueueExecuteCommandLists(queue, 1, &its.list, nullptr));
       NEED(its.ze.zeCommandQueueExecuteCommandLists(queue, 1, &its.list, nullptr));
     }},
    {"a list is executed that is not closed", false,
     [](session& its) {
       its.list = its.closed_list();
       its.fill(0, 64, nullptr);
       NEED(its.ze.zeCommandQueueExecuteCommandLists(its.queue(), 1, &its.list, nullptr));
     }},
    {"a command is appended to a closed list", false,
     [](session& its) {
       its.list = its.closed_list();
       NEED(its.ze.zeCommandListClose(its.list));
       its.fill(0, 64, nullptr);
     }},
    {"a barrier waits for an event, and so not for the commands before it", false,
     [](session& its) {
       const ze_event_handle_t other = its.event(0);
       its.fill(8u << 20, 64, other);
       its.wait(other);
       its.fill_for_long(nullptr);
       ze_event_handle_t awaited = other;
       NEED(its.ze.zeCommandListAppendBarrier(its.list, nullptr, 1, &awaited));
       its.fill(0, 64, nullptr);
     }},
    {"an argument is not set", false,
     [](session& its) {
       its.load();
       NEED(its.ze.zeKernelSetArgumentValue(its.kernel, 0, sizeof(its.memory), &its.memory));
       NEED(its.ze.zeKernelSetGroupSize(its.kernel, 1, 1, 1));
       its.launch();
     }},
    {"groups have no size", false,
     [](session& its) {
       its.load();
       NEED(its.ze.zeKernelSetArgumentValue(its.kernel, 0, sizeof(its.memory), &its.memory));
       NEED(its.ze.zeKernelSetArgumentValue(its.kernel, 1, 64, nullptr));
       its.launch();
     }},
    {"an event is reset while a thread or a command waits for it", false,
     [](session& its) {
       const ze_event_handle_t first = its.event(0), second = its.event(1);
       its.fill_for_long(first);
       its.fill(0, 64, second, first);
       NEED(its.ze.zeEventHostReset(first));
     }},
    {"an event is signalled twice", false,
     [](session& its) {
       const ze_event_handle_t event = its.event(0);
       its.fill(0, 64, event);
       its.wait(event);
       its.fill(0, 64, event);
     }},
    {"a command waits for what nothing signals", false,
     [](session& its) { its.fill(0, 64, its.event(0), its.event(1)); }},
    {"two events have one place", false,
     [](session& its) {
       its.event(3);
       its.event(3);
     }},
    {"memory is freed while it is filled", false,
     [](session& its) {
       its.fill_for_long(its.event(0));
       NEED(its.ze.zeMemFree(its.context, its.memory));
     }},
    {"memory is freed, and a launch uses it afterwards", false,
     [](session& its) {
       its.prepare();
       void* other = nullptr;
       const ze_host_mem_alloc_desc_t of_memory;
       NEED(its.ze.zeMemAllocHost(its.context, &of_memory, 4, 4, &other));
       NEED(its.ze.zeKernelSetArgumentValue(its.kernel, 0, sizeof(other), &other));
       const ze_event_handle_t first = its.event(0), second = its.event(1);
       its.fill_for_long(first);
       its.launch(second, first);
       NEED(its.ze.zeMemFree(its.context, other));
       its.wait(second);
     }},
    {"fills of the same memory have no order", false,
     [](session& its) {
       its.fill_for_long(its.event(0));
       its.fill(64, 64, its.event(1));
     }},
    {"launches that share memory have no order", false,
     [](session& its) {
       its.prepare();
       its.fill_for_long(its.event(0));
       its.launch();
     }},
    {"copies of two lists have no order", false,
     [](session& its) {
       its.fill_for_long(its.event(0));
       const ze_command_queue_desc_t wanted;
       NEED(its.ze.zeCommandListCreateImmediate(its.context, its.device, &wanted, &its.list));
       its.fill(0, 64, its.event(1));
     }},
    {"a list is destroyed while it runs", false,
     [](session& its) {
       its.fill_for_long(its.event(0));
       NEED(its.ze.zeCommandListDestroy(its.list));
     }},
};

/// The exit code of a process that runs the case.
int code_of(const behaviour& each) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    // Wrong programs print sentences as expected, so their output is dropped.
    if (!each.is_right && !std::freopen("/dev/null", "w", stderr)) std::_Exit(1);
    session its;
    each.run(its);
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

}  // namespace

int main() {
  int wrong = 0;
  for (const behaviour& each : behaviours) {
    const int code = code_of(each);
    if (code == skipped) return skipped;
    const bool is_as_wanted = code == (each.is_right ? 0 : refused);
    std::printf("%s: %s, code %d\n", is_as_wanted ? "ok" : "FAILED", each.what, code);
    wrong += is_as_wanted ? 0 : 1;
  }
  return wrong == 0 ? 0 : 1;
}
