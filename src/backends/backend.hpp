#pragma once
/// The whole contract between the runtime and a device. A backend implements `device_backend` once per device.
///
/// There are two kinds of devices. What commands do on the first kind, the CPU, threads of the scheduler run to its end
/// (`run`). Devices of the second kind work by themselves: what commands do is handed over to a `device_stream`, and
/// streams of one family of devices wait for each other without the host.

#include <abi/launch_abi.hpp>
#include <abi/strided_copy.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <images/code_origin.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter {

struct code_target;  // src/images
struct code_variant;

/// One launch of one kernel, or of several that were fused. Everything it points to stays alive until
/// `run` returns.
struct kernel_launch : abi::launch_geometry {
  abi::kernel_descriptor* kernel;  ///< fused: of the first member
  const void* block;               ///< argument block: the function object
  const void* const* blocks;         ///< fused: the blocks of all members, in order; else null
  const code_variant* code;          ///< what to run; null: the backend looks for it
  std::uint64_t local_memory_bytes;  ///< sum of the local accessors of the command, each aligned to 64 bytes
  const abi::specialization_table* constants;  ///< values the kernel sees; null: none are set
  void (*finish)(const void* block);           ///< on the host, when all work-items have run; may be null
  bool disjoint;  ///< no two accessors reach the same buffer; where it is not asked, false
  const void* globals;  ///< abi::gpu_geometry::globals, once the device has the code; null: it uses none

  bool is_fused() const noexcept { return blocks != nullptr; }
};

/// Memory filled with copies of a pattern.
struct memory_fill {
  void* destination;
  std::size_t pattern_bytes, count;
  const void* large;       ///< the pattern, where it is longer than `small`; stays alive until it is done
  unsigned char small[64];

  const void* pattern() const noexcept { return pattern_bytes > sizeof(small) ? large : small; }
};

/// Where shared memory is to lie, or how it will be used: a hint to devices that work by themselves.
struct memory_hint {
  const void* begin;
  std::size_t bytes;
  bool is_prefetch;
  int advice;  ///< else; numbers of the device's
};

/// What a command does with memory.
struct memory_work {
  enum class kind : std::uint8_t { none, copy, fill, hint };
  kind what = kind::none;
  abi::pointer_end pointer = abi::pointer_end::none;
  union {
    abi::strided_copy copy;
    memory_fill fill;
    memory_hint hint;
  };
  memory_work() noexcept {}
  memory_work(const abi::strided_copy& its_copy) noexcept : what(kind::copy), copy(its_copy) {}
  memory_work(const memory_fill& its_fill) noexcept : what(kind::fill), fill(its_fill) {}
  memory_work(const memory_hint& its_hint) noexcept : what(kind::hint), hint(its_hint) {}
};

/// Facts a device states about itself; the runtime turns them into info:: queries.
struct device_facts {
  std::string name, vendor, driver_version, version;
  std::string platform_name, platform_vendor, platform_version;  ///< equal for all devices of a family
  std::uint8_t backend = 0;  ///< value of sycl::backend
  bool is_cpu = false, is_gpu = false, is_accelerator = false;
  bool is_this_process = true;  ///< kernels may use functions and variables of the host
  std::uint32_t vendor_id = 0, compute_units = 1, clock_mhz = 0;
  std::uint64_t global_memory_bytes = 0, local_memory_bytes = 0, cache_bytes = 0, max_allocation_bytes = 0;
  std::uint32_t cache_line_bytes = 64, address_bits = 64, max_work_group_size = 1;
  /// Of a work-group in each dimension, as ranges name them; 0: as many as the whole may have.
  std::uint32_t max_work_item_sizes[3] = {};
  std::uint32_t parameter_bytes = 1u << 20;  ///< of all arguments of a kernel; where there is no limit, a large number
  bool groups_meet = false;  ///< work-groups of a launch may meet at a barrier: as many as groups_together says
  bool is_divisible = false;  ///< into sub-devices with any numbers of compute units
  std::vector<std::size_t> sub_group_sizes;
  std::uint32_t sub_group_size = 1;  ///< of kernels that require none
  std::uint32_t vector_bytes = 1, half_vector_bytes = 1;  ///< of the vectors that compute numbers; those of half
  std::vector<std::uint32_t> aspects;  ///< values of sycl::aspect

