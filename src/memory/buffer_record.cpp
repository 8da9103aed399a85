#include "buffer_record.hpp"

#include <abi/byte_count.hpp>
#include <algorithm>
#include <backends/device.hpp>
#include <cstdint>
#include <cstring>
#include <scheduler/run_mark.hpp>
#include <scheduler/scheduler.hpp>
#include <scheduler/test_hooks.hpp>

#include <sycl/accessor.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/codeplay/experimental/fusion_properties.hpp>

#include "buffer_pool.hpp"
#include "contents_at_end.hpp"

namespace sycl::inline _V1::detail {

buffer_record::buffer_record(buffer_source&& source) : m_source(std::move(source)) {
  const auto address = reinterpret_cast<std::uintptr_t>(m_source.initial);
  if (m_source.in_place && m_source.initial && address % m_source.alignment == 0) {
    m_data = const_cast<void*>(m_source.initial);
    return;
  }
  if (m_source.bytes == 0) return;
  move_to_own_memory();
}

void buffer_record::move_to_own_memory() {
  void* own = allocate_buffer_memory(m_source.bytes);
  if (!own) {
    detail::throw_error(errc::memory_allocation,
                        "buffer: no memory for " + std::to_string(m_source.bytes) + " bytes on the CPU device");
  }
  if (m_source.initial) sinter::cpu_backend().copy_bytes(own, m_source.initial, m_source.bytes);
  m_data = own;
  m_owned = true;
}

void buffer_record::leave_host_memory() {
  if (!m_owned && !m_pinned && !m_address_known && m_source.bytes != 0) move_to_own_memory();
}

void buffer_record::enable_write_back(bool enabled) {
  if (!enabled) leave_host_memory();
  std::lock_guard lock(users_mutex());
  m_write_back_enabled = enabled;
}

buffer_record::~buffer_record() {
  if (m_late) write_back();
  if (!is_on_host_only()) forget_device_contents(*this);
  for (std::size_t i = 1; m_places && i < m_places->places().size(); ++i) {
    const residency::place& each = m_places->places()[i];
    if (each.memory == m_data) {
      each.where->unshare_host_memory(m_data);
    } else {
      keep_for_buffers(*each.where, each.memory, m_source.bytes);
    }
  }
  if (m_owned) free_buffer_memory(m_data, m_source.bytes);
}

void buffer_record::set_write_back(std::function<void(const void*, std::size_t)> write) {
  leave_host_memory();
  std::lock_guard lock(users_mutex());
  m_write = std::move(write);
  m_source.write_back = nullptr;
  m_source.wait_at_end |= static_cast<bool>(m_write);
}

void buffer_record::finish() {
  if (!m_source.wait_at_end && !m_write) return;
  if (test_hooks().late_write_back.load(std::memory_order_relaxed)) {
    m_late = true;
    return;
  }
  // Fusion lists that use the buffer are ended first. The thread then waits only for the kernels that use the buffer,
  // and not for all kernels of the lists.
  for (const command_ptr& user : users()) end_fusion_of(*user);
  for (const command_ptr& user : users()) wait_for(user);
  bring_home();
  write_back();
}

void buffer_record::reserve(sinter::device_backend& device, finisher by) {
  if (m_source.bytes == 0 || first_memory_on(device)) return;
  if (find_memory(device, m_source.bytes, by, [&] { return try_reserve(device); })) {
    // This call locks a mutex that must not be locked while users_mutex is held.
    return note_device_contents(*this);
  }
  throw_error(errc::memory_allocation, "buffer: no memory for " + std::to_string(m_source.bytes) +
                                                                " bytes on device '" + device.facts().name +
                                                                "'; use fewer or smaller buffers there at a time");
}

bool buffer_record::try_reserve(sinter::device_backend& device) {
  std::lock_guard lock(users_mutex());
  if (m_places && m_places->memory_at(&device)) return true;
  const bool is_shared = device.facts().is_integrated && device.share_host_memory(m_data, m_source.bytes);
  void* memory = is_shared ? m_data : take_kept(device, m_source.bytes);
  if (!memory) memory = device.allocate(sinter::memory_kind::device, m_source.bytes, 256);
  if (!memory) return false;
  if (!m_places) {
    m_places = std::make_unique<residency>(static_cast<char*>(m_data), m_source.bytes,
                                           m_source.initial || is_written());
  }
  m_places->add({&device, static_cast<char*>(memory)});
  if (!m_first_device.load(std::memory_order_relaxed)) {
    m_first_memory = static_cast<char*>(memory);
    m_first_device.store(&device, std::memory_order_release);
  }
  leave_host();
  return true;
}

const void* buffer_record::address_on(const sinter::device_backend& device, const void* address) const noexcept {
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - static_cast<const char*>(m_data));
  // An accessor without elements may point right behind the last element.
  if (offset > m_source.bytes) return address;
  if (char* const first = first_memory_on(device)) return first + offset;
  std::lock_guard lock(users_mutex());
  if (!m_places) return address;
  const char* memory = m_places->memory_at(const_cast<memory_place>(&device));
  return memory ? memory + offset : address;
}

