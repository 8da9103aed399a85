/// A libamdhip64.so that calls NVIDIA's driver, for machines with an NVIDIA GPU. With this library, the unchanged HIP
/// back end runs on hardware that executes streams, copies and kernels at the same time. The GPU's name is NVIDIA's
/// ("sm_90"), so code is PTX, which the driver compiles when it is loaded. The library is built only if the build
/// command names it, and lies in its own folder: LD_LIBRARY_PATH=build/tests/devices/hip/over_cuda SINTER_DEVICE=hip:0
/// program

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "exports.hpp"

namespace {

using namespace sinter::hip;

void* cuda() {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library;
}

/// HIP and CUDA use the same numbers for results, flags, function attributes and memory advice.
template <class... Given>
hipError_t call(void* function, Given... given) {
  if (!function) std::fprintf(stderr, "NVIDIA's driver lacks a function\n"), std::abort();
  return static_cast<hipError_t>(reinterpret_cast<int (*)(Given...)>(function)(given...));
}
// Calls the driver's function `symbol`. A function that uses this macro must not have a parameter of this name.
#define CALL(symbol, ...)                                      \
  [&] {                                                        \
    static void* const cuda_function = dlsym(cuda(), #symbol); \
    return call(cuda_function, __VA_ARGS__);                   \
  }()

constexpr int most_devices = 16;
void* contexts[most_devices];
thread_local int current = 0;

int attribute(int which, int device) {
  int value = 0;
  CALL(cuDeviceGetAttribute, &value, which, device);
  return value;
}

struct kernel_node {
  void* function;
  unsigned blocks[3], threads[3], local_bytes;
  void **parameters, **extra, *kernel, *context;
};
kernel_node node_of(const hipKernelNodeParams& its) {
  return {its.func,
          {its.gridDim.x, its.gridDim.y, its.gridDim.z},
          {its.blockDim.x, its.blockDim.y, its.blockDim.z},
          its.sharedMemBytes,
          its.kernelParams,
          its.extra,
          nullptr,
          nullptr};
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

hipError_t hipDriverGetVersion(int* version) { return *version = 60342134, hipSuccess; }
const char* hipGetErrorName(hipError_t error) {
  const char* text = nullptr;
  return CALL(cuGetErrorName, static_cast<int>(error), &text), text;
}
const char* hipGetErrorString(hipError_t error) {
  const char* text = nullptr;
  return CALL(cuGetErrorString, static_cast<int>(error), &text), text;
}
hipError_t hipGetDeviceCount(int* count) {
  *count = 0;
  if (!cuda() || CALL(cuInit, 0u) != hipSuccess) return hipErrorNoDevice;
  return CALL(cuDeviceGetCount, count);
}
hipError_t hipInit(unsigned flags) { return CALL(cuInit, flags); }
hipError_t hipSetDevice(int device) {
  if (!contexts[device]) {
    if (const hipError_t error = CALL(cuDevicePrimaryCtxRetain, &contexts[device], device); error != hipSuccess) {
      return error;
    }
  }
  current = device;
  return CALL(cuCtxSetCurrent, contexts[device]);
}
hipError_t hipGetDevice(int* device) { return *device = current, hipSuccess; }
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) { return CALL(cuDeviceGet, device, ordinal); }
hipError_t hipDeviceGetName(char* name, int room, hipDevice_t device) {
  return CALL(cuDeviceGetName, name, room, device);
}
hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) { return CALL(cuDeviceGetUuid_v2, uuid, device); }
hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device) {
  return CALL(cuDeviceTotalMem_v2, bytes, device);
}
hipError_t hipGetDevicePropertiesR0600(hipDevicePropR0600* properties, int device) {
  std::snprintf(properties->gcnArchName, sizeof(properties->gcnArchName), "sm_%d%d", attribute(75, device),
                attribute(76, device));
  return hipSuccess;
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which, int device) {
  constexpr int numbers[][2] = {{hipDeviceAttributeMaxThreadsPerBlock, 1},
                                {hipDeviceAttributeMaxBlockDimX, 2},
                                {hipDeviceAttributeMaxBlockDimY, 3},
                                {hipDeviceAttributeMaxBlockDimZ, 4},
                                {hipDeviceAttributeMaxGridDimX, 5},
                                {hipDeviceAttributeMaxGridDimY, 6},
                                {hipDeviceAttributeMaxGridDimZ, 7},
                                {hipDeviceAttributeMaxSharedMemoryPerBlock, 8},
                                {hipDeviceAttributeWarpSize, 10},
                                {hipDeviceAttributeClockRate, 13},
                                {hipDeviceAttributeMultiprocessorCount, 16},
                                {hipDeviceAttributeIntegrated, 18},
                                {hipDeviceAttributePciBusId, 33},
                                {hipDeviceAttributePciDeviceId, 34},
                                {hipDeviceAttributeMemoryClockRate, 36},
                                {hipDeviceAttributeMemoryBusWidth, 37},
                                {hipDeviceAttributeL2CacheSize, 38},
                                {hipDeviceAttributePciDomainID, 50},
                                {hipDeviceAttributeManagedMemory, 83},
                                {hipDeviceAttributeConcurrentManagedAccess, 89},
                                {hipDeviceAttributeCooperativeLaunch, 95},
                                {hipDeviceAttributeMemoryPoolsSupported, 115}};
  for (const auto& [ours, theirs] : numbers) {
    if (ours == which) return CALL(cuDeviceGetAttribute, value, theirs, device);
  }
  return hipErrorInvalidValue;
}
hipError_t hipDeviceCanAccessPeer(int* can, int device, int other) {
  return CALL(cuDeviceCanAccessPeer, can, device, other);
}
hipError_t hipDeviceEnablePeerAccess(int other, unsigned flags) {
  return CALL(cuCtxEnablePeerAccess, contexts[other], flags);
}
hipError_t hipModuleLoadData(hipModule_t* module, const void* image) { return CALL(cuModuleLoadData, module, image); }
hipError_t hipModuleUnload(hipModule_t module) { return CALL(cuModuleUnload, module); }
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  return CALL(cuModuleGetFunction, function, module, name);
}
hipError_t hipModuleGetGlobal(hipDeviceptr_t* place, std::size_t* bytes, hipModule_t module, const char* name) {
  return CALL(cuModuleGetGlobal_v2, place, bytes, module, name);
}
hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute which, hipFunction_t function) {
  return CALL(cuFuncGetAttribute, value, static_cast<int>(which), function);
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty,
                                 unsigned tz, unsigned local, hipStream_t stream, void** parameters, void** extra) {
  return CALL(cuLaunchKernel, function, x, y, z, tx, ty, tz, local, stream, parameters, extra);
}
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned x, unsigned y, unsigned z, unsigned tx,
                                            unsigned ty, unsigned tz, unsigned local, hipStream_t stream,
                                            void** parameters) {
  return CALL(cuLaunchCooperativeKernel, function, x, y, z, tx, ty, tz, local, stream, parameters);
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t function, int items,
                                                              std::size_t local) {
  return CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, blocks, function, items, local);
}
hipError_t hipStreamCreateWithFlags(hipStream_t* made, unsigned flags) { return CALL(cuStreamCreate, made, flags); }
hipError_t hipStreamDestroy(hipStream_t stream) { return CALL(cuStreamDestroy_v2, stream); }
hipError_t hipStreamQuery(hipStream_t stream) { return CALL(cuStreamQuery, stream); }
hipError_t hipStreamSynchronize(hipStream_t stream) { return CALL(cuStreamSynchronize, stream); }
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return CALL(cuStreamWaitEvent, stream, event, flags);
}
hipError_t hipEventCreateWithFlags(hipEvent_t* made, unsigned flags) { return CALL(cuEventCreate, made, flags); }
hipError_t hipEventDestroy(hipEvent_t event) { return CALL(cuEventDestroy_v2, event); }
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) { return CALL(cuEventRecord, event, stream); }
hipError_t hipEventQuery(hipEvent_t event) { return CALL(cuEventQuery, event); }
hipError_t hipEventSynchronize(hipEvent_t event) { return CALL(cuEventSynchronize, event); }
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t from, hipEvent_t to) {
  return CALL(cuEventElapsedTime, milliseconds, from, to);
}
hipError_t hipMalloc(void** memory, std::size_t bytes) { return CALL(cuMemAlloc_v2, memory, bytes); }
hipError_t hipFree(void* memory) { return CALL(cuMemFree_v2, memory); }
hipError_t hipMallocAsync(void** memory, std::size_t bytes, hipStream_t stream) {
  return CALL(cuMemAllocAsync, memory, bytes, stream);
}
hipError_t hipFreeAsync(void* memory, hipStream_t stream) { return CALL(cuMemFreeAsync, memory, stream); }
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  return CALL(cuDeviceGetDefaultMemPool, pool, device);
}
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* access, std::size_t count) {
  return CALL(cuMemPoolSetAccess, pool, access, count);
}
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr which, void* value) {
  return CALL(cuMemPoolSetAttribute, pool, static_cast<int>(which), value);
}
hipError_t hipMemGetInfo(std::size_t* left, std::size_t* all) { return CALL(cuMemGetInfo_v2, left, all); }
hipError_t hipHostMalloc(void** memory, std::size_t bytes, unsigned flags) {
  return CALL(cuMemHostAlloc, memory, bytes, flags & (hipHostMallocPortable | hipHostMallocMapped));
}
hipError_t hipHostFree(void* memory) { return CALL(cuMemFreeHost, memory); }
hipError_t hipMallocManaged(void** memory, std::size_t bytes, unsigned flags) {
  return CALL(cuMemAllocManaged, memory, bytes, flags);
}
hipError_t hipMemPrefetchAsync(const void* memory, std::size_t bytes, int device, hipStream_t stream) {
  return CALL(cuMemPrefetchAsync, memory, bytes, device, stream);
}
hipError_t hipMemAdvise(const void* memory, std::size_t bytes, hipMemoryAdvise advice, int device) {
  return CALL(cuMemAdvise, memory, bytes, static_cast<int>(advice), device);
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind, hipStream_t stream) {
  return CALL(cuMemcpyAsync, to, from, bytes, stream);
}
hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, std::size_t bytes) {
  return CALL(cuMemcpyDtoH_v2, to, from, bytes);
}
hipError_t hipPointerGetAttribute(void* value, hipPointer_attribute which, hipDeviceptr_t address) {
  return CALL(cuPointerGetAttribute, value, static_cast<int>(which), address);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t memory, unsigned char value, std::size_t count, hipStream_t stream) {
  return CALL(cuMemsetD8Async, memory, value, count, stream);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t memory, unsigned short value, std::size_t count, hipStream_t stream) {
  return CALL(cuMemsetD16Async, memory, value, count, stream);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t memory, int value, std::size_t count, hipStream_t stream) {
  return CALL(cuMemsetD32Async, memory, value, count, stream);
}
hipError_t hipGraphCreate(hipGraph_t* made, unsigned flags) { return CALL(cuGraphCreate, made, flags); }
hipError_t hipGraphDestroy(hipGraph_t graph) { return CALL(cuGraphDestroy, graph); }
hipError_t hipGraphAddKernelNode(hipGraphNode_t* made, hipGraph_t graph, const hipGraphNode_t* before,
                                 std::size_t count, const hipKernelNodeParams* its) {
  const kernel_node node = node_of(*its);
  return CALL(cuGraphAddKernelNode_v2, made, graph, before, count, &node);
}
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* made, hipGraph_t graph, const hipGraphNode_t* before,
                                   std::size_t count, void* to, const void* from, std::size_t bytes, hipMemcpyKind) {
  struct {
    std::size_t source_x = 0, source_y = 0, source_z = 0, source_level = 0;
    int source_type = 4;
    const void *source_host = nullptr, *source, *source_array = nullptr, *reserved_source = nullptr;
    std::size_t source_pitch = 0, source_height = 0, x = 0, y = 0, z = 0, level = 0;
    int type = 4;
    void *host = nullptr, *destination, *array = nullptr, *reserved = nullptr;
    std::size_t pitch = 0, rows = 0, bytes, height = 1, depth = 1;
  } copy{.source = from, .destination = to, .bytes = bytes};
  return CALL(cuGraphAddMemcpyNode, made, graph, before, count, &copy, contexts[current]);
}
hipError_t hipGraphAddMemsetNode(hipGraphNode_t* made, hipGraph_t graph, const hipGraphNode_t* before,
                                 std::size_t count, const hipMemsetParams* its) {
  const struct {
    void* memory;
    std::size_t pitch;
    unsigned value, element_bytes;
    std::size_t width, height;
  } set{its->dst, its->pitch, its->value, its->elementSize, its->width, its->height};
  return CALL(cuGraphAddMemsetNode, made, graph, before, count, &set, contexts[current]);
}
hipError_t hipGraphAddEmptyNode(hipGraphNode_t* made, hipGraph_t graph, const hipGraphNode_t* before,
                                std::size_t count) {
  return CALL(cuGraphAddEmptyNode, made, graph, before, count);
}
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* made, hipGraph_t graph, const hipGraphNode_t* before,
                                     std::size_t count, hipGraph_t child) {
  return CALL(cuGraphAddChildGraphNode, made, graph, before, count, child);
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* made, hipGraph_t graph, unsigned long long flags) {
  return CALL(cuGraphInstantiateWithFlags, made, graph, flags);
}
hipError_t hipGraphExecDestroy(hipGraphExec_t graph) { return CALL(cuGraphExecDestroy, graph); }
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t graph, hipGraphNode_t changed,
                                           const hipKernelNodeParams* its) {
  const kernel_node node = node_of(*its);
  return CALL(cuGraphExecKernelNodeSetParams_v2, graph, changed, &node);
}
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream) { return CALL(cuGraphLaunch, graph, stream); }
}
#pragma GCC visibility pop
