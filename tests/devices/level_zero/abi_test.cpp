/// Sinter's declarations of Level Zero (src/backends/level_zero/ze_abi.hpp) agree with Level Zero's own header.

#include <backends/level_zero/loader.hpp>
#include <level_zero/ze_api.h>

#include <type_traits>

namespace ours = sinter::level_zero;

// Compares the size of a structure and the offset of its last member.
#define SAME_STRUCTURE(name, last)                                                                      \
  static_assert(sizeof(ours::name) == sizeof(::name) && alignof(ours::name) == alignof(::name), #name); \
  static_assert(offsetof(ours::name, last) == offsetof(::name, last), #name)
#define SAME_PLACE(name, member) static_assert(offsetof(ours::name, member) == offsetof(::name, member), #member)
#define SAME_NUMBER(name) static_assert(static_cast<unsigned>(ours::name) == static_cast<unsigned>(::name), #name)

SAME_STRUCTURE(ze_driver_properties_t, driverVersion);
SAME_STRUCTURE(ze_driver_extension_properties_t, version);
SAME_STRUCTURE(ze_device_properties_t, name);
SAME_PLACE(ze_device_properties_t, type);
SAME_PLACE(ze_device_properties_t, vendorId);
SAME_PLACE(ze_device_properties_t, deviceId);
SAME_PLACE(ze_device_properties_t, flags);
SAME_PLACE(ze_device_properties_t, coreClockRate);
SAME_PLACE(ze_device_properties_t, maxMemAllocSize);
SAME_PLACE(ze_device_properties_t, numEUsPerSubslice);
SAME_PLACE(ze_device_properties_t, numSubslicesPerSlice);
SAME_PLACE(ze_device_properties_t, numSlices);
SAME_PLACE(ze_device_properties_t, timerResolution);
SAME_PLACE(ze_device_properties_t, kernelTimestampValidBits);
SAME_PLACE(ze_device_properties_t, uuid);
SAME_STRUCTURE(ze_device_compute_properties_t, subGroupSizes);
SAME_PLACE(ze_device_compute_properties_t, maxGroupSizeX);
SAME_PLACE(ze_device_compute_properties_t, maxGroupCountX);
SAME_PLACE(ze_device_compute_properties_t, maxSharedLocalMemory);
SAME_PLACE(ze_device_compute_properties_t, numSubGroupSizes);
SAME_STRUCTURE(ze_device_module_properties_t, nativeKernelSupported);
SAME_PLACE(ze_device_module_properties_t, flags);
SAME_PLACE(ze_device_module_properties_t, fp32flags);
SAME_PLACE(ze_device_module_properties_t, maxArgumentsSize);
SAME_STRUCTURE(ze_device_memory_properties_t, name);
SAME_PLACE(ze_device_memory_properties_t, maxBusWidth);
SAME_PLACE(ze_device_memory_properties_t, totalSize);
SAME_STRUCTURE(ze_device_memory_access_properties_t, sharedSystemAllocCapabilities);
SAME_PLACE(ze_device_memory_access_properties_t, hostAllocCapabilities);
SAME_PLACE(ze_device_memory_access_properties_t, sharedSingleDeviceAllocCapabilities);
SAME_STRUCTURE(ze_device_cache_properties_t, cacheSize);
SAME_STRUCTURE(ze_command_queue_group_properties_t, numQueues);
SAME_PLACE(ze_command_queue_group_properties_t, maxMemoryFillPatternSize);
SAME_STRUCTURE(ze_pci_ext_properties_t, maxSpeed);
SAME_PLACE(ze_pci_ext_properties_t, address);
SAME_STRUCTURE(ze_context_desc_t, flags);
SAME_STRUCTURE(ze_command_queue_desc_t, priority);
SAME_PLACE(ze_command_queue_desc_t, mode);
SAME_STRUCTURE(ze_event_pool_desc_t, count);
SAME_STRUCTURE(ze_event_desc_t, wait);
SAME_STRUCTURE(ze_kernel_timestamp_result_t, context);
SAME_STRUCTURE(ze_device_mem_alloc_desc_t, ordinal);
SAME_STRUCTURE(ze_host_mem_alloc_desc_t, flags);
SAME_STRUCTURE(ze_memory_allocation_properties_t, pageSize);
SAME_PLACE(ze_memory_allocation_properties_t, type);
SAME_STRUCTURE(ze_relaxed_allocation_limits_exp_desc_t, flags);
SAME_STRUCTURE(ze_module_constants_t, pConstantValues);
SAME_STRUCTURE(ze_module_desc_t, pConstants);
SAME_PLACE(ze_module_desc_t, pInputModule);
SAME_STRUCTURE(ze_kernel_desc_t, pKernelName);
SAME_STRUCTURE(ze_kernel_properties_t, uuid);
SAME_PLACE(ze_kernel_properties_t, requiredGroupSizeX);
SAME_PLACE(ze_kernel_properties_t, spillMemSize);
SAME_STRUCTURE(ze_group_count_t, groupCountZ);

SAME_NUMBER(ZE_RESULT_NOT_READY);
SAME_NUMBER(ZE_RESULT_ERROR_DEVICE_LOST);
SAME_NUMBER(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
SAME_NUMBER(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
SAME_NUMBER(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
SAME_NUMBER(ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
SAME_NUMBER(ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
SAME_NUMBER(ZE_RESULT_ERROR_NOT_AVAILABLE);
SAME_NUMBER(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
SAME_NUMBER(ZE_RESULT_ERROR_UNINITIALIZED);
SAME_NUMBER(ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
SAME_NUMBER(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
SAME_NUMBER(ZE_RESULT_ERROR_INVALID_ARGUMENT);
SAME_NUMBER(ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
SAME_NUMBER(ZE_RESULT_ERROR_INVALID_NULL_POINTER);
SAME_NUMBER(ZE_RESULT_ERROR_INVALID_SIZE);
SAME_NUMBER(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
SAME_NUMBER(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
SAME_NUMBER(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
SAME_NUMBER(ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
SAME_NUMBER(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
SAME_NUMBER(ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION);
SAME_NUMBER(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
SAME_NUMBER(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
SAME_NUMBER(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
SAME_NUMBER(ZE_RESULT_ERROR_UNKNOWN);
SAME_NUMBER(ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES);
SAME_NUMBER(ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES);
SAME_NUMBER(ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES);
SAME_NUMBER(ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES);
SAME_NUMBER(ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES);
SAME_NUMBER(ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES);
SAME_NUMBER(ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES);
SAME_NUMBER(ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES);
SAME_NUMBER(ZE_STRUCTURE_TYPE_CONTEXT_DESC);
SAME_NUMBER(ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
SAME_NUMBER(ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
SAME_NUMBER(ZE_STRUCTURE_TYPE_EVENT_DESC);
SAME_NUMBER(ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
SAME_NUMBER(ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
SAME_NUMBER(ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
SAME_NUMBER(ZE_STRUCTURE_TYPE_MODULE_DESC);
SAME_NUMBER(ZE_STRUCTURE_TYPE_KERNEL_DESC);
SAME_NUMBER(ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES);
SAME_NUMBER(ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES);
SAME_NUMBER(ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC);
SAME_NUMBER(ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2);
SAME_NUMBER(ZE_DEVICE_TYPE_GPU);
SAME_NUMBER(ZE_DEVICE_TYPE_CPU);
SAME_NUMBER(ZE_MEMORY_TYPE_SHARED);
SAME_NUMBER(ZE_MODULE_FORMAT_IL_SPIRV);
SAME_NUMBER(ZE_MODULE_FORMAT_NATIVE);
SAME_NUMBER(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
SAME_NUMBER(ZE_COMMAND_QUEUE_PRIORITY_NORMAL);
SAME_NUMBER(ZE_DEVICE_PROPERTY_FLAG_INTEGRATED);
SAME_NUMBER(ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
SAME_NUMBER(ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
SAME_NUMBER(ZE_DEVICE_MODULE_FLAG_FP16);
SAME_NUMBER(ZE_DEVICE_MODULE_FLAG_FP64);
SAME_NUMBER(ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS);
SAME_NUMBER(ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT);
SAME_NUMBER(ZE_MEMORY_ACCESS_CAP_FLAG_RW);
SAME_NUMBER(ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC);
SAME_NUMBER(ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
SAME_NUMBER(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
SAME_NUMBER(ZE_EVENT_SCOPE_FLAG_DEVICE);
SAME_NUMBER(ZE_EVENT_SCOPE_FLAG_HOST);
SAME_NUMBER(ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST);
SAME_NUMBER(ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE);
SAME_NUMBER(ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED);
SAME_NUMBER(ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE);

namespace {

/// Structures and enumerations have other names in Sinter, so parameters are compared by number and size, and pointers
/// only with pointers.
template <class Ours, class Theirs>
struct same_call : std::false_type {};
template <class... Ours, class... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
struct same_call<ours::ze_result_t (*)(Ours...), ::ze_result_t(Theirs...)>
    : std::bool_constant<((sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>) &&
                         ...)> {};

}  // namespace

#define SAME_CALL(name, parameters) \
  static_assert(same_call<decltype(ours::loader::name), decltype(::name)>::value, #name);
SINTER_ZE_FUNCTIONS(SAME_CALL)
SINTER_ZE_OPTIONAL_FUNCTIONS(SAME_CALL)

int main() {}