std::vector<residency::place> buffer_record::device_memory() const {
  std::lock_guard lock(users_mutex());
  if (!m_places) return {};
  return {m_places->places().begin() + 1, m_places->places().end()};
}

std::vector<needed_transfer> buffer_record::bring(const region& part, memory_place place, access_mode mode,
                                                  bool no_init) {
  if (!m_places || part.is_empty()) return {};
  const bool writes = mode_writes(mode);
  const bool discards = no_init || mode == access_mode::discard_write || mode == access_mode::discard_read_write;
  // A command that overwrites its part normally does not need the old contents. But if the part has gaps, the command
  // needs the old contents, because it does not write the bytes in the gaps.
  const bool needs = !discards || !part.is_contiguous();
  const residency::usage how = !writes                ? residency::usage::reads
                               : part.is_contiguous() ? residency::usage::writes_all
                                                      : residency::usage::writes_some;
  return m_places->use(place, part.begin(), part.end(), needs, how);
}

/// Copies the contents to the host's memory, from which they are written back.
void buffer_record::bring_home() {
  if (is_on_host_only()) return;
  {
    std::lock_guard lock(users_mutex());
    if (!is_written() || !(m_write || (m_write_back_enabled && m_source.write_back))) return;
  }
  // The record's owner waits here, so the record exists until the access is over.
  (void)acquire_host_access(this, access_mode::read, false);
}

void buffer_record::bring_home_at_end() {
  if (is_forgotten()) return;
  std::lock_guard lock(users_mutex());
  if (m_places && is_written() && !has_commands()) m_places->bring_home();
}

void buffer_record::write_back() {
  {
    std::lock_guard lock(users_mutex());
    if (!is_written() || !m_write_back_enabled || m_source.bytes == 0) return;
  }
  const auto held = lock();
  if (m_write) {
    m_write(m_data, m_source.bytes);
  } else if (m_source.write_back && m_source.write_back != m_data) {
    sinter::cpu_backend().copy_bytes(m_source.write_back, m_data, m_source.bytes);
  }
}

std::string size_list(const std::size_t* values, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + std::to_string(values[i]);
  return text + "}";
}

namespace {

/// Returns whether the bytes are inside the memory. The computation can't overflow.
bool lies_inside(buffer_shape memory, const std::size_t* offset, const std::size_t* extents) noexcept {
  for (int i = 0; i < memory.dimensions; ++i) {
    if (offset[i] > memory.extents[i] || extents[i] > memory.extents[i] - offset[i]) return false;
  }
  return true;
}

/// The use of a buffer by the host, which ends when this object is destroyed.
class host_access : public counted {
public:
  explicit host_access(command_ptr access) noexcept : m_access(std::move(access)) {}
  ~host_access() override { complete_host_access(m_access); }

private:
  command_ptr m_access;
};

} // namespace

void throw_invalid(const char* message) { detail::throw_error(errc::invalid, message); }

