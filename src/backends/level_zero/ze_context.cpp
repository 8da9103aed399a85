#include "ze_context.hpp"

#include <algorithm>
#include <utility>

#include <sycl/exception.hpp>

namespace sinter::level_zero {
namespace {

constexpr std::uint32_t events_of_pool = 128;

/// Returns all items that one of the driver's functions lists. Calls the function twice: first to get the number of
/// items, then to get the items.
template <class T, class Function, class Handle>
std::vector<T> list_of(Function function, Handle handle) {
  std::uint32_t count = 0;
  if (function(handle, &count, nullptr) != ZE_RESULT_SUCCESS) return {};
  std::vector<T> result(count);
  if (count == 0 || function(handle, &count, result.data()) != ZE_RESULT_SUCCESS) return {};
  result.resize(count);
  return result;
}

}  // namespace

driver_context::driver_context(const loader& functions, ze_driver_handle_t driver, ze_context_handle_t context)
    : m_functions(functions), m_driver(driver), m_context(context) {
  functions.zeDriverGetApiVersion(driver, &m_api_version);
  ze_driver_properties_t properties;
  if (functions.zeDriverGetProperties(driver, &properties) == ZE_RESULT_SUCCESS) {
    m_driver_version = properties.driverVersion;
  }
  for (const auto& each :
       list_of<ze_driver_extension_properties_t>(functions.zeDriverGetExtensionProperties, driver)) {
    m_extensions.emplace_back(each.name);
  }
  find_newer(m_newer, functions, driver);
  m_appends_lists = has_extension("ZE_experimental_immediate_command_list_append") &&
                    m_newer.zeCommandListImmediateAppendCommandListsExp;
}

bool driver_context::has_extension(const std::string& name) const {
  return std::find(m_extensions.begin(), m_extensions.end(), name) != m_extensions.end();
}

ze_context_handle_t driver_context::native() {
  std::lock_guard lock(m_mutex);
  if (m_context) return m_context;
  const ze_context_desc_t wanted;
  const ze_result_t result = m_functions.zeContextCreate(m_driver, &wanted, &m_context);
  if (result != ZE_RESULT_SUCCESS) {
    m_context = nullptr;
    sycl::detail::throw_error(sycl::errc::runtime, "Level Zero: making a context failed: " + text_of(result));
  }
  note_driver_use();
  return m_context;
}

/// Adds a pool of events. Called under m_mutex.
void driver_context::add_pool(bool timed) {
  const auto check = [](ze_result_t result) {
    if (result == ZE_RESULT_SUCCESS) return;
    sycl::detail::throw_error(sycl::errc::runtime, "Level Zero: making events failed: " + text_of(result));
  };
  ze_event_pool_desc_t wanted;
  wanted.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | (timed ? ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP : 0u);
  wanted.count = events_of_pool;
  ze_event_pool_handle_t pool = nullptr;
  check(m_functions.zeEventPoolCreate(m_context, &wanted, 0, nullptr, &pool));
  for (std::uint32_t i = 0; i < events_of_pool; ++i) {
    ze_event_desc_t place;
    place.index = i;
    // With these scopes, commands that wait for the event see the writes of other lists, and the host sees the writes
    // of kernels.
    place.signal = ZE_EVENT_SCOPE_FLAG_HOST;
    place.wait = ZE_EVENT_SCOPE_FLAG_HOST;
    ze_event_handle_t event = nullptr;
    check(m_functions.zeEventCreate(pool, &place, &event));
    m_free[timed].push_back(event);
  }
}

ze_event_handle_t driver_context::take_event(bool timed) {
  native();
  std::lock_guard lock(m_mutex);
  if (m_free[timed].empty()) add_pool(timed);
  ze_event_handle_t event = m_free[timed].back();
  m_free[timed].pop_back();
  return event;
}

void driver_context::give_event(ze_event_handle_t event, bool timed) noexcept {
  // An event that can't be reset is not reused.
  if (m_functions.zeEventHostReset(event) != ZE_RESULT_SUCCESS) return;
  std::lock_guard lock(m_mutex);
  m_free[timed].push_back(event);
}

ze_device_context::ze_device_context(driver_context& shared, ze_device_handle_t device)
    : m_shared(shared), m_device(device) {
  const loader& its = shared.functions();
  // Drivers before 1.2 support only the older structure. In the older structure, timerResolution is in nanoseconds per
  // tick.
  if (its.zeDeviceGetProperties(device, &m_properties) != ZE_RESULT_SUCCESS) {
    m_properties = {};
    m_properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    its.zeDeviceGetProperties(device, &m_properties);
  }
  its.zeDeviceGetComputeProperties(device, &m_compute);
  its.zeDeviceGetModuleProperties(device, &m_modules);
  m_properties.name[sizeof(m_properties.name) - 1] = '\0';
  m_name = m_properties.name;
  ask_engines();
  ask_memory();
  ask_clock();
  ask_lists();
}

void ze_device_context::ask_engines() {
  const auto groups = list_of<ze_command_queue_group_properties_t>(
      functions().zeDeviceGetCommandQueueGroupProperties, m_device);
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    // A fill with a longer pattern is done by copies, even if the driver allows the pattern, because longer patterns
    // were not tested.
    constexpr std::size_t usual = 128;
    const engine found{i, std::min(groups[i].maxMemoryFillPatternSize, usual)};
    if ((groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) != 0) {
      if (!std::exchange(m_computes, true)) m_compute_engine = found;
    } else if ((groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY) != 0) {
      if (!std::exchange(m_copies, true)) m_copy_engine = found;
    }
  }
}

