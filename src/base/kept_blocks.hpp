#pragma once
/// Freed blocks of memory that are kept to be used again.

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace sinter {

/// A list of blocks, ordered by the time at which they were freed. Callers protect it from other threads.
class kept_blocks {
public:
  struct block {
    void* memory;
    std::size_t bytes;
  };

  /// Returns a block of exactly this size, or null. The block that was freed last is used first, because its lines may
  /// still be in a cache.
  void* take(std::size_t bytes) {
    for (std::size_t i = m_blocks.size(); i-- > 0;) {
      if (m_blocks[i].bytes != bytes) continue;
      void* memory = m_blocks[i].memory;
      m_blocks.erase(m_blocks.begin() + static_cast<std::ptrdiff_t>(i));
      m_bytes -= bytes;
      return memory;
    }
    return nullptr;
  }

  /// Adds a block. Returns the blocks that were freed first and exceed the limits. The caller frees them.
  std::vector<block> add(const block& added, std::size_t most_bytes,
                         std::size_t most_blocks = std::numeric_limits<std::size_t>::max()) {
    m_blocks.push_back(added);
    m_bytes += added.bytes;
    auto end = m_blocks.begin();
    for (std::size_t left = m_blocks.size(); m_bytes > most_bytes || left > most_blocks; --left) {
      m_bytes -= (end++)->bytes;
    }
    std::vector<block> surplus(m_blocks.begin(), end);
    m_blocks.erase(m_blocks.begin(), end);
    return surplus;
  }

  const std::vector<block>& blocks() const noexcept { return m_blocks; }

private:
  std::vector<block> m_blocks;
  std::size_t m_bytes = 0;  ///< the size of all blocks together
};

}  // namespace sinter
