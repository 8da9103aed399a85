/// HIP's functions, implemented by simulated GPUs (judge.hpp).

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "exports.hpp"
#include "graphs.hpp"
#include "judge.hpp"
#include "modules.hpp"
#include "streams.hpp"

namespace {

using namespace sinter::hip;
using namespace judge;

std::atomic<bool> has_ended{false}, has_begun{false};
thread_local int current = 0;

int device_count() { return static_cast<int>(number_from("TEST_HIP_DEVICES", 1)); }

/// Every function of the interface calls this function first, and returns its result if it is an error.
hipError_t begin() {
  if (has_ended) refuse("a function is called after the runtime has ended with the program");
  return has_failed() ? hipErrorIllegalAddress : hipSuccess;
}
#define BEGIN() \
  if (const hipError_t failure = begin(); failure != hipSuccess) return failure

stream& stream_here(hipStream_t handle) {
  if (!handle) refuse("the stream of all threads is used");
  stream& found = stream_of(handle);
  if (found.device != current) refuse("a stream is used while another GPU is the thread's");
  return found;
}

std::mutex guarding;  // guards the variables below
std::set<event*>& events() {
  static auto& made = *new std::set<event*>;
  return made;
}
event& event_of(hipEvent_t handle) {
  auto* const known = reinterpret_cast<event*>(handle);
  std::lock_guard lock(guarding);
  if (!events().contains(known)) refuse("an event is used that is none, or is gone");
  return *known;
}
/// Returns the command with which the event was recorded last. Returns a copy of the pointer, because another thread
/// may record the event again at any moment.
std::shared_ptr<command> recorded(event& asked) {
  std::lock_guard lock(guarding);
  return asked.recorded;
}

hipError_t give(char* memory, void** place) {
  if (!memory) return hipErrorOutOfMemory;
  *place = memory;
  return hipSuccess;
}

template <class T>
hipError_t fill(hipDeviceptr_t destination, T value, std::size_t count, hipStream_t handle) {
  BEGIN();
  const allocation to = allocation_of(destination);
  auto* const begin = static_cast<char*>(destination);
  if (to.bytes == 0 || begin + count * sizeof(T) > to.begin + to.bytes) return hipErrorInvalidValue;
  append(stream_here(handle), [=] {
    std::fill_n(static_cast<T*>(destination), count, value);
    return true;
  }, {{to.begin, true}});
  return hipSuccess;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// ---------------------------------------------------------------------------------------------- runtime and devices

hipError_t hipDriverGetVersion(int* version) {
  return *version = static_cast<int>(number_from("TEST_HIP_VERSION", 60342134)), hipSuccess;
}
const char* hipGetErrorName(hipError_t error) {
  switch (error) {
    case hipErrorOutOfMemory:
      return "hipErrorOutOfMemory";
    case hipErrorNoBinaryForGpu:
      return "hipErrorNoBinaryForGpu";
    case hipErrorIllegalAddress:
      return "hipErrorIllegalAddress";
    case hipErrorNoDevice:
      return "hipErrorNoDevice";
    case hipErrorInvalidImage:
      return "hipErrorInvalidImage";
    case hipErrorNotFound:
      return "hipErrorNotFound";
    default:
      return "hipErrorInvalidValue";
  }
}
const char* hipGetErrorString(hipError_t error) {
  return error == hipErrorIllegalAddress ? "an illegal memory access was encountered"
         : error == hipErrorNoBinaryForGpu ? "no kernel image is available for execution on the device"
                                           : "the judge's own words";
}
hipError_t hipGetDeviceCount(int* count) {
  *count = device_count();
  return *count == 0 ? hipErrorNoDevice : hipSuccess;
}
// Like HIP's runtime, this library stops working when the program ends, even if the program still calls it.
hipError_t hipInit(unsigned) {
  if (device_count() == 0) return hipErrorInvalidDevice;
  if (!has_begun.exchange(true)) {
    std::atexit([] { has_ended = true; });
    // Kernels find the simulation's functions by name, so the loader has to make these names global.
    Dl_info own;
    if (dladdr(reinterpret_cast<const void*>(&hipDriverGetVersion), &own) == 0 ||
        !dlopen(own.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD)) {
      refuse("the simulation does not find itself");
    }
  }
  return hipSuccess;
}
hipError_t hipSetDevice(int device) {
  BEGIN();
  if (device < 0 || device >= device_count()) return hipErrorInvalidDevice;
  current = device;
  return hipSuccess;
}
hipError_t hipGetDevice(int* device) { return *device = current, hipSuccess; }
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  if (ordinal < 0 || ordinal >= device_count()) return hipErrorInvalidDevice;
  return *device = ordinal, hipSuccess;
}
hipError_t hipDeviceGetName(char* name, int room, hipDevice_t) {
  std::snprintf(name, static_cast<std::size_t>(room), "Simulated GPU");
  return hipSuccess;
}
hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  std::memcpy(uuid->bytes, "simulated GPU", 13);
  uuid->bytes[15] = static_cast<char>(device);
  return hipSuccess;
}
hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t) {
  return *bytes = static_cast<std::size_t>(number_from("TEST_HIP_MEMORY", 4096)) << 20, hipSuccess;
}
hipError_t hipGetDevicePropertiesR0600(hipDevicePropR0600* properties, int) {
  std::memset(static_cast<void*>(properties), 0x55, sizeof(*properties) - 512);
  std::snprintf(properties->gcnArchName, sizeof(properties->gcnArchName), "%s:sramecc+:xnack-", architecture().c_str());
  return hipSuccess;
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which, int) {
  switch (which) {
    case hipDeviceAttributeMaxThreadsPerBlock:
    case hipDeviceAttributeMaxBlockDimX:
    case hipDeviceAttributeMaxBlockDimY:
    case hipDeviceAttributeMaxBlockDimZ:
      return *value = most_items, hipSuccess;
    case hipDeviceAttributeMaxGridDimX:
      return *value = 0x7fffffff, hipSuccess;
    case hipDeviceAttributeMaxGridDimY:
    case hipDeviceAttributeMaxGridDimZ:
      return *value = 65535, hipSuccess;
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
      return *value = most_local_bytes, hipSuccess;
    case hipDeviceAttributeMultiprocessorCount:
      return *value = 2, hipSuccess;
    case hipDeviceAttributeWarpSize:
      return *value = static_cast<int>(wave_of(architecture())), hipSuccess;
    case hipDeviceAttributeMemoryPoolsSupported:
      return *value = static_cast<int>(number_from("TEST_HIP_POOLS", 1)), hipSuccess;
    case hipDeviceAttributeClockRate:
    case hipDeviceAttributeMemoryClockRate:
      return *value = 1000000, hipSuccess;
    case hipDeviceAttributeIntegrated:
    case hipDeviceAttributePciBusId:
    case hipDeviceAttributePciDeviceId:
    case hipDeviceAttributePciDomainID:
      return *value = 0, hipSuccess;
    default:
      return *value = 1, hipSuccess;
  }
}
hipError_t hipDeviceCanAccessPeer(int* can, int device, int other) { return *can = device != other, hipSuccess; }
hipError_t hipDeviceEnablePeerAccess(int other, unsigned flags) {
  BEGIN();
  if (flags != 0 || other == current) return hipErrorInvalidValue;
  let_reach(current, other);
  return hipSuccess;
}