  std::uint32_t most_items(std::size_t dimension) const noexcept {
    const std::uint32_t size = max_work_item_sizes[dimension];
    return size == 0 || size > max_work_group_size ? max_work_group_size : size;
  }
};

enum class memory_kind : std::uint8_t { device, host, shared };

/// Kernels in a language that drivers compile themselves.
struct kernel_source {
  enum class language : std::uint8_t { opencl_c, spirv };
  struct constant {
    std::uint32_t id;
    std::string bytes;
  };
  language written_in;
  std::string text, options;
  std::vector<constant> constants;  ///< SPIR-V: values of specialization constants
};

/// An argument of a kernel that a driver has built. The block of its launches: how many there are (8 bytes), one of
/// these for each, then the values.
struct native_argument {
  enum class kind : std::uint32_t { value, pointer, local_memory };
  kind what;
  std::uint32_t index;
  std::uint64_t bytes;   ///< of the value, or of local memory
  std::uint64_t offset;  ///< of the value in the block
};

/// What a driver has made of it, on one device.
class native_module {
public:
  virtual ~native_module() = default;
  virtual const std::vector<std::string>& kernels() const = 0;
  virtual std::uint32_t argument_count(std::size_t kernel) const = 0;
  /// For launches of it. As long as the module.
  virtual const code_variant& code(std::size_t kernel) const = 0;
  /// Objects of the driver's: the program, and its kernel.
  virtual void* native() const { return nullptr; }
  virtual void* native(std::size_t) const { return nullptr; }
};

/// Nanoseconds of the host's steady clock.
struct command_times {
  std::uint64_t start = 0, end = 0;
};

/// What a program puts into a graph of the driver's itself.
class native_addition {
public:
  virtual ~native_addition() = default;
  virtual void add_to(void* graph) const = 0;
};

/// Work for a stream that is handed over again and again: a part of a graph.
struct program_step {
  const kernel_launch* launch;  ///< with its code; null: memory
  const memory_work* memory;
  std::vector<std::uint32_t> before;  ///< steps that have to be complete first; all stand before this one
  const native_addition* native = nullptr;  ///< instead of launch and memory; needed while the program is made
};
class device_program {
public:
  virtual ~device_program() = default;
  /// The step's launch is another one of the same kernel from now on. False: make the program again. Not while it is
  /// under way.
  virtual bool change(std::uint32_t step, const kernel_launch& to) = 0;
};

/// Work that a device does by itself, in the order in which it was handed over. Each gets a ticket: 1, 2, 3, ...
/// One thread at a time hands over; any may ask and wait. Addresses are the device's, or the host's in copies.
class device_stream {
public:
  /// What was handed over is still done.
  virtual ~device_stream() = default;

  /// Return when the work is handed over and nothing of the argument is needed any more, but for the memory that is
  /// copied. They throw where nothing was handed over.
  virtual void launch(const kernel_launch& launch) = 0;
  virtual void run(const memory_work& work) = 0;
  /// One that the same device has made.
  virtual void run(device_program&) {}
  /// Nothing, in its turn. Does not throw.
  virtual void mark() = 0;
  /// What comes next waits until the other stream, of the same family, is through with `ticket`.
  virtual void wait_for(device_stream& other, std::uint64_t ticket) = 0;
  std::uint64_t latest() const noexcept { return m_latest; }
  /// From now on somebody may wait for any single piece of work, which shall not last until what is behind it is done.
  virtual void keep_places() noexcept {}

