#pragma once
/// The runtime's view of a device. A backend implements `device_backend` once per device.
///
/// There are two kinds of devices. Commands of the first kind, the CPU, are run to their end by threads of the
/// scheduler (`run`). Devices of the second kind work by themselves: commands are handed over to a `device_stream`, and
/// streams of one family of devices wait for each other without the host (`is_ordered_with`).
///
/// stream.hpp (work, and streams of it), program.hpp (the driver's graphs) and natives.hpp (the driver's own objects)
/// continue the contract; a device may have none of these.

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

/// Facts a device states about itself; the runtime turns them into info:: queries.
struct device_facts {
  std::string name, vendor, driver_version, version;
  std::string platform_name, platform_vendor, platform_version;  ///< equal for all devices of a family
  std::uint8_t backend = 0;  ///< value of sycl::backend
  bool is_cpu = false, is_gpu = false, is_accelerator = false;
  bool is_this_process = true;  ///< kernels may use functions and variables of the host
  std::uint32_t fixed_targets = 0;  ///< the abi::kernel_flags for the fixed targets to which it belongs
  bool independent_progress = false;  ///< work-items of a sub-group go on without waiting for each other
  std::uint32_t vendor_id = 0, compute_units = 1, clock_mhz = 0;
  std::uint64_t global_memory_bytes = 0, local_memory_bytes = 0, cache_bytes = 0, max_allocation_bytes = 0;
  std::uint32_t cache_line_bytes = 64, address_bits = 64, max_work_group_size = 1;
  /// The largest work-group in each dimension, as ranges name them; 0: as large as a whole group may be.
  std::uint32_t max_work_item_sizes[3] = {};
  std::uint32_t parameter_bytes = 1u << 20;  ///< most bytes of a kernel's arguments; a large number: no limit
  bool groups_meet = false;  ///< work-groups of a launch may meet at a barrier: as many as groups_together says
  bool is_divisible = false;  ///< into sub-devices with any numbers of compute units
  std::uint32_t tiles = 1;  ///< that are devices by themselves (tile_devices), and reach each other's memory
  bool is_integrated = false;  ///< its memory is the host's, which it may be able to share (share_host_memory)
  std::vector<std::size_t> sub_group_sizes;
  std::uint32_t sub_group_size = 1;  ///< the size for kernels that require none
  std::uint32_t vector_bytes = 1, half_vector_bytes = 1;  ///< sizes of vectors, for numbers in general and for half
  std::vector<std::uint32_t> aspects;  ///< values of sycl::aspect
  std::uint32_t device_id = 0;  ///< the device's number on PCI; on CPUs the signature of CPUID; 0: not known
  std::uint32_t memory_clock_mhz = 0, memory_bus_bits = 0;  ///< 0: not known
  std::string pci_address;  ///< domain:bus:device.function; empty: not known
  std::array<unsigned char, 16> uuid{};  ///< all 0: it has none

  std::uint32_t most_items(std::size_t dimension) const noexcept {
    const std::uint32_t size = max_work_item_sizes[dimension];
    return size == 0 || size > max_work_group_size ? max_work_group_size : size;
  }
};

enum class memory_kind : std::uint8_t { device, host, shared };

/// A launch that is prepared once and run any number of times, by one thread at a time.
class ready_launch {
public:
  virtual ~ready_launch() = default;
  /// Does the same as device_backend::run.
  virtual void run() = 0;
  /// Replaces the launch by another one.
  virtual void change(const kernel_launch& to) = 0;
  /// The number of parts into which it can be cut for threads.
  virtual std::uint64_t parts() const noexcept = 0;
};

/// Throws sycl::exception; messages name kernel, device, cause and remedy. All members may be called concurrently.
class device_backend {
public:
  virtual ~device_backend() = default;
  virtual const device_facts& facts() const = 0;
  /// Whether its streams take commands. Else threads of the scheduler run them, by `run`, `copy` and `fill`.
  bool works_by_itself() const noexcept { return m_family != nullptr; }
  /// Whether streams of both wait for each other without the host.
  bool is_ordered_with(const device_backend& other) const noexcept { return m_family && m_family == other.m_family; }
  /// Whether both are devices of one sycl::platform.
  bool shares_platform_with(const device_backend& other) const noexcept { return m_family == other.m_family; }

  /// The machine that code is made for. Equal for all its parts.
  virtual const code_target& target() const noexcept = 0;
  /// The properties of these launches, of one kernel or several fused ones, on which code may rely besides the machine
  /// and the width of ids.
  virtual launch_class class_of(std::span<const kernel_launch* const>) const noexcept { return {}; }
  /// Parts of the device with these numbers of compute units each. Equal numbers give the same objects, which are never
  /// destroyed. facts().is_divisible says whether the device has parts.
  virtual std::vector<device_backend*> parts(std::span<const std::uint32_t>) { return {}; }
  /// Its tiles, which live as long as the device; none if facts().tiles is 1. The device itself runs on all of them.
  virtual std::vector<device_backend*> tile_devices() { return {}; }