// ---------------------------------------------------------------------------------------------- code

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  BEGIN();
  return load(image, module);
}
hipError_t hipModuleUnload(hipModule_t handle) {
  BEGIN();
  unload(handle);
  return hipSuccess;
}
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t handle, const char* name) {
  BEGIN();
  return find_function(handle, name, function);
}
hipError_t hipModuleGetGlobal(hipDeviceptr_t* place, std::size_t* bytes, hipModule_t handle, const char* name) {
  BEGIN();
  return find_variable(handle, name, place, bytes);
}
hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute which, hipFunction_t handle) {
  BEGIN();
  (void)function_of(handle);
  *value = which == HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? static_cast<int>(most_items)
           : which == HIP_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                             : 0;
  return hipSuccess;
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t handle, int items,
                                                              std::size_t local_bytes) {
  BEGIN();
  (void)function_of(handle);
  if (items <= 0 || items > static_cast<int>(most_items)) return hipErrorInvalidValue;
  const int by_memory = local_bytes == 0 ? 32 : static_cast<int>(most_local_bytes / local_bytes);
  return *blocks = std::min({2048 / items, by_memory, 4}), hipSuccess;
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty,
                                 unsigned tz, unsigned local, hipStream_t stream, void** parameters, void** extra) {
  BEGIN();
  if (extra) refuse("a launch has parameters of the other kind");
  return launch(function, {{tx, ty, tz}, nullptr, nullptr, {x, y, z}, parameters, local}, stream_here(stream), false);
}
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned x, unsigned y, unsigned z, unsigned tx,
                                            unsigned ty, unsigned tz, unsigned local, hipStream_t stream,
                                            void** parameters) {
  BEGIN();
  return launch(function, {{tx, ty, tz}, nullptr, nullptr, {x, y, z}, parameters, local}, stream_here(stream), true);
}

