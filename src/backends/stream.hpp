#pragma once
/// Descriptions of work for devices, and the streams to which work is handed over.

#include <abi/launch_abi.hpp>
#include <abi/strided_copy.hpp>
#include <abi/work_items.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace sinter {

class device_program;  // program.hpp
class device_timer;    // program.hpp
struct code_variant;   // src/images

/// One launch of one kernel, or of several fused kernels. All objects to which it points have to exist until `run`
/// returns.
struct kernel_launch : abi::launch_geometry {
  abi::kernel_descriptor* kernel;  ///< the kernel; in a fused launch, the first member's kernel
  const void* block;               ///< argument block: the function object
  const void* const* blocks;         ///< blocks of all members of a fused launch, in order; null in other launches
  const code_variant* code;          ///< code to run; null: the backend finds the code
  std::uint64_t local_memory_bytes;  ///< size of all local accessors of the command, each aligned to 64 bytes
  const abi::specialization_table* constants;  ///< specialization constants; null: no values are set
  void (*finish)(const void* block);           ///< called on the host after all work-items have run; may be null
  bool disjoint;  ///< true if no two accessors access the same buffer; false if this was not checked
  /// The value of abi::gpu_geometry::globals, set together with `code`. Null if the kernel uses no device_globals.
  const void* globals;

  bool is_fused() const noexcept { return blocks != nullptr; }
  std::uint64_t work_items() const noexcept { return abi::work_items(global_range); }
};

/// Memory filled with copies of a pattern.
struct memory_fill {
  void* destination;
  std::size_t pattern_bytes, count;
  const void* large;       ///< used if the pattern is longer than `small`; has to exist until the work is complete
  unsigned char small[64];

  const void* pattern() const noexcept { return pattern_bytes > sizeof(small) ? large : small; }
};

/// A hint to devices that work by themselves: where shared memory should be, or how it will be used (prefetch,
/// mem_advise).
struct memory_hint {
  const void* begin;
  std::size_t bytes;
  bool is_prefetch;
  int advice;  ///< for mem_advise: a number that the device defines
};

/// A copy between texture memory and other memory, or within texture memory.
struct texel_copy {
  struct end {
    void* place;                    ///< for texture memory: device_textures::native; for other memory: an address
    std::size_t row = 0, rows = 0;  ///< for other memory: bytes of a row, and rows of a plane
    std::uint32_t at[3] = {};   ///< for texture memory: where the copy begins, with x in bytes, and y and z in texels
    bool is_texels = false;
  };
  end source, destination;
  std::size_t row_bytes;
  std::uint32_t rows, planes;

  std::size_t bytes() const noexcept { return row_bytes * rows * planes; }
};

/// The operation on memory that a command does: a copy, a fill or a hint.
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

/// The part of a command that a device does: a launch, an operation on memory, or no work at all. Even a command
/// without work is handed over, because it has a position in the stream's order. The object refers to data that the
/// command owns.
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
  bool measures = false;     ///< threads may query times of work
  bool only_copies = false;  ///< the stream gets only copies and marks, so that it can use a GPU's copy engine
};

/// Work that a device does by itself, in the order in which it was handed over. Each operation or program gets a
/// ticket: 1, 2, 3, ... Only one thread at a time hands work over; any thread may query tickets and wait for them.
/// Addresses are addresses on the device; copies may also use the host's addresses.
class device_stream {
public:
  /// The destructor does not cancel work: the device still completes work that was handed over.
  virtual ~device_stream() = default;

  /// These functions hand work over and return at once. After the call, the stream no longer uses the argument itself,
  /// but still uses the memory to which the argument refers. The functions throw if the work could not be handed over.
  virtual void launch(const kernel_launch& launch) = 0;
  virtual void run(const memory_work& work) = 0;
  /// Calls `launch`, `run` or `mark`, depending on the work.
  void hand_over(const device_work& work) {
    if (work.does_nothing()) return mark();
    work.launch() ? launch(*work.launch()) : run(*work.memory());
  }
  /// Runs a program that the same device has made.
  virtual void run(device_program&) {}
  /// These functions set a timer's two points in time: before and after the work that is handed over between the calls.
  /// The timer comes from this stream's device. The functions don't throw, and take no ticket.
  virtual void start(device_timer&) noexcept {}
  virtual void stop(device_timer&) noexcept {}
  /// Adds a ticket without work. The ticket is complete when all earlier tickets are complete. Does not throw.
  virtual void mark() = 0;
  /// Makes the next command of this stream wait until the other stream has completed `ticket`. The other stream belongs
  /// to the same family, and the caller has called `flush` for it. The runtime always hands over a command to this
  /// stream after this call. The event for which this stream waits may be reused when that command is complete
  /// (driver_stream::is_awaited).
  virtual void wait_for(device_stream& other, std::uint64_t ticket) = 0;
  /// Makes sure that all work handed over so far will begin without further calls. Drivers may collect work in command
  /// lists, which run only after they are closed. The runtime calls this function before any thread waits for work, and
  /// otherwise soon after work was handed over. Any thread may call this function, even while another thread hands work
  /// over. Does not throw.
  virtual void flush() noexcept {}
  std::uint64_t latest() const noexcept { return m_latest; }
  /// From now on, threads may wait for any single ticket, and such a wait must not last until later work is complete.
  virtual void keep_places() noexcept {}

  /// Returns whether the work is complete. Also returns true if the device has failed, because no more work will
  /// complete. Does not throw.
  virtual bool is_complete(std::uint64_t ticket) = 0;
  /// Waits until the work is complete or the device has failed. The caller has called `flush`. Does not throw.
  virtual void wait(std::uint64_t ticket) = 0;
  /// Returns the first failure since the last call, or null if there was no failure.
  virtual std::exception_ptr take_error() = 0;
  /// These functions are for user programs that call the driver themselves. They return the driver's stream, and an
  /// event that the driver has recorded after all work handed over so far. The event exists as long as the stream. The
  /// results are null if the driver has no such objects.
  virtual void* native() noexcept { return nullptr; }
  virtual void* native_event() { return nullptr; }
  /// Returns the start and the end of work that is complete. Only for streams with stream_use::measures.
  virtual command_times times(std::uint64_t ticket) = 0;

protected:
  std::atomic<std::uint64_t> m_latest{0};  ///< ticket of the latest work that was handed over
};

}  // namespace sinter
