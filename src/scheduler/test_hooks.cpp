#include "test_hooks.hpp"

#include <chrono>
#include <thread>

namespace sycl::inline _V1::detail {
namespace {

constinit scheduler_test_hooks hooks;
std::atomic<unsigned> edges{0}, waits{0}, transfers{0}, keeps{0}, graph_edges{0}, graph_updates{0};

bool is_one_of(const std::atomic<unsigned>& every, std::atomic<unsigned>& count) noexcept {
  const unsigned wanted = every.load(std::memory_order_relaxed);
  return wanted != 0 && count.fetch_add(1, std::memory_order_relaxed) % wanted == 0;
}

}  // namespace

scheduler_test_hooks& test_hooks() noexcept { return hooks; }

bool shuffles() noexcept { return hooks.shuffle.load(std::memory_order_relaxed); }

std::size_t shuffled(std::size_t count) noexcept {
  static thread_local std::uint64_t state = reinterpret_cast<std::uintptr_t>(&state);
  // Knuth's MMIX generator. Only the upper bits are used, because they are more random than the lower bits.
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % count;
}

void start_late() noexcept {
  if (hooks.late_starts.load(std::memory_order_relaxed)) std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

bool drops_edge() noexcept { return is_one_of(hooks.dropped_edge, edges); }
bool drops_native_wait() noexcept { return is_one_of(hooks.dropped_wait, waits); }
bool drops_transfer() noexcept { return is_one_of(hooks.dropped_transfer, transfers); }
bool drops_keep() noexcept { return is_one_of(hooks.dropped_keep, keeps); }
bool drops_graph_edge() noexcept { return is_one_of(hooks.dropped_graph_edge, graph_edges); }
bool adapts_soon() noexcept { return hooks.early_constants.load(std::memory_order_relaxed); }
bool makes_all_programs() noexcept { return hooks.all_programs.load(std::memory_order_relaxed); }
bool overlaps_temporaries() noexcept { return hooks.overlapping_temporaries.load(std::memory_order_relaxed); }
bool promotes_what_is_read() noexcept { return hooks.promoted_although_read.load(std::memory_order_relaxed); }
bool lengthens_fused() noexcept { return hooks.longer_fused.load(std::memory_order_relaxed); }
bool drops_graph_update() noexcept { return is_one_of(hooks.dropped_graph_update, graph_updates); }

}  // namespace sycl::detail
