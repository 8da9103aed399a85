#pragma once
/// Switches by which tests change the scheduler. Nothing but tests sets them.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sycl/detail/export.hpp>

namespace sycl::inline _V1::detail {

struct scheduler_test_hooks {
  std::atomic<bool> shuffle{false};  ///< ready commands are taken in random order, by as many threads as there are
  // Planted errors: the tests have to notice them.
  std::atomic<unsigned> dropped_edge{0};     ///< every n-th edge is left out; 0: none
  std::atomic<bool> late_write_back{false};  ///< buffers are written back when their memory goes
  std::atomic<unsigned> dropped_wait{0};     ///< every so manieth wait of a device for another is left out
  std::atomic<unsigned> dropped_transfer{0};  ///< every so manieth transfer is left out
  std::atomic<unsigned> dropped_keep{0};  ///< every so manieth command or free lets memory go that commands still use
  std::atomic<unsigned> dropped_graph_edge{0};    ///< every so manieth edge of graphs is left out
  std::atomic<unsigned> dropped_graph_update{0};  ///< every so manieth node is not updated
  std::atomic<bool> overlapping_temporaries{false};   ///< temporaries of graphs share memory, whatever they live
  /// Fused kernels keep results out of memory that other steps read.
  std::atomic<bool> promoted_although_read{false};
  std::atomic<bool> longer_fused{false};              ///< fused kernels of graphs have too many work-items
  std::atomic<bool> all_programs{false};     ///< graphs become graphs of the driver wherever it has them, faster or not
  std::atomic<bool> early_constants{false};  ///< graphs think about constants in front of each run
  // Imitates a busy machine:
  std::atomic<bool> late_starts{false};  ///< threads rest between taking a command and running it
};

/// Never destroyed.
SINTER_EXPORT scheduler_test_hooks& test_hooks() noexcept;

/// Waits for all code that is being compiled in the background.
SINTER_EXPORT void finish_background_work();

bool shuffles() noexcept;
/// A random number below `count`.
std::size_t shuffled(std::size_t count) noexcept;
/// Rests for a random time if `late_starts` is set.
void start_late() noexcept;
/// Whether this edge has to be left out.
bool drops_edge() noexcept;
bool drops_native_wait() noexcept;
bool drops_transfer() noexcept;
bool drops_keep() noexcept;
bool drops_graph_edge() noexcept;
bool drops_graph_update() noexcept;
bool overlaps_temporaries() noexcept;
bool promotes_what_is_read() noexcept;
bool lengthens_fused() noexcept;
bool adapts_soon() noexcept;
bool makes_all_programs() noexcept;

}  // namespace sycl::detail
