#pragma once
/// The part of Level Zero that Sinter uses. This file declares the functions and types, and Sinter opens Level Zero's
/// loader at run time. So the build needs no header of Level Zero, and machines without a GPU need no loader. Names,
/// numbers and layouts come from specification 1.3; tests/devices/level_zero/abi_test.cpp compares them with
/// <level_zero/ze_api.h>.

#include <cstddef>
#include <cstdint>

// These are the names in Level Zero's own header, so that both headers can be included together.
struct _ze_driver_handle_t;
struct _ze_device_handle_t;
struct _ze_context_handle_t;
struct _ze_command_list_handle_t;
struct _ze_command_queue_handle_t;
struct _ze_fence_handle_t;
struct _ze_event_pool_handle_t;
struct _ze_event_handle_t;
struct _ze_module_handle_t;
struct _ze_module_build_log_handle_t;
struct _ze_kernel_handle_t;

namespace sinter::level_zero {

using ze_driver_handle_t = ::_ze_driver_handle_t*;
using ze_device_handle_t = ::_ze_device_handle_t*;
using ze_context_handle_t = ::_ze_context_handle_t*;
using ze_command_list_handle_t = ::_ze_command_list_handle_t*;
using ze_command_queue_handle_t = ::_ze_command_queue_handle_t*;
using ze_fence_handle_t = ::_ze_fence_handle_t*;
using ze_event_pool_handle_t = ::_ze_event_pool_handle_t*;
using ze_event_handle_t = ::_ze_event_handle_t*;
using ze_module_handle_t = ::_ze_module_handle_t*;
using ze_module_build_log_handle_t = ::_ze_module_build_log_handle_t*;
using ze_kernel_handle_t = ::_ze_kernel_handle_t*;
using ze_bool_t = std::uint8_t;

enum ze_result_t : std::uint32_t {
  ZE_RESULT_SUCCESS = 0,
  ZE_RESULT_NOT_READY = 1,
  ZE_RESULT_ERROR_DEVICE_LOST = 0x70000001,
  ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY = 0x70000002,
  ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY = 0x70000003,
  ZE_RESULT_ERROR_MODULE_BUILD_FAILURE = 0x70000004,
  ZE_RESULT_ERROR_MODULE_LINK_FAILURE = 0x70000005,
  ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS = 0x70010000,
  ZE_RESULT_ERROR_NOT_AVAILABLE = 0x70010001,
  ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE = 0x70020000,
  ZE_RESULT_ERROR_UNINITIALIZED = 0x78000001,
  ZE_RESULT_ERROR_UNSUPPORTED_VERSION = 0x78000002,
  ZE_RESULT_ERROR_UNSUPPORTED_FEATURE = 0x78000003,
  ZE_RESULT_ERROR_INVALID_ARGUMENT = 0x78000004,
  ZE_RESULT_ERROR_INVALID_NULL_HANDLE = 0x78000005,
  ZE_RESULT_ERROR_INVALID_NULL_POINTER = 0x78000007,
  ZE_RESULT_ERROR_INVALID_SIZE = 0x78000008,
  ZE_RESULT_ERROR_UNSUPPORTED_SIZE = 0x78000009,
  ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT = 0x7800000a,
  ZE_RESULT_ERROR_INVALID_NATIVE_BINARY = 0x7800000f,
  ZE_RESULT_ERROR_INVALID_KERNEL_NAME = 0x78000011,
  ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION = 0x78000013,
  ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION = 0x78000014,
  ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX = 0x78000015,
  ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE = 0x78000016,
  ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED = 0x78000018,
  ZE_RESULT_ERROR_UNKNOWN = 0x7ffffffe,
};

enum ze_structure_type_t : std::uint32_t {
  ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES = 0x1,
  ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES = 0x3,
  ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES = 0x4,
  ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES = 0x5,
  ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES = 0x6,
  ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES = 0x7,
  ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES = 0x8,
  ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES = 0x9,
  ZE_STRUCTURE_TYPE_CONTEXT_DESC = 0xd,
  ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC = 0xe,
  ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC = 0xf,
  ZE_STRUCTURE_TYPE_EVENT_POOL_DESC = 0x10,
  ZE_STRUCTURE_TYPE_EVENT_DESC = 0x11,
  ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC = 0x15,
  ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC = 0x16,
  ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES = 0x17,
  ZE_STRUCTURE_TYPE_MODULE_DESC = 0x1b,
  ZE_STRUCTURE_TYPE_KERNEL_DESC = 0x1d,
  ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES = 0x1e,
  ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES = 0x10008,
  ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC = 0x20001,
  ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 = 0x20006,  ///< timerResolution is in ticks per second
};

enum ze_device_type_t : std::uint32_t {
  ZE_DEVICE_TYPE_GPU = 1,
  ZE_DEVICE_TYPE_CPU = 2,
  ZE_DEVICE_TYPE_FPGA = 3,
  ZE_DEVICE_TYPE_MCA = 4,
  ZE_DEVICE_TYPE_VPU = 5,
};
enum ze_memory_type_t : std::uint32_t { ZE_MEMORY_TYPE_SHARED = 3 };
/// The advice that the runtime itself gives. Programs may pass other numbers.
enum ze_memory_advice_t : std::uint32_t {
  ZE_MEMORY_ADVICE_CLEAR_READ_MOSTLY = 1,
  ZE_MEMORY_ADVICE_CLEAR_PREFERRED_LOCATION = 3,
  ZE_MEMORY_ADVICE_CLEAR_NON_ATOMIC_MOSTLY = 5,
};
enum ze_module_format_t : std::uint32_t { ZE_MODULE_FORMAT_IL_SPIRV = 0, ZE_MODULE_FORMAT_NATIVE = 1 };
enum ze_command_queue_mode_t : std::uint32_t { ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS = 2 };
enum ze_command_queue_priority_t : std::uint32_t { ZE_COMMAND_QUEUE_PRIORITY_NORMAL = 0 };

// These values are bits.
enum : std::uint32_t {
  ZE_DEVICE_PROPERTY_FLAG_INTEGRATED = 1u << 0,
  ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE = 1u << 0,
  ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY = 1u << 1,
  ZE_DEVICE_MODULE_FLAG_FP16 = 1u << 0,
  ZE_DEVICE_MODULE_FLAG_FP64 = 1u << 1,
  ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS = 1u << 2,
  ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT = 1u << 6,
  ZE_MEMORY_ACCESS_CAP_FLAG_RW = 1u << 0,
  ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC = 1u << 3,
  ZE_EVENT_POOL_FLAG_HOST_VISIBLE = 1u << 0,
  ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP = 1u << 2,
  ZE_EVENT_SCOPE_FLAG_DEVICE = 1u << 1,
  ZE_EVENT_SCOPE_FLAG_HOST = 1u << 2,
  ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST = 1u << 0,
  ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE = 1u << 1,
  ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED = 1u << 2,
  ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE = 1u << 0,
};

struct ze_driver_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES;
  void* pNext = nullptr;
  std::uint8_t uuid[16]{};
  std::uint32_t driverVersion = 0;
};
struct ze_driver_extension_properties_t {
  char name[256]{};
  std::uint32_t version = 0;
};
struct ze_device_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
  void* pNext = nullptr;
  ze_device_type_t type{};
  std::uint32_t vendorId = 0, deviceId = 0, flags = 0, subdeviceId = 0, coreClockRate = 0;
  std::uint64_t maxMemAllocSize = 0;
  std::uint32_t maxHardwareContexts = 0, maxCommandQueuePriority = 0, numThreadsPerEU = 0, physicalEUSimdWidth = 0;
  std::uint32_t numEUsPerSubslice = 0, numSubslicesPerSlice = 0, numSlices = 0;
  std::uint64_t timerResolution = 0;
  std::uint32_t timestampValidBits = 0, kernelTimestampValidBits = 0;
  std::uint8_t uuid[16]{};
  char name[256]{};
};
struct ze_device_compute_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
  void* pNext = nullptr;
  std::uint32_t maxTotalGroupSize = 0, maxGroupSizeX = 0, maxGroupSizeY = 0, maxGroupSizeZ = 0;
  std::uint32_t maxGroupCountX = 0, maxGroupCountY = 0, maxGroupCountZ = 0;
  std::uint32_t maxSharedLocalMemory = 0, numSubGroupSizes = 0, subGroupSizes[8]{};
};
struct ze_device_module_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES;
  void* pNext = nullptr;
  std::uint32_t spirvVersionSupported = 0, flags = 0, fp16flags = 0, fp32flags = 0, fp64flags = 0;
  std::uint32_t maxArgumentsSize = 0, printfBufferSize = 0;
  std::uint8_t nativeKernelSupported[16]{};
};
struct ze_device_memory_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
  void* pNext = nullptr;
  std::uint32_t flags = 0, maxClockRate = 0, maxBusWidth = 0;
  std::uint64_t totalSize = 0;
  char name[256]{};
};
struct ze_device_memory_access_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES;
  void* pNext = nullptr;
  std::uint32_t hostAllocCapabilities = 0, deviceAllocCapabilities = 0, sharedSingleDeviceAllocCapabilities = 0;
  std::uint32_t sharedCrossDeviceAllocCapabilities = 0, sharedSystemAllocCapabilities = 0;
};
struct ze_device_cache_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES;
  void* pNext = nullptr;
  std::uint32_t flags = 0;
  std::size_t cacheSize = 0;
};
struct ze_command_queue_group_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
  void* pNext = nullptr;
  std::uint32_t flags = 0;
  std::size_t maxMemoryFillPatternSize = 0;
  std::uint32_t numQueues = 0;
};
struct ze_pci_ext_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES;
  void* pNext = nullptr;
  struct {
    std::uint32_t domain, bus, device, function;
  } address{};
  struct {
    std::int32_t genVersion, width;
    std::int64_t maxBandwidth;
  } maxSpeed{};
};
struct ze_context_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
  const void* pNext = nullptr;
  std::uint32_t flags = 0;
};
struct ze_command_queue_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  const void* pNext = nullptr;
  std::uint32_t ordinal = 0, index = 0, flags = 0;
  ze_command_queue_mode_t mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
  ze_command_queue_priority_t priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL;
};
struct ze_command_list_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
  const void* pNext = nullptr;
  std::uint32_t commandQueueGroupOrdinal = 0, flags = 0;
};
struct ze_event_pool_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  const void* pNext = nullptr;
  std::uint32_t flags = 0, count = 0;
};
struct ze_event_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
  const void* pNext = nullptr;
  std::uint32_t index = 0, signal = 0, wait = 0;
};
struct ze_kernel_timestamp_data_t {
  std::uint64_t kernelStart, kernelEnd;
};
struct ze_kernel_timestamp_result_t {
  ze_kernel_timestamp_data_t global, context;
};
struct ze_device_mem_alloc_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
  const void* pNext = nullptr;
  std::uint32_t flags = 0, ordinal = 0;
};
struct ze_host_mem_alloc_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
  const void* pNext = nullptr;
  std::uint32_t flags = 0;
};
struct ze_memory_allocation_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
  void* pNext = nullptr;
  ze_memory_type_t type{};
  std::uint64_t id = 0, pageSize = 0;
};
struct ze_relaxed_allocation_limits_exp_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC;
  const void* pNext = nullptr;
  std::uint32_t flags = ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE;
};
struct ze_module_constants_t {
  std::uint32_t numConstants;
  const std::uint32_t* pConstantIds;
  const void** pConstantValues;
};
struct ze_module_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  const void* pNext = nullptr;
  ze_module_format_t format{};
  std::size_t inputSize = 0;
  const std::uint8_t* pInputModule = nullptr;
  const char* pBuildFlags = nullptr;
  const ze_module_constants_t* pConstants = nullptr;
};
struct ze_kernel_desc_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
  const void* pNext = nullptr;
  std::uint32_t flags = 0;
  const char* pKernelName = nullptr;
};
struct ze_kernel_properties_t {
  ze_structure_type_t stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
  void* pNext = nullptr;
  std::uint32_t numKernelArgs = 0, requiredGroupSizeX = 0, requiredGroupSizeY = 0, requiredGroupSizeZ = 0;
  std::uint32_t requiredNumSubGroups = 0, requiredSubgroupSize = 0, maxSubgroupSize = 0, maxNumSubgroups = 0;
  std::uint32_t localMemSize = 0, privateMemSize = 0, spillMemSize = 0;
  std::uint8_t uuid[32]{};
};
struct ze_group_count_t {
  std::uint32_t groupCountX, groupCountY, groupCountZ;
};

