#include "unit_costs.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>

namespace sinter {
namespace {

// The table is a hash table without collision handling: if two kernels share an entry, only their estimates are wrong.
std::atomic<float> known[1024];

/// Returns the entry for a kernel and a size. Sizes have separate entries, because small arrays fit into caches and
/// large arrays do not.
std::atomic<float>& entry_of(const void* code, std::uint64_t units) noexcept {
  const std::uint64_t mixed = (reinterpret_cast<std::uintptr_t>(code) + std::bit_width(units)) * 0x9e3779b97f4a7c15u;
  return known[mixed >> 54];
}

}  // namespace

float known_unit_cost(const void* code, std::uint64_t units) noexcept {
  return entry_of(code, units).load(std::memory_order_relaxed);
}

void note_unit_cost(const void* code, std::uint64_t units, float nanoseconds) noexcept {
  std::atomic<float>& entry = entry_of(code, units);
  const float old = entry.load(std::memory_order_relaxed);
  // The stored cost changes at most by a factor of two at a time, because the measured thread may have been
  // interrupted.
  const float noted = old == 0 ? nanoseconds : std::clamp(nanoseconds, old / 2, old * 2);
  if (noted != old) entry.store(noted, std::memory_order_relaxed);
}

}  // namespace sinter
