#pragma once
/// A driver for devices that do not exist. Kernels run as CPU code. The driver is as unhelpful as drivers may be: it
/// supports only the features that Level Zero's specification requires, and ends the process with a sentence in cases
/// that are undefined.
///
/// Programs put commands into lists. A list runs after it was closed and given to a queue, and can be used again after
/// it was reset. A list signals events. An event stays signalled until it is reset. An event must not be reset while a
/// command still has to wait for it. Copy engines only do copies. Memory must not be freed while a command uses it.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "../mock_device.hpp"

namespace strict {

/// Ends the process with the sentence, because a rule of the driver was broken.
[[noreturn]] void refuse(const char* sentence);

enum class engine : std::uint8_t { compute, copy };

struct range {
  const void* begin;
  std::size_t bytes;
};

class event {
public:
  event() = default;
  event(const event&) = delete;
  ~event();
  bool is_signalled() const;
  /// Returns when the event is signalled, or after a short time.
  void wait_a_moment() const;
  void reset();

private:
  friend class command_list;
  friend class queue;
  enum class state : std::uint8_t { reset, promised, signalled };
  state m_state = state::reset;
  int m_waits = 0;  ///< number of commands that have to wait for the event
};

class command_list {
public:
  explicit command_list(engine runs_on) : m_engine(runs_on) {}
  command_list(const command_list&) = delete;
  ~command_list();

  void append_kernel(std::function<void()> what, std::vector<range> uses);
  void append_copy(std::function<void()> what, range to, range from);
  void append_fill(std::function<void()> what, range to, std::size_t pattern_bytes);
  void append_wait(event& awaited);
  void append_signal(event& signalled);
  void close();
  void reset();
  std::size_t size() const noexcept { return m_commands.size(); }

  struct result {
    std::uint64_t start = 0, end = 0;
    std::exception_ptr error;
  };
  /// The results of the commands after the list has run.
  const std::vector<result>& results() const noexcept { return m_results; }

private:
  friend class queue;
  enum class state : std::uint8_t { open, closed, running, done };
  struct command {
    std::function<void()> what;
    std::vector<range> uses;
    event *awaited = nullptr, *signalled = nullptr;
  };
  void append(command added);

  const engine m_engine;
  state m_state = state::open;
  std::vector<command> m_commands;
  std::vector<result> m_results;
};

/// Runs lists one after the other.
class queue {
public:
  explicit queue(engine its_engine);
  queue(const queue&) = delete;
  ~queue();
  void execute(command_list& closed);

private:
  struct shared;
  static void run(const std::shared_ptr<shared>& its);
  const engine m_engine;
  const std::shared_ptr<shared> m_shared;
};

/// The memory of all devices: memory that only devices can access, memory that devices and host can access, and
/// memory of the process that is shared with the devices. Devices can access the memory of other devices.
class memory {
public:
  static memory& instance();

  void add_device(std::size_t bytes);
  std::size_t bytes_on(std::size_t device) const;
  void* allocate(std::size_t device, sinter::memory_kind kind, std::size_t bytes, std::size_t alignment);
  void free(void* begin);
  bool share(void* begin, std::size_t bytes);
  void unshare(void* begin);
  /// Returns the allocation that contains the address, or a range of 0 bytes if no allocation does.
  range allocation_of(const void* address) const;
  /// Translates an address of the program to the address that commands use.
  void* seen(const void* address) const;
  /// Notes a use of the range: a command with this range was recorded (`change` is 1) or has run (-1).
  void note_use(const range& used, int change);

private:
  test::mock_memory* device_of(const void* address) const;
  void check_unused(const char* begin, std::size_t bytes, const char* sentence) const;

  struct known {
    std::size_t bytes;
    int shares = 0;  ///< number of calls that shared the memory; 0: the driver allocated it
  };
  std::vector<std::unique_ptr<test::mock_memory>> m_devices;  ///< complete before other threads use it
  mutable std::mutex m_mutex;                                  // protects the members below
  std::map<const char*, known> m_known;
  std::map<std::pair<const char*, std::size_t>, int> m_uses;
};

}  // namespace strict
