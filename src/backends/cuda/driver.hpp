#pragma once
/// The part of NVIDIA's driver (libcuda.so.1) that Sinter uses. It is declared here and opened at run time, so that
/// building needs no toolkit, and machines without a GPU need no driver. Names and numbers come from the driver's
/// documented interface.

#include <backends/gpu/driver.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::cuda {

// Types, results and structures that the drivers of all GPUs share are in gpu/driver.hpp.
using CUresult = gpu::result_code;
using CUdevice = gpu::device_number;
using CUdeviceptr = gpu::device_address;
using CUcontext = gpu::context_handle;
using CUmodule = gpu::module_handle;
using CUfunction = gpu::function_handle;
using CUstream = gpu::stream_handle;
using CUevent = gpu::event_handle;
using CUmemoryPool = gpu::pool_handle;
using CUgraph = gpu::graph_handle;
using CUgraphNode = gpu::node_handle;
using CUgraphExec = gpu::executable_handle;
using CUlinkState = struct CUlinkState_st*;
using CUarray = struct CUarray_st*;
using CUmipmappedArray = struct CUmipmappedArray_st*;
using CUexternalMemory = struct CUextMemory_st*;
using CUexternalSemaphore = struct CUextSemaphore_st*;
using CUtexObject = std::uint64_t;
using CUsurfObject = std::uint64_t;

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,  // the numbers for y and z follow
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
  CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT = 51,
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

enum CUjit_option : int {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

enum CUjitInputType : int { CU_JIT_INPUT_CUBIN = 0, CU_JIT_INPUT_PTX = 1 };

struct CUuuid {
  char bytes[16];
};

// Arrays, and the texture and surface objects through which kernels access arrays.
enum CUarray_format : unsigned {
  CU_AD_FORMAT_UNSIGNED_INT8 = 1,
  CU_AD_FORMAT_UNSIGNED_INT16 = 2,
  CU_AD_FORMAT_UNSIGNED_INT32 = 3,
  CU_AD_FORMAT_SIGNED_INT8 = 8,
  CU_AD_FORMAT_SIGNED_INT16 = 9,
  CU_AD_FORMAT_SIGNED_INT32 = 10,
  CU_AD_FORMAT_HALF = 16,
  CU_AD_FORMAT_FLOAT = 32,
};
inline constexpr unsigned CUDA_ARRAY3D_LAYERED = 1, CUDA_ARRAY3D_SURFACE_LDST = 2, CUDA_ARRAY3D_CUBEMAP = 4,
                          CUDA_ARRAY3D_TEXTURE_GATHER = 8;
struct CUDA_ARRAY3D_DESCRIPTOR {
  std::size_t Width = 0, Height = 0, Depth = 0;
  CUarray_format Format = CU_AD_FORMAT_FLOAT;
  unsigned NumChannels = 1, Flags = 0;
};
enum CUresourcetype : unsigned {
  CU_RESOURCE_TYPE_ARRAY = 0,
  CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
  CU_RESOURCE_TYPE_PITCH2D = 3,
};
struct CUDA_RESOURCE_DESC {
  CUresourcetype resType = CU_RESOURCE_TYPE_ARRAY;
  struct rows {
    CUdeviceptr devPtr;
    CUarray_format format;
    unsigned numChannels;
    std::size_t width, height, pitchInBytes;
  };
  union {
    int reserved[32] = {};
    void* array;  // an array, or an array with levels
    rows plane;
  } res;
  unsigned flags = 0;
};
static_assert(sizeof(CUDA_RESOURCE_DESC) == 144);
inline constexpr unsigned CU_TRSF_READ_AS_INTEGER = 1, CU_TRSF_NORMALIZED_COORDINATES = 2,
                          CU_TRSF_SEAMLESS_CUBEMAP = 64;
struct CUDA_TEXTURE_DESC {
  int addressMode[3] = {};
  int filterMode = 0;
  unsigned flags = 0, maxAnisotropy = 0;
  int mipmapFilterMode = 0;
  float mipmapLevelBias = 0, minMipmapLevelClamp = 0, maxMipmapLevelClamp = 0;
  float borderColor[4] = {};
  int reserved[12] = {};
};
static_assert(sizeof(CUDA_TEXTURE_DESC) == 104);
struct CUDA_RESOURCE_VIEW_DESC;

// Memory and semaphores that graphics interfaces have exported as file descriptors.
struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
  int type = 1;  // a file descriptor
  union {
    int fd;
    void* others[2] = {};
  } handle;
  unsigned long long size = 0;
  unsigned flags = 0, reserved[16] = {};
};
static_assert(sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC) == 104);
struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
  unsigned long long offset = 0, size = 0;
  unsigned flags = 0, reserved[16] = {};
};
static_assert(sizeof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC) == 88);
struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
  unsigned long long offset = 0;
  CUDA_ARRAY3D_DESCRIPTOR arrayDesc;
  unsigned numLevels = 1, reserved[16] = {};
};
static_assert(sizeof(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC) == 120);
struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
  int type = 1;  // 1: a file descriptor; 9: the file descriptor of a semaphore that counts
  union {
    int fd;
    void* others[2] = {};
  } handle;
  unsigned flags = 0, reserved[16] = {};
};
static_assert(sizeof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) == 96);
/// The parameters of signals and waits.
struct CUDA_EXTERNAL_SEMAPHORE_PARAMS {
  unsigned long long value = 0, others[8] = {};
  unsigned flags = 0, reserved[16] = {};
};
static_assert(sizeof(CUDA_EXTERNAL_SEMAPHORE_PARAMS) == 144);

