#pragma once
/// The part of HIP's runtime (libamdhip64.so) that Sinter uses. This header declares that part, and Sinter opens the
/// library at run time. So building needs nothing from AMD, and machines without such a GPU need no runtime. Names and
/// numbers come from HIP's own header, version 5.2 and later; a test compares them.

#include <cstddef>

namespace sinter::hip {

using hipDevice_t = int;
using hipDeviceptr_t = void*;
using hipStream_t = struct ihipStream_t*;
using hipEvent_t = struct ihipEvent_t*;
using hipModule_t = struct ihipModule_t*;
using hipFunction_t = struct ihipModuleSymbol_t*;
using hipMemPool_t = struct ihipMemPoolHandle_t*;
using hipGraph_t = struct ihipGraph*;
using hipGraphNode_t = struct hipGraphNode*;
using hipGraphExec_t = struct hipGraphExec*;

enum hipError_t : int {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorDeinitialized = 4,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidImage = 200,
  hipErrorNoBinaryForGpu = 209,
  hipErrorInvalidHandle = 400,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorPeerAccessAlreadyEnabled = 704,
  hipErrorLaunchFailure = 719,
};

enum hipDeviceAttribute_t : int {
  hipDeviceAttributeClockRate = 5,
  hipDeviceAttributeConcurrentManagedAccess = 9,
  hipDeviceAttributeCooperativeLaunch = 10,
  hipDeviceAttributeIntegrated = 16,
  hipDeviceAttributeL2CacheSize = 19,
  hipDeviceAttributeManagedMemory = 24,
  hipDeviceAttributeMaxBlockDimX = 26,
  hipDeviceAttributeMaxBlockDimY = 27,
  hipDeviceAttributeMaxBlockDimZ = 28,
  hipDeviceAttributeMaxGridDimX = 29,
  hipDeviceAttributeMaxGridDimY = 30,
  hipDeviceAttributeMaxGridDimZ = 31,
  hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeMemoryBusWidth = 59,
  hipDeviceAttributeMemoryClockRate = 60,
  hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributePciBusId = 67,
  hipDeviceAttributePciDeviceId = 68,
  hipDeviceAttributePciDomainID = 69,
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeWarpSize = 87,
  hipDeviceAttributeMemoryPoolsSupported = 88,
};

enum hipFunction_attribute : int {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
};
enum hipMemoryAdvise : int { hipMemAdviseSetReadMostly = 1, hipMemAdviseUnsetAccessedBy = 6 };
enum hipPointer_attribute : int { HIP_POINTER_ATTRIBUTE_MEMORY_TYPE = 2 };
enum hipMemPoolAttr : int { hipMemPoolAttrReleaseThreshold = 4 };
enum hipMemcpyKind : int { hipMemcpyDefault = 4 };

inline constexpr unsigned hipStreamNonBlocking = 1, hipEventDisableTiming = 2, hipHostMallocPortable = 1,
                          hipHostMallocMapped = 2, hipHostMallocCoherent = 0x40000000, hipMemAttachGlobal = 1;

struct hipUUID {
  char bytes[16];
};
struct hipMemLocation {
  int type, id;
};
struct hipMemAccessDesc {
  hipMemLocation location;
  int flags;
};
struct dim3 {
  unsigned x, y, z;
};
struct hipKernelNodeParams {
  dim3 blockDim;
  void** extra;
  void* func;
  dim3 gridDim;
  void** kernelParams;
  unsigned sharedMemBytes;
};
struct hipMemsetParams {
  void* dst;
  unsigned elementSize;
  std::size_t height, pitch;
  unsigned value;
  std::size_t width;
};
/// Sinter reads one of the device's properties, gcnArchName. HIP 6 has changed the structure, and the functions that
/// use the new structure have R0600 in their names.
struct hipDevicePropR0000 {
  char before[396];
  char gcnArchName[256];
  char behind[140];
};
struct hipDevicePropR0600 {
  char before[1160];
  char gcnArchName[256];
  char behind[56 + 512];  ///< the last 512 bytes are for members of later versions
};

// Each row has a name and parameters.
#define SINTER_HIP_FUNCTIONS(X)                                                                                      \
  X(hipInit, (unsigned))                                                                                             \
  X(hipGetDeviceCount, (int*))                                                                                       \
  X(hipSetDevice, (int))                                                                                             \
  X(hipGetDevice, (int*))                                                                                            \
  X(hipDeviceGet, (hipDevice_t*, int))                                                                               \
  X(hipDeviceGetName, (char*, int, hipDevice_t))                                                                     \
  X(hipDeviceGetUuid, (hipUUID*, hipDevice_t))                                                                       \
  X(hipDeviceTotalMem, (std::size_t*, hipDevice_t))                                                                  \
  X(hipDeviceGetAttribute, (int*, hipDeviceAttribute_t, int))                                                        \
  X(hipDeviceCanAccessPeer, (int*, int, int))                                                                        \
  X(hipDeviceEnablePeerAccess, (int, unsigned))                                                                      \
  X(hipModuleLoadData, (hipModule_t*, const void*))                                                                  \
  X(hipModuleUnload, (hipModule_t))                                                                                  \
  X(hipModuleGetFunction, (hipFunction_t*, hipModule_t, const char*))                                                \
  X(hipModuleGetGlobal, (hipDeviceptr_t*, std::size_t*, hipModule_t, const char*))                                   \
  X(hipFuncGetAttribute, (int*, hipFunction_attribute, hipFunction_t))                                               \
  X(hipModuleLaunchKernel, (hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
                            hipStream_t, void**, void**))                                                            \
  X(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, (int*, hipFunction_t, int, std::size_t))                     \
  X(hipStreamCreateWithFlags, (hipStream_t*, unsigned))                                                              \
  X(hipStreamDestroy, (hipStream_t))                                                                                 \
  X(hipStreamQuery, (hipStream_t))                                                                                   \
  X(hipStreamSynchronize, (hipStream_t))                                                                             \
  X(hipStreamWaitEvent, (hipStream_t, hipEvent_t, unsigned))                                                         \
  X(hipEventCreateWithFlags, (hipEvent_t*, unsigned))                                                                \
  X(hipEventDestroy, (hipEvent_t))                                                                                   \
  X(hipEventRecord, (hipEvent_t, hipStream_t))                                                                       \
  X(hipEventQuery, (hipEvent_t))                                                                                     \
  X(hipEventSynchronize, (hipEvent_t))                                                                               \
  X(hipEventElapsedTime, (float*, hipEvent_t, hipEvent_t))                                                           \
  X(hipMalloc, (void**, std::size_t))                                                                                \
  X(hipFree, (void*))                                                                                                \
  X(hipMallocAsync, (void**, std::size_t, hipStream_t))                                                              \
  X(hipFreeAsync, (void*, hipStream_t))                                                                              \
  X(hipDeviceGetDefaultMemPool, (hipMemPool_t*, int))                                                                \
  X(hipMemPoolSetAccess, (hipMemPool_t, const hipMemAccessDesc*, std::size_t))                                       \
  X(hipMemPoolSetAttribute, (hipMemPool_t, hipMemPoolAttr, void*))                                                   \
  X(hipMemGetInfo, (std::size_t*, std::size_t*))                                                                     \
  X(hipHostMalloc, (void**, std::size_t, unsigned))                                                                  \
  X(hipHostFree, (void*))                                                                                            \
  X(hipMallocManaged, (void**, std::size_t, unsigned))                                                               \
  X(hipMemPrefetchAsync, (const void*, std::size_t, int, hipStream_t))                                               \
  X(hipMemAdvise, (const void*, std::size_t, hipMemoryAdvise, int))                                                  \
  X(hipMemcpyAsync, (void*, const void*, std::size_t, hipMemcpyKind, hipStream_t))                                   \
  X(hipMemcpyDtoH, (void*, hipDeviceptr_t, std::size_t))                                                             \
  X(hipPointerGetAttribute, (void*, hipPointer_attribute, hipDeviceptr_t))                                           \
  X(hipMemsetD8Async, (hipDeviceptr_t, unsigned char, std::size_t, hipStream_t))                                     \
  X(hipMemsetD16Async, (hipDeviceptr_t, unsigned short, std::size_t, hipStream_t))                                   \
  X(hipMemsetD32Async, (hipDeviceptr_t, int, std::size_t, hipStream_t))                                              \
  X(hipGraphCreate, (hipGraph_t*, unsigned))                                                                         \
  X(hipGraphDestroy, (hipGraph_t))                                                                                   \
  X(hipGraphAddKernelNode,                                                                                           \
    (hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, std::size_t, const hipKernelNodeParams*))                   \
  X(hipGraphAddMemcpyNode1D, (hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, std::size_t, void*, const void*,   \
                              std::size_t, hipMemcpyKind))                                                           \
  X(hipGraphAddMemsetNode,                                                                                           \
    (hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, std::size_t, const hipMemsetParams*))                       \
  X(hipGraphAddEmptyNode, (hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, std::size_t))                         \
  X(hipGraphAddChildGraphNode, (hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, std::size_t, hipGraph_t))        \
  X(hipGraphInstantiateWithFlags, (hipGraphExec_t*, hipGraph_t, unsigned long long))                                 \
  X(hipGraphExecDestroy, (hipGraphExec_t))                                                                           \
  X(hipGraphExecKernelNodeSetParams, (hipGraphExec_t, hipGraphNode_t, const hipKernelNodeParams*))                   \
  X(hipGraphLaunch, (hipGraphExec_t, hipStream_t))

// Some versions of HIP lack these functions.
#define SINTER_HIP_OPTIONAL_FUNCTIONS(X)                                                                             \
  X(hipGetDevicePropertiesR0600, (hipDevicePropR0600*, int))                                                         \
  X(hipGetDeviceProperties, (hipDevicePropR0000*, int))                                                              \
  X(hipModuleLaunchCooperativeKernel, (hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,    \
                                       unsigned, hipStream_t, void**))

}  // namespace sinter::hip
