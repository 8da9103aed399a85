#pragma once
/// A stream in Level Zero is an immediate command list. In specification 1.3, commands of a list may run in any order,
/// so each command waits for the event of the command before it. Newer drivers have lists that keep the order
/// themselves.

#include <backends/driver_stream.hpp>
#include <list>
#include <memory>
#include <vector>

#include "ze_programs.hpp"

namespace sinter::level_zero {

/// The driver's objects of a stream. The objects may outlive the stream, because the stream's work may still be
/// running.
struct stream_objects {
  /// The work of one ticket: one command or several commands.
  struct piece {
    std::uint64_t ticket = 0;
    ze_event_handle_t event = nullptr;  ///< signalled when the whole piece is complete
    ze_event_handle_t start = nullptr;  ///< event before the first of several commands, if times are measured
    std::unique_ptr<unsigned char[]> pattern;  ///< pattern of a fill; the device reads it until the piece is complete
    std::size_t block = no_block;              ///< index into `blocks`
    std::uint64_t used_by = 0;  ///< ticket of the next piece, if it waits for `event`; otherwise 0
    unsigned waiting = 0;       ///< number of threads that wait for `event`
  };
  /// Memory for an argument block that the driver does not take by value.
  struct block_memory {
    void* data;
    std::size_t bytes;
    bool is_used;
  };
  static constexpr std::size_t no_block = ~std::size_t{0};

  explicit stream_objects(ze_device_context& its) : device(its) {}
  stream_objects(const stream_objects&) = delete;
  /// Called only when all work is complete.
  ~stream_objects();

  /// Called when the first piece is complete: moves the piece to `used`, because other work may still wait for the
  /// piece's events.
  void complete_first();
  /// Resets events of complete pieces for reuse, if nothing waits for them any more.
  void give_events_back();
  /// Checks which pieces are complete. Returns whether all are complete and nothing waits for their events any more.
  bool can_go();

  ze_device_context& device;
  std::uint32_t ordinal = 0;
  ze_command_list_handle_t commands = nullptr;
  ze_command_queue_handle_t queue = nullptr;  ///< queue for closed lists; null if no closed list was executed
  bool timed = false;
  bool in_order = false;  ///< the list keeps the order of its commands
  /// is_foreign: the program made the list `commands`; is_given: the program also passed the list to the stream, which
  /// destroys the list
  bool is_foreign = false, is_given = false;
  std::vector<ze_event_handle_t> events;  ///< events that native_event has returned
  std::list<piece> pieces, used;  ///< `pieces` may be incomplete, and those in `used` are complete; both in order
  std::list<piece> spare;         ///< pieces for later work; only the field `event` is set
  std::vector<block_memory> blocks;
  std::shared_ptr<stream_progress> progress;
  std::shared_ptr<stream_waits> waits;
};

/// Keeps the objects of a destroyed stream until the stream's work is complete. After that, keeps the stream's command
/// list for a new stream.
class stream_keeper {
public:
  void keep(std::unique_ptr<stream_objects> objects);
  /// The command list and the queue of a stream.
  struct stream_lists {
    std::uint32_t ordinal;
    ze_command_list_handle_t commands;
    ze_command_queue_handle_t queue;
    bool in_order;
  };
  stream_lists take_lists(ze_device_context& device, std::uint32_t ordinal);

private:
  void sweep();

  std::mutex m_mutex;  // protects the members below
  std::vector<std::unique_ptr<stream_objects>> m_left;
  std::vector<stream_lists> m_idle;
};

/// Converts ticks of the device's clock to the host's time. The device's counter overflows, so time_of needs an
/// approximate time, `about`, to find the right period.
class device_clock {
public:
  /// `tick` is the length of a tick in nanoseconds, and `bits` is the width of the counter in events. The counter was
  /// `ticks` at the host's time `time`.
  device_clock(double tick, unsigned bits, std::uint64_t ticks, std::uint64_t time) noexcept;
  std::uint64_t time_of(std::uint64_t ticks, std::uint64_t about) const noexcept;

private:
  double m_tick;
  std::uint64_t m_mask, m_ticks, m_time;
};

class ze_stream final : public driver_stream {
public:
  ze_stream(ze_device_context& device, stream_keeper& keeper, const stream_use& use);
  /// Makes a stream from an immediate list that the program has created. `is_given` says that the stream destroys the
  /// list when all work of the stream is complete.
  ze_stream(ze_device_context& device, stream_keeper& keeper, bool measures, ze_command_list_handle_t commands,
            bool is_given);
  ~ze_stream() override;

  void launch(const kernel_launch& launch) override;
  void run(const memory_work& work) override;
  void run(device_program& program) override;
  void mark() override;
  void wait(std::uint64_t ticket) override;
  command_times times(std::uint64_t ticket) override;
  void* native() noexcept override {
    m_is_shared = true;
    return m_objects->commands;
  }
  void* native_event() override;

private:
  using piece = stream_objects::piece;
  struct measurement {
    std::uint64_t ticket;
    command_times times;
  };

  void look_for(std::uint64_t) override { sweep(); }
  void* event_for_wait(std::uint64_t ticket) override;
  void wait_for_event(void* event, driver_stream&) override;
  const std::string& device_name() const noexcept override { return m_device.name(); }

  template <class Append>
  void hand_over(piece&& wanted, bool several, const Append& append);
  void begin(const stream_use& use);
  void prepare(std::list<piece>& made, piece& wanted, bool several);
  void note(std::list<piece>&& made, std::uint64_t ticket);
  void barrier(ze_event_handle_t signalled, std::span<ze_event_handle_t> awaited);
  void copy(const abi::strided_copy& work);
  void fill(const memory_fill& work);
  void advise(const memory_hint& hint);
  std::size_t take_block(std::size_t bytes);
  void sweep();
  void measure(const piece& done);
  using driver_stream::fail;
  void fail(ze_result_t result, const char* doing) { fail(doing, text_of(result)); }

  ze_device_context& m_device;
  stream_keeper& m_keeper;
  const ze_device_context::engine& m_engine;
  std::optional<device_clock> m_clock;

  // Only the thread that hands work over uses these members.
  bool m_is_shared = false;  ///< the program may append commands to the list, and the stream does not notice this
  std::vector<ze_event_handle_t> m_foreign;  ///< events of other streams that the next piece waits for
  std::vector<ze_event_handle_t> m_awaited;  ///< the events in m_foreign, and the event of the previous piece

  // The mutex protects these members.
  std::unique_ptr<stream_objects> m_objects;
  measured_work<measurement> m_measured;
};

}  // namespace sinter::level_zero
