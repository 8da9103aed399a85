#pragma once
/// The memory of a buffer and who uses it.

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <scheduler/command.hpp>
#include <vector>

#include <sycl/detail/core.hpp>

namespace sycl::detail {

class buffer_record : public counted {
public:
  explicit buffer_record(buffer_source&& source);
  buffer_record(const buffer_record&) = delete;
  ~buffer_record() override;

  void* data() const noexcept { return m_data; }
  std::size_t bytes() const noexcept { return m_source.bytes; }

  /// Waits where the specification says so, and writes back.
  void finish();
  void set_write_back(std::function<void(const void*, std::size_t)> write);
  void enable_write_back(bool enabled);
  /// The host memory keeps what it holds: a buffer that works in it moves to memory of its own. Too late when something
  /// has been written.
  void leave_host_memory();
  /// host_accessor addresses have to equal the host pointer (use_host_ptr).
  void pin() noexcept { m_pinned = true; }
  /// Held while the contents go back.
  void lock_with(std::mutex* mutex) noexcept { m_user_mutex = mutex; }
  /// No buffer refers to the memory any more, and nothing is written back: only commands can still see it.
  bool is_forgotten() const noexcept { return m_forgotten.load() && may_be_forgotten(); }
  /// Would be forgotten if its last buffer went now.
  bool may_be_forgotten() const noexcept { return !m_write && !writes_back() && m_owned; }
  /// The last buffer is gone.
  void forget() {
    m_forgotten = true;
    finish();
  }
  promotion promoted = promotion::none;  ///< set once, by make_buffer

  // Protected by the scheduler's mutex.
  command_ptr last_writer;
  std::vector<command_ptr> readers;  ///< since last_writer
  bool written = false;              ///< some command was submitted that writes

private:
  void move_to_own_memory();
  bool writes_back() const noexcept { return m_write_back_enabled && m_source.write_back && m_source.write_back != m_data; }
  buffer_source m_source;
  std::function<void(const void*, std::size_t)> m_write;
  bool m_write_back_enabled = true;
  bool m_owned = false;
  bool m_pinned = false;
  std::mutex* m_user_mutex = nullptr;
  std::atomic<bool> m_forgotten{false};
  void* m_data = nullptr;
};

/// What all buffers of one memory own jointly: its end is the end of the last of them.
class buffer_owner : public counted {
public:
  explicit buffer_owner(shared<buffer_record> record) noexcept : m_record(std::move(record)) {}
  ~buffer_owner() override {
    m_record->forget();
  }
  buffer_record& record() const noexcept { return *m_record; }

private:
  shared<buffer_record> m_record;
};

} // namespace sycl::detail
