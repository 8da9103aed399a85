#pragma once
/// Remembers which work-item of a group has accessed which bytes, to find races. Two accesses of a byte by different
/// work-items are a race in this case: at least one access writes, at least one access is not atomic, and no barrier
/// separates the two accesses.

#include <abi/launch_abi.hpp>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sinter {

class access_races {
public:
  struct toucher {
    const abi::checked_access* place = nullptr;  ///< source location of the access; null: there was no access
    std::uint32_t item = 0;
    /// number of barriers that the work-item had passed before this access
    std::uint32_t group_round = 0, sub_group_round = 0;
  };

  /// Called when a group begins to run.
  void start_group(std::uint32_t sub_group_size) {
    m_sub_group_size = sub_group_size;
    m_rounds.clear();
    ++m_generation;
    if (m_bytes.size() > most_bytes) m_bytes.clear();
  }

  /// Called when a work-item has passed a barrier of its group or of its sub-group.
  void pass_barrier(std::uint32_t item, bool of_group) {
    rounds& mine = rounds_of(item);
    ++(of_group ? mine.of_group : mine.of_sub_group);
  }

  /// Records the access, and returns an earlier access that races with it. If no earlier access races with this access,
  /// the result's `place` is null.
  toucher touch(std::uint32_t item, const abi::checked_access& place, const void* address, std::size_t bytes) {
    const rounds& mine = rounds_of(item);
    const toucher now{&place, item, mine.of_group, mine.of_sub_group};
    toucher found;
    for (std::size_t i = 0; i < bytes && !found.place; ++i) {
      found = touch_byte(m_bytes[reinterpret_cast<std::uintptr_t>(address) + i], now);
    }
    return found;
  }

private:
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  struct rounds {
    std::uint32_t of_group = 0, of_sub_group = 0;
  };
  /// The latest accesses of a byte. Two readers suffice to find a race with a later writer: if two different work-items
  /// have read the byte, at least one of them is not the writer.
  struct byte_state {
    std::uint64_t generation = 0;
    toucher writer, readers[2];
  };

  rounds& rounds_of(std::uint32_t item) {
    if (item >= m_rounds.size()) m_rounds.resize(item + std::size_t{1});
    return m_rounds[item];
  }

  bool races(const toucher& before, const toucher& now) const {
    if (!before.place || before.item == now.item || before.group_round != now.group_round) return false;
    const bool same_sub_group = before.item / m_sub_group_size == now.item / m_sub_group_size;
    if (same_sub_group && before.sub_group_round != now.sub_group_round) return false;
    return (before.place->flags & now.place->flags & abi::access_atomic) == 0;
  }

  toucher touch_byte(byte_state& byte, const toucher& now) {
    if (byte.generation != m_generation) byte = {m_generation, {}, {}};
    if (races(byte.writer, now)) return byte.writer;
    if (now.place->flags & abi::access_writes) {
      for (const toucher& reader : byte.readers) {
        if (races(reader, now)) return reader;
      }
      byte.writer = now;
    } else {
      byte.readers[byte.readers[0].place && byte.readers[0].item != now.item ? 1 : 0] = now;
    }
    return {};
  }

  std::uint32_t m_sub_group_size = 1;
  std::uint64_t m_generation = 0;
  std::vector<rounds> m_rounds;  ///< barriers that each work-item has passed
  std::unordered_map<std::uintptr_t, byte_state> m_bytes;
};

} // namespace sinter
