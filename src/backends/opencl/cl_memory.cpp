#include "cl_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include <sycl/exception.hpp>

namespace sinter::opencl {
namespace {

/// Returns the size, in whole pages, of the address range to reserve for a memory object. The range includes the
/// address right behind the object's end.
std::size_t reserved_bytes(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes / page + 2) * page;
}

}  // namespace

// --------------------------------------------------------------------------------------------------------- the table

void memory_table::add(void* memory, std::size_t bytes, cl_mem object) {
  std::lock_guard lock(m_mutex);
  m_allocations[static_cast<const char*>(memory)] = {bytes, object};
  ++m_version;
}

memory_table::removed memory_table::remove(void* memory) noexcept {
  std::lock_guard lock(m_mutex);
  const auto found = m_allocations.find(static_cast<const char*>(memory));
  if (found == m_allocations.end()) return {};
  const removed result{found->second.bytes, found->second.object};
  m_allocations.erase(found);
  ++m_version;
  return result;
}

std::optional<memory_position> memory_table::find(const void* address) const {
  const auto* wanted = static_cast<const char*>(address);
  std::shared_lock lock(m_mutex);
  auto found = m_allocations.upper_bound(wanted);
  if (found == m_allocations.begin()) return std::nullopt;
  --found;
  const auto distance = static_cast<std::uint64_t>(wanted - found->first);
  if (distance > found->second.bytes) return std::nullopt;
  return memory_position{found->second.object, distance};
}

std::vector<void*> memory_table::all() const {
  std::vector<void*> result;
  for (const auto& [memory, its] : m_allocations) result.push_back(const_cast<char*>(memory));
  return result;
}

void memory_table::add(cl_command_queue queue) {
  std::lock_guard lock(m_queues_mutex);
  m_queues.push_back(queue);
}

void memory_table::remove(cl_command_queue queue) noexcept {
  std::lock_guard lock(m_queues_mutex);
  const auto found = std::find(m_queues.begin(), m_queues.end(), queue);
  if (found != m_queues.end()) m_queues.erase(found);
}

// ---------------------------------------------------------------------------------------------------------- a device

cl_memory::cl_memory(const loader& functions, const found_platform& platform, const found_device& device,
                     memory_table& table)
    : m_functions(functions), m_platform(platform), m_device(device), m_table(table) {
  if (way() == memory_way::unified) find_functions();
}

void cl_memory::find_functions() {
  const auto find = [&]<class Function>(Function& function, const char* name) {
    if (find_extension(m_functions, m_platform.id, name, function)) return;
    sycl::detail::throw_error(sycl::errc::runtime,
                          "device '" + m_device.name + "': its driver has no " + name);
  };
  find(m_unified.host_alloc, "clHostMemAllocINTEL");
  find(m_unified.device_alloc, "clDeviceMemAllocINTEL");
  find(m_unified.shared_alloc, "clSharedMemAllocINTEL");
  find(m_unified.free, "clMemBlockingFreeINTEL");
  find(m_unified.copy, "clEnqueueMemcpyINTEL");
  find(m_unified.fill, "clEnqueueMemFillINTEL");
  find(m_unified.migrate, "clEnqueueMigrateMemINTEL");
  find(m_unified.set_pointer, "clSetKernelArgMemPointerINTEL");
}

void* cl_memory::allocate(cl_context context, memory_kind kind, std::size_t bytes, std::size_t alignment) {
  // Drivers have to support only alignments up to the size of the largest type, 128 bytes. malloc_device requests 256
  // bytes, which are reduced to 128. If the runtime requests the alignment of pages, the driver's default is used.
  const auto align = static_cast<cl_uint>(alignment <= 256 ? std::min<std::size_t>(alignment, 128) : 0);
  if (kind != memory_kind::device && !host_reaches()) return nullptr;
  if (way() == memory_way::objects) return allocate_object(context, bytes);
  if (way() != memory_way::unified) return allocate_shared(context, bytes, align);
  cl_int result = CL_SUCCESS;
  void* memory = nullptr;
  switch (kind) {
    case memory_kind::device:
      memory = m_unified.device_alloc(context, m_device.id, nullptr, bytes, align, &result);
      break;
    case memory_kind::host:
      memory = m_unified.host_alloc(context, nullptr, bytes, align, &result);
      break;
    case memory_kind::shared:
      memory = m_unified.shared_alloc(context, m_device.id, nullptr, bytes, align, &result);
      break;
  }
  return result == CL_SUCCESS ? memory : nullptr;
}

