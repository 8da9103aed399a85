#include "buffer_pool.hpp"

#include <backends/device.hpp>
#include <base/huge_page.hpp>
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

struct block {
  void* memory;
  std::size_t bytes;
};

class buffer_pool {
public:
  explicit buffer_pool(std::size_t most_bytes, std::size_t most_blocks)
      : m_most_bytes(most_bytes), m_most_blocks(most_blocks) {}

  /// Returns null if the pool has no block of this size.
  void* take(std::size_t bytes) {
    std::lock_guard lock(m_mutex);
    // The block that was freed last is reused first, because the block's cache lines may still be in a cache.
    for (std::size_t i = m_blocks.size(); i-- > 0;) {
      if (m_blocks[i].bytes != bytes) continue;
      void* memory = m_blocks[i].memory;
      m_blocks.erase(m_blocks.begin() + static_cast<std::ptrdiff_t>(i));
      m_kept -= bytes;
      return memory;
    }
    return nullptr;
  }

  void keep(void* memory, std::size_t bytes) {
    std::vector<block> surplus;
    {
      std::lock_guard lock(m_mutex);
      m_blocks.push_back({memory, bytes});
      m_kept += bytes;
      while (m_kept > m_most_bytes || m_blocks.size() > m_most_blocks) {
        surplus.push_back(m_blocks.front());
        m_kept -= m_blocks.front().bytes;
        m_blocks.erase(m_blocks.begin());
      }
    }
    for (const block& each : surplus) sinter::cpu_backend().deallocate(each.memory);
  }

private:
  const std::size_t m_most_bytes, m_most_blocks;
  std::mutex m_mutex;  // protects the members below
  std::vector<block> m_blocks;
  std::size_t m_kept = 0;
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
