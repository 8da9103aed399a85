/// Lists of commands, events, and the tables that the loader asks for.

#include <algorithm>
#include <cstring>

#include "judge.hpp"
#include "objects.hpp"

namespace judge {

void add_launch(ze_command_list_dditable_t& table);

namespace {

/// The structure ze_init_driver_type_desc_t of specification 1.10.
struct init_driver_type {
  static constexpr auto right_stype = static_cast<ze_structure_type_t>(0x20021);
  static constexpr std::uint32_t gpu = 1;
  ze_structure_type_t stype;
  const void* next;
  std::uint32_t flags;
};

constexpr std::uint32_t copy_group = 1;

}  // namespace

driver_counts& counts() {
  static auto& made = *new driver_counts;
  return made;
}

ze_result_t start(ze_init_flags_t) {
  device_ticks();
  return find_core() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED;
}

/// Implements zeInitDrivers.
ze_result_t start_and_list(std::uint32_t* count, ze_driver_handle_t* drivers, const init_driver_type* wanted) {
  if (wanted->stype != init_driver_type::right_stype) refuse("a structure has no type");
  if (const ze_result_t result = start(0); result != ZE_RESULT_SUCCESS) return result;
  if ((wanted->flags & init_driver_type::gpu) == 0) return *count = 0, ZE_RESULT_SUCCESS;
  ze_driver_dditable_t its{};
  fill(its);
  return its.pfnGet(count, drivers);
}

namespace {

command_list* list_for(std::uint32_t ordinal) {
  auto* const list = new command_list;
  list->only_copies = ordinal == copy_group;
  list->longest_pattern = list->only_copies ? 1 : longest_pattern;
  return list;
}
ze_result_t make_list(ze_context_handle_t, ze_device_handle_t, const ze_command_queue_desc_t* wanted,
                      ze_command_list_handle_t* made) {
  if (wanted->stype != ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC) refuse("a structure has no type");
  if (wanted->ordinal > copy_group || wanted->index != 0) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  // In specification 1.3, EXPLICIT_ONLY is the only flag. Drivers with in-order lists also have the flag for these
  // lists.
  constexpr std::uint32_t in_order = sinter::level_zero::ZE_COMMAND_QUEUE_FLAG_IN_ORDER;
  const std::uint32_t known = has_ordered_lists() ? in_order | ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY
                                                  : std::uint32_t{ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY};
  if ((wanted->flags & ~known) != 0) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
  command_list* const list = list_for(wanted->ordinal);
  list->in_order = (wanted->flags & in_order) != 0;
  *made = reinterpret_cast<ze_command_list_handle_t>(list);
  return ZE_RESULT_SUCCESS;
}
ze_result_t make_immediate_list(ze_context_handle_t context, ze_device_handle_t device,
                                const ze_command_queue_desc_t* wanted, ze_command_list_handle_t* made) {
  if (has_ordered_lists() && (wanted->flags & sinter::level_zero::ZE_COMMAND_QUEUE_FLAG_IN_ORDER) == 0) {
    refuse("a list keeps no order, though the driver has lists that do");
  }
  return make_list(context, device, wanted, made);
}
ze_result_t make_closed_list(ze_context_handle_t, ze_device_handle_t, const ze_command_list_desc_t* wanted,
                             ze_command_list_handle_t* made) {
  namespace ours = sinter::level_zero;
  if (wanted->stype != ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC) refuse("a structure has no type");
  if (wanted->commandQueueGroupOrdinal > copy_group) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  if (wanted->flags != 0) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
  command_list* const list = list_for(wanted->commandQueueGroupOrdinal);
  list->is_immediate = false;
  ++counts().lists;
  if (const auto* more = static_cast<const ours::ze_mutable_command_list_exp_desc_t*>(wanted->pNext)) {
    if (!has_mutable_lists() || more->stype != ours::ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC) {
      refuse("a list is wanted that the driver does not know");
    }
    list->is_mutable = true;
  }
  *made = reinterpret_cast<ze_command_list_handle_t>(list);
  return ZE_RESULT_SUCCESS;
}
ze_result_t close_list(ze_command_list_handle_t handle) {
  auto& list = of<command_list>(handle);
  if (list.is_immediate) refuse("an immediate list is closed");
  list.is_closed = true;
  return ZE_RESULT_SUCCESS;
}
ze_result_t destroy_list(ze_command_list_handle_t handle) {
  destroy(of<command_list>(handle));
  delete &of<command_list>(handle);
  return ZE_RESULT_SUCCESS;
}

/// A queue is an immediate list that accepts only closed lists.
ze_result_t make_queue(ze_context_handle_t context, ze_device_handle_t device, const ze_command_queue_desc_t* wanted,
                       ze_command_queue_handle_t* made) {
  return make_list(context, device, wanted, reinterpret_cast<ze_command_list_handle_t*>(made));
}
ze_result_t destroy_queue(ze_command_queue_handle_t handle) {
  return destroy_list(reinterpret_cast<ze_command_list_handle_t>(handle));
}
ze_result_t execute_lists(ze_command_queue_handle_t handle, std::uint32_t count, ze_command_list_handle_t* lists,
                          ze_fence_handle_t fence) {
  if (fence) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  for (std::uint32_t i = 0; i < count; ++i) {
    ++counts().executions;
    execute(of<command_list>(handle), of<command_list>(lists[i]), nullptr, 0, nullptr);
  }
  return ZE_RESULT_SUCCESS;
}
/// Appends a closed list to an immediate list. Only one list at a time is supported.
ze_result_t append_lists(ze_command_list_handle_t immediate, std::uint32_t count, ze_command_list_handle_t* lists,
                         ze_event_handle_t signalled, std::uint32_t waits, ze_event_handle_t* awaited) {
  if (count != 1) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  if (!of<command_list>(immediate).is_immediate) refuse("a list is appended to one that is not immediate");
  ++counts().executions;
  execute(of<command_list>(immediate), of<command_list>(lists[0]), reinterpret_cast<event*>(signalled), waits, awaited);
  return ZE_RESULT_SUCCESS;
}

use exact(const void* begin, std::size_t bytes, bool writes) {
  return {static_cast<const char*>(begin), bytes, writes, true};
}

ze_result_t append_copy(ze_command_list_handle_t list, void* to, const void* from, std::size_t bytes,
                        ze_event_handle_t signalled, std::uint32_t count, ze_event_handle_t* awaited) {
  append(of<command_list>(list), [=] { std::memmove(to, from, bytes); },
         {exact(to, bytes, true), exact(from, bytes, false)}, reinterpret_cast<event*>(signalled), count, awaited);
  return ZE_RESULT_SUCCESS;
}
/// The command reads the pattern when it runs, not when it is appended.
ze_result_t append_fill(ze_command_list_handle_t list, void* to, const void* pattern, std::size_t pattern_bytes,
                        std::size_t bytes, ze_event_handle_t signalled, std::uint32_t count,
                        ze_event_handle_t* awaited) {
  if (pattern_bytes == 0 || (pattern_bytes & (pattern_bytes - 1)) != 0) return ZE_RESULT_ERROR_INVALID_SIZE;
  if (pattern_bytes > of<command_list>(list).longest_pattern) return ZE_RESULT_ERROR_INVALID_SIZE;
  if (bytes % pattern_bytes != 0) refuse("memory is filled with parts of a pattern");
  if (reinterpret_cast<std::uintptr_t>(to) % pattern_bytes != 0) {
    refuse("a pattern is longer than its memory's alignment");
  }
  const auto what = [=] {
    for (std::size_t at = 0; at < bytes; at += pattern_bytes) {
      std::memcpy(static_cast<char*>(to) + at, pattern, pattern_bytes);
    }
  };
  append(of<command_list>(list), what, {exact(to, bytes, true)}, reinterpret_cast<event*>(signalled), count, awaited);
  return ZE_RESULT_SUCCESS;
}
ze_result_t append_prefetch(ze_command_list_handle_t list, const void* memory, std::size_t bytes) {
  const allocation its = allocation_of(memory);
  if (its.type != ZE_MEMORY_TYPE_SHARED) refuse("memory is prefetched that is not shared");
  append(of<command_list>(list), [] {}, {exact(memory, bytes, false)}, nullptr, 0, nullptr);
  return ZE_RESULT_SUCCESS;
}
ze_result_t append_advice(ze_command_list_handle_t list, ze_device_handle_t, const void* memory, std::size_t bytes,
                          ze_memory_advice_t advice) {
  if (advice > ZE_MEMORY_ADVICE_BIAS_UNCACHED) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
  const allocation its = allocation_of(memory);
  if (its.type != ZE_MEMORY_TYPE_SHARED) refuse("advice is given for memory that is not shared");
  append(of<command_list>(list), [] {}, {exact(memory, bytes, false)}, nullptr, 0, nullptr);
  return ZE_RESULT_SUCCESS;
}
ze_result_t append_barrier(ze_command_list_handle_t list, ze_event_handle_t signalled, std::uint32_t count,
                           ze_event_handle_t* awaited) {
  append(of<command_list>(list), nullptr, {}, reinterpret_cast<event*>(signalled), count, awaited, /*is_barrier=*/true);
  return ZE_RESULT_SUCCESS;
}

ze_result_t make_pool(ze_context_handle_t, const ze_event_pool_desc_t* wanted, std::uint32_t, ze_device_handle_t*,
                      ze_event_pool_handle_t* made) {
  if (wanted->stype != ZE_STRUCTURE_TYPE_EVENT_POOL_DESC) refuse("a structure has no type");
  if (wanted->count == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
  if ((wanted->flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE) == 0) refuse("the host can't see the events of a pool");
  auto* const pool = new event_pool;
  pool->has_times = (wanted->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP) != 0;
  pool->is_used.resize(wanted->count);
  *made = reinterpret_cast<ze_event_pool_handle_t>(pool);
  return ZE_RESULT_SUCCESS;
}
ze_result_t destroy_pool(ze_event_pool_handle_t handle) {
  const auto& its = of<event_pool>(handle).is_used;
  if (std::count(its.begin(), its.end(), 1) != 0) refuse("a pool is destroyed that has events");
  delete &of<event_pool>(handle);
  return ZE_RESULT_SUCCESS;
}
ze_result_t make_event(ze_event_pool_handle_t handle, const ze_event_desc_t* wanted, ze_event_handle_t* made) {
  if (wanted->stype != ZE_STRUCTURE_TYPE_EVENT_DESC) refuse("a structure has no type");
  auto& pool = of<event_pool>(handle);
  if (wanted->index >= pool.is_used.size()) refuse("an event has a place behind the end of its pool");
  if (pool.is_used[wanted->index] != 0) refuse("two events have one place of a pool");
  if ((wanted->signal & ZE_EVENT_SCOPE_FLAG_HOST) == 0) refuse("an event does not make memory visible to the host");
  pool.is_used[wanted->index] = 1;
  auto* const its = new event;
  its->pool = &pool;
  its->index = wanted->index;
  *made = reinterpret_cast<ze_event_handle_t>(its);
  return ZE_RESULT_SUCCESS;
}
ze_result_t destroy_event(ze_event_handle_t handle) {
  destroy(of<event>(handle));
  delete &of<event>(handle);
  return ZE_RESULT_SUCCESS;
}
ze_result_t synchronize(ze_event_handle_t handle, std::uint64_t nanoseconds) {
  if (is_lost()) return ZE_RESULT_ERROR_DEVICE_LOST;
  return wait(of<event>(handle), nanoseconds) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}
ze_result_t query(ze_event_handle_t handle) {
  if (is_lost()) return ZE_RESULT_ERROR_DEVICE_LOST;
  return is_signalled(of<event>(handle)) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}
ze_result_t reset_event(ze_event_handle_t handle) {
  reset(of<event>(handle));
  return ZE_RESULT_SUCCESS;
}
ze_result_t signal_event(ze_event_handle_t handle) {
  signal(of<event>(handle));
  return ZE_RESULT_SUCCESS;
}
ze_result_t query_times(ze_event_handle_t handle, ze_kernel_timestamp_result_t* times) {
  auto& its = of<event>(handle);
  if (!its.pool->has_times) refuse("an event is asked for times that its pool has not");
  if (!is_signalled(its)) return ZE_RESULT_NOT_READY;
  constexpr std::uint64_t mask = (std::uint64_t{1} << event_ticks_bits) - 1;
  times->global = times->context = {its.start & mask, its.end & mask};
  return ZE_RESULT_SUCCESS;
}

}  // namespace

void* newer_list_function(const std::string& name) {
  return name == "zeCommandListImmediateAppendCommandListsExp" ? reinterpret_cast<void*>(append_lists) : nullptr;
}

void fill(ze_command_queue_dditable_t& table) {
  table.pfnCreate = make_queue;
  table.pfnDestroy = destroy_queue;
  table.pfnExecuteCommandLists = execute_lists;
}

void fill(ze_command_list_dditable_t& table) {
  table.pfnCreate = make_closed_list;
  table.pfnClose = close_list;
  table.pfnCreateImmediate = make_immediate_list;
  table.pfnDestroy = destroy_list;
  table.pfnAppendMemoryCopy = append_copy;
  table.pfnAppendMemoryFill = append_fill;
  table.pfnAppendMemoryPrefetch = append_prefetch;
  table.pfnAppendMemAdvise = append_advice;
  table.pfnAppendBarrier = append_barrier;
  add_launch(table);
}

void fill(ze_event_pool_dditable_t& table) {
  table.pfnCreate = make_pool;
  table.pfnDestroy = destroy_pool;
}

void fill(ze_event_dditable_t& table) {
  table.pfnCreate = make_event;
  table.pfnDestroy = destroy_event;
  table.pfnHostSynchronize = synchronize;
  table.pfnQueryStatus = query;
  table.pfnHostReset = reset_event;
  table.pfnHostSignal = signal_event;
  table.pfnQueryKernelTimestamp = query_times;
}

}  // namespace judge

/// The loader calls this function, and so do tests that open the driver themselves.
extern "C" __attribute__((visibility("default"))) std::uint64_t judge_count(int which) {
  const judge::driver_counts& its = judge::counts();
  return which == 0 ? its.lists : which == 1 ? its.executions : which == 2 ? its.changes : its.groups;
}

// The loader rejects drivers that lack one of these functions, even if the program never calls it.
#define JUDGE_TABLE extern "C" __attribute__((visibility("default"))) ze_result_t

JUDGE_TABLE zeGetGlobalProcAddrTable(ze_api_version_t version, ze_global_dditable_t* table) {
  table->pfnInit = judge::start;
  // Programs that call zeInitDrivers of newer loaders see only drivers that have this function.
  auto* const functions = reinterpret_cast<void**>(table);
  if (version >= ZE_MAKE_VERSION(1, 10)) functions[1] = reinterpret_cast<void*>(judge::start_and_list);
  return ZE_RESULT_SUCCESS;
}
#define JUDGE_FILLED(name, type)                                       \
  JUDGE_TABLE zeGet##name##ProcAddrTable(ze_api_version_t, type* table) { \
    judge::fill(*table);                                               \
    return ZE_RESULT_SUCCESS;                                          \
  }