void ze_device_context::ask_memory() {
  for (const auto& each :
       list_of<ze_device_memory_properties_t>(functions().zeDeviceGetMemoryProperties, m_device)) {
    m_memory_bytes += each.totalSize;
  }
  m_large_allocations = m_shared.has_extension("ZE_experimental_relaxed_allocation_limits");
}

void ze_device_context::ask_clock() {
  if (!functions().zeDeviceGetGlobalTimestamps || m_properties.timerResolution == 0) return;
  std::uint64_t of_host = 0, of_device = 0;
  if (functions().zeDeviceGetGlobalTimestamps(m_device, &of_host, &of_device) != ZE_RESULT_SUCCESS) return;
  const auto resolution = static_cast<double>(m_properties.timerResolution);
  m_tick = m_properties.stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 ? 1e9 / resolution : resolution;
}

void ze_device_context::ask_lists() {
  const newer_functions& newer = m_shared.newer();
  if (!m_shared.has_extension("ZE_experimental_mutable_command_list") || !newer.zeCommandListGetNextCommandIdExp ||
      !newer.zeCommandListUpdateMutableCommandsExp || !functions().zeKernelSetGlobalOffsetExp) {
    return;
  }
  ze_mutable_command_list_exp_properties_t lists;
  ze_device_properties_t properties;
  properties.stype = m_properties.stype;
  properties.pNext = &lists;
  if (functions().zeDeviceGetProperties(m_device, &properties) != ZE_RESULT_SUCCESS) return;
  constexpr std::uint32_t wanted = mutable_launches;
  m_mutable_lists = (lists.mutableCommandFlags & wanted) == wanted;
}

std::uint64_t ze_device_context::most_allocated() const noexcept {
  return m_large_allocations ? std::max(m_memory_bytes, m_properties.maxMemAllocSize) : m_properties.maxMemAllocSize;
}

std::uint64_t ze_device_context::free_memory() const {
  if (!m_shared.has_extension("ZE_extension_device_usablemem_size_properties")) return 0;
  ze_device_usablemem_size_ext_properties_t memory;
  ze_device_properties_t properties;
  properties.stype = m_properties.stype;
  properties.pNext = &memory;
  const ze_result_t result = functions().zeDeviceGetProperties(m_device, &properties);
  return result == ZE_RESULT_SUCCESS ? memory.currUsableMemSize : 0;
}

void ze_device_context::fail(ze_result_t result, const std::string& doing) const {
  const bool memory =
      result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY || result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
  sycl::detail::throw_error(memory ? sycl::errc::memory_allocation : sycl::errc::runtime,
                            "device '" + name() + "': " + doing + " failed: " + text_of(result));
}

void ze_device_context::refuse_at_end(const char* doing) const {
  if (!drivers_have_ended()) return;
  let_program_end();
  fail(driver_has_ended, doing);
}

void* ze_device_context::allocate(memory_kind kind, std::size_t bytes, std::size_t alignment) const {
  refuse_at_end("allocating memory");
  const ze_relaxed_allocation_limits_exp_desc_t large;
  ze_device_mem_alloc_desc_t of_device;
  ze_host_mem_alloc_desc_t of_host;
  if (m_large_allocations && bytes > m_properties.maxMemAllocSize) of_device.pNext = of_host.pNext = &large;
  void* memory = nullptr;
  ze_result_t result = ZE_RESULT_SUCCESS;
  if (kind == memory_kind::device) {
    result = functions().zeMemAllocDevice(context(), &of_device, bytes, alignment, m_device, &memory);
  } else if (kind == memory_kind::host) {
    result = functions().zeMemAllocHost(context(), &of_host, bytes, alignment, &memory);
  } else {
    result = functions().zeMemAllocShared(context(), &of_device, &of_host, bytes, alignment, m_device, &memory);
  }
  if (result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY || result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ||
      result == ZE_RESULT_ERROR_UNSUPPORTED_SIZE || result == ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT) {
    return nullptr;
  }
  check(result, [&] { return "allocating " + std::to_string(bytes) + " bytes"; });
  return memory;
}

void ze_device_context::deallocate(void* memory) const noexcept {
  try {
    functions().zeMemFree(context(), memory);
  } catch (...) {
    // native() throws if there is no context. In this case no memory was allocated, so nothing has to be freed.
  }
}

}  // namespace sinter::level_zero
