#pragma once
/// The memory of a buffer and the commands that use it.

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <scheduler/device_memory.hpp>
#include <scheduler/memory_users.hpp>
#include <span>
#include <string>
#include <vector>

#include <sycl/access.hpp>
#include <sycl/detail/compiled_core.hpp>

#include "residency.hpp"

namespace sycl::inline _V1::detail {

class buffer_record : public memory_users {
public:
  explicit buffer_record(buffer_source&& source);
  buffer_record(const buffer_record&) = delete;
  ~buffer_record() override;

  /// The address of the buffer's contents in the host's memory. Accessors contain this address.
  void* data() const noexcept { return m_data; }
  /// From now on, the buffer has memory on the device. Throws errc::memory_allocation if the device has too little
  /// memory.
  void reserve(sinter::device_backend& device, finisher by);
  /// Returns the address in the device's memory that corresponds to `address` in the host's memory. An address that is
  /// not in the buffer is returned unchanged.
  const void* address_on(const sinter::device_backend& device, const void* address) const noexcept;
  /// The buffer's memory on each device on which the buffer has memory.
  std::vector<residency::place> device_memory() const;
  std::vector<needed_transfer> bring(const region& part, memory_place place, access_mode mode, bool no_init) override;
  std::size_t bytes() const noexcept { return m_source.bytes; }

  /// At the end of the program: copies to the host's memory everything that commands have written on devices. Throws
  /// sycl::exception.
  void bring_home_at_end();
  /// Waits if the specification requires it, and writes the contents back.
  void finish();
  void set_write_back(std::function<void(const void*, std::size_t)> write);
  void enable_write_back(bool enabled);
  /// From now on, the program's memory stays unchanged: a buffer that uses this memory as its own moves to other
  /// memory. Does nothing if accessors have existed, because they contain the address.
  void leave_host_memory();
  /// Called when an accessor is made.
  void note_address() noexcept { m_address_known.store(true, std::memory_order_relaxed); }
  /// From now on, addresses of host_accessors have to equal the host pointer (use_host_ptr).
  void pin() noexcept { m_pinned = true; }
  /// The program's memory from which the contents came and to which they may be written back. Null if the buffer uses
  /// that memory as its own, or if the program gave none.
  char* separate_host_memory() const noexcept { return static_cast<char*>(m_host == m_data ? nullptr : m_host); }
  /// Locks the mutex of use_mutex, or a mutex of Sinter if there is none, while the program's memory is written. Only
  /// this lock keeps two commands that write the program's memory from overlapping: for the DAG, both only read the
  /// buffer.
  std::unique_lock<std::mutex> lock() const {
    return std::unique_lock(m_user_mutex ? *m_user_mutex : m_host_memory_mutex);
  }
  /// From now on, `mutex` is locked while the contents are written back.
  void lock_with(std::mutex* mutex) noexcept { m_user_mutex = mutex; }
  /// Whether only commands can still use the memory: the program has destroyed all its buffers, and nothing is written
  /// back.
  bool is_forgotten() const noexcept { return m_forgotten.load() && may_be_forgotten(); }
  /// Whether the memory would be forgotten if its last buffer were destroyed now.
  bool may_be_forgotten() const noexcept {
    std::lock_guard lock(users_mutex());
    return !m_write && !writes_back() && m_owned;
  }
  /// Called when the program has destroyed its last buffer for this memory.
  void forget() {
    m_forgotten = true;
    finish();
  }
  /// Whether the buffer's contents are written back to memory of the program at the end.
  bool goes_back() const {
    std::lock_guard lock(users_mutex());
    return m_write || (m_write_back_enabled && m_source.write_back);
  }
  /// Counts graphs that record commands with the buffer. While such a graph exists, the host may not use the buffer.
  void note_recording(int change) noexcept { m_recordings.fetch_add(change, std::memory_order_relaxed); }
  /// Called when a node of the graph uses the buffer.
  void note_graph(std::uint64_t graph) noexcept {
    std::uint64_t none = 0;
    if (!m_graph.compare_exchange_strong(none, graph) && none != graph) m_graph = several_graphs;
  }
  /// Called when only some of a node's alternative command groups use the buffer. Another group may become active
  /// between two runs, and executable graphs may have different active groups, so the contents have to outlive a run.
  void note_alternative() noexcept { m_graph = several_graphs; }
  /// `graph` is 0 for commands that are in no graph.
  bool is_only_of(std::uint64_t graph) const noexcept { return m_graph == graph; }
  bool is_recorded() const noexcept { return m_recordings.load(std::memory_order_relaxed) != 0; }
  promotion promoted = promotion::none;  ///< set once, by make_buffer

private:
  friend struct debugger_offsets;
  void move_to_own_memory();
  bool try_reserve(sinter::device_backend& device);
  bool writes_back() const noexcept {
    return m_write_back_enabled && m_source.write_back && m_source.write_back != m_data;
  }
  buffer_source m_source;
  /// keeps its value even if set_final_data names other memory
  void* const m_host = m_source.write_back;
  std::function<void(const void*, std::size_t)> m_write;
  bool m_write_back_enabled = true;
  bool m_owned = false;
  bool m_late = false;  ///< see test_hooks
  bool m_pinned = false;
  std::mutex* m_user_mutex = nullptr;
  mutable std::mutex m_host_memory_mutex;
  std::atomic<bool> m_address_known{false};
  std::atomic<bool> m_forgotten{false};
  std::atomic<int> m_recordings{0};
  static constexpr std::uint64_t several_graphs = ~std::uint64_t{0};
  std::atomic<std::uint64_t> m_graph{0};  ///< the graph whose nodes use the buffer; 0: none
  void* m_data = nullptr;
  std::unique_ptr<residency> m_places;  ///< protected by users_mutex; null: the contents are in the host's memory only
  /// The first device on which the buffer got memory, and this memory. Most buffers get memory on no other device. Both
  /// members are written only once, so that threads can read them without a lock.
  std::atomic<const sinter::device_backend*> m_first_device{nullptr};
  char* m_first_memory = nullptr;
  char* first_memory_on(const sinter::device_backend& device) const noexcept {
    return m_first_device.load(std::memory_order_acquire) == &device ? m_first_memory : nullptr;
  }
  void write_back();
  void bring_home();
};

/// Returns the buffer to which the requirement's memory belongs. The cast is right, because buffer_record is the only
/// class with the base memory_users.
inline buffer_record& record_of(const requirement& needed) noexcept {
  return static_cast<buffer_record&>(*needed.memory);
}

/// All buffer objects that refer to one memory share this object. The object is destroyed with the last of these
/// buffers.
class buffer_owner : public counted {
public:
  explicit buffer_owner(shared<buffer_record> record) noexcept : m_record(std::move(record)) {}
  ~buffer_owner() override {
    m_record->forget();
  }
  buffer_record& record() const noexcept { return *m_record; }

private:
  friend struct debugger_offsets;
  shared<buffer_record> m_record;
};

/// A text such as "{4, 8}".
std::string size_list(const std::size_t* values, int count);

} // namespace sycl::detail
