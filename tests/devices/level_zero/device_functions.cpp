/// Functions of the driver, its device and its memory.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "judge.hpp"
#include "objects.hpp"

namespace judge {
namespace {

object& the_driver() {
  static object& made = *new object;
  return made;
}
object& the_device() {
  static object& made = *new object;
  return made;
}

ze_result_t list_one(std::uint32_t* count, bool wanted) {
  *count = wanted ? std::min(*count, 1u) : 1u;
  return ZE_RESULT_SUCCESS;
}

ze_result_t get_drivers(std::uint32_t* count, ze_driver_handle_t* drivers) {
  if (drivers && *count != 0) drivers[0] = reinterpret_cast<ze_driver_handle_t>(&the_driver());
  return list_one(count, drivers);
}
ze_result_t get_version(ze_driver_handle_t, ze_api_version_t* version) {
  *version = static_cast<ze_api_version_t>(api_version());
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_driver_properties(ze_driver_handle_t, ze_driver_properties_t* its) {
  if (its->stype != ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES) refuse("a structure has no type");
  std::memset(&its->uuid, 7, sizeof(its->uuid));
  its->driverVersion = 1;
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_extensions(ze_driver_handle_t, std::uint32_t* count, ze_driver_extension_properties_t* its) {
  std::vector<const char*> names{ZE_GLOBAL_OFFSET_EXP_NAME};
  if (has_mutable_lists()) names.push_back("ZE_experimental_mutable_command_list");
  names.push_back("ZE_extension_device_usablemem_size_properties");
  if (appends_lists()) names.push_back("ZE_experimental_immediate_command_list_append");
  const auto known = static_cast<std::uint32_t>(names.size());
  for (std::uint32_t i = 0; its && i < std::min(*count, known); ++i) {
    std::strcpy(its[i].name, names[i]);
    its[i].version = ZE_MAKE_VERSION(1, 0);
  }
  *count = its ? std::min(*count, known) : known;
  return ZE_RESULT_SUCCESS;
}
/// Returns functions even if the driver does not list their extension, because programs have to check this list before
/// they use a function.
ze_result_t get_function(ze_driver_handle_t, const char* name, void** address) {
  *address = newer_kernel_function(name);
  if (!*address) *address = newer_list_function(name);
  return *address ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t get_devices(ze_driver_handle_t, std::uint32_t* count, ze_device_handle_t* devices) {
  if (devices && *count != 0) devices[0] = reinterpret_cast<ze_device_handle_t>(&the_device());
  return list_one(count, devices);
}
/// TEST_ZE_TILES sets the number of tiles. Tiles have no tiles themselves.
ze_result_t get_parts(ze_device_handle_t device, std::uint32_t* count, ze_device_handle_t* parts) {
  static const auto* tiles = [] {
    const char* const wanted = std::getenv("TEST_ZE_TILES");
    return new std::vector<object>(wanted ? static_cast<std::size_t>(std::atoi(wanted)) : 0);
  }();
  const bool is_whole = device == reinterpret_cast<ze_device_handle_t>(&the_device());
  const auto known = is_whole ? static_cast<std::uint32_t>(tiles->size()) : 0u;
  for (std::uint32_t i = 0; parts && i < std::min(*count, known); ++i) {
    parts[i] = reinterpret_cast<ze_device_handle_t>(const_cast<object*>(&(*tiles)[i]));
  }
  *count = parts ? std::min(*count, known) : known;
  return ZE_RESULT_SUCCESS;
}
/// Reports that the device has half of OpenCL's memory minus two mebibytes, and subtracts the allocations.
std::uint64_t free_bytes() {
  return find_core()->info<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE) / 2 - (2u << 20) - allocated_bytes();
}
ze_result_t get_properties(ze_device_handle_t, ze_device_properties_t* its) {
  const bool is_newer = its->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
  if (!is_newer && its->stype != ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES) refuse("a structure has no type");
  const cl_core& core = *find_core();
  ze_device_properties_t made{};
  made.stype = its->stype;
  made.pNext = its->pNext;
  made.type = ZE_DEVICE_TYPE_GPU;
  made.vendorId = 0x8086;
  made.deviceId = 0x1234;
  made.coreClockRate = 1000;
  made.maxMemAllocSize = core.info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  made.numThreadsPerEU = 1;
  made.physicalEUSimdWidth = 16;
  made.numEUsPerSubslice = core.info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  made.numSubslicesPerSlice = made.numSlices = 1;
  made.timerResolution = is_newer ? ticks_a_second : 1000000000u / ticks_a_second;
  made.timestampValidBits = ticks_bits;
  made.kernelTimestampValidBits = event_ticks_bits;
  // OpenCL reports the same UUID for its own device, so both are the same device.
  made.uuid = core.info<ze_device_uuid_t>(CL_DEVICE_UUID_KHR);
  std::strncpy(made.name, ("Judge over " + core.text(CL_DEVICE_NAME)).c_str(), sizeof(made.name) - 1);
  *its = made;
  namespace ours = sinter::level_zero;
  auto* const lists = static_cast<ours::ze_mutable_command_list_exp_properties_t*>(its->pNext);
  if (has_mutable_lists() && lists && lists->stype == ours::ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES) {
    lists->mutableCommandFlags = ours::mutable_launches;
  }
  auto* const memory = static_cast<ours::ze_device_usablemem_size_ext_properties_t*>(its->pNext);
  if (memory && memory->stype == ours::ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES) {
    memory->currUsableMemSize = free_bytes();
  }
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_compute(ze_device_handle_t, ze_device_compute_properties_t* its) {
  const cl_core& core = *find_core();
  const auto sizes = core.sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  its->maxTotalGroupSize = std::min<std::uint32_t>(
      most_group_items, static_cast<std::uint32_t>(core.info<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE)));
  const auto size = [&](std::size_t d) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(sizes[d], its->maxTotalGroupSize));
  };
  its->maxGroupSizeX = size(0);
  its->maxGroupSizeY = size(1);
  its->maxGroupSizeZ = size(2);
  its->maxGroupCountX = its->maxGroupCountY = its->maxGroupCountZ = ~0u;
  its->maxSharedLocalMemory = static_cast<std::uint32_t>(core.info<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE));
  its->numSubGroupSizes = 0;
  for (const std::size_t each : core.sizes(CL_DEVICE_SUB_GROUP_SIZES_INTEL)) {
    if (its->numSubGroupSizes < std::size(its->subGroupSizes)) {
      its->subGroupSizes[its->numSubGroupSizes++] = static_cast<std::uint32_t>(each);
    }
  }
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_modules(ze_device_handle_t, ze_device_module_properties_t* its) {
  const cl_core& core = *find_core();
  const std::string extensions = core.text(CL_DEVICE_EXTENSIONS);
  const auto flag = [&](const char* extension, std::uint32_t bit) {
    return extensions.find(extension) != std::string::npos ? bit : 0u;
  };
  its->spirvVersionSupported = spirv_version();
  its->flags = (has_halves() ? flag("cl_khr_fp16", ZE_DEVICE_MODULE_FLAG_FP16) : 0u) |
               (has_doubles() ? flag("cl_khr_fp64", ZE_DEVICE_MODULE_FLAG_FP64) : 0u) |
               (has_wide_atomics() ? flag("cl_khr_int64_base_atomics", ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS) : 0u);
  const bool rounds =
      (core.info<cl_device_fp_config>(CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  its->fp16flags = its->fp64flags = 0x3f;
  its->fp32flags = 0x3f | (rounds ? ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT : 0);
  its->maxArgumentsSize = most_arguments();
  its->printfBufferSize = 1u << 20;
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_memory(ze_device_handle_t, std::uint32_t* count, ze_device_memory_properties_t* its) {
  if (its && *count != 0) {
    its[0].flags = 0;
    its[0].maxClockRate = 1000;
    its[0].maxBusWidth = 64;
    its[0].totalSize = memory_bytes(find_core()->info<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE));
    std::strcpy(its[0].name, "memory");
  }
  return list_one(count, its);
}
ze_result_t get_access(ze_device_handle_t, ze_device_memory_access_properties_t* its) {
  its->hostAllocCapabilities = its->deviceAllocCapabilities = its->sharedSingleDeviceAllocCapabilities = 0xf;
  its->sharedCrossDeviceAllocCapabilities = its->sharedSystemAllocCapabilities = 0;
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_cache(ze_device_handle_t, std::uint32_t* count, ze_device_cache_properties_t* its) {
  if (its && *count != 0) {
    its[0].flags = 0;
    its[0].cacheSize = find_core()->info<cl_ulong>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  }
  return list_one(count, its);
}
/// The first group of queues takes kernels and copies. The second group takes only copies, and fills of single bytes.
ze_result_t get_queue_groups(ze_device_handle_t, std::uint32_t* count, ze_command_queue_group_properties_t* its) {
  const ze_command_queue_group_property_flags_t flags[] = {
      ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY,
      ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY};
  const std::size_t patterns[] = {longest_pattern, 1};
  for (std::uint32_t i = 0; its && i < std::min(*count, 2u); ++i) {
    its[i].flags = flags[i];
    its[i].maxMemoryFillPatternSize = patterns[i];
    its[i].numQueues = 1;
  }
  *count = its ? std::min(*count, 2u) : 2u;
  return ZE_RESULT_SUCCESS;
}
/// All devices share their memory.
ze_result_t can_access(ze_device_handle_t, ze_device_handle_t, ze_bool_t* can) {
  *can = 1;
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_times(ze_device_handle_t, std::uint64_t* of_host, std::uint64_t* of_device) {
  *of_device = device_ticks() & ((std::uint64_t{1} << ticks_bits) - 1);
  *of_host = *of_device;
  return ZE_RESULT_SUCCESS;
}

ze_result_t make_context(ze_driver_handle_t, const ze_context_desc_t*, ze_context_handle_t* made) {
  *made = reinterpret_cast<ze_context_handle_t>(new object);
  return ZE_RESULT_SUCCESS;
}
ze_result_t destroy_context(ze_context_handle_t context) {
  delete &of<object>(context);
  return ZE_RESULT_SUCCESS;
}

ze_result_t refusal_of_size(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
  if ((alignment & (alignment - 1)) != 0) return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
  const auto most = find_core()->info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  if (bytes > most) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
  const std::uint64_t all = memory_bytes(~std::uint64_t{0});
  return bytes > all || allocated_bytes() > all - bytes ? ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY : ZE_RESULT_SUCCESS;
}
cl_uint page_or(std::size_t alignment) { return static_cast<cl_uint>(std::max(alignment, page)); }
/// Fills new memory with a value that no program has written.
ze_result_t take(void* memory, std::size_t bytes, ze_memory_type_t type, void** made) {
  if (!memory) return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
  constexpr std::size_t enough = 4096;
  std::memset(memory, 0xa5, std::min(bytes, enough));
  add_allocation({static_cast<char*>(memory), bytes, type});
  *made = memory;
  return ZE_RESULT_SUCCESS;
}
ze_result_t allocate_device(ze_context_handle_t, const ze_device_mem_alloc_desc_t*, std::size_t bytes,
                            std::size_t alignment, ze_device_handle_t, void** made) {
  if (const ze_result_t refused = refusal_of_size(bytes, alignment); refused != ZE_RESULT_SUCCESS) return refused;
  const cl_core& core = *find_core();
  return take(core.allocate_device(core.context, core.device, nullptr, whole_pages(bytes), page_or(alignment), nullptr),
              bytes, ZE_MEMORY_TYPE_DEVICE, made);
}
ze_result_t allocate_host(ze_context_handle_t, const ze_host_mem_alloc_desc_t*, std::size_t bytes,
                          std::size_t alignment, void** made) {
  if (const ze_result_t refused = refusal_of_size(bytes, alignment); refused != ZE_RESULT_SUCCESS) return refused;
  const cl_core& core = *find_core();
  return take(core.allocate_host(core.context, nullptr, whole_pages(bytes), page_or(alignment), nullptr), bytes,
              ZE_MEMORY_TYPE_HOST, made);
}
ze_result_t allocate_shared(ze_context_handle_t, const ze_device_mem_alloc_desc_t*, const ze_host_mem_alloc_desc_t*,
                            std::size_t bytes, std::size_t alignment, ze_device_handle_t, void** made) {
  if (const ze_result_t refused = refusal_of_size(bytes, alignment); refused != ZE_RESULT_SUCCESS) return refused;
  const cl_core& core = *find_core();
  return take(core.allocate_shared(core.context, core.device, nullptr, whole_pages(bytes), page_or(alignment), nullptr),
              bytes, ZE_MEMORY_TYPE_SHARED, made);
}
ze_result_t free_memory(ze_context_handle_t, void* memory) {
  free_allocation(memory);
  return ZE_RESULT_SUCCESS;
}
ze_result_t get_allocation(ze_context_handle_t, const void* memory, ze_memory_allocation_properties_t* its,
                           ze_device_handle_t* device) {
  const allocation known = allocation_of(memory);
  its->type = known.bytes == 0 ? ZE_MEMORY_TYPE_UNKNOWN : known.type;
  its->id = 0;
  its->pageSize = 4096;
  if (device) *device = known.bytes == 0 ? nullptr : reinterpret_cast<ze_device_handle_t>(&the_device());
  return ZE_RESULT_SUCCESS;
}

/// Prefetches and migrations need no copies, because kernels access all memory directly.
ze_result_t move_memory(ze_context_handle_t, ze_device_handle_t, void* memory, std::size_t bytes) {
  const allocation known = allocation_of(memory);
  const bool is_inside = static_cast<char*>(memory) + bytes <= known.begin + known.bytes;
  return known.bytes != 0 && is_inside ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t get_range(ze_context_handle_t, const void* memory, void** begin, std::size_t* bytes) {
  const allocation known = allocation_of(memory);
  if (known.bytes == 0) return ZE_RESULT_ERROR_UNKNOWN;
  if (begin) *begin = known.begin;
  if (bytes) *bytes = known.bytes;
  return ZE_RESULT_SUCCESS;
}

}  // namespace

void fill(ze_driver_dditable_t& table) {
  table.pfnGet = get_drivers;
  table.pfnGetApiVersion = get_version;
  table.pfnGetProperties = get_driver_properties;
  table.pfnGetExtensionProperties = get_extensions;
  table.pfnGetExtensionFunctionAddress = get_function;
}

void fill(ze_device_dditable_t& table) {
  table.pfnGet = get_devices;
  table.pfnGetSubDevices = get_parts;
  table.pfnGetProperties = get_properties;
  table.pfnGetComputeProperties = get_compute;
  table.pfnGetModuleProperties = get_modules;
  table.pfnGetMemoryProperties = get_memory;
  table.pfnGetMemoryAccessProperties = get_access;
  table.pfnGetCacheProperties = get_cache;
  table.pfnGetCommandQueueGroupProperties = get_queue_groups;
  table.pfnCanAccessPeer = can_access;
  table.pfnGetGlobalTimestamps = get_times;
}

void fill(ze_context_dditable_t& table) {
  table.pfnCreate = make_context;
  table.pfnDestroy = destroy_context;
  table.pfnMakeMemoryResident = table.pfnEvictMemory = move_memory;
}

void fill(ze_mem_dditable_t& table) {
  table.pfnAllocDevice = allocate_device;
  table.pfnAllocHost = allocate_host;
  table.pfnAllocShared = allocate_shared;
  table.pfnFree = free_memory;
  table.pfnGetAllocProperties = get_allocation;
  table.pfnGetAddressRange = get_range;
}

}  // namespace judge
