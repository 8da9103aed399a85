#pragma once
/// Work for devices, and the streams in which devices with drivers do the work.

#include <abi/launch_abi.hpp>
#include <abi/strided_copy.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace sinter {

class device_program;  // program.hpp
class device_timer;    // program.hpp
struct code_variant;   // src/images

/// One launch of one kernel, or of several fused kernels. All objects to which it points exist until
/// `run` returns.
struct kernel_launch : abi::launch_geometry {
  abi::kernel_descriptor* kernel;  ///< the kernel; in a fused launch, the first member's kernel
  const void* block;               ///< argument block: the function object
  const void* const* blocks;         ///< blocks of all members of a fused launch, in order; null in other launches
  const code_variant* code;          ///< code to run; null: the backend finds the code
  std::uint64_t local_memory_bytes;  ///< sum of the local accessors of the command, each aligned to 64 bytes
  const abi::specialization_table* constants;  ///< values that the kernel sees; null: no values are set
  void (*finish)(const void* block);           ///< called on the host when all work-items have run; may be null
  bool disjoint;  ///< no two accessors reach the same buffer; false if it was not checked
  const void* globals;  ///< abi::gpu_geometry::globals, once the device has the code; null: the kernel uses none

  bool is_fused() const noexcept { return blocks != nullptr; }
};

/// Memory filled with copies of a pattern.
struct memory_fill {
  void* destination;
  std::size_t pattern_bytes, count;
  const void* large;       ///< a pattern that is longer than `small`; it has to live until the work is complete
  unsigned char small[64];

  const void* pattern() const noexcept { return pattern_bytes > sizeof(small) ? large : small; }
};

/// A hint to devices that work by themselves: the place of shared memory, or its use.
struct memory_hint {
  const void* begin;
  std::size_t bytes;
  bool is_prefetch;
  int advice;  ///< a number that the device defines, for other hints
};

/// A copy between memory of texture units and other memory, or within memory of texture units.
struct texel_copy {
  struct end {
    void* place;                ///< device_textures::native, or the address at which the copy begins
    std::size_t row = 0, rows = 0;  ///< memory with addresses: bytes from row to row, and rows from plane to plane
    std::uint32_t at[3] = {};   ///< texel at which the copy begins; x counts bytes
    bool is_texels = false;
  };
  end source, destination;
  std::size_t row_bytes;
  std::uint32_t rows, planes;

  std::size_t bytes() const noexcept { return row_bytes * rows * planes; }
};

/// The memory part of a command: a copy, a fill or a hint.
struct memory_work {
  enum class kind : std::uint8_t { none, copy, fill, hint, texels };
  kind what = kind::none;
  abi::pointer_end pointer = abi::pointer_end::none;
  union {
    abi::strided_copy copy;
    memory_fill fill;
    memory_hint hint;
    texel_copy texels;
  };
  memory_work() noexcept {}
  memory_work(const abi::strided_copy& its_copy) noexcept : what(kind::copy), copy(its_copy) {}
  memory_work(const memory_fill& its_fill) noexcept : what(kind::fill), fill(its_fill) {}
  memory_work(const texel_copy& its_copy) noexcept : what(kind::texels), texels(its_copy) {}
  memory_work(const memory_hint& its_hint) noexcept : what(kind::hint), hint(its_hint) {}
};

/// A device's part of a command: a launch, an operation on memory, or no work at all, only a place in the order. The
/// object refers to data that the command owns.
class device_work {
public:
  device_work() = default;
  device_work(const kernel_launch& launch) noexcept : m_launch(&launch) {}
  device_work(const memory_work& memory) noexcept
      : m_memory(memory.what == memory_work::kind::none ? nullptr : &memory) {}

  const kernel_launch* launch() const noexcept { return m_launch; }  ///< null: no kernel
  const memory_work* memory() const noexcept { return m_memory; }    ///< null: no operation on memory
  bool does_nothing() const noexcept { return m_launch ? m_launch->is_empty() : !m_memory; }

private:
  const kernel_launch* m_launch = nullptr;
  const memory_work* m_memory = nullptr;
};

/// Start and end of a command, in nanoseconds of the host's steady clock.
struct command_times {
  std::uint64_t start = 0, end = 0;
};

/// The purpose of a stream.
struct stream_use {
  bool measures = false;     ///< a thread may ask for times
  bool only_copies = false;  ///< the stream gets only copies and marks, so that a device can use its engine for copies
};

/// Work that a device does by itself, in the order in which it was handed over. Each piece of work gets a ticket: 1, 2,
/// 3, ... One thread at a time hands work over; any thread may ask and wait. Addresses are addresses on the device;
/// copies may also use the host's addresses.
class device_stream {
public:
  /// The destructor does not cancel work: the device still does work that was handed over.
  virtual ~device_stream() = default;

  /// These functions return when the work is handed over. From then on the stream does not use the argument, except
  /// memory that is copied. They throw if nothing was handed over.
  virtual void launch(const kernel_launch& launch) = 0;
  virtual void run(const memory_work& work) = 0;
  /// Calls the function above that fits the work, or `mark`.
  void hand_over(const device_work& work) {
    if (work.does_nothing()) return mark();
    work.launch() ? launch(*work.launch()) : run(*work.memory());
  }
  /// Runs a program that the same device has made.
  virtual void run(device_program&) {}
  /// These functions set a timer's points in time, in front of and behind work that is handed over between the calls.
  /// The timer comes from this stream's device. The functions don't throw, and count no ticket.
  virtual void start(device_timer&) noexcept {}
  virtual void stop(device_timer&) noexcept {}
  /// Counts a ticket without work, which is complete when all tickets before it are. Does not throw.
  virtual void mark() = 0;
  /// Makes the next command wait until the other stream, of the same family, has completed `ticket`, which was flushed
  /// there. The runtime always hands over another command next. When that command is complete, the wait is over, and
  /// the driver may use the event for something else (driver_stream::is_awaited).
  virtual void wait_for(device_stream& other, std::uint64_t ticket) = 0;
  /// Makes the work that was handed over begin as soon as all the work that it waits for is complete. Drivers may
  /// collect work in lists of commands, which run when they are closed. The runtime calls this function before any
  /// thread waits, and moments after a thread has handed over work that no thread waits for. Any thread may call it,
  /// even while another thread hands work over. Does not throw.
  virtual void flush() noexcept {}
  std::uint64_t latest() const noexcept { return m_latest; }
  /// From now on a thread may wait for any single piece of work, and the wait must not include later work.
  virtual void keep_places() noexcept {}

  /// Returns whether the work is complete. Also returns true if the device has failed, because no more work will be
  /// complete. Does not throw.
  virtual bool is_complete(std::uint64_t ticket) = 0;
  /// Returns when the work, which has been flushed, is complete, or when the device has failed. Does not throw.
  virtual void wait(std::uint64_t ticket) = 0;
  /// Returns the first failure since the last call, or null if there was no failure.
  virtual std::exception_ptr take_error() = 0;
  /// These functions return the driver's stream, for programs that use the driver themselves, and an event behind all
  /// work that was handed over. The event lives as long as the stream. The results are null if the driver has no such
  /// objects.
  virtual void* native() noexcept { return nullptr; }
  virtual void* native_event() { return nullptr; }
  /// Returns start and end of complete work, in streams that measure.
  virtual command_times times(std::uint64_t ticket) = 0;

protected:
  std::atomic<std::uint64_t> m_latest{0};  ///< ticket of the work that was handed over last
};

}  // namespace sinter