#define SINTER_ZE_COMMAND_END ze_event_handle_t signalled, std::uint32_t count, ze_event_handle_t* awaited
// clang-format off
#define SINTER_ZE_FUNCTIONS(F)                                                                                      \
  F(zeInit, (std::uint32_t flags))                                                                                  \
  F(zeDriverGet, (std::uint32_t* count, ze_driver_handle_t* drivers))                                               \
  F(zeDriverGetApiVersion, (ze_driver_handle_t driver, std::uint32_t* version))                                     \
  F(zeDriverGetProperties, (ze_driver_handle_t driver, ze_driver_properties_t* properties))                         \
  F(zeDriverGetExtensionProperties,                                                                                 \
    (ze_driver_handle_t driver, std::uint32_t* count, ze_driver_extension_properties_t* extensions))                \
  F(zeDeviceGet, (ze_driver_handle_t driver, std::uint32_t* count, ze_device_handle_t* devices))                    \
  F(zeDeviceGetSubDevices, (ze_device_handle_t device, std::uint32_t* count, ze_device_handle_t* parts))            \
  F(zeDeviceGetProperties, (ze_device_handle_t device, ze_device_properties_t* properties))                         \
  F(zeDeviceGetComputeProperties, (ze_device_handle_t device, ze_device_compute_properties_t* properties))          \
  F(zeDeviceGetModuleProperties, (ze_device_handle_t device, ze_device_module_properties_t* properties))            \
  F(zeDeviceGetMemoryProperties,                                                                                    \
    (ze_device_handle_t device, std::uint32_t* count, ze_device_memory_properties_t* properties))                   \
  F(zeDeviceGetMemoryAccessProperties,                                                                              \
    (ze_device_handle_t device, ze_device_memory_access_properties_t* properties))                                  \
  F(zeDeviceGetCacheProperties,                                                                                     \
    (ze_device_handle_t device, std::uint32_t* count, ze_device_cache_properties_t* properties))                    \
  F(zeDeviceGetCommandQueueGroupProperties,                                                                         \
    (ze_device_handle_t device, std::uint32_t* count, ze_command_queue_group_properties_t* properties))             \
  F(zeDeviceCanAccessPeer, (ze_device_handle_t device, ze_device_handle_t peer, ze_bool_t* can))                    \
  F(zeContextCreate, (ze_driver_handle_t driver, const ze_context_desc_t* wanted, ze_context_handle_t* made))       \
  F(zeMemAllocDevice, (ze_context_handle_t context, const ze_device_mem_alloc_desc_t* wanted, std::size_t bytes,    \
                       std::size_t alignment, ze_device_handle_t device, void** made))                              \
  F(zeMemAllocHost, (ze_context_handle_t context, const ze_host_mem_alloc_desc_t* wanted, std::size_t bytes,        \
                     std::size_t alignment, void** made))                                                           \
  F(zeMemAllocShared, (ze_context_handle_t context, const ze_device_mem_alloc_desc_t* of_device,                    \
                       const ze_host_mem_alloc_desc_t* of_host, std::size_t bytes, std::size_t alignment,           \
                       ze_device_handle_t device, void** made))                                                     \
  F(zeMemFree, (ze_context_handle_t context, void* memory))                                                         \
  F(zeMemGetAllocProperties, (ze_context_handle_t context, const void* memory,                                      \
                              ze_memory_allocation_properties_t* properties, ze_device_handle_t* device))           \
  F(zeMemGetAddressRange, (ze_context_handle_t context, const void* memory, void** begin, std::size_t* bytes))       \
  F(zeModuleCreate, (ze_context_handle_t context, ze_device_handle_t device, const ze_module_desc_t* wanted,        \
                     ze_module_handle_t* made, ze_module_build_log_handle_t* log))                                  \
  F(zeModuleDestroy, (ze_module_handle_t module))                                                                   \
  F(zeModuleBuildLogGetString, (ze_module_build_log_handle_t log, std::size_t* bytes, char* text))                  \
  F(zeModuleBuildLogDestroy, (ze_module_build_log_handle_t log))                                                    \
  F(zeModuleGetNativeBinary, (ze_module_handle_t module, std::size_t* bytes, std::uint8_t* binary))                 \
  F(zeModuleGetKernelNames, (ze_module_handle_t module, std::uint32_t* count, const char** names))                  \
  F(zeKernelCreate, (ze_module_handle_t module, const ze_kernel_desc_t* wanted, ze_kernel_handle_t* made))          \
  F(zeKernelDestroy, (ze_kernel_handle_t kernel))                                                                   \
  F(zeKernelSetGroupSize, (ze_kernel_handle_t kernel, std::uint32_t x, std::uint32_t y, std::uint32_t z))           \
  F(zeKernelSuggestGroupSize, (ze_kernel_handle_t kernel, std::uint32_t global_x, std::uint32_t global_y,           \
                               std::uint32_t global_z, std::uint32_t* x, std::uint32_t* y, std::uint32_t* z))       \
  F(zeKernelSetArgumentValue,                                                                                       \
    (ze_kernel_handle_t kernel, std::uint32_t index, std::size_t bytes, const void* value))                         \
  F(zeKernelSetIndirectAccess, (ze_kernel_handle_t kernel, std::uint32_t flags))                                    \
  F(zeKernelGetName, (ze_kernel_handle_t kernel, std::size_t* bytes, char* name))                                   \
  F(zeKernelGetProperties, (ze_kernel_handle_t kernel, ze_kernel_properties_t* properties))                         \
  F(zeCommandListCreateImmediate, (ze_context_handle_t context, ze_device_handle_t device,                          \
                                   const ze_command_queue_desc_t* wanted, ze_command_list_handle_t* made))          \
  F(zeCommandListCreate, (ze_context_handle_t context, ze_device_handle_t device,                                   \
                          const ze_command_list_desc_t* wanted, ze_command_list_handle_t* made))                    \
  F(zeCommandListClose, (ze_command_list_handle_t list))                                                            \
  F(zeCommandListDestroy, (ze_command_list_handle_t list))                                                          \
  F(zeCommandQueueCreate, (ze_context_handle_t context, ze_device_handle_t device,                                  \
                           const ze_command_queue_desc_t* wanted, ze_command_queue_handle_t* made))                 \
  F(zeCommandQueueExecuteCommandLists, (ze_command_queue_handle_t queue, std::uint32_t count,                       \
                                        ze_command_list_handle_t* lists, ze_fence_handle_t fence))                  \
  F(zeCommandListAppendLaunchKernel, (ze_command_list_handle_t list, ze_kernel_handle_t kernel,                     \
                                      const ze_group_count_t* groups, SINTER_ZE_COMMAND_END))                       \
  F(zeCommandListAppendMemoryCopy, (ze_command_list_handle_t list, void* destination, const void* source,           \
                                    std::size_t bytes, SINTER_ZE_COMMAND_END))                                      \
  F(zeCommandListAppendMemoryFill, (ze_command_list_handle_t list, void* memory, const void* pattern,               \
                                    std::size_t pattern_bytes, std::size_t bytes, SINTER_ZE_COMMAND_END))           \
  F(zeCommandListAppendMemoryPrefetch, (ze_command_list_handle_t list, const void* memory, std::size_t bytes))      \
  F(zeCommandListAppendMemAdvise, (ze_command_list_handle_t list, ze_device_handle_t device, const void* memory,    \
                                   std::size_t bytes, ze_memory_advice_t advice))                                   \
  F(zeCommandListAppendBarrier, (ze_command_list_handle_t list, SINTER_ZE_COMMAND_END))                             \
  F(zeEventPoolCreate, (ze_context_handle_t context, const ze_event_pool_desc_t* wanted, std::uint32_t count,       \
                        ze_device_handle_t* devices, ze_event_pool_handle_t* made))                                 \
  F(zeEventCreate, (ze_event_pool_handle_t pool, const ze_event_desc_t* wanted, ze_event_handle_t* made))           \
  F(zeEventDestroy, (ze_event_handle_t event))                                                                      \
  F(zeEventHostSynchronize, (ze_event_handle_t event, std::uint64_t nanoseconds))                                   \
  F(zeEventQueryStatus, (ze_event_handle_t event))                                                                  \
  F(zeEventHostReset, (ze_event_handle_t event))                                                                    \
  F(zeEventQueryKernelTimestamp, (ze_event_handle_t event, ze_kernel_timestamp_result_t* times))
/// These functions of newer versions and of extensions may be missing.
#define SINTER_ZE_OPTIONAL_FUNCTIONS(F)                                                                             \
  F(zeDriverGetExtensionFunctionAddress, (ze_driver_handle_t driver, const char* name, void** address))             \
  F(zeDeviceGetGlobalTimestamps, (ze_device_handle_t device, std::uint64_t* of_host, std::uint64_t* of_device))     \
  F(zeDevicePciGetPropertiesExt, (ze_device_handle_t device, ze_pci_ext_properties_t* properties))                  \
  F(zeKernelSetGlobalOffsetExp, (ze_kernel_handle_t kernel, std::uint32_t x, std::uint32_t y, std::uint32_t z))
// clang-format on

}  // namespace sinter::level_zero