shared<buffer_owner> make_buffer(buffer_shape shape, std::size_t element_bytes, buffer_source&& source,
                                 const property_list& properties) {
  std::size_t bytes = element_bytes;
  for (int i = 0; i < shape.dimensions; ++i) {
    bytes = sinter::abi::multiply_bytes(bytes, shape.extents[i]);
  }
  if (bytes == sinter::abi::too_many_bytes) {
    detail::throw_error(errc::memory_allocation, "buffer: the range has more bytes than memory can have");
  }
  const bool use_host_ptr = properties.has_property<property::buffer::use_host_ptr>();
  const bool use_mutex = properties.has_property<property::buffer::use_mutex>();
  // With use_mutex, the program may read its own memory while the buffer exists, so the buffer can't use this memory as
  // its own.
  if (use_mutex) source.in_place = false;
  if (use_host_ptr) source.in_place = source.initial != nullptr;
  auto record = make_counted<buffer_record>(std::move(source));
  if (use_host_ptr) record->pin();
  if (use_mutex) record->lock_with(properties.get_property<property::buffer::use_mutex>().get_mutex_ptr());
  namespace fusion = ext::codeplay::experimental::property;
  if (properties.has_property<fusion::promote_private>()) record->promoted = promotion::private_memory;
  if (properties.has_property<fusion::promote_local>()) record->promoted = promotion::local_memory;
  return make_counted<buffer_owner>(std::move(record));
}

promotion combine_promotion(const buffer_record* record, promotion of_accessor) {
  const promotion of_buffer = record ? record->promoted : promotion::none;
  if (of_buffer != promotion::none && of_accessor != promotion::none && of_buffer != of_accessor) {
    throw_invalid("accessor: the buffer asks for promotion to one kind of memory (promote_private, promote_local), the "
                  "accessor to the other; ask for one");
  }
  return of_accessor != promotion::none ? of_accessor : of_buffer;
}

buffer_record* record_of(const shared<buffer_owner>& owner) noexcept { return &owner->record(); }

void* buffer_data(const shared<buffer_owner>& owner) noexcept {
  owner->record().note_address();
  return owner->record().data();
}

std::size_t sub_buffer_offset(buffer_shape parent, const std::size_t* base, const std::size_t* extents,
                              bool of_sub_buffer) {
  if (of_sub_buffer) throw_invalid("a sub-buffer can't have sub-buffers");
  if (!lies_inside(parent, base, extents)) throw_invalid("the sub-buffer does not lie inside its buffer");
  std::size_t offset = 0;
  bool tail = false;
  for (int i = 0; i < parent.dimensions; ++i) {
    if (tail && extents[i] != parent.extents[i]) throw_invalid("the elements of the sub-buffer are not contiguous");
    tail |= extents[i] != 1;
    offset = offset * parent.extents[i] + base[i];
  }
  return offset;
}

void set_write_back(const shared<buffer_owner>& owner, std::function<void(const void*, std::size_t)> write) {
  owner->record().set_write_back(std::move(write));
}

void enable_write_back(const shared<buffer_owner>& owner, bool enabled) {
  owner->record().enable_write_back(enabled);
}

void check_access(const char* kind, buffer_shape memory, const std::size_t* extents, const std::size_t* offset,
                  access_mode mode, bool no_init) {
  if (no_init && mode == access_mode::read) {
    throw_invalid((std::string(kind) + ": no_init contradicts access_mode::read; leave one of them out").c_str());
  }
  if (!lies_inside(memory, offset, extents)) {
    throw_invalid((std::string(kind) + ": range " + size_list(extents, memory.dimensions) + " at offset " +
                   size_list(offset, memory.dimensions) + " does not lie inside the buffer of " +
                   size_list(memory.extents, memory.dimensions))
                      .c_str());
  }
}

shared<counted> acquire_host_access(buffer_record* record, access_mode mode, bool no_init,
                                    const access_region& part) {
  start_scheduler();
  if (record->is_recorded()) {
    throw_invalid("host_accessor: a queue records commands that use the buffer to a graph; call end_recording first");
  }
  auto access = make_counted<command>();
  access->host_access = true;
  access->accessing_thread = run_mark::this_thread();
  access->name = "host_accessor";
  const shared<buffer_record> owned(record);
  access->keep.push_back(owned);
  const requirement needed{owned, mode, region(part, record->data(), record->bytes()), nullptr, no_init};
  submit_host_access(access, needed);
  auto held = make_counted<host_access>(access);
  wait_until_ready(access);
  return held;
}

} // namespace sycl::detail
