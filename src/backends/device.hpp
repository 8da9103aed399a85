#pragma once
/// The runtime's view of a device. A backend makes one object of its class derived from `device_backend` for each
/// device.
///
/// There are two kinds of devices. For the CPU, threads of the scheduler run commands to their end (`run`). All other
/// devices work by themselves: the scheduler hands commands over to a `device_stream`. Streams of devices of one family
/// wait for each other without the host (`is_ordered_with`).
///
/// Other headers of this interface are stream.hpp (work and streams), program.hpp (the driver's graphs) and natives.hpp
/// (the driver's own objects). A device may lack streams, graphs and native objects.

#include <abi/matrix_layout.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <images/code_origin.hpp>
#include <images/launch_class.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "program.hpp"
#include "stream.hpp"

namespace sinter {

class device_natives;   // natives.hpp
class device_textures;  // textures.hpp
struct code_target;    // src/images

/// Facts about a device. The runtime answers info:: queries with them.
struct device_facts {
  std::string name, vendor, driver_version, version;
  std::string platform_name, platform_vendor, platform_version;  ///< equal for all devices of a family
  std::uint8_t backend = 0;  ///< value of sycl::backend
  bool is_cpu = false, is_gpu = false, is_accelerator = false;
  bool is_this_process = true;  ///< kernels may use functions and variables of the host
  std::uint32_t fixed_targets = 0;  ///< the abi::kernel_flags of the fixed targets to which the device belongs
  bool independent_progress = false;  ///< work-items of a sub-group make progress independently of each other
  std::uint32_t vendor_id = 0, compute_units = 1, clock_mhz = 0;
  std::uint64_t global_memory_bytes = 0, local_memory_bytes = 0, cache_bytes = 0, max_allocation_bytes = 0;
  std::uint32_t cache_line_bytes = 64, address_bits = 64, max_work_group_size = 1;
  /// The largest size of a work-group in each dimension, in the order of ranges. 0: only max_work_group_size limits it.
  std::uint32_t max_work_item_sizes[3] = {};
  std::uint32_t parameter_bytes = 1u << 20;  ///< limit for the bytes of a kernel's arguments
  bool groups_meet = false;  ///< launches may have barriers across up to groups_together() work-groups
  bool is_divisible = false;  ///< sub-devices may have any numbers of compute units
  std::uint32_t tiles = 1;  ///< number of tiles, which can be used as devices of their own (tile_devices)
  bool is_integrated = false;  ///< the device uses the host's memory; see share_host_memory
  std::vector<std::size_t> sub_group_sizes;
  std::uint32_t sub_group_size = 1;  ///< sub-group size of kernels that require none
  /// The products of the driver's matrix units, as the driver lists them. Empty for NVIDIA's GPUs, whose products the
  /// JIT knows.
  std::vector<abi::matrix_product> matrix_products;
  std::uint32_t vector_bytes = 1, half_vector_bytes = 1;  ///< bytes of a vector; bytes of a vector of half
  std::vector<std::uint32_t> aspects;  ///< values of sycl::aspect
  std::uint32_t device_id = 0;  ///< the device's number on PCI; on CPUs the signature of CPUID; 0: not known
  std::uint32_t memory_clock_mhz = 0, memory_bus_bits = 0;  ///< 0: not known
  std::string pci_address;  ///< domain:bus:device.function; empty: not known
  std::array<unsigned char, 16> uuid{};  ///< all 0: the device has no UUID

  std::uint32_t most_items(std::size_t dimension) const noexcept {
    const std::uint32_t size = max_work_item_sizes[dimension];
    return size == 0 || size > max_work_group_size ? max_work_group_size : size;
  }
};

enum class memory_kind : std::uint8_t { device, host, shared };

/// A launch that is prepared once and can run any number of times. Only one thread at a time may run it.
class ready_launch {
public:
  virtual ~ready_launch() = default;
  /// Runs the launch to its end, like device_backend::run.
  virtual void run() = 0;
  /// Replaces the launch by another one.
  virtual void change(const kernel_launch& to) = 0;
  /// Returns the number of parts into which the launch can be divided among threads.
  virtual std::uint64_t parts() const noexcept = 0;
};

/// One device. Members throw sycl::exception with messages that name kernel, device, cause and remedy. All members may
/// be called concurrently.
class device_backend {
public:
  virtual ~device_backend() = default;
  virtual const device_facts& facts() const = 0;
  /// Returns whether the device has streams that commands are handed over to. If not, threads of the scheduler run
  /// commands with `run`, `copy` and `fill`.
  bool works_by_itself() const noexcept { return m_family != nullptr; }
  /// Returns whether the streams of the two devices wait for each other without the host.
  bool is_ordered_with(const device_backend& other) const noexcept { return m_family && m_family == other.m_family; }
  /// Returns whether the two devices belong to one sycl::platform.
  bool shares_platform_with(const device_backend& other) const noexcept { return m_family == other.m_family; }

  /// Returns the target for which the device's code is made. All parts of a device have the same target.
  virtual const code_target& target() const noexcept = 0;
  /// Returns the properties that the code for these launches may take for granted, besides the target and the width of
  /// ids. The argument is a single launch, or the launches of all members of a fusion.
  virtual launch_class class_of(std::span<const kernel_launch* const>) const noexcept { return {}; }
  /// For sub-devices (facts().is_divisible): returns parts of the device with these numbers of compute units. Calls
  /// with equal numbers return the same objects, which are never destroyed.
  virtual std::vector<device_backend*> parts(std::span<const std::uint32_t>) { return {}; }
  /// Returns the device's tiles, which live as long as the device. The list is empty if facts().tiles is 1. The device
  /// itself runs on all its tiles.
  virtual std::vector<device_backend*> tile_devices() { return {}; }

