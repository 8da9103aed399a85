#include "staged_copies.hpp"

#include <algorithm>
#include <string>

#include "gpu_context.hpp"

namespace sinter::gpu {
namespace {

/// Copies bytes within the host's memory. The threads of the CPU device make the copy.
void copy_on_host(char* to, const char* from, std::size_t bytes) {
  cpu_backend().copy(abi::strided_copy::contiguous(to, from, bytes));
}

}  // namespace

/// The first call allocates the pieces of memory. The pieces are never freed. Returns false if the allocation has
/// failed. Called under m_mutex.
bool staged_copies::is_ready() {
  if (m_has_memory || m_has_none) return m_has_memory;
  const driver& functions = m_gpu.functions();
  void* memory = nullptr;
  m_has_none = functions.allocate_host(&memory, piece_bytes * piece_count, host_portable) != success;
  for (std::size_t i = 0; i < piece_count && !m_has_none; ++i) {
    m_pieces[i].memory = static_cast<char*>(memory) + i * piece_bytes;
    m_has_none = functions.make_event(&m_pieces[i].free, event_without_times) != success;
  }
  m_has_memory = !m_has_none;
  return m_has_memory;
}

void staged_copies::await(const piece& used) {
  m_gpu.check(m_gpu.functions().await_event(used.free), [] { return "waiting for a copy"; });
}

void staged_copies::transfer(device_address to, device_address from, std::size_t bytes, stream_handle stream,
                             const piece& used) {
  const driver& functions = m_gpu.functions();
  m_gpu.check(functions.copy(to, from, bytes, stream),
              [&] { return "copying " + std::to_string(bytes) + " bytes"; });
  m_gpu.check(functions.record_event(used.free, stream), [] { return "recording an event"; });
}

bool staged_copies::down(char* to, const char* from, std::size_t bytes, stream_handle stream) {
  const std::unique_lock lock(m_mutex, std::try_to_lock);
  if (!lock || !is_ready()) return false;
  std::size_t asked = 0;
  for (std::size_t done = 0; done < bytes;) {
    for (; asked < bytes && asked < done + piece_bytes * piece_count; asked += piece_bytes) {
      const piece& next = m_pieces[asked / piece_bytes % piece_count];
      // Another stream's transfer may still be using this part of the memory.
      if (asked < piece_bytes * piece_count) await(next);
      transfer(address_of(next.memory), address_of(from + asked), std::min(piece_bytes, bytes - asked), stream, next);
    }
    const piece& first = m_pieces[done / piece_bytes % piece_count];
    await(first);
    copy_on_host(to + done, first.memory, std::min(piece_bytes, bytes - done));
    done += piece_bytes;
  }
  return true;
}

bool staged_copies::up(char* to, const char* from, std::size_t bytes, stream_handle stream) {
  const std::unique_lock lock(m_mutex, std::try_to_lock);
  if (!lock || !is_ready()) return false;
  for (std::size_t done = 0; done < bytes; done += piece_bytes) {
    const piece& next = m_pieces[done / piece_bytes % piece_count];
    const std::size_t size = std::min(piece_bytes, bytes - done);
    await(next);
    copy_on_host(next.memory, from + done, size);
    transfer(address_of(to + done), address_of(next.memory), size, stream, next);
  }
  return true;
}

}  // namespace sinter::gpu