// ---------------------------------------------------------------------------------------------- streams and events

hipError_t hipStreamCreateWithFlags(hipStream_t* made, unsigned flags) {
  BEGIN();
  if (flags != hipStreamNonBlocking) refuse("a stream waits for the stream of all threads");
  *made = reinterpret_cast<hipStream_t>(make_stream(current));
  return hipSuccess;
}
hipError_t hipStreamDestroy(hipStream_t handle) {
  BEGIN();
  destroy(stream_here(handle));
  return hipSuccess;
}
hipError_t hipStreamQuery(hipStream_t handle) {
  BEGIN();
  return is_idle(stream_here(handle)) ? begin() : hipErrorNotReady;
}
hipError_t hipStreamSynchronize(hipStream_t handle) {
  BEGIN();
  wait(stream_here(handle));
  return begin();
}
hipError_t hipStreamWaitEvent(hipStream_t handle, hipEvent_t event, unsigned flags) {
  BEGIN();
  if (flags != 0) return hipErrorInvalidValue;
  // A stream can also wait for events of other GPUs.
  append(stream_here(handle), {}, {}, nullptr, recorded(event_of(event)));
  return hipSuccess;
}
hipError_t hipEventCreateWithFlags(hipEvent_t* made, unsigned flags) {
  BEGIN();
  if ((flags & ~hipEventDisableTiming) != 0) return hipErrorInvalidValue;
  auto* const created = new event;
  created->has_times = flags == 0;
  std::lock_guard lock(guarding);
  events().insert(created);
  *made = reinterpret_cast<hipEvent_t>(created);
  return hipSuccess;
}
hipError_t hipEventDestroy(hipEvent_t handle) {
  BEGIN();
  event& gone = event_of(handle);
  std::lock_guard lock(guarding);
  events().erase(&gone);
  delete &gone;
  return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t handle, hipStream_t to) {
  BEGIN();
  event& its = event_of(handle);
  std::shared_ptr<command> mark = append(stream_here(to), {}, {});
  std::lock_guard lock(guarding);
  its.recorded = std::move(mark);
  return hipSuccess;
}
hipError_t hipEventQuery(hipEvent_t handle) {
  BEGIN();
  return is_done(recorded(event_of(handle))) ? begin() : hipErrorNotReady;
}
hipError_t hipEventSynchronize(hipEvent_t handle) {
  BEGIN();
  wait(recorded(event_of(handle)));
  return begin();
}
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t from, hipEvent_t to) {
  BEGIN();
  event &first = event_of(from), &last = event_of(to);
  if (!first.has_times || !last.has_times) return hipErrorInvalidHandle;
  const auto begun = recorded(first), ended = recorded(last);
  if (!begun || !ended) return hipErrorInvalidHandle;
  if (!is_done(begun) || !is_done(ended)) return hipErrorNotReady;
  return *milliseconds = static_cast<float>(ended->time - begun->time) * 1e-6f, hipSuccess;
}

// ---------------------------------------------------------------------------------------------- memory

