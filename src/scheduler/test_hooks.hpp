#pragma once
/// Switches that change the scheduler for tests. Only tests set them.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sycl/detail/export.hpp>

namespace sycl::inline _V1::detail {

struct scheduler_test_hooks {
  std::atomic<bool> shuffle{false};  ///< ready commands run in random order, on all threads
  // Deliberate errors, which the tests have to detect:
  std::atomic<unsigned> dropped_edge{0};     ///< one of n edges of the DAG is omitted; 0: none
  std::atomic<bool> late_write_back{false};  ///< buffers are written back only when their memory is freed
  std::atomic<unsigned> dropped_wait{0};     ///< one of n waits of a device for another device is omitted; 0: none
  std::atomic<unsigned> dropped_transfer{0};  ///< one of n transfers is omitted; 0: none
  std::atomic<unsigned> dropped_keep{0};  ///< one of n commands, or one of n calls that free memory, releases memory
                                          ///< that is still in use; 0: none
  std::atomic<unsigned> dropped_graph_edge{0};    ///< one of n edges of graphs is omitted; 0: none
  std::atomic<unsigned> dropped_graph_update{0};  ///< one of n nodes is not updated; 0: none
  /// Temporaries of graphs share memory even if they are in use at the same time.
  std::atomic<bool> overlapping_temporaries{false};
  /// Fused kernels do not write results to memory, although other steps read them.
  std::atomic<bool> promoted_although_read{false};
  std::atomic<bool> longer_fused{false};              ///< fused kernels of graphs get too many work-items
  std::atomic<bool> all_programs{false};     ///< graphs become the driver's graphs even if they are slower
  std::atomic<bool> early_constants{false};  ///< before each run, a graph decides whether it makes arguments constant
  // Imitates a busy machine:
  std::atomic<bool> late_starts{false};  ///< threads sleep between claiming a command and running it
};

/// Never destroyed.
SINTER_EXPORT scheduler_test_hooks& test_hooks() noexcept;

/// Waits for all code that is being compiled in the background.
SINTER_EXPORT void finish_background_work();

bool shuffles() noexcept;
/// Returns a random number below `count`.
std::size_t shuffled(std::size_t count) noexcept;
/// Sleeps for a random time if `late_starts` is set.
void start_late() noexcept;
/// Returns whether the caller has to make the deliberate error that `dropped_edge` selects. The next functions do the
/// same for other switches, and have names like the switches.
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
