#pragma once
/// Events, lists of commands, and threads that run them, in any order that events and barriers allow.

#include <level_zero/ze_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace judge {

/// Nanoseconds since the driver began, as the device's clock counts them.
std::uint64_t device_ticks();
/// The frequency of the device's clock, and the widths in bits of the clock and of event timestamps. The counters are
/// narrow, so that they soon wrap around.
inline constexpr std::uint64_t ticks_a_second = 19200000;
inline constexpr unsigned ticks_bits = 36, event_ticks_bits = 32;

/// Newer loaders write function tables to the first words of an object.
struct object {
  void* tables[4] = {};
};

struct command;

struct event_pool : object {
  bool has_times = false;
  std::vector<char> is_used;
};
struct event : object {
  event_pool* pool = nullptr;
  std::uint32_t index = 0;
  enum class state : std::uint8_t { reset, promised, signalled };
  state its = state::reset;
  int waits = 0;  ///< number of commands and threads that still have to wait for the event
  std::shared_ptr<command> by;
  std::uint64_t start = 0, end = 0;
};

/// Memory that a command uses.
struct use {
  const char* begin;
  std::size_t bytes;
  bool writes;
  bool is_exact;  ///< if false, the command may use any part of the memory, or none of it
};

struct bound_kernel;
/// A command of a list that is executed later.
struct recorded_command {
  std::function<void()> what;
  std::vector<use> uses;
  event* signalled;
  std::vector<event*> awaited;
  bool is_barrier;
  std::uint64_t number = 0;               ///< the id for changes; 0: the command can't be changed
  std::shared_ptr<bound_kernel> launch{};  ///< null: the command launches no kernel
};

struct command_list : object {
  bool only_copies = false;
  std::size_t longest_pattern = 0;
  bool is_immediate = true;
  bool in_order = false;
  // Only lists that can be closed and executed later use these members.
  bool is_closed = false, is_mutable = false;
  std::uint64_t next_number = 0;  ///< the id of the next command; 0: the next command can't be changed
  std::vector<recorded_command> recorded;
  std::vector<std::weak_ptr<command>> running;
  // Only immediate lists and queues use these members.
  std::vector<std::shared_ptr<command>> pending;  ///< commands that are not complete
  std::shared_ptr<command> barrier;               ///< the last barrier
};

struct allocation {
  char* begin;
  std::size_t bytes;
  ze_memory_type_t type;
};

void add_allocation(const allocation& made);
/// No two allocations share a page, so each allocation can be made inaccessible by itself.
inline constexpr std::size_t page = 4096;
inline std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }
/// Frees an allocation. Refuses addresses that are not allocations, and memory that a copy uses. A kernel may use
/// an allocation if a word of its arguments points there, although such a word may be padding. The allocation
/// becomes inaccessible at once, and is freed when the kernel has run.
void free_allocation(void* begin);
allocation allocation_of(const void* address);
std::uint64_t allocated_bytes();

/// Appends a command. If `what` is null, the command only waits and signals. With `is_barrier`, later commands wait for
/// this command.
void append(command_list& list, std::function<void()> what, std::vector<use> uses, event* signalled,
            std::uint32_t count, ze_event_handle_t* awaited, bool is_barrier = false);
/// Appends the launch of a kernel to a list that is executed later.
void append_launch(command_list& list, std::shared_ptr<bound_kernel> launch, std::vector<use> uses, event* signalled,
                   std::uint32_t count, ze_event_handle_t* awaited);
void destroy(command_list& list);
/// Executes all commands of a closed list after the events. Signals another event when the commands are complete.
void execute(command_list& to, command_list& closed, event* signalled, std::uint32_t count, ze_event_handle_t* awaited);
/// Ends the process with the sentence if the list is running.
void check_idle(const command_list& list, const char* sentence);

void destroy(event& each);
void reset(event& each);
/// Signals the event on behalf of the host.
void signal(event& each);
bool is_signalled(event& each);
/// Returns false if the event is not signalled within this many nanoseconds.
bool wait(event& each, std::uint64_t nanoseconds);

}  // namespace judge
