#pragma once
/// Memory of a device. OpenCL's drivers have several kinds of memory (memory_way).
///
/// Unified shared memory (cl_intel_unified_shared_memory) and shared virtual memory have addresses that the host and
/// kernels share. Memory objects (cl_mem) have no addresses for the host. For each object, the backend reserves an
/// address range that cannot be accessed. For copies, fills and arguments of kernels, an address in this range is
/// converted to the object and an offset.

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

/// The position of an address: an allocation, and the offset from its beginning.
struct memory_position {
  cl_mem object;  ///< null: the allocation is shared virtual memory
  std::uint64_t distance;
};

/// The allocations of a platform that are memory objects or shared virtual memory.
class memory_table {
public:
  void add(void* memory, std::size_t bytes, cl_mem object);
  struct removed {
    std::size_t bytes = 0;
    cl_mem object = nullptr;
  };
  removed remove(void* memory) noexcept;
  /// If an allocation contains the address, returns this allocation. The address right behind the end also belongs
  /// to an allocation.
  std::optional<memory_position> find(const void* address) const;

  /// Returns a shared lock. While it is held, the list of allocations does not change.
  std::shared_lock<std::shared_mutex> hold() const { return std::shared_lock(m_mutex); }
  /// Returns a number that changes whenever the list of allocations changes. Called while the lock of hold() is held.
  std::uint64_t version() const noexcept { return m_version; }
  std::vector<void*> all() const;

  /// Adds a queue whose commands may access the memory.
  void add(cl_command_queue queue);
  void remove(cl_command_queue queue) noexcept;
  /// Visits all queues. No queue is removed in the meantime.
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
  /// Throws sycl::exception if the driver lacks a function for a kind of memory that the driver claims to support.
  cl_memory(const loader& functions, const found_platform& platform, const found_device& device, memory_table& table);
  cl_memory(const cl_memory&) = delete;

  memory_way way() const noexcept { return m_device.memory; }
  /// Returns whether host code may access memory of the kinds `host` and `shared` while kernels run.
  bool host_reaches() const noexcept { return way() <= memory_way::fine_shared_virtual; }
  bool is_shared_virtual() const noexcept {
    return way() == memory_way::fine_shared_virtual || way() == memory_way::coarse_shared_virtual;
  }
  /// Returns whether memory has addresses that kernels can read from memory and from arguments.
  bool has_addresses() const noexcept { return way() != memory_way::objects; }
  /// Registers a queue: before shared virtual memory is freed, free_shared waits for the work of all registered queues.
  void note(cl_command_queue queue) const {
    if (is_shared_virtual()) m_table.add(queue);
  }
  void forget(cl_command_queue queue) const noexcept {
    if (is_shared_virtual()) m_table.remove(queue);
  }

  /// Returns null if there is no more memory.
  void* allocate(cl_context context, memory_kind kind, std::size_t bytes, std::size_t alignment);
  void deallocate(cl_context context, void* memory) noexcept;

  /// Returns a cl_mem for the allocation. This cl_mem exists as long as the allocation. Throws
  /// errc::feature_not_supported if the driver can't make a cl_mem.
  cl_mem object_of(cl_context context, void* memory, std::size_t bytes);

  /// Each of the next functions hands over one command. The caller releases its event. Addresses may be addresses of
  /// the device or of the host. On devices with memory objects, a copy within the host's memory returns
  /// CL_INVALID_MEM_OBJECT.
  cl_int copy(cl_command_queue queue, void* destination, const void* source, std::size_t bytes, cl_event* event) const;
  /// Fills memory with a pattern. The pattern's size is a power of two and divides `bytes` (is_filled_by_driver).
  cl_int fill(cl_command_queue queue, void* destination, const void* pattern, std::size_t pattern_bytes,
              std::size_t bytes, cl_event* event) const;
  /// Migrates memory to the device. Sets no event if the driver does not support the command.
  void migrate(cl_command_queue queue, const void* begin, std::size_t bytes, cl_event* event) const;

  /// Sets a pointer argument. On devices with memory objects, returns CL_INVALID_MEM_OBJECT if the address is in no
  /// object.
  cl_int set_pointer(cl_kernel kernel, cl_uint index, const void* pointer) const;
  /// Sets an argument to the allocation that contains `pointer`, and sets `distance` to the pointer's offset from the
  /// allocation's beginning. A null pointer becomes a null argument.
  cl_int set_allocation(cl_kernel kernel, cl_uint index, const void* pointer, std::uint64_t& distance) const;
  /// Allows the kernel to access any memory through addresses in its data. Called once for each kernel.
  cl_int allow_indirect(cl_kernel kernel) const;
  /// Passes the list of all allocations to the driver before a launch, if the driver needs the list. `held` gets a lock
  /// that the caller keeps until the launch is handed over. `known` is the version of the list that the kernel already
  /// has; the function updates `known`. `known` is 0 before the first launch.
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
  /// These members keep the results of object_of for allocations that are not memory objects themselves.
  std::mutex m_objects_mutex;
  std::map<void*, cl_mem> m_objects;
  std::atomic<bool> m_has_objects{false};

  std::mutex m_freed_mutex;
  std::vector<freed_memory> m_freed;
  bool m_has_some = false;  ///< whether a small allocation was made, so that the driver's list never becomes empty
};

}  // namespace sinter::opencl