hipError_t hipMalloc(void** memory, std::size_t bytes) {
  BEGIN();
  return give(allocate(memory_kind::device, bytes, current), memory);
}
hipError_t hipMallocAsync(void** memory, std::size_t bytes, hipStream_t stream) {
  BEGIN();
  if (number_from("TEST_HIP_POOLS", 1) == 0) refuse("memory is taken from a pool, and there is none");
  (void)stream_here(stream);
  return give(allocate(memory_kind::device, bytes, current), memory);
}
hipError_t hipMallocManaged(void** memory, std::size_t bytes, unsigned flags) {
  BEGIN();
  if (flags != hipMemAttachGlobal) return hipErrorInvalidValue;
  return give(allocate(memory_kind::managed, bytes, current), memory);
}
hipError_t hipHostMalloc(void** memory, std::size_t bytes, unsigned) {
  BEGIN();
  return give(allocate(memory_kind::host, bytes, current), memory);
}
hipError_t hipFree(void* memory) {
  BEGIN();
  deallocate(memory, false);
  return hipSuccess;
}
hipError_t hipFreeAsync(void* memory, hipStream_t stream) {
  BEGIN();
  (void)stream_here(stream);
  deallocate(memory, false);
  return hipSuccess;
}
hipError_t hipHostFree(void* memory) {
  BEGIN();
  deallocate(memory, true);
  return hipSuccess;
}
hipError_t hipMemGetInfo(std::size_t* left, std::size_t* all) {
  BEGIN();
  return *left = memory_left(current), hipDeviceTotalMem(all, current);
}
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  BEGIN();
  return *pool = reinterpret_cast<hipMemPool_t>(std::intptr_t{device} + 1), hipSuccess;
}
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* access, std::size_t count) {
  BEGIN();
  for (std::size_t i = 0; i < count; ++i) {
    if (access[i].location.type != 1 || access[i].flags != 3) return hipErrorInvalidValue;
    let_reach(access[i].location.id, static_cast<int>(reinterpret_cast<std::intptr_t>(pool) - 1));
  }
  return hipSuccess;
}
hipError_t hipMemPoolSetAttribute(hipMemPool_t, hipMemPoolAttr which, void*) {
  BEGIN();
  return which == hipMemPoolAttrReleaseThreshold ? hipSuccess : hipErrorInvalidValue;
}
hipError_t hipMemPrefetchAsync(const void* memory, std::size_t bytes, int, hipStream_t stream) {
  BEGIN();
  const allocation found = allocation_of(memory);
  if (found.kind != memory_kind::managed || bytes == 0) return hipErrorInvalidValue;
  append(stream_here(stream), {}, {{found.begin, true}});
  return hipSuccess;
}
hipError_t hipMemAdvise(const void* memory, std::size_t, hipMemoryAdvise advice, int) {
  BEGIN();
  if (advice < hipMemAdviseSetReadMostly || advice > hipMemAdviseUnsetAccessedBy) return hipErrorInvalidValue;
  return allocation_of(memory).kind == memory_kind::managed ? hipSuccess : hipErrorInvalidValue;
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t handle) {
  BEGIN();
  if (kind != hipMemcpyDefault) return hipErrorInvalidValue;
  std::vector<use> uses;
  if (!check_copy(to, from, bytes, uses)) return hipErrorInvalidValue;
  const bool is_pageable = uses.size() < 2;
  const auto done = append(stream_here(handle), [=] { return std::memmove(to, from, bytes), true; }, std::move(uses));
  // If the memory is not page-locked, the program may free it when the function returns.
  if (is_pageable) wait(done);
  return hipSuccess;
}
hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t bytes) {
  BEGIN();
  std::vector<use> uses;
  if (!check_copy(to, from, bytes, uses)) return hipErrorInvalidValue;
  std::memmove(to, from, bytes);
  return hipSuccess;
}
hipError_t hipPointerGetAttribute(void* value, hipPointer_attribute which, hipDeviceptr_t address) {
  BEGIN();
  const allocation found = allocation_of(address);
  if (which != HIP_POINTER_ATTRIBUTE_MEMORY_TYPE || found.bytes == 0) return hipErrorInvalidValue;
  const bool is_old = number_from("TEST_HIP_VERSION", 60342134) < 60000000;
  const unsigned type = found.kind == memory_kind::host ? 1 : found.kind == memory_kind::device || is_old ? 2 : 3;
  *static_cast<unsigned*>(value) = type - (is_old ? 1 : 0);
  return hipSuccess;
}
hipError_t hipMemsetD8Async(hipDeviceptr_t memory, unsigned char value, std::size_t count, hipStream_t stream) {
  return fill(memory, value, count, stream);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t memory, unsigned short value, std::size_t count, hipStream_t stream) {
  return fill(memory, value, count, stream);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t memory, int value, std::size_t count, hipStream_t stream) {
  return fill(memory, value, count, stream);
}

