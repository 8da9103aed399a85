#pragma once
/// Memory, streams, events and graphs of the runtime.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "simulator.hpp"

namespace judge {

/// The state of the runtime, with one lock for all of it.
struct runtime_state;

/// An allocation that a command uses, identified by its first address.
struct use {
  const char* begin;
  /// Whether the command certainly uses the allocation. If not, a word of the kernel's arguments has an address in
  /// the allocation, but the kernel may ignore the word. Padding between the arguments' members counts as such
  /// words, too, and may have any value.
  bool is_certain;
};

struct command {
  std::function<bool()> work;           ///< returns false if the device has failed before or during the command
  std::vector<use> uses;
  const void* module = nullptr;         ///< the module whose kernel runs
  std::vector<std::shared_ptr<command>> before;
  bool is_done = false;
  std::int64_t time = 0;  ///< the end of the command, in nanoseconds
};

struct stream {
  int device = 0;
  std::deque<std::shared_ptr<command>> pending;
  std::shared_ptr<command> last;
  bool ends = false;
  std::condition_variable has_work;
};

struct event {
  bool has_times = false;
  std::shared_ptr<command> recorded;
};

enum class memory_kind : std::uint8_t { device, host, managed };
struct allocation {
  char* begin = nullptr;
  std::size_t bytes = 0;
  memory_kind kind = memory_kind::device;
  int device = 0;
};

/// Returns null if no memory is left.
char* allocate(memory_kind kind, std::size_t bytes, int device);
/// Refuses memory that a command certainly uses, and addresses that are not allocations. Memory that a kernel may use
/// becomes inaccessible at once, and is freed when the kernel has run.
void deallocate(void* begin, bool is_host);
/// Whether the memory was freed, but still exists because pending kernels may use it.
bool is_gone(const void* address);
/// Returns the allocation that contains the address, or an allocation of 0 bytes if none does.
allocation allocation_of(const void* address);
std::size_t memory_left(int device);
/// Finds the allocations to which words of the argument block point. Ends the process if the device can't access such
/// an allocation.
void find_uses(const std::string& block, int device, std::vector<use>& uses);
void let_reach(int device, int other);

stream* make_stream(int device);
/// Refuses a stream that does not exist.
stream& stream_of(void* handle);
void destroy(stream& gone);
std::shared_ptr<command> append(stream& to, std::function<bool()> work, std::vector<use> uses,
                                const void* module = nullptr, std::shared_ptr<command> awaited = nullptr);
bool is_done(const std::shared_ptr<command>& asked);
void wait(const std::shared_ptr<command>& awaited);
bool is_idle(stream& asked);
void wait(stream& awaited);
bool module_is_used(const void* module);
/// Whether a kernel has failed. After a failure, all functions return an error.
bool has_failed();

}  // namespace judge
