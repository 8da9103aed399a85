#pragma once
/// Memory of a device, in one of the kinds that OpenCL's drivers have.
///
/// Unified shared memory (cl_intel_unified_shared_memory) and shared virtual memory have addresses that the host and
/// kernels share. Memory objects (cl_mem) have no addresses, so they get addresses from a range that the host reserves
/// and that cannot be accessed. For copies, fills and arguments of kernels, such an address is converted to the object
/// and a distance.

#include <atomic>
#include <backends/device.hpp>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "platforms.hpp"

namespace sinter::opencl {

/// The place of an address: a distance behind the beginning of an allocation.
struct memory_position {
  cl_mem object;  ///< null: shared virtual memory
  std::uint64_t distance;
};

/// Memory of a platform that the driver does not know by address.
class memory_table {
public:
  void add(void* memory, std::size_t bytes, cl_mem object);
  struct removed {
    std::size_t bytes = 0;
    cl_mem object = nullptr;
  };
  removed remove(void* memory) noexcept;
  /// The allocation that contains the address, or none. An address right behind an allocation belongs to it.
  std::optional<memory_position> find(const void* address) const;

  /// Returns a lock. While it is held, no memory is freed that `version` counts.
  std::shared_lock<std::shared_mutex> hold() const { return std::shared_lock(m_mutex); }
  /// Returns a number that changes with the allocations. Called while the lock of hold() is held.
  std::uint64_t version() const noexcept { return m_version; }
  std::vector<void*> all() const;

  /// Adds a queue whose commands may use the memory.
  void add(cl_command_queue queue);
  void remove(cl_command_queue queue) noexcept;
  /// Visits all allocations, and lets none be freed meanwhile.
  template <class Visitor>
  void visit_queues(const Visitor& visit) const {
    std::lock_guard lock(m_queues_mutex);
    for (cl_command_queue each : m_queues) visit(each);
  }

private:
  struct allocation {
    std::size_t bytes;
    cl_mem object;
  };
  mutable std::shared_mutex m_mutex;
  std::map<const char*, allocation> m_allocations;
  std::uint64_t m_version = 1;
  mutable std::mutex m_queues_mutex;
  std::vector<cl_command_queue> m_queues;
};

class cl_memory {
public:
  /// Throws sycl::exception if the driver lacks a function of the kind of memory that it claims to have.
  cl_memory(const loader& functions, const found_platform& platform, const found_device& device, memory_table& table);
  cl_memory(const cl_memory&) = delete;

  memory_way way() const noexcept { return m_device.memory; }
  /// Returns whether host code may access memory of the kinds `host` and `shared` while kernels run.
  bool host_reaches() const noexcept { return way() <= memory_way::fine_shared_virtual; }
  bool is_shared_virtual() const noexcept {
    return way() == memory_way::fine_shared_virtual || way() == memory_way::coarse_shared_virtual;
  }
  /// Returns whether kernels may find addresses in memory and in arguments.
  bool has_addresses() const noexcept { return way() != memory_way::objects; }
  /// Remembers the queue, because other commands look for work in flight in all queues.
  void note(cl_command_queue queue) const {
    if (is_shared_virtual()) m_table.add(queue);
  }
  void forget(cl_command_queue queue) const noexcept {
    if (is_shared_virtual()) m_table.remove(queue);
  }

  /// Returns null if there is no memory.
  void* allocate(cl_context context, memory_kind kind, std::size_t bytes, std::size_t alignment);
  void deallocate(cl_context context, void* memory) noexcept;

  /// Returns a cl_mem for the allocation, which lives as long as the allocation. Throws errc::feature_not_supported if
  /// the driver can't make a cl_mem.
  cl_mem object_of(cl_context context, void* memory, std::size_t bytes);

  /// The next functions hand over one command each, whose event the caller releases. Addresses belong to the device or
  /// to the host. If both addresses of a copy belong to the host, devices with memory objects return
  /// CL_INVALID_MEM_OBJECT.
  cl_int copy(cl_command_queue queue, void* destination, const void* source, std::size_t bytes, cl_event* event) const;
  /// Fills with a pattern whose size is a power of two and divides the bytes (is_filled_by_driver).
  cl_int fill(cl_command_queue queue, void* destination, const void* pattern, std::size_t pattern_bytes,
              std::size_t bytes, cl_event* event) const;
  /// Moves memory to the device. There is no event if the driver lacks the command.
  void migrate(cl_command_queue queue, const void* begin, std::size_t bytes, cl_event* event) const;

  /// Returns CL_INVALID_MEM_OBJECT for addresses of no memory object.
  cl_int set_pointer(cl_kernel kernel, cl_uint index, const void* pointer) const;
  /// Sets an argument that leads to the allocation with the address, and returns the address's distance from it. A null
  /// pointer becomes a null argument.
  cl_int set_allocation(cl_kernel kernel, cl_uint index, const void* pointer, std::uint64_t& distance) const;
  /// Allows the kernel to use any memory by its address. Called once for each kernel.
  cl_int allow_indirect(cl_kernel kernel) const;
  /// Names the allocations before each launch, for drivers that require it. The lock is kept until the launch is handed
  /// over. `known` belongs to the kernel and is 0 at first.
  cl_int name_allocations(cl_kernel kernel, std::uint64_t& known, std::shared_lock<std::shared_mutex>& held) const;

private:
  void find_functions();
  void* allocate_object(cl_context context, std::size_t bytes);
  void* allocate_shared(cl_context context, std::size_t bytes, cl_uint alignment);
  void free_shared(cl_context context, void* memory);
  void release_object(void* memory) noexcept;
  void sweep(cl_context context, bool waits) noexcept;

  const loader& m_functions;
  const found_platform& m_platform;
  const found_device& m_device;
  memory_table& m_table;
  struct {
    clHostMemAllocINTEL_fn host_alloc;
    clDeviceMemAllocINTEL_fn device_alloc;
    clSharedMemAllocINTEL_fn shared_alloc;
    clMemBlockingFreeINTEL_fn free;
    clEnqueueMemcpyINTEL_fn copy;
    clEnqueueMemFillINTEL_fn fill;
    clEnqueueMigrateMemINTEL_fn migrate;
    clSetKernelArgMemPointerINTEL_fn set_pointer;
  } m_unified{};
  /// Shared virtual memory that is freed when the events are complete.
  struct freed_memory {
    void* memory;
    std::vector<cl_event> before;
  };
  /// These members keep objects that were made at the request of programs, for memory that is no object.
  std::mutex m_objects_mutex;
  std::map<void*, cl_mem> m_objects;
  std::atomic<bool> m_has_objects{false};

  std::mutex m_freed_mutex;
  std::vector<freed_memory> m_freed;
  bool m_has_some = false;  ///< a small allocation that is always there, because kernels can't get an empty list
};

}  // namespace sinter::opencl
