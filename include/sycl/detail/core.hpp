#pragma once
/// The compiled core as the headers see it: everything here is implemented in src/.

#include <cstddef>
#include <cstdint>
#include <sinter/abi/launch_abi.hpp>
#include <utility>

#include "../access.hpp"
#include "export.hpp"
#include "standard.hpp"

namespace sycl {

class handler;
class queue;

namespace detail {

class command;
class buffer_record;
struct object_access;

/// An owned function object of unknown type: kernels, host tasks. Move-only, cheap to compile.
class function_object {
public:
  function_object() = default;
  template <class Function>
  explicit function_object(const Function& function)
      : m_object(new Function(function)), m_destroy([](void* object) { delete static_cast<Function*>(object); }) {}
  function_object(function_object&& other) noexcept
      : m_object(std::exchange(other.m_object, nullptr)), m_destroy(other.m_destroy) {}
  function_object& operator=(function_object&& other) noexcept {
    std::swap(m_object, other.m_object);
    std::swap(m_destroy, other.m_destroy);
    return *this;
  }
  ~function_object() {
    if (m_object) m_destroy(m_object);
  }
  void* get() const noexcept { return m_object; }

private:
  void* m_object = nullptr;
  void (*m_destroy)(void*) = nullptr;
};

/// Index space of a launch in padded SYCL order (abi/device_abi.hpp).
struct launch_geometry {
  std::uint64_t global[3] = {1, 1, 1};
  std::uint64_t local[3] = {1, 1, 1};
  std::uint64_t offset[3] = {0, 0, 0};
};

/// A command group under construction; lives in src/scheduler.
class handler_impl;

SINTER_EXPORT void set_kernel(handler_impl& handler, sinter::abi::kernel_descriptor& kernel,
                              const launch_geometry& geometry, function_object&& function);
/// `call` gets function.get() and runs on a thread for host tasks.
SINTER_EXPORT void set_host_task(handler_impl& handler, function_object&& function, void (*call)(void* function));
SINTER_EXPORT void set_copy(handler_impl& handler, const char* name, void* destination, const void* source,
                            std::size_t bytes);
/// Rows of `row_bytes`, planes of `rows` rows: strides are in bytes, planes outermost.
struct strided_copy {
  char* destination;
  const char* source;
  std::size_t row_bytes, rows, planes;
  std::size_t destination_row, destination_plane, source_row, source_plane;
};
SINTER_EXPORT void set_strided_copy(handler_impl& handler, const char* name, const strided_copy& copy);
SINTER_EXPORT void set_fill(handler_impl& handler, const char* name, void* destination, const void* pattern,
                            std::size_t pattern_bytes, std::size_t count);
/// A command that does nothing but can be waited for (prefetch, mem_advise, update_host).
SINTER_EXPORT void set_marker(handler_impl& handler, const char* name);
/// Keeps an object alive as long as the command.
SINTER_EXPORT void keep_alive(handler_impl& handler, std::shared_ptr<const void> object);
/// Bytes of local memory; returns their offset in the group's arena.
SINTER_EXPORT std::size_t add_local_memory(handler_impl& handler, std::size_t bytes, std::size_t alignment);
SINTER_EXPORT void add_requirement(handler_impl& handler, const std::shared_ptr<buffer_record>& record,
                                   access_mode mode, bool no_init);

// ------------------------------------------------------------------------------------------------- buffer memory

struct buffer_source {
  std::size_t bytes = 0;
  std::size_t alignment = 1;
  const void* initial = nullptr;                 ///< copied or used in place; null: uninitialised
  void* write_back = nullptr;                    ///< where the contents go at the end; null: nowhere
  bool in_place = false;                         ///< `initial` may be used as the buffer's memory
  bool wait_at_end = true;                       ///< the destructor waits
  std::shared_ptr<void> keep = nullptr;          ///< keeps `initial` valid
};
SINTER_EXPORT std::shared_ptr<buffer_record> make_buffer(buffer_source&& source);
/// Called by the destructor of the last buffer that refers to the record.
SINTER_EXPORT void release_buffer(const std::shared_ptr<buffer_record>& record) noexcept;
/// The owner of a record an accessor refers to. errc::invalid when the buffer is gone.
SINTER_EXPORT std::shared_ptr<buffer_record> shared_record(buffer_record* record);
SINTER_EXPORT void* buffer_data(buffer_record& record) noexcept;
/// Replaces the target of the final write-back; `write` copies `bytes` from `data`. Null: none.
SINTER_EXPORT void set_write_back(buffer_record& record, std::function<void(const void* data, std::size_t bytes)> write);
SINTER_EXPORT void enable_write_back(buffer_record& record, bool enabled) noexcept;
/// Waits until the host may access; other commands that conflict wait until release_host_access.
SINTER_EXPORT std::shared_ptr<void> acquire_host_access(const std::shared_ptr<buffer_record>& record, access_mode mode);

} // namespace detail
} // namespace sycl