  /// Returns the kernel's code if the code exists already and every work-item is known to end, whatever the data.
  /// Otherwise returns null.
  virtual const code_variant* bounded_code(const kernel_launch& launch) const noexcept = 0;
  /// Runs the launch to its end; the calling thread takes part in the work. Returns the origin of the code. The caller
  /// has called `hold` for the kernel, or the kernel's library is in use by code that is running.
  virtual code_origin run(const kernel_launch& launch) = 0;
  /// Compiles the launch's kernel. Everything that the launch points to must outlive the result. Returns null for
  /// devices with streams.
  virtual std::unique_ptr<ready_launch> make_ready(const kernel_launch&) { return nullptr; }
  /// Returns the number of the launch's work-groups that run at the same time and may therefore have a common barrier
  /// (root_group). The caller has called `hold` for the kernel.
  virtual std::uint64_t groups_together(kernel_launch&) { return 1; }
  /// If the launch needs more memory than the device has, throws the error that `run` or a stream would throw before
  /// any work-item runs. Devices with streams check only launches whose code is set.
  virtual void check_memory(const kernel_launch& launch) const = 0;
  /// Called at submission. The library that contains the kernel stays loaded until `let_go` has been called as many
  /// times as `hold`.
  virtual void hold(const abi::kernel_descriptor& kernel) noexcept = 0;
  virtual void let_go(const abi::kernel_descriptor& kernel) noexcept = 0;
  /// Called at submission: makes the kernel's code, unless the device can still make it when the launch runs.
  virtual void prepare(kernel_launch& launch) = 0;
  /// Called at submission: opens all libraries that commands would otherwise open later. A command must not open a
  /// library itself: a thread that closes a library holds the dynamic loader's lock while it waits for commands.
  virtual void load_all() {}

  /// Makes a stream. Returns null if the device does not work by itself.
  virtual std::unique_ptr<device_stream> make_stream(const stream_use& use) = 0;
  /// Makes a graph of the driver. Everything that the steps point to has to outlive the result. If the steps have to be
  /// handed over one by one, returns null and sets `why` to the reason.
  virtual std::unique_ptr<device_program> make_program(std::span<const program_step>, std::string& why) {
    why = "the device has no graphs";
    return nullptr;
  }
  /// Makes a timer. Returns null if the device's streams can't measure how long work takes.
  virtual std::unique_ptr<device_timer> make_timer() { return nullptr; }
  /// Returns null if a program is faster than steps that are handed over one by one. Otherwise returns the reason why
  /// the program is slower.
  virtual const char* program_drawback() const noexcept { return nullptr; }
  /// Returns access to the driver's own objects (natives.hpp), for user programs that call the driver themselves, or
  /// null if there are none.
  virtual device_natives* natives() noexcept { return nullptr; }
  /// Returns false if the driver does not tell the host the addresses of memory. The backend then invents the addresses
  /// that `allocate` returns.
  virtual bool has_addresses() const noexcept { return true; }
  /// Returns whether kernels use memory that the host can't access. Buffers then have a copy in this memory.
  virtual bool has_own_memory() const noexcept = 0;
  /// Returns whether data can be copied from the other device's memory to this device's memory without the host.
  virtual bool reaches(const device_backend& other) const noexcept = 0;

  /// Allocates memory that the device can use. Returns null if there is no more memory. On CPUs, memory whose alignment
  /// is the size of a huge page uses huge pages.
  virtual void* allocate(memory_kind kind, std::size_t bytes, std::size_t alignment) = 0;
  /// Frees the memory. All work that uses the memory has to be complete. (Likewise, all work that uses code has to be
  /// complete when code_target::unload is called.)
  virtual void deallocate(void* pointer) noexcept = 0;
  /// For devices that use the host's memory (facts().is_integrated). From now on, kernels and copies can access this
  /// memory of the process at its host address, so that a buffer in it needs no copy on the device. Returns false if
  /// the driver does not support this.
  virtual bool share_host_memory(void* /*memory*/, std::size_t /*bytes*/) { return false; }
  /// Ends the sharing. Called before the memory is freed, when all work that used the memory is complete.
  virtual void unshare_host_memory(void* /*memory*/) noexcept {}
  /// Returns the number of free bytes, or 0 if the driver has no such query.
  virtual std::uint64_t free_memory() { return 0; }

  /// These functions copy and fill memory, and return when the work is done. The CPU device may use several threads.
  virtual void copy(const abi::strided_copy& copy) = 0;
  virtual void fill(const memory_fill& fill) = 0;
  void copy_bytes(void* destination, const void* source, std::size_t bytes) {
    copy(abi::strided_copy::contiguous(destination, source, bytes));
  }
  void run(const memory_work& work) {
    if (work.what == memory_work::kind::copy) copy(work.copy);
    if (work.what == memory_work::kind::fill) fill(work.fill);
  }
  /// Returns the device's texture units. If the result is null, ordinary code reads and writes images.
  virtual device_textures* textures() noexcept { return nullptr; }

protected:
  /// `family` identifies the device's family: all devices of one driver, whose streams can wait for each other, pass
  /// the same pointer. It is null if the device has no streams.
  explicit device_backend(const void* family) noexcept : m_family(family) {}

private:
  const void* const m_family;
};

/// Returns the CPU device (src/backends/cpu). It is made on first use and never destroyed.
device_backend& cpu_backend();

}  // namespace sinter