void* cl_memory::allocate_object(cl_context context, std::size_t bytes) {
  // Drivers may accept an allocation that is too large, and report the error only when the allocation is used. So the
  // size is checked here.
  cl_ulong most = 0;
  m_functions.clGetDeviceInfo(m_device.id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, nullptr);
  if (bytes > most) return nullptr;
  cl_int result = CL_SUCCESS;
  cl_mem object =
      m_functions.clCreateBuffer(context, CL_MEM_READ_WRITE, std::max<std::size_t>(bytes, 1), nullptr, &result);
  if (result != CL_SUCCESS) return nullptr;
  void* addresses = mmap(nullptr, reserved_bytes(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (addresses == MAP_FAILED) {
    m_functions.clReleaseMemObject(object);
    return nullptr;
  }
  m_table.add(addresses, bytes, object);
  return addresses;
}

void* cl_memory::allocate_shared(cl_context context, std::size_t bytes, cl_uint alignment) {
  const cl_svm_mem_flags flags =
      CL_MEM_READ_WRITE | (way() == memory_way::fine_shared_virtual ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
  bytes = std::max<std::size_t>(bytes, 1);
  std::lock_guard lock(m_freed_mutex);
  sweep(context, /*waits=*/false);
  if (!m_has_some) {
    void* some = m_functions.clSVMAlloc(context, flags, 64, 0);
    if (some) m_table.add(some, 64, nullptr);
    m_has_some = some != nullptr;
  }
  void* memory = m_functions.clSVMAlloc(context, flags, bytes, alignment);
  if (!memory && !m_freed.empty()) {
    sweep(context, /*waits=*/true);
    memory = m_functions.clSVMAlloc(context, flags, bytes, alignment);
  }
  if (memory) m_table.add(memory, bytes, nullptr);
  return memory;
}

cl_mem cl_memory::object_of(cl_context context, void* memory, std::size_t bytes) {
  if (way() == memory_way::objects) {
    const auto found = m_table.find(memory);
    return found ? found->object : nullptr;
  }
  cl_bool unified = CL_FALSE;
  m_functions.clGetDeviceInfo(m_device.id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(unified), &unified, nullptr);
  // OpenCL defines buffer objects in shared virtual memory, but not in unified shared memory (Intel's extension).
  if (way() == memory_way::unified && !unified) {
    sycl::detail::throw_error(sycl::errc::feature_not_supported,
                              "device '" + m_device.name +
                                  "': its memory is apart from the host's, and the driver makes no cl_mem of unified "
                                  "shared memory there; copy, or use USM pointers");
  }
  std::lock_guard lock(m_objects_mutex);
  cl_mem& object = m_objects[memory];
  if (object) return object;
  cl_int result = CL_SUCCESS;
  object = m_functions.clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, &result);
  m_has_objects = true;
  if (result == CL_SUCCESS) return object;
  object = nullptr;
  sycl::detail::throw_error(sycl::errc::runtime, "device '" + m_device.name +
                                                                            "': making a cl_mem of a buffer's memory "
                                                                            "failed: " +
                                                                            text_of(result));
}

void cl_memory::release_object(void* memory) noexcept {
  std::lock_guard lock(m_objects_mutex);
  const auto found = m_objects.find(memory);
  if (found == m_objects.end()) return;
  if (found->second) m_functions.clReleaseMemObject(found->second);
  m_objects.erase(found);
}

void cl_memory::deallocate(cl_context context, void* memory) noexcept {
  if (m_has_objects) release_object(memory);
  if (way() == memory_way::unified) {
    m_unified.free(context, memory);
    return;
  }
  const memory_table::removed removed = m_table.remove(memory);
  if (way() != memory_way::objects) return free_shared(context, memory);
  if (!removed.object) return;
  // The driver itself keeps the object until all work that was handed over is complete.
  m_functions.clReleaseMemObject(removed.object);
  munmap(memory, reserved_bytes(removed.bytes));
}

/// Every launch gets a list of all allocations, even of allocations that it does not use. So the memory is freed only
/// when all launches that the driver has got so far have ended.
void cl_memory::free_shared(cl_context context, void* memory) {
  freed_memory freed{memory, {}};
  m_table.visit_queues([&](cl_command_queue queue) {
    cl_event event = nullptr;
    if (m_functions.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event) != CL_SUCCESS) return;
    m_functions.clFlush(queue);
    freed.before.push_back(event);
  });
  std::lock_guard lock(m_freed_mutex);
  m_freed.push_back(std::move(freed));
  sweep(context, /*waits=*/false);
}

/// Called under m_freed_mutex.
void cl_memory::sweep(cl_context context, bool waits) noexcept {
  std::erase_if(m_freed, [&](freed_memory& each) {
    while (!each.before.empty()) {
      cl_int status = CL_COMPLETE;
      if (waits) m_functions.clWaitForEvents(1, &each.before.back());
      const cl_int result = m_functions.clGetEventInfo(each.before.back(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                       sizeof(status), &status, nullptr);
      // A status below zero means that the command has failed.
      if (result == CL_SUCCESS && status > CL_COMPLETE) return false;
      m_functions.clReleaseEvent(each.before.back());
      each.before.pop_back();
    }
    m_functions.clSVMFree(context, each.memory);
    return true;
  });
}

// ---------------------------------------------------------------------------------------------------------- commands

cl_int cl_memory::copy(cl_command_queue queue, void* destination, const void* source, std::size_t bytes,
                       cl_event* event) const {
  if (way() == memory_way::unified) {
    return m_unified.copy(queue, CL_FALSE, destination, source, bytes, 0, nullptr, event);
  }
  if (way() != memory_way::objects) {
    return m_functions.clEnqueueSVMMemcpy(queue, CL_FALSE, destination, source, bytes, 0, nullptr, event);
  }
  const auto to = m_table.find(destination), from = m_table.find(source);
  if (to && from) {
    return m_functions.clEnqueueCopyBuffer(queue, from->object, to->object, from->distance, to->distance, bytes, 0,
                                           nullptr, event);
  }
  if (to) {
    return m_functions.clEnqueueWriteBuffer(queue, to->object, CL_FALSE, to->distance, bytes, source, 0, nullptr,
                                            event);
  }
  if (from) {
    return m_functions.clEnqueueReadBuffer(queue, from->object, CL_FALSE, from->distance, bytes, destination, 0,
                                           nullptr, event);
  }
  return CL_INVALID_MEM_OBJECT;
}

cl_int cl_memory::fill(cl_command_queue queue, void* destination, const void* pattern, std::size_t pattern_bytes,
                       std::size_t bytes, cl_event* event) const {
  if (way() == memory_way::unified) {
    return m_unified.fill(queue, destination, pattern, pattern_bytes, bytes, 0, nullptr, event);
  }
  if (way() != memory_way::objects) {
    return m_functions.clEnqueueSVMMemFill(queue, destination, pattern, pattern_bytes, bytes, 0, nullptr, event);
  }
  const auto to = m_table.find(destination);
  if (!to) return CL_INVALID_MEM_OBJECT;
  return m_functions.clEnqueueFillBuffer(queue, to->object, pattern, pattern_bytes, to->distance, bytes, 0, nullptr,
                                         event);
}

void cl_memory::migrate(cl_command_queue queue, const void* begin, std::size_t bytes, cl_event* event) const {
  // If the driver does not support the command, it returns an error, and nothing happens.
  if (way() != memory_way::unified) return;
  m_unified.migrate(queue, begin, bytes, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr, event);
}

// --------------------------------------------------------------------------------------------------------- arguments

cl_int cl_memory::set_pointer(cl_kernel kernel, cl_uint index, const void* pointer) const {
  if (way() == memory_way::unified) return m_unified.set_pointer(kernel, index, pointer);
  if (way() != memory_way::objects) return m_functions.clSetKernelArgSVMPointer(kernel, index, pointer);
  std::uint64_t distance = 0;
  const cl_int result = set_allocation(kernel, index, pointer, distance);
  return result == CL_SUCCESS && distance != 0 ? CL_INVALID_ARG_VALUE : result;
}

cl_int cl_memory::set_allocation(cl_kernel kernel, cl_uint index, const void* pointer, std::uint64_t& distance) const {
  distance = 0;
  if (!pointer) return m_functions.clSetKernelArg(kernel, index, sizeof(cl_mem), nullptr);
  const auto found = m_table.find(pointer);
  if (!found) return CL_INVALID_MEM_OBJECT;
  distance = found->distance;
  return m_functions.clSetKernelArg(kernel, index, sizeof(found->object), &found->object);
}

cl_int cl_memory::allow_indirect(cl_kernel kernel) const {
  if (way() != memory_way::unified) return CL_SUCCESS;
  for (const cl_kernel_exec_info kind :
       {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL}) {
    const cl_bool yes = CL_TRUE;
    const cl_int result = m_functions.clSetKernelExecInfo(kernel, kind, sizeof(yes), &yes);
    if (result != CL_SUCCESS) return result;
  }
  return CL_SUCCESS;
}

cl_int cl_memory::name_allocations(cl_kernel kernel, std::uint64_t& known,
                                   std::shared_lock<std::shared_mutex>& held) const {
  if (!is_shared_virtual()) return CL_SUCCESS;
  held = m_table.hold();
  if (known == m_table.version()) return CL_SUCCESS;
  const std::vector<void*> all = m_table.all();
  known = m_table.version();
  if (all.empty()) return CL_SUCCESS;  // earlier launches had no allocations either
  return m_functions.clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, all.size() * sizeof(void*), all.data());
}

}  // namespace sinter::opencl
