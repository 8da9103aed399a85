#pragma once
/// The part of NVIDIA's driver (libcuda.so.1) that Sinter uses: declared here, opened at run time, so that building
/// needs no toolkit and machines without a GPU lose nothing. Names and numbers are those of the driver's documented
/// interface.

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = std::uint64_t;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUlinkState = struct CUlinkState_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,  // behind it those of y and z
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
  CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};

enum CUjit_option : int {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

enum CUmem_advise : int {
  CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
  CU_MEM_ADVISE_UNSET_READ_MOSTLY = 2,
  CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
  CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
  CU_MEM_ADVISE_SET_ACCESSED_BY = 5,
  CU_MEM_ADVISE_UNSET_ACCESSED_BY = 6,
};

enum CUpointer_attribute : int { CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2 };
enum CUmemorytype : unsigned { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };

enum CUjitInputType : int { CU_JIT_INPUT_CUBIN = 0, CU_JIT_INPUT_PTX = 1 };
enum CUmemPool_attribute : int { CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4 };

inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DISABLE_TIMING = 2,
                          CU_MEMHOSTALLOC_PORTABLE = 1, CU_MEMHOSTALLOC_DEVICEMAP = 2, CU_MEM_ATTACH_GLOBAL = 1;

/// Allows a device to read and write memory of a pool.
struct CUmemAccessDesc {
  int location_type = 1;  // a device
  int location_id;
  int flags = 3;  // reads and writes
};

using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUgraphExec = struct CUgraphExec_st*;

struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction function;
  unsigned blocks[3], threads[3];
  unsigned shared_bytes;
  void** parameters;
  void** extra = nullptr;
  void* kernel = nullptr;
  CUcontext context = nullptr;
};
struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr destination;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};
/// A copy of bytes; of its many fields, only these are not 0.
struct CUDA_MEMCPY3D {
  std::size_t source_x = 0, source_y = 0, source_z = 0, source_level = 0;
  int source_type = 4;  // any memory
  const void* source_host = nullptr;
  CUdeviceptr source;
  void *source_array = nullptr, *reserved_source = nullptr;
  std::size_t source_pitch = 0, source_height = 0;
  std::size_t x = 0, y = 0, z = 0, level = 0;
  int type = 4;
  void* host = nullptr;
  CUdeviceptr destination;
  void *array = nullptr, *reserved = nullptr;
  std::size_t pitch = 0, rows = 0;
  std::size_t bytes, height = 1, depth = 1;
};

struct CUuuid {
  char bytes[16];
};