  /// True as well when the device has failed: then nothing will ever be. Does not throw, as `wait` does not.
  virtual bool is_complete(std::uint64_t ticket) = 0;
  /// Returns when the work is complete, or the device has failed.
  virtual void wait(std::uint64_t ticket) = 0;
  /// What went wrong since the last call; null: nothing.
  virtual std::exception_ptr take_error() = 0;
  /// The driver's stream, for programs that use the driver themselves, and an event behind all that was handed over,
  /// which lives as long as the stream. Null: there are none.
  virtual void* native() noexcept { return nullptr; }
  virtual void* native_event() { return nullptr; }
  /// Of complete work, in streams that measure.
  virtual command_times times(std::uint64_t ticket) = 0;

protected:
  std::atomic<std::uint64_t> m_latest{0};  ///< ticket of what was handed over last
};

/// A launch that is made ready once and run as often as wanted, by one thread at a time.
class ready_launch {
public:
  virtual ~ready_launch() = default;
  /// As device_backend::run.
  virtual void run() = 0;
  /// It is another one from now on.
  virtual void change(const kernel_launch& to) = 0;
  /// Into so many parts it can be cut for threads.
  virtual std::uint64_t parts() const noexcept = 0;
};

/// Throws sycl::exception; messages name kernel, device, cause and remedy. All members may be called concurrently.
class device_backend {
public:
  virtual ~device_backend() = default;
  virtual const device_facts& facts() const = 0;
  /// What code for these launches is made for: for one kernel, or for several that are fused. Equal for all its parts.
  virtual const code_target& target(std::span<const kernel_launch* const> together) const noexcept = 0;
  /// Parts of the device with so many compute units each; equal numbers give the same objects, which are never
  /// destroyed. As facts().is_divisible says.
  virtual std::vector<device_backend*> parts(std::span<const std::uint32_t>) { return {}; }

  /// The kernel's code, if it is there, and its work-items are known to end by themselves, whatever they read. Else
  /// null.
  virtual const code_variant* bounded_code(const kernel_launch& launch) const noexcept = 0;
  /// Runs the launch to its end; the calling thread takes part. Returns where the code came from. The kernel is held
  /// meanwhile, or the caller's own code holds it.
  virtual code_origin run(const kernel_launch& launch) = 0;
  /// Compiles it. What the launch points to stays. Null for devices with streams.
  virtual std::unique_ptr<ready_launch> make_ready(const kernel_launch&) { return nullptr; }
  /// How many work-groups like the launch's run at the same time: so many can meet at a barrier (root_group). The
  /// kernel is held.
  virtual std::uint64_t groups_together(kernel_launch&) { return 1; }
  /// Throws what `run` or a stream would before any work-item runs, where the memory that the launch needs is more than
  /// the device has. On devices with streams, for launches that have their code.
  virtual void check_memory(const kernel_launch& launch) const = 0;
  /// From its submission on: the library that carries the kernel is not closed before it is let go as often.
  virtual void hold(const abi::kernel_descriptor& kernel) noexcept = 0;
  virtual void let_go(const abi::kernel_descriptor& kernel) noexcept = 0;
  /// On submission: makes the kernel's code where it can't wait for the launch.
  virtual void prepare(kernel_launch& launch) = 0;
  /// On submission, where libraries may close: opens what commands would open. Whoever closes a library waits for them
  /// and holds the loader's lock.
  virtual void load_all() {}