// Each row has the name of a member of gpu::driver, the name of the function in libcuda, and its parameters.
#define SINTER_CUDA_SHARED_FUNCTIONS(X)                                                                           \
  X(open_device, cuDeviceGet, (CUdevice*, int))                                                                   \
  X(default_pool, cuDeviceGetDefaultMemPool, (CUmemoryPool*, CUdevice))                                           \
  X(can_access_peer, cuDeviceCanAccessPeer, (int*, CUdevice, CUdevice))                                           \
  X(retain_context, cuDevicePrimaryCtxRetain, (CUcontext*, CUdevice))                                             \
  X(set_context, cuCtxSetCurrent, (CUcontext))                                                                    \
  X(get_context, cuCtxGetCurrent, (CUcontext*))                                                                   \
  X(enable_peer_access, cuCtxEnablePeerAccess, (CUcontext, unsigned))                                             \
  X(load_module, cuModuleLoadData, (CUmodule*, const void*))                                                      \
  X(unload_module, cuModuleUnload, (CUmodule))                                                                    \
  X(find_function, cuModuleGetFunction, (CUfunction*, CUmodule, const char*))                                     \
  X(find_variable, cuModuleGetGlobal_v2, (CUdeviceptr*, std::size_t*, CUmodule, const char*))                     \
  X(get_function_attribute, cuFuncGetAttribute, (int*, gpu::function_attribute, CUfunction))                      \
  X(set_function_attribute, cuFuncSetAttribute, (CUfunction, gpu::function_attribute, int))                       \
  X(launch, cuLaunchKernel,                                                                                       \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**)) \
  X(launch_together, cuLaunchCooperativeKernel,                                                                   \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**))         \
  X(count_blocks_together, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int*, CUfunction, int, std::size_t))     \
  X(make_stream, cuStreamCreate, (CUstream*, unsigned))                                                           \
  X(destroy_stream, cuStreamDestroy_v2, (CUstream))                                                               \
  X(query_stream, cuStreamQuery, (CUstream))                                                                      \
  X(finish_stream, cuStreamSynchronize, (CUstream))                                                               \
  X(wait_for_event, cuStreamWaitEvent, (CUstream, CUevent, unsigned))                                             \
  X(make_event, cuEventCreate, (CUevent*, unsigned))                                                              \
  X(destroy_event, cuEventDestroy_v2, (CUevent))                                                                  \
  X(record_event, cuEventRecord, (CUevent, CUstream))                                                             \
  X(query_event, cuEventQuery, (CUevent))                                                                         \
  X(await_event, cuEventSynchronize, (CUevent))                                                                   \
  X(measure_time, cuEventElapsedTime, (float*, CUevent, CUevent))                                                 \
  X(free_memory, cuMemFree_v2, (CUdeviceptr))                                                                     \
  X(allocate_in_order, cuMemAllocAsync, (CUdeviceptr*, std::size_t, CUstream))                                    \
  X(free_in_order, cuMemFreeAsync, (CUdeviceptr, CUstream))                                                       \
  X(set_pool_access, cuMemPoolSetAccess, (CUmemoryPool, const gpu::pool_access*, std::size_t))                    \
  X(set_pool_attribute, cuMemPoolSetAttribute, (CUmemoryPool, gpu::pool_attribute, void*))                        \
  X(get_memory_info, cuMemGetInfo_v2, (std::size_t*, std::size_t*))                                               \
  X(allocate_host, cuMemHostAlloc, (void**, std::size_t, unsigned))                                               \
  X(free_host, cuMemFreeHost, (void*))                                                                            \
  X(allocate_managed, cuMemAllocManaged, (CUdeviceptr*, std::size_t, unsigned))                                   \
  X(prefetch, cuMemPrefetchAsync, (CUdeviceptr, std::size_t, CUdevice, CUstream))                                 \
  X(advise, cuMemAdvise, (CUdeviceptr, std::size_t, gpu::memory_advice, CUdevice))                                \
  X(copy, cuMemcpyAsync, (CUdeviceptr, CUdeviceptr, std::size_t, CUstream))                                       \
  X(copy_texels, cuMemcpy3DAsync_v2, (const gpu::copy_node*, CUstream))                                            \
  X(copy_to_host, cuMemcpyDtoH_v2, (void*, CUdeviceptr, std::size_t))                                             \
  X(get_pointer_attribute, cuPointerGetAttribute, (void*, gpu::pointer_attribute, CUdeviceptr))                   \
  X(fill_8, cuMemsetD8Async, (CUdeviceptr, unsigned char, std::size_t, CUstream))                                 \
  X(fill_16, cuMemsetD16Async, (CUdeviceptr, unsigned short, std::size_t, CUstream))                              \
  X(make_graph, cuGraphCreate, (CUgraph*, unsigned))                                                              \
  X(destroy_graph, cuGraphDestroy, (CUgraph))                                                                     \
  X(add_kernel_node, cuGraphAddKernelNode_v2,                                                                     \
    (CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, const gpu::kernel_node*))                            \
  X(add_copy_node, cuGraphAddMemcpyNode,                                                                          \
    (CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, const gpu::copy_node*, CUcontext))                   \
  X(add_fill_node, cuGraphAddMemsetNode,                                                                          \
    (CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, const gpu::fill_node*, CUcontext))                   \
  X(add_empty_node, cuGraphAddEmptyNode, (CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t))                \
  X(add_graph_node, cuGraphAddChildGraphNode, (CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, CUgraph))  \
  X(make_executable, cuGraphInstantiateWithFlags, (CUgraphExec*, CUgraph, unsigned long long))                    \
  X(destroy_executable, cuGraphExecDestroy, (CUgraphExec))                                                        \
  X(change_kernel_node, cuGraphExecKernelNodeSetParams_v2, (CUgraphExec, CUgraphNode, const gpu::kernel_node*))   \
  X(launch_graph, cuGraphLaunch, (CUgraphExec, CUstream))                                                         \
  X(fill_32, cuMemsetD32Async, (CUdeviceptr, unsigned, std::size_t, CUstream))