JUDGE_FILLED(Driver, ze_driver_dditable_t)
JUDGE_FILLED(Device, ze_device_dditable_t)
JUDGE_FILLED(Context, ze_context_dditable_t)
JUDGE_FILLED(CommandList, ze_command_list_dditable_t)
JUDGE_FILLED(CommandQueue, ze_command_queue_dditable_t)
JUDGE_FILLED(EventPool, ze_event_pool_dditable_t)
JUDGE_FILLED(Event, ze_event_dditable_t)
JUDGE_FILLED(Module, ze_module_dditable_t)
JUDGE_FILLED(ModuleBuildLog, ze_module_build_log_dditable_t)
JUDGE_FILLED(Kernel, ze_kernel_dditable_t)
JUDGE_FILLED(KernelExp, ze_kernel_exp_dditable_t)
JUDGE_FILLED(Mem, ze_mem_dditable_t)

#define JUDGE_EMPTY(name) \
  JUDGE_TABLE name##ProcAddrTable(ze_api_version_t, void*) { return ZE_RESULT_SUCCESS; }
#define JUDGE_EMPTY_TABLES(F)                                                                                       \
  F(zetGetDevice) F(zetGetContext) F(zetGetCommandList) F(zetGetKernel) F(zetGetModule) F(zetGetDebug)              \
  F(zetGetMetric) F(zetGetMetricGroup) F(zetGetMetricGroupExp) F(zetGetMetricQuery) F(zetGetMetricQueryPool)        \
  F(zetGetMetricStreamer) F(zetGetTracerExp) F(zesGetDevice) F(zesGetDiagnostics) F(zesGetDriver) F(zesGetEngine)   \
  F(zesGetFabricPort) F(zesGetFan) F(zesGetFirmware) F(zesGetFrequency) F(zesGetLed) F(zesGetMemory)                \
  F(zesGetPerformanceFactor) F(zesGetPower) F(zesGetPsu) F(zesGetRas) F(zesGetScheduler) F(zesGetStandby)           \
  F(zesGetTemperature) F(zesGetOverclock)
JUDGE_EMPTY_TABLES(JUDGE_EMPTY)
// <level_zero/ze_ddi.h> declares these functions, each with its own type.
#define JUDGE_UNUSED(name, type) \
  JUDGE_TABLE zeGet##name##ProcAddrTable(ze_api_version_t, type*) { return ZE_RESULT_SUCCESS; }
JUDGE_UNUSED(Fence, ze_fence_dditable_t)
JUDGE_UNUSED(DeviceExp, ze_device_exp_dditable_t)
JUDGE_UNUSED(EventExp, ze_event_exp_dditable_t)
JUDGE_UNUSED(Image, ze_image_dditable_t)
JUDGE_UNUSED(ImageExp, ze_image_exp_dditable_t)
JUDGE_UNUSED(PhysicalMem, ze_physical_mem_dditable_t)
JUDGE_UNUSED(Sampler, ze_sampler_dditable_t)
JUDGE_UNUSED(VirtualMem, ze_virtual_mem_dditable_t)
JUDGE_UNUSED(FabricEdgeExp, ze_fabric_edge_exp_dditable_t)
JUDGE_UNUSED(FabricVertexExp, ze_fabric_vertex_exp_dditable_t)