// ---------------------------------------------------------------------------------------------- graphs

hipError_t hipGraphCreate(hipGraph_t* made, unsigned flags) {
  BEGIN();
  if (flags != 0) return hipErrorInvalidValue;
  return *made = reinterpret_cast<hipGraph_t>(make_graph()), hipSuccess;
}
hipError_t hipGraphDestroy(hipGraph_t handle) {
  BEGIN();
  destroy(graph_of(handle));
  return hipSuccess;
}
hipError_t hipGraphAddKernelNode(hipGraphNode_t* made, hipGraph_t handle, const hipGraphNode_t* before,
                                 std::size_t count, const hipKernelNodeParams* parameters) {
  BEGIN();
  bound_launch bound;
  const auto function = reinterpret_cast<hipFunction_t>(parameters->func);
  if (const hipError_t error = bind(function, *parameters, current, bound); error != hipSuccess) return error;
  return add_node(handle, before, count, node_of(std::move(bound)), made);
}
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* made, hipGraph_t handle, const hipGraphNode_t* before,
                                   std::size_t count, void* to, const void* from, std::size_t bytes,
                                   hipMemcpyKind kind) {
  BEGIN();
  graph_node added;
  if (kind != hipMemcpyDefault || !check_copy(to, from, bytes, added.uses)) return hipErrorInvalidValue;
  added.work = [=] { return std::memmove(to, from, bytes), true; };
  return add_node(handle, before, count, std::move(added), made);
}
hipError_t hipGraphAddMemsetNode(hipGraphNode_t* made, hipGraph_t handle, const hipGraphNode_t* before,
                                 std::size_t count, const hipMemsetParams* its) {
  BEGIN();
  const allocation to = allocation_of(its->dst);
  const std::size_t element = its->elementSize, width = its->width;
  auto* const begin = static_cast<char*>(its->dst);
  if ((element != 1 && element != 2 && element != 4) || its->height != 1 || width == 0 || to.bytes == 0 ||
      begin + element * width > to.begin + to.bytes) {
    return hipErrorInvalidValue;
  }
  graph_node added;
  added.uses = {{to.begin, true}};
  added.work = [=, value = its->value] {
    for (std::size_t i = 0; i < width; ++i) std::memcpy(begin + i * element, &value, element);
    return true;
  };
  return add_node(handle, before, count, std::move(added), made);
}
hipError_t hipGraphAddEmptyNode(hipGraphNode_t* made, hipGraph_t handle, const hipGraphNode_t* before,
                                std::size_t count) {
  BEGIN();
  return add_node(handle, before, count, {}, made);
}
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* made, hipGraph_t handle, const hipGraphNode_t* before,
                                     std::size_t count, hipGraph_t child) {
  BEGIN();
  return add_node(handle, before, count, node_of(graph_of(child)), made);
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* made, hipGraph_t handle, unsigned long long flags) {
  BEGIN();
  if (flags != 0) return hipErrorInvalidValue;
  return *made = reinterpret_cast<hipGraphExec_t>(make_executable(graph_of(handle))), hipSuccess;
}
hipError_t hipGraphExecDestroy(hipGraphExec_t handle) {
  BEGIN();
  destroy(executable_of(handle));
  return hipSuccess;
}
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t handle, hipGraphNode_t node,
                                           const hipKernelNodeParams* parameters) {
  BEGIN();
  bound_launch bound;
  const auto function = reinterpret_cast<hipFunction_t>(parameters->func);
  if (const hipError_t error = bind(function, *parameters, current, bound); error != hipSuccess) return error;
  return change(executable_of(handle), node, std::move(bound));
}
hipError_t hipGraphLaunch(hipGraphExec_t handle, hipStream_t stream) {
  BEGIN();
  launch(executable_of(handle), stream_here(stream));
  return hipSuccess;
}
}
#pragma GCC visibility pop