// Name, as exported by the driver; parameters.
#define SINTER_CUDA_FUNCTIONS(X)                                                                                  \
  X(cuInit, cuInit, (unsigned))                                                                                   \
  X(cuDriverGetVersion, cuDriverGetVersion, (int*))                                                               \
  X(cuGetErrorName, cuGetErrorName, (CUresult, const char**))                                                     \
  X(cuGetErrorString, cuGetErrorString, (CUresult, const char**))                                                 \
  X(cuDeviceGetCount, cuDeviceGetCount, (int*))                                                                   \
  X(cuDeviceGet, cuDeviceGet, (CUdevice*, int))                                                                   \
  X(cuDeviceGetName, cuDeviceGetName, (char*, int, CUdevice))                                                     \
  X(cuDeviceGetUuid, cuDeviceGetUuid_v2, (CUuuid*, CUdevice))                                                     \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, (std::size_t*, CUdevice))                                              \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute, (int*, CUdevice_attribute, CUdevice))                             \
  X(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, (CUmemoryPool*, CUdevice))                              \
  X(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, (int*, CUdevice, CUdevice))                                     \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext*, CUdevice))                                   \
  X(cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext))                                                                \
  X(cuCtxGetCurrent, cuCtxGetCurrent, (CUcontext*))                                                               \
  X(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, (CUcontext, unsigned))                                          \
  X(cuModuleLoadDataEx, cuModuleLoadDataEx, (CUmodule*, const void*, unsigned, CUjit_option*, void**))            \
  X(cuModuleUnload, cuModuleUnload, (CUmodule))                                                                   \
  X(cuModuleGetFunction, cuModuleGetFunction, (CUfunction*, CUmodule, const char*))                               \
  X(cuModuleGetGlobal, cuModuleGetGlobal_v2, (CUdeviceptr*, std::size_t*, CUmodule, const char*))                 \
  X(cuLinkCreate, cuLinkCreate_v2, (unsigned, CUjit_option*, void**, CUlinkState*))                               \
  X(cuLinkAddData, cuLinkAddData_v2,                                                                              \
    (CUlinkState, CUjitInputType, void*, std::size_t, const char*, unsigned, CUjit_option*, void**))              \
  X(cuLinkComplete, cuLinkComplete, (CUlinkState, void**, std::size_t*))                                          \
  X(cuLinkDestroy, cuLinkDestroy, (CUlinkState))                                                                  \
  X(cuFuncGetAttribute, cuFuncGetAttribute, (int*, CUfunction_attribute, CUfunction))                             \
  X(cuFuncSetAttribute, cuFuncSetAttribute, (CUfunction, CUfunction_attribute, int))                              \
  X(cuLaunchKernel, cuLaunchKernel,                                                                               \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**)) \
  X(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel,                                                         \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**))         \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor,                     \
    (int*, CUfunction, int, std::size_t))                                                                         \
  X(cuStreamCreate, cuStreamCreate, (CUstream*, unsigned))                                                        \
  X(cuStreamDestroy, cuStreamDestroy_v2, (CUstream))                                                              \
  X(cuStreamQuery, cuStreamQuery, (CUstream))                                                                     \
  X(cuStreamSynchronize, cuStreamSynchronize, (CUstream))                                                         \
  X(cuStreamWaitEvent, cuStreamWaitEvent, (CUstream, CUevent, unsigned))                                          \
  X(cuEventCreate, cuEventCreate, (CUevent*, unsigned))                                                           \
  X(cuEventDestroy, cuEventDestroy_v2, (CUevent))                                                                 \
  X(cuEventRecord, cuEventRecord, (CUevent, CUstream))                                                            \
  X(cuEventQuery, cuEventQuery, (CUevent))                                                                        \
  X(cuEventSynchronize, cuEventSynchronize, (CUevent))                                                            \
  X(cuEventElapsedTime, cuEventElapsedTime, (float*, CUevent, CUevent))                                           \
  X(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr*, std::size_t))                                                       \
  X(cuMemFree, cuMemFree_v2, (CUdeviceptr))                                                                       \
  X(cuMemAllocAsync, cuMemAllocAsync, (CUdeviceptr*, std::size_t, CUstream))                                      \
  X(cuMemFreeAsync, cuMemFreeAsync, (CUdeviceptr, CUstream))                                                      \
  X(cuMemPoolSetAccess, cuMemPoolSetAccess, (CUmemoryPool, const CUmemAccessDesc*, std::size_t))                  \
  X(cuMemPoolSetAttribute, cuMemPoolSetAttribute, (CUmemoryPool, CUmemPool_attribute, void*))                     \
  X(cuMemGetInfo, cuMemGetInfo_v2, (std::size_t*, std::size_t*))                                                  \
  X(cuMemHostAlloc, cuMemHostAlloc, (void**, std::size_t, unsigned))                                              \
  X(cuMemFreeHost, cuMemFreeHost, (void*))                                                                        \
  X(cuMemAllocManaged, cuMemAllocManaged, (CUdeviceptr*, std::size_t, unsigned))                                  \
  X(cuMemPrefetchAsync, cuMemPrefetchAsync, (CUdeviceptr, std::size_t, CUdevice, CUstream))                       \
  X(cuMemAdvise, cuMemAdvise, (CUdeviceptr, std::size_t, CUmem_advise, CUdevice))                                 \
  X(cuMemcpyAsync, cuMemcpyAsync, (CUdeviceptr, CUdeviceptr, std::size_t, CUstream))                              \
  X(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void*, CUdeviceptr, std::size_t))                                             \
  X(cuPointerGetAttribute, cuPointerGetAttribute, (void*, CUpointer_attribute, CUdeviceptr))                      \
  X(cuMemsetD8Async, cuMemsetD8Async, (CUdeviceptr, unsigned char, std::size_t, CUstream))                        \
  X(cuMemsetD16Async, cuMemsetD16Async, (CUdeviceptr, unsigned short, std::size_t, CUstream))                     \
  X(cuGraphCreate, cuGraphCreate, (CUgraph*, unsigned))                                                           \
  X(cuGraphDestroy, cuGraphDestroy, (CUgraph))                                                                    \
  X(cuGraphAddKernelNode, cuGraphAddKernelNode_v2,                                                                \
    (CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, const CUDA_KERNEL_NODE_PARAMS*))                     \
  X(cuGraphAddMemcpyNode, cuGraphAddMemcpyNode,                                                                   \
    (CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, const CUDA_MEMCPY3D*, CUcontext))                    \
  X(cuGraphAddMemsetNode, cuGraphAddMemsetNode,                                                                   \
    (CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, const CUDA_MEMSET_NODE_PARAMS*, CUcontext))          \
  X(cuGraphAddEmptyNode, cuGraphAddEmptyNode, (CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t))           \
  X(cuGraphAddChildGraphNode, cuGraphAddChildGraphNode,                                                           \
    (CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, CUgraph))                                            \
  X(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, (CUgraphExec*, CUgraph, unsigned long long))        \
  X(cuGraphExecDestroy, cuGraphExecDestroy, (CUgraphExec))                                                        \
  X(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2,                                            \
    (CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS*))                                                   \
  X(cuGraphLaunch, cuGraphLaunch, (CUgraphExec, CUstream))                                                        \
  X(cuMemsetD32Async, cuMemsetD32Async, (CUdeviceptr, unsigned, std::size_t, CUstream))

/// The driver's functions, all of them.
struct driver {
#define SINTER_CUDA_DECLARE(name, symbol, parameters) CUresult(*name) parameters;
  SINTER_CUDA_FUNCTIONS(SINTER_CUDA_DECLARE)
#undef SINTER_CUDA_DECLARE

  int version = 0;   ///< 13000: CUDA 13.0
  std::string file;  ///< its library and the library's stamp: another release has another compiler
};

/// Opens and initialises the driver on the first call. Null where there is none, or it is too old: see driver_problem.
const driver* find_driver();
/// Call it after the driver was used: it may have registered its end with exit(), and contents of buffers must come
/// home before that.
void note_driver_use();
/// Why there is no driver, as a sentence; empty when there is one. Asked for after find_driver.
const std::string& driver_problem();

/// Throws sycl::exception when the result is none of success: errc::memory_allocation where memory ran out, else
/// errc::runtime. `doing` says what was tried ("copying 12 bytes").
void check(CUresult result, const std::string& doing);
/// The driver's words for a result.
std::string text_of(CUresult result);

}  // namespace sinter::cuda
