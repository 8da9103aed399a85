#include "buffer_pool.hpp"

#include <backends/device.hpp>
#include <base/huge_page.hpp>
#include <base/race_notes.hpp>
#include <base/sanitizers.hpp>
#include <mutex>
#include <vector>

namespace sycl::inline _V1::detail {
namespace {

// Blocks with fewer bytes come from malloc, which keeps freed blocks itself.
constexpr std::size_t least_pooled = std::size_t{1} << 20;
// The pool keeps at most this many bytes of freed memory.
constexpr std::size_t most_kept = std::size_t{1} << 30;

struct block {
  void* memory;
  std::size_t bytes;
};

/// The pool is never destroyed, because static buffers may be destroyed late.
struct buffer_pool {
  std::mutex mutex;  // protects the members below
  std::vector<block> blocks;
  std::size_t kept = 0;

  static buffer_pool& instance() {
    static auto* pool = new (sinter::lasting) buffer_pool;
    return *pool;
  }
};

std::size_t rounded(std::size_t bytes) {
  using sinter::huge_page;
  return (bytes + huge_page - 1) / huge_page * huge_page;
}
bool is_pooled(std::size_t bytes) { return !sinter::address_sanitized && bytes >= least_pooled && bytes <= most_kept; }

} // namespace

void* allocate_buffer_memory(std::size_t bytes) {
  if (!is_pooled(bytes)) return sinter::cpu_backend().allocate(sinter::memory_kind::host, bytes, 64);
  const std::size_t size = rounded(bytes);
  {
    buffer_pool& pool = buffer_pool::instance();
    std::lock_guard lock(pool.mutex);
    // The block that was freed last is reused first, because its lines may still be in a cache.
    for (std::size_t i = pool.blocks.size(); i-- > 0;) {
      if (pool.blocks[i].bytes != size) continue;
      void* memory = pool.blocks[i].memory;
      pool.blocks.erase(pool.blocks.begin() + static_cast<std::ptrdiff_t>(i));
      pool.kept -= size;
      return memory;
    }
  }
  return sinter::cpu_backend().allocate(sinter::memory_kind::host, size, sinter::huge_page);
}

void free_buffer_memory(void* memory, std::size_t bytes) noexcept {
  if (!is_pooled(bytes)) return sinter::cpu_backend().deallocate(memory);
  const std::size_t size = rounded(bytes);
  std::vector<block> surplus;
  {
    buffer_pool& pool = buffer_pool::instance();
    std::lock_guard lock(pool.mutex);
    pool.blocks.push_back({memory, size});
    pool.kept += size;
    while (pool.kept > most_kept) {
      surplus.push_back(pool.blocks.front());
      pool.kept -= pool.blocks.front().bytes;
      pool.blocks.erase(pool.blocks.begin());
    }
  }
  for (const block& each : surplus) sinter::cpu_backend().deallocate(each.memory);
}

} // namespace sycl::detail