  /// Null: what commands do runs on threads of the scheduler, by `run`, `copy` and `fill`.
  virtual std::unique_ptr<device_stream> make_stream(bool measures) = 0;
  /// What the steps point to stays as long. Null: hand them over one by one, and why.
  virtual std::unique_ptr<device_program> make_program(std::span<const program_step>, std::string& why) {
    why = "the device has no graphs";
    return nullptr;
  }
  /// Why handing steps over one by one is faster than a program of them; null: it is not.
  virtual const char* program_drawback() const noexcept { return nullptr; }
  /// Whether the driver compiles kernels in this language.
  virtual bool builds(kernel_source::language) const { return false; }
  /// `log` gets what its compiler says, also where it fails: then this throws errc::build with it.
  virtual std::unique_ptr<native_module> build(const kernel_source&, std::string&) { return nullptr; }
  /// Of a program of the driver's, which is retained, as is the second: one of its kernels, or null.
  virtual std::unique_ptr<native_module> adopt_module(void*, void*) { return nullptr; }
  /// Of a kernel of the driver's; and its name.
  virtual void* program_of_native(void*, std::string&) { return nullptr; }
  /// As OpenCL's drivers list them.
  virtual std::string native_extensions(bool) const { return {}; }
  /// What the driver has made of a kernel of the program's for groups of any size, retained for the caller. It is
  /// compiled where it is new. Null: the driver has no such objects.
  struct native_code {
    void *program = nullptr, *kernel = nullptr;
  };
  virtual native_code native_code_of(abi::kernel_descriptor&, const abi::specialization_table*) { return {}; }

  /// What the driver calls it; -1: nothing.
  virtual int native_number() const noexcept { return -1; }
  /// The driver's platform, device and context; null: there are none.
  virtual void* native_platform() { return nullptr; }
  virtual void* native_device() { return nullptr; }
  virtual void* native_context() { return nullptr; }
  /// The same device in a context of the driver's that the program made: equal ones give the same object, which is
  /// never destroyed. Null: the context has others.
  virtual device_backend* in_context(void*) { return nullptr; }
  /// A stream of the program's own, which stays its own.
  virtual std::unique_ptr<device_stream> adopt_stream(void*, bool) { return nullptr; }
  /// Returns when an event of the driver's, made by the program, is complete.
  virtual void wait_for_native(void*) {}
  /// Bytes of memory that is an object of the driver's, made by the program; 0: it is none of the device's context.
  virtual std::size_t native_bytes(void*) { return 0; }
  /// An object of the driver's that is the memory which `allocate` gave, of so many bytes; as long as that. Null: the
  /// driver has none. errc::feature_not_supported where it can't have one.
  virtual void* native_memory(void*, std::size_t) { return nullptr; }
  /// As many bytes from its beginning to the host's memory, or from there to it.
  virtual void copy_native(void*, void*, std::size_t, bool /*to_native*/) {}
  /// Counts one owner more of an object of the driver's; or, for events and memory, less.
  enum class native_kind : std::uint8_t { device, context, queue, event, program, kernel, memory };
  virtual void retain_native(native_kind, void*) {}
  virtual void release_native(native_kind, void*) {}
  /// Equal for devices whose streams can wait for each other; null where there are no streams.
  virtual const void* family() const noexcept = 0;
  /// False: the addresses that `allocate` gives are the backend's own, and the driver knows none.
  virtual bool has_addresses() const noexcept { return true; }
  /// Whether kernels use memory that the host's code can't reach: then buffers have a copy there.
  virtual bool has_own_memory() const noexcept = 0;
  /// Whether copies go from the memory of the other device to this one's, without the host.
  virtual bool reaches(const device_backend& other) const noexcept = 0;

  /// Memory the device can use. Null when exhausted. On CPUs, what is aligned as huge pages are lies in such.
  virtual void* allocate(memory_kind kind, std::size_t bytes, std::size_t alignment) = 0;
  virtual void deallocate(void* pointer) noexcept = 0;
  /// Bytes that nobody has taken; 0: the driver does not say.
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
};

/// The CPU device (src/backends/cpu). Made on first use, never destroyed.
device_backend& cpu_backend();

/// How often code of each origin ran since the program started.
struct launch_counters {
  std::uint64_t host_entry, jit, cache, host_copy, taken_over;
};
launch_counters current_launch_counters() noexcept;

} // namespace sinter