  /// The kernel's code, if it is there, and its work-items are known to end by themselves, whatever they read. Else
  /// null.
  virtual const code_variant* bounded_code(const kernel_launch& launch) const noexcept = 0;
  /// Runs the launch to its end; the calling thread takes part. Returns where the code came from. The kernel is held
  /// meanwhile, or the caller's own code holds it.
  virtual code_origin run(const kernel_launch& launch) = 0;
  /// Compiles it. Everything that the launch points to must outlive the result. Null for devices with streams.
  virtual std::unique_ptr<ready_launch> make_ready(const kernel_launch&) { return nullptr; }
  /// The number of such work-groups that run at the same time, and so can meet at a barrier (root_group). The kernel is
  /// held.
  virtual std::uint64_t groups_together(kernel_launch&) { return 1; }
  /// Throws the error that `run` or a stream would throw before any work-item runs, if the launch needs more memory
  /// than the device has. On devices with streams, for launches that have their code.
  virtual void check_memory(const kernel_launch& launch) const = 0;
  /// Called at submission: the library that contains the kernel is not closed until the kernel is let go as many times.
  virtual void hold(const abi::kernel_descriptor& kernel) noexcept = 0;
  virtual void let_go(const abi::kernel_descriptor& kernel) noexcept = 0;
  /// On submission: makes the kernel's code where it can't wait for the launch.
  virtual void prepare(kernel_launch& launch) = 0;
  /// Called at submission, while libraries may be closed: opens all libraries that commands would open. A thread that
  /// closes a library waits for commands and holds the loader's lock.
  virtual void load_all() {}

  /// For devices that work by themselves; null for others.
  virtual std::unique_ptr<device_stream> make_stream(const stream_use& use) = 0;
  /// Everything that the steps point to outlives the program. Null: the steps have to be handed over one by one; `why`
  /// gets the reason.
  virtual std::unique_ptr<device_program> make_program(std::span<const program_step>, std::string& why) {
    why = "the device has no graphs";
    return nullptr;
  }
  /// Null: its streams don't tell how long work takes.
  virtual std::unique_ptr<device_timer> make_timer() { return nullptr; }
  /// Why handing steps over one by one is faster than a program of them; null: it is not faster.
  virtual const char* program_drawback() const noexcept { return nullptr; }
  /// The driver's own objects, for programs that use the driver themselves (natives.hpp). Null: it gives none.
  virtual device_natives* natives() noexcept { return nullptr; }
  /// False: the addresses that `allocate` gives are the backend's own, and the driver knows none.
  virtual bool has_addresses() const noexcept { return true; }
  /// Whether kernels use memory that the host's code can't reach. Buffers then have a copy there.
  virtual bool has_own_memory() const noexcept = 0;
  /// Whether contents are copied from the other device's memory to this one's without the host.
  virtual bool reaches(const device_backend& other) const noexcept = 0;

  /// Memory the device can use. Null when exhausted. On CPUs, memory with the alignment of huge pages uses huge pages.
  virtual void* allocate(memory_kind kind, std::size_t bytes, std::size_t alignment) = 0;
  /// Everything that used the memory and was handed over to a stream is complete. (So it is for code when
  /// code_target::unload is called.)
  virtual void deallocate(void* pointer) noexcept = 0;
  /// For devices that use the host's memory (facts().is_integrated): from now on, kernels and copies reach this memory
  /// of the process by its own address, so that a buffer needs no copy. False: they can't.
  virtual bool share_host_memory(void* /*memory*/, std::size_t /*bytes*/) { return false; }
  /// Ends that, before the memory goes. Nothing uses the memory any more, as for deallocate.
  virtual void unshare_host_memory(void* /*memory*/) noexcept {}
  /// Bytes that are free; 0: the driver has no such query.
  virtual std::uint64_t free_memory() { return 0; }

  /// Blocking copies and fills; for the CPU device they may use several threads.
  virtual void copy(const abi::strided_copy& copy) = 0;
  virtual void fill(const memory_fill& fill) = 0;
  void copy_bytes(void* destination, const void* source, std::size_t bytes) {
    copy(abi::strided_copy::contiguous(destination, source, bytes));
  }
  void run(const memory_work& work) {
    if (work.what == memory_work::kind::copy) copy(work.copy);
    if (work.what == memory_work::kind::fill) fill(work.fill);
  }
  /// Its texture units. Null: images are read and written by ordinary code.
  virtual device_textures* textures() noexcept { return nullptr; }

protected:
  /// `family`: equal for the devices of one driver, whose streams can wait for each other; null: the device has no
  /// streams.
  explicit device_backend(const void* family) noexcept : m_family(family) {}

private:
  const void* const m_family;
};

/// The CPU device (src/backends/cpu). Made on first use, never destroyed.
device_backend& cpu_backend();

}  // namespace sinter
