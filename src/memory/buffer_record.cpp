#include "buffer_record.hpp"

#include <backends/backend.hpp>
#include <cstdint>
#include <cstring>
#include <scheduler/scheduler.hpp>

#include <sycl/exception.hpp>

namespace sycl::detail {

buffer_record::buffer_record(buffer_source&& source) : m_source(std::move(source)) {
  const auto address = reinterpret_cast<std::uintptr_t>(m_source.initial);
  if (m_source.in_place && m_source.initial && address % m_source.alignment == 0) {
    m_data = const_cast<void*>(m_source.initial);
    return;
  }
  if (m_source.bytes == 0) return;
  m_data = sinter::cpu_backend().allocate(m_source.bytes, 64);
  if (!m_data) {
    throw exception(make_error_code(errc::memory_allocation),
                    "buffer: no memory for " + std::to_string(m_source.bytes) + " bytes on the CPU device");
  }
  m_owned = true;
  if (m_source.initial) sinter::cpu_backend().copy(m_data, m_source.initial, m_source.bytes);
}

buffer_record::~buffer_record() {
  if (m_owned) sinter::cpu_backend().deallocate(m_data);
}

void buffer_record::set_write_back(std::function<void(const void*, std::size_t)> write) {
  m_write = std::move(write);
  m_source.write_back = nullptr;
  m_source.wait_at_end |= static_cast<bool>(m_write);
}

void buffer_record::finish() {
  if (!m_source.wait_at_end && !m_write) return;
  for (const command_ptr& user : users_of(*this)) wait_for(user);
  if (!written || !m_write_back_enabled || m_source.bytes == 0) return;
  if (m_write) {
    m_write(m_data, m_source.bytes);
  } else if (m_source.write_back && m_source.write_back != m_data) {
    sinter::cpu_backend().copy(m_source.write_back, m_data, m_source.bytes);
  }
}

std::shared_ptr<buffer_record> make_buffer(buffer_source&& source) {
  return std::make_shared<buffer_record>(std::move(source));
}

void release_buffer(const std::shared_ptr<buffer_record>& record) noexcept { record->finish(); }

std::shared_ptr<buffer_record> shared_record(buffer_record* record) {
  if (!record) throw exception(make_error_code(errc::invalid), "require: the accessor refers to no buffer");
  return record->shared_from_this();
}

void* buffer_data(buffer_record& record) noexcept { return record.data(); }

void set_write_back(buffer_record& record, std::function<void(const void*, std::size_t)> write) {
  record.set_write_back(std::move(write));
}

void enable_write_back(buffer_record& record, bool enabled) noexcept { record.enable_write_back(enabled); }

std::shared_ptr<void> acquire_host_access(const std::shared_ptr<buffer_record>& record, access_mode mode) {
  auto access = std::make_shared<command>();
  access->host_access = true;
  access->name = "host_accessor";
  access->keep.push_back(record);
  const requirement needed{record, mode};
  submit_command(access, {}, {&needed, 1});
  std::shared_ptr<void> held(nullptr, [access](void*) { complete_host_access(access); });
  wait_until_ready(access);
  return held;
}

} // namespace sycl::detail
