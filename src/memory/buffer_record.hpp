#pragma once
/// The memory of a buffer and who uses it.

#include <cstddef>
#include <functional>
#include <memory>
#include <scheduler/command.hpp>
#include <vector>

#include <sycl/detail/core.hpp>

namespace sycl::detail {

class buffer_record : public std::enable_shared_from_this<buffer_record> {
public:
  explicit buffer_record(buffer_source&& source);
  buffer_record(const buffer_record&) = delete;
  ~buffer_record();

  void* data() const noexcept { return m_data; }
  std::size_t bytes() const noexcept { return m_source.bytes; }

  /// Waits where the specification says so, and writes back.
  void finish();
  void set_write_back(std::function<void(const void*, std::size_t)> write);
  void enable_write_back(bool enabled) noexcept { m_write_back_enabled = enabled; }

  // Protected by the scheduler's mutex.
  command_ptr last_writer;
  std::vector<command_ptr> readers;  ///< since last_writer
  bool written = false;              ///< some command was submitted that writes

private:
  buffer_source m_source;
  std::function<void(const void*, std::size_t)> m_write;
  bool m_write_back_enabled = true;
  bool m_owned = false;
  void* m_data = nullptr;
};

} // namespace sycl::detail
