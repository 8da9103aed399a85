#pragma once
/// The whole contract between the runtime and a device. A backend implements `device_backend` once per device.

#include <abi/launch_abi.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter {

struct kernel_tier;  // src/images

/// One launch of one kernel, or of several that were fused. Everything it points to stays alive until `run` returns. Arrays are padded SYCL order
/// (abi/device_abi.hpp): a kernel of D dimensions has 1 in the leading 3-D entries (0 for the offset).
struct kernel_launch {
  abi::kernel_descriptor* kernel;  ///< fused: of the first member
  const void* block;               ///< argument block: the function object
  std::uint64_t global_range[3];
  std::uint64_t local_range[3];    ///< 1,1,1 unless the kernel is an nd_range kernel
  std::uint64_t global_offset[3];
  const void* const* blocks;         ///< fused: the blocks of all members, in order; else null
  const kernel_tier* code;           ///< fused: what to run; else null
  std::uint64_t local_memory_bytes;  ///< sum of the local accessors of the command, each aligned to 64 bytes
  const abi::specialization_table* constants;  ///< values the kernel sees; null: none are set
  void (*finish)(const void* block);           ///< on the host, when all work-items have run; may be null
  std::uint64_t element_range[3];              ///< its work-items visit the elements of this range
  std::uint32_t element_dimensions;            ///< 0: they don't
};

/// Which code a launch ran (ARCHITECTURE.md section 8).
enum class launch_tier : std::uint32_t { host_entry, jit, cache };

/// Facts a device states about itself; the runtime turns them into info:: queries.
struct device_facts {
  std::string name, vendor, driver_version, version;
  bool is_cpu = false, is_gpu = false, is_accelerator = false;
  std::uint32_t vendor_id = 0, compute_units = 1, clock_mhz = 0;
  std::uint64_t global_memory_bytes = 0, local_memory_bytes = 0, cache_bytes = 0, max_allocation_bytes = 0;
  std::uint32_t cache_line_bytes = 64, address_bits = 64, max_work_group_size = 1;
  std::vector<std::size_t> sub_group_sizes;
  std::uint32_t sub_group_size = 1;  ///< of kernels that require none
  std::uint32_t vector_bytes = 1, half_vector_bytes = 1;  ///< of the vectors that compute numbers; those of half
  std::vector<std::uint32_t> aspects;  ///< values of sycl::aspect
};

/// Throws sycl::exception; messages name kernel, device, cause and remedy. All members may be called concurrently.
class device_backend {
public:
  virtual ~device_backend() = default;
  virtual const device_facts& facts() const = 0;
  /// The same device with fewer compute units; equal numbers of them give the same object, which is never destroyed.
  virtual device_backend& part(std::uint32_t compute_units) = 0;

  /// Whether the kernel's code is there, and its work-items are known to end by themselves, whatever they read.
  virtual bool is_bounded(const kernel_launch& launch) const noexcept = 0;
  /// Runs the launch to its end; the calling thread takes part. Returns the tier that ran. The kernel is held
  /// meanwhile, or the caller's own code holds it.
  virtual launch_tier run(const kernel_launch& launch) = 0;
  /// Throws what `run` would before any work-item runs, where the launch needs more memory than the device has.
  virtual void check_memory(const kernel_launch& launch) const = 0;
  /// From its submission on: the library that carries the kernel is not closed before it is let go as often.
  virtual void hold(const abi::kernel_descriptor& kernel) noexcept = 0;
  virtual void let_go(const abi::kernel_descriptor& kernel) noexcept = 0;
  /// On submission: makes the kernel's code where it can't wait for the launch.
  virtual void prepare(const kernel_launch& launch) = 0;

  /// Memory the device can use. Null when exhausted.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
  virtual void deallocate(void* pointer) noexcept = 0;

  /// Blocking copies and fills; for the CPU device they may use several threads.
  virtual void copy(void* destination, const void* source, std::size_t bytes) = 0;
  virtual void fill(void* destination, const void* pattern, std::size_t pattern_bytes, std::size_t count) = 0;
};

/// The CPU device (src/backends/cpu). Made on first use, never destroyed.
device_backend& cpu_backend();

/// How often each tier ran since the program started.
struct launch_counters {
  std::uint64_t host_entry, jit, cache;
};
launch_counters current_launch_counters() noexcept;

} // namespace sinter
