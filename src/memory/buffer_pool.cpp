#include "buffer_pool.hpp"

#include <backends/device.hpp>
#include <base/huge_page.hpp>
#include <base/kept_blocks.hpp>
#include <base/race_notes.hpp>
#include <base/sanitizers.hpp>
#include <mutex>
#include <vector>

namespace sycl::inline _V1::detail {
namespace {

// A block with at least this number of bytes is large: it is aligned to huge pages.
constexpr std::size_t least_large = std::size_t{1} << 20;
// Aligned blocks with fewer bytes than this come from malloc, because malloc is faster than a search in the pool.
constexpr std::size_t least_pooled = std::size_t{1} << 10;
// The pool of large blocks keeps at most most_kept bytes. The pool of small blocks keeps at most most_small_kept bytes
// and most_small_blocks blocks.
constexpr std::size_t most_kept = std::size_t{1} << 30, most_small_kept = std::size_t{1} << 24;
constexpr std::size_t most_small_blocks = 256;

class buffer_pool {
public:
  explicit buffer_pool(std::size_t most_bytes, std::size_t most_blocks)
      : m_most_bytes(most_bytes), m_most_blocks(most_blocks) {}

  /// Returns null if the pool has no block of this size.
  void* take(std::size_t bytes) {
    std::lock_guard lock(m_mutex);
    return m_blocks.take(bytes);
  }

  void keep(void* memory, std::size_t bytes) {
    std::vector<sinter::kept_blocks::block> surplus;
    {
      std::lock_guard lock(m_mutex);
      surplus = m_blocks.add({memory, bytes}, m_most_bytes, m_most_blocks);
    }
    for (const sinter::kept_blocks::block& each : surplus) sinter::cpu_backend().deallocate(each.memory);
  }

private:
  const std::size_t m_most_bytes, m_most_blocks;
  std::mutex m_mutex;
  sinter::kept_blocks m_blocks;  ///< protected by the mutex
};

bool is_large(std::size_t bytes) { return bytes >= least_large; }

/// The pools are never destroyed, because static buffers may be destroyed late.
buffer_pool& pool_for(std::size_t bytes) {
  static auto* large = new (sinter::lasting) buffer_pool(most_kept, most_kept / least_large);
  static auto* small = new (sinter::lasting) buffer_pool(most_small_kept, most_small_blocks);
  return is_large(bytes) ? *large : *small;
}

std::size_t rounded(std::size_t bytes) {
  const std::size_t unit = is_large(bytes) ? sinter::huge_page : least_pooled;
  return (bytes + unit - 1) / unit * unit;
}
bool is_pooled(std::size_t bytes) { return !sinter::address_sanitized && bytes >= least_pooled && bytes <= most_kept; }

} // namespace

void* allocate_buffer_memory(std::size_t bytes) {
  if (!is_pooled(bytes)) return sinter::cpu_backend().allocate(sinter::memory_kind::host, bytes, 64);
  const std::size_t size = rounded(bytes);
  if (void* memory = pool_for(bytes).take(size)) return memory;
  return sinter::cpu_backend().allocate(sinter::memory_kind::host, size, is_large(bytes) ? sinter::huge_page : 64);
}

void free_buffer_memory(void* memory, std::size_t bytes) noexcept {
  if (!is_pooled(bytes)) return sinter::cpu_backend().deallocate(memory);
  pool_for(bytes).keep(memory, rounded(bytes));
}

} // namespace sycl::detail