// Each row has the name of a member of `driver`, the name of the function in libcuda, and its parameters.
#define SINTER_CUDA_OWN_FUNCTIONS(X)                                                                 \
  X(cuInit, cuInit, (unsigned))                                                                      \
  X(cuDriverGetVersion, cuDriverGetVersion, (int*))                                                  \
  X(cuGetErrorName, cuGetErrorName, (CUresult, const char**))                                        \
  X(cuGetErrorString, cuGetErrorString, (CUresult, const char**))                                    \
  X(cuDeviceGetCount, cuDeviceGetCount, (int*))                                                      \
  X(cuDeviceGetName, cuDeviceGetName, (char*, int, CUdevice))                                        \
  X(cuDeviceGetUuid, cuDeviceGetUuid_v2, (CUuuid*, CUdevice))                                        \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, (std::size_t*, CUdevice))                                 \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute, (int*, CUdevice_attribute, CUdevice))                \
  X(cuLinkCreate, cuLinkCreate_v2, (unsigned, CUjit_option*, void**, CUlinkState*))                  \
  X(cuLinkAddData, cuLinkAddData_v2,                                                                 \
    (CUlinkState, CUjitInputType, void*, std::size_t, const char*, unsigned, CUjit_option*, void**)) \
  X(cuLinkComplete, cuLinkComplete, (CUlinkState, void**, std::size_t*))                             \
  X(cuLinkDestroy, cuLinkDestroy, (CUlinkState))                                                     \
  X(cuArray3DCreate, cuArray3DCreate_v2, (CUarray*, const CUDA_ARRAY3D_DESCRIPTOR*))                 \
  X(cuArrayDestroy, cuArrayDestroy, (CUarray))                                                       \
  X(cuMipmappedArrayCreate, cuMipmappedArrayCreate,                                                  \
    (CUmipmappedArray*, const CUDA_ARRAY3D_DESCRIPTOR*, unsigned))                                   \
  X(cuMipmappedArrayGetLevel, cuMipmappedArrayGetLevel, (CUarray*, CUmipmappedArray, unsigned))      \
  X(cuMipmappedArrayDestroy, cuMipmappedArrayDestroy, (CUmipmappedArray))                            \
  X(cuTexObjectCreate, cuTexObjectCreate,                                                            \
    (CUtexObject*, const CUDA_RESOURCE_DESC*, const CUDA_TEXTURE_DESC*, const CUDA_RESOURCE_VIEW_DESC*)) \
  X(cuTexObjectDestroy, cuTexObjectDestroy, (CUtexObject))                                           \
  X(cuSurfObjectCreate, cuSurfObjectCreate, (CUsurfObject*, const CUDA_RESOURCE_DESC*))              \
  X(cuSurfObjectDestroy, cuSurfObjectDestroy, (CUsurfObject))                                        \
  X(cuImportExternalMemory, cuImportExternalMemory,                                                  \
    (CUexternalMemory*, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC*))                                    \
  X(cuDestroyExternalMemory, cuDestroyExternalMemory, (CUexternalMemory))                            \
  X(cuExternalMemoryGetMappedBuffer, cuExternalMemoryGetMappedBuffer,                                \
    (CUdeviceptr*, CUexternalMemory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC*))                       \
  X(cuExternalMemoryGetMappedMipmappedArray, cuExternalMemoryGetMappedMipmappedArray,                \
    (CUmipmappedArray*, CUexternalMemory, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC*))         \
  X(cuImportExternalSemaphore, cuImportExternalSemaphore,                                            \
    (CUexternalSemaphore*, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC*))                              \
  X(cuDestroyExternalSemaphore, cuDestroyExternalSemaphore, (CUexternalSemaphore))                   \
  X(cuSignalExternalSemaphoresAsync, cuSignalExternalSemaphoresAsync,                                \
    (const CUexternalSemaphore*, const CUDA_EXTERNAL_SEMAPHORE_PARAMS*, unsigned, CUstream))         \
  X(cuWaitExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync,                                    \
    (const CUexternalSemaphore*, const CUDA_EXTERNAL_SEMAPHORE_PARAMS*, unsigned, CUstream))
#define SINTER_CUDA_FUNCTIONS(X)  \
  SINTER_CUDA_SHARED_FUNCTIONS(X) \
  SINTER_CUDA_OWN_FUNCTIONS(X)

/// All functions of the driver that Sinter uses.
struct driver : gpu::driver {
#define SINTER_CUDA_DECLARE(name, symbol, parameters) CUresult(*name) parameters;
  SINTER_CUDA_OWN_FUNCTIONS(SINTER_CUDA_DECLARE)
#undef SINTER_CUDA_DECLARE

  int version = 0;   ///< version number; 13000 means CUDA 13.0
  std::string file;  ///< path and stamp of the driver's library, for cache keys: each release has another compiler
};

/// Opens and initialises the driver on the first call. Returns null if there is no driver, or if it is too old;
/// driver_problem returns the reason.
const driver* find_driver();
/// Returns a sentence that says why there is no driver, or an empty text if there is one. Call find_driver first.
const std::string& driver_problem();

}  // namespace sinter::cuda
